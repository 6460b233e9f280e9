"""Sphinx configuration; tables of parameters, rules, tools and spaces come from the package."""

import dataclasses
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import gymnasium as gym

from ceo_gym import __version__
from ceo_gym.baselines.rule_settings import RuleSettings
from ceo_gym.baselines.tuned import SHIPPED, shipped_file
from ceo_gym.envs.listing import key_rows
from ceo_gym.registration import ENVIRONMENTS
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
# of extras, so that the pages need none of them
autodoc_mock_imports = ["stable_baselines3", "sb3_contrib", "torch", "optuna"]
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
    for row in key_rows(env.describe()[part]):
        columns = (f"`{row.key}`", row.space, row.meaning, "<br>".join(row.cells))
        lines.append(f"| {' | '.join(text.replace('|', chr(92) + '|') for text in columns)} |")
    return "\n".join(lines)


def _id_table() -> str:
    """Every id and how it differs."""
    rows = [f"| `{env_id}` | {entry.summary} |" for env_id, entry in ENVIRONMENTS.items()]
    return "\n".join(["| id | differs in |", "|---|---|", *rows])


def _settings_table() -> str:
    """The numbers behind the rules, with the shipped ones of `tuned`."""
    lines = ["| name | meaning | default | range | " + " | ".join(SHIPPED) + " |"]
    lines.append("|---|---|---:|---:|" + "---:|" * len(SHIPPED))
    tuned = [shipped_file(name)["settings"] for name in SHIPPED]
    for name, each in RuleSettings.describe().items():
        found = [f"{settings[name]:,.4g}" for settings in tuned]
        span = f"{each['low']:,.4g} to {each['high']:,.4g}"
        cells = [f"`{name}`", each["meaning"], f"{each['default']:,.4g}", span, *found]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


_generated = Path(__file__).parent / "_generated"
_generated.mkdir(exist_ok=True)
(_generated / "parameters.md").write_text(_parameter_table() + "\n")
(_generated / "rule_settings.md").write_text(_settings_table() + "\n")
(_generated / "rules.md").write_text(_rule_list() + "\n")
(_generated / "tools.md").write_text(tools.reference() + "\n", encoding="utf-8")
(_generated / "guide.md").write_text(guide(), encoding="utf-8")
_spaces = {
    "ids": _id_table(),
    "observation": _space_table("observation", blocks=OPTIONAL_BLOCKS),
    "action": _space_table("action"),
    "manager": _space_table("action", actions="manager"),
}
for _name, _table in _spaces.items():
    (_generated / f"{_name}.md").write_text(_table + "\n", encoding="utf-8")
exclude_patterns.append("_generated")
