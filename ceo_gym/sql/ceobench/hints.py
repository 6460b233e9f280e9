"""Hints for queries that find nothing because they ask for a label that does not exist."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ceo_gym.sql.ceobench.errors import mentioned
from ceo_gym.sql.ceobench.schema import columns

_TEXT = r"""'(?:[^']|'')*'|"(?:[^"]|"")*\""""
_COMPARED = re.compile(
    rf"(\w+)[\"`\]]?\s*(?:==?|\bIS\b)\s*({_TEXT})|"
    rf"(\w+)[\"`\]]?\s+IN\s*\(\s*((?:{_TEXT})(?:\s*,\s*(?:{_TEXT}))*)\s*\)",
    re.IGNORECASE,
)


def finds_nothing(rows: list[dict[str, Any]]) -> bool:
    """No rows, or one row of nothing but zeros and NULLs, as counts and sums of nothing give."""
    return not rows or (len(rows) == 1 and not any(rows[0].values()))


def label_hint(sql: str, groups: tuple[str, ...]) -> str | None:
    """The legal labels of every compared column for which the query names another one."""
    of_tables = columns(groups)
    labels: dict[str, list[tuple[str, tuple[str, ...]]]] = {}
    for table in mentioned(sql):
        for column in of_tables[table]:
            if column.values:
                labels.setdefault(column.name, []).append((table, column.values))
    found: dict[str, None] = {}
    for column_name, literal in _comparisons(sql):
        owners = labels.get(column_name.lower(), [])
        if owners and not any(literal in values for _, values in owners):
            for table, values in owners:
                found[
                    f"{literal!r} is no label of {table}.{column_name}; its labels are "
                    f"{', '.join(values)}"
                ] = None
    return ". ".join(found) or None


def _comparisons(sql: str) -> Iterator[tuple[str, str]]:
    """(column, literal) for each comparison with a text in a query."""
    for one, literal, many, literals in _COMPARED.findall(sql):
        for text in re.findall(_TEXT, literal or literals):
            yield one or many, text[1:-1].replace(text[0] * 2, text[0])
