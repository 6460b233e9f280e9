"""The cells of a described space in few words: cells that mean the same are one entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

FEW = 6  # up to so many names are all listed


class KeyRow(NamedTuple):
    """One key of an observation or action."""

    key: str
    space: str  # kind and shape
    meaning: str
    cells: list[str]  # names of cells that mean the same, what they mean, unit or choices


def key_rows(described: Mapping[str, Any]) -> list[KeyRow]:
    """Every key of one part of ``env.unwrapped.describe()``."""
    rows = []
    for key, entry in described.items():
        shape = " x ".join(map(str, entry["shape"])) or "one choice"
        alike: dict[tuple[str, str], list[str]] = {}
        for label, cell in entry["cells"].items():
            alike.setdefault((cell["meaning"], _values(cell)), []).append(label)
        cells = []
        for (meaning, values), labels in alike.items():
            names = "" if labels == [key] else f"`{_joined(labels)}` "
            words = "" if meaning == entry["meaning"] else f"{meaning} "
            cells.append(f"{names}{words}({values})")
        rows.append(KeyRow(key, f"{entry['space']}, {shape}", entry["meaning"], cells))
    return rows


def _values(cell: Mapping[str, Any]) -> str:
    """What a cell can be: its choices, or its unit and, where it tells something, its range."""
    if "choices" in cell:
        return " / ".join(_shortened(cell["choices"]))
    low, high = cell.get("low", 0.0), cell.get("high", 1e15)
    return str(cell["unit"]) + (f", {low:g} to {high:g}" if high < 1e11 else "")


def _joined(labels: Sequence[str]) -> str:
    """Labels of cells that mean the same, axis by axis."""
    parts = [label.split(".") for label in labels]
    if len({len(part) for part in parts}) > 1:
        return " ".join(_shortened(labels))
    axes = [list(dict.fromkeys(axis)) for axis in zip(*parts)]
    return " x ".join(",".join(_shortened(axis)) for axis in axes)


def _shortened(names: Sequence[str]) -> list[str]:
    return list(names) if len(names) <= FEW else [names[0], names[1], "…", names[-1]]
