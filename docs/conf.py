"""Sphinx configuration; tables of parameters, rules, tools and spaces come from the package."""

import dataclasses
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import gymnasium as gym

from ceo_gym import __version__
from ceo_gym.simulators.ceobench import Params, Rules
from ceo_gym.text.ceobench.guide import guide
from ceo_gym.tools import ceobench as tools

project = "ceo-gym"
author = "The ceo-gym authors"
release = __version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]
html_theme = "alabaster"
html_theme_options = {
    "description": "Running an organisation over a long horizon",
    "page_width": "1080px",
}
autodoc_member_order = "bysource"
autodoc_typehints = "none"
myst_heading_anchors = 2
# names in single backticks are plain code in these docstrings
default_role = "code"


def _parameter_table() -> str:
    """Every number of the company world: name, value, unit, range."""
    params, lines = Params.load(), []
    for section in dataclasses.fields(params):
        value = getattr(params, section.name)
        if not dataclasses.is_dataclass(value):
            continue
        doc = (type(value).__doc__ or "").strip().splitlines()[0]
        lines += [f"## {section.name}", "", doc, "", "| name | value | unit | range |"]
        lines += ["|---|---|---|---|"]
        for field in dataclasses.fields(value):
            number, meta = getattr(value, field.name), field.metadata
            if not meta:
                continue
            shape = getattr(number, "shape", ())
            shown = f"table {' x '.join(map(str, shape))}" if shape else f"{number}"
            if isinstance(number, tuple):
                shown = f"{len(number)} entries"
            limits = [f">= {meta['low']:g}"] if meta["low"] > -1e308 else []
            limits += [f"> {meta['above']:g}"] if meta["above"] > -1e308 else []
            limits += [f"<= {meta['high']:g}"] if meta["high"] < 1e308 else []
            unit, span = meta["unit"], " and ".join(limits)
            lines.append(f"| `{section.name}.{field.name}` | {shown} | {unit} | {span} |")
        lines.append("")
    return "\n".join(lines)


def _rule_list() -> str:
    """Every quirk switch: name, ids, both behaviours."""
    lines = []
    for field in dataclasses.fields(Rules):
        m = field.metadata
        lines += [f"## `{field.name}`", "", f"{m['ids']}", ""]
        lines += [f"- true: {m['published']}", f"- false: {m['repaired']}", ""]
    return "\n".join(lines)


OPTIONAL_BLOCKS = ("influence", "channel_group_lead_promotion", "reply_slots", "forecast")


def _space_table(part: str, **arguments: object) -> str:
    """Every key of the observation or action: space, cells, units and meanings."""
    env = gym.make("CEOBench-v0", record="none", **arguments).unwrapped
    lines = ["| key | space | meaning | cells |", "|---|---|---|---|"]
    for key, entry in env.describe()[part].items():
        shape = " x ".join(map(str, entry["shape"])) or "one choice"
        alike: dict[tuple[str, ...], list[str]] = {}
        for label, cell in entry["cells"].items():
            alike.setdefault((cell["meaning"], _values(cell)), []).append(label)
        cells = []
        for (meaning, values), labels in alike.items():
            names = "" if labels == [key] else f"`{_joined(labels)}` "
            words = "" if meaning == entry["meaning"] else f"{meaning} "
            cells.append(f"{names}{words}({values})")
        row = (f"`{key}`", f"{entry['space']}, {shape}", entry["meaning"], "<br>".join(cells))
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in row)} |")
    return "\n".join(lines)


def _values(cell: dict[str, Any]) -> str:
    """What a cell can be: its choices, or its unit and, where it tells something, its range."""
    if "choices" in cell:
        return " / ".join(_shortened(cell["choices"]))
    low, high = cell.get("low", 0.0), cell.get("high", 1e15)
    return cell["unit"] + (f", {low:g} to {high:g}" if high < 1e11 else "")


def _joined(labels: list[str]) -> str:
    """Labels of cells that mean the same, axis by axis."""
    parts = [label.split(".") for label in labels]
    if len({len(part) for part in parts}) > 1:
        return " ".join(_shortened(labels))
    axes = [list(dict.fromkeys(axis)) for axis in zip(*parts)]
    return " x ".join(",".join(_shortened(axis)) for axis in axes)


def _shortened(names: list[str] | tuple[str, ...]) -> list[str]:
    return list(names) if len(names) <= 6 else [names[0], names[1], "…", names[-1]]


_generated = Path(__file__).parent / "_generated"
_generated.mkdir(exist_ok=True)
(_generated / "parameters.md").write_text(_parameter_table() + "\n")
(_generated / "rules.md").write_text(_rule_list() + "\n")
(_generated / "tools.md").write_text(tools.reference() + "\n", encoding="utf-8")
(_generated / "guide.md").write_text(guide(), encoding="utf-8")
_spaces = {
    "observation": _space_table("observation", blocks=OPTIONAL_BLOCKS),
    "action": _space_table("action"),
    "manager": _space_table("action", actions="manager"),
}
for _name, _table in _spaces.items():
    (_generated / f"{_name}.md").write_text(_table + "\n", encoding="utf-8")
exclude_patterns.append("_generated")
