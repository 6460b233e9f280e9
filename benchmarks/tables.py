"""Rows of figures as aligned text, and as tables of a page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = dict[str, Any]


def shown(value: Any) -> str:
    """A figure with three digits, an integer with commas."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, int) or abs(value) >= 1000:
        return f"{value:,.0f}"
    if abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.3g}"


def text(rows: Sequence[Mapping[str, Any]]) -> str:
    """Rows as aligned columns; the first column to the left."""
    names = list(rows[0])
    cells = [[name.replace("_", " ") for name in names]]
    cells += [[shown(row.get(name)) for name in names] for row in rows]
    widths = [max(len(line[k]) for line in cells) for k in range(len(names))]
    lines = []
    for line in cells:
        padded = [cell.rjust(width) for cell, width in zip(line, widths)]
        padded[0] = line[0].ljust(widths[0])
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def markdown(rows: Sequence[Mapping[str, Any]], heads: Mapping[str, str]) -> str:
    """Some columns of rows as a table of a page.

    Args:
        rows: figures by name.
        heads: name -> heading of the columns that are shown, in order.
    """
    lines = [f"| {' | '.join(heads.values())} |", f"|---|{'---:|' * (len(heads) - 1)}"]
    lines += [f"| {' | '.join(shown(row.get(name)) for name in heads)} |" for row in rows]
    return "\n".join(lines)


def fill(page: Path, name: str, table: str) -> None:
    """Replace what stands between the marks ``<!-- name -->`` and ``<!-- end of name -->``.

    Raises:
        ValueError: if the page has no such marks.
    """
    before = page.read_text(encoding="utf-8")
    marks = re.compile(rf"(<!-- {name} -->\n).*?(<!-- end of {name} -->)", re.DOTALL)
    if not marks.search(before):
        raise ValueError(f"{page} has no place for the table {name}")
    page.write_text(marks.sub(lambda m: f"{m[1]}\n{table}\n\n{m[2]}", before), encoding="utf-8")


def pages_with(name: str, pages: Iterable[Path]) -> list[Path]:
    """Those of some pages that have a place for a table."""
    return [page for page in pages if f"<!-- {name} -->" in page.read_text(encoding="utf-8")]
