"""The guide tells the numbers of the world that a player may know, and no others."""

import dataclasses
import re
from typing import Any

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import Params, Rules
from ceo_gym.simulators.ceobench.sections import CHANNELS
from ceo_gym.text.ceobench.guide import guide

# everything else must not show
TOLD = {
    "clock.horizon_days",
    "company.initial_cash_usd",
    "company.ends_when_bankrupt",
    "acquisition.lead_cost_usd",
    "economy.neutral_index",
    "economy.reading_interval_days",
    "economy.publication_delay_days",
    "competitors.enabled",
    "product.base_quality",
    "product.project_min_days",
    "research.discovery_cost_usd",
    "enterprise.deadline_days",
    "enterprise.late_reply_free_days",
    "social.post_max_characters",
    "groups.visible_at_start",
    "limits.max_price_usd",
    "limits.max_spend_usd_per_day",
}
TOLD_TABLES = {"model_tiers", "capacity_tiers", "research_tiers", "info_levels"}


def moved(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else value * 1.01 + 1e-3


def hidden_fields() -> list[tuple[str, str]]:
    params, found = Params.load(), []
    for section in dataclasses.fields(params):
        part = getattr(params, section.name)
        if not dataclasses.is_dataclass(part) or section.name in TOLD_TABLES:
            continue
        for field in dataclasses.fields(part):
            value = getattr(part, field.name)
            if f"{section.name}.{field.name}" not in TOLD and not isinstance(value, tuple):
                found.append((section.name, field.name))
    return found


@pytest.mark.parametrize("rules", [Rules.published(), Rules.repaired()])
def test_hidden_numbers_leave_no_trace(rules: Rules) -> None:
    params = Params.load()
    text = guide(params, rules)
    hidden = hidden_fields()
    assert {"groups", "influence", "competitors", "sampling"} <= {section for section, _ in hidden}
    for section, name in hidden:
        part = getattr(params, section)
        changed = dataclasses.replace(part, **{name: moved(getattr(part, name))})
        assert guide(dataclasses.replace(params, **{section: changed}), rules) == text, name


@pytest.mark.parametrize("rules", [Rules.published(), Rules.repaired()])
def test_told_numbers_are_those_of_the_world(rules: Rules) -> None:
    text = guide(rules=rules)
    for name in TOLD - {"groups.visible_at_start"}:
        section, field = name.split(".")
        params = Params.load()
        value = moved(getattr(getattr(params, section), field))
        if rules.loose_input and section == "limits":
            continue
        assert guide(Params.load({name: value}), rules) != text, name


TABLE_COLUMNS = {
    "model_tiers": ("cost_usd_per_unit", "quality_multiplier"),
    "capacity_tiers": ("capacity_units_per_day", "cost_usd_per_day"),
    "research_tiers": (
        "cost_usd",
        "duration_mean_days",
        "duration_sd_days",
        "quality_mean",
        "quality_sd",
    ),
    "info_levels": ("noise_half_width", "cost_usd", "delay_days"),
}


@pytest.mark.parametrize(
    ("table", "column"), [(t, c) for t, columns in TABLE_COLUMNS.items() for c in columns]
)
def test_every_cell_of_the_tables_is_that_of_the_world(table: str, column: str) -> None:
    """A cell of another number changes its own row and no other."""
    before, part = guide().splitlines(), getattr(Params.load(), table)
    for k, row in enumerate(part.ids):
        if table == "info_levels" and (k == 0 or (k == 1 and column != "noise_half_width")):
            continue
        value = float(getattr(part, column)[k])
        other = 0.5 * value if column == "noise_half_width" else value + 1.0
        after = guide(Params.load({f"{table}.{row}.{column}": other})).splitlines()
        changed = [new for old, new in zip(before, after) if old != new]
        assert len(before) == len(after)
        assert len(changed) == 1
        assert changed[0].startswith(f"| {row} |")


def test_no_number_stands_in_the_text_by_itself() -> None:
    """With every number of the world changed, only counts, periods and scopes are left."""
    params = Params.load()
    changes: dict[str, Any] = {
        name: moved(getattr(getattr(params, name.split(".")[0]), name.split(".")[1])) + 100
        for name in TOLD - {"groups.visible_at_start", "company.ends_when_bankrupt"}
        if not name.startswith("competitors")
    }
    for table, columns in TABLE_COLUMNS.items():
        part = getattr(params, table)
        for column in columns:
            for k, row in enumerate(part.ids):
                value = float(getattr(part, column)[k])
                changes[f"{table}.{row}.{column}"] = (
                    0.77 * value if column == "noise_half_width" else 1.0731 * value + 101.3
                )

    def numbers(text: str) -> set[str]:
        text = re.sub(r"^\| (\d+|[DSE_]+\d+) \|", "|", text, flags=re.MULTILINE)  # names of rows
        return set(re.findall(r"(?<![\w.])\d(?:,?\d)*(?:\.\d+)?", text))

    for rules in (Rules.published(), Rules.repaired()):
        same = numbers(guide(rules=rules)) & numbers(guide(Params.load(changes), rules))
        # 0 and 1: strength of ads, quota; 3 plans, 5 channels, 7 and 30 days, 10 + 10 groups of 20
        assert same <= {"0", "1", "3", "5", "7", "30", "10", "20"}


def test_words_follow_the_numbers() -> None:
    assert "then 7 days pass (3 the last time)" in " ".join(guide().split())
    assert "last time" not in guide(Params.load({"clock.horizon_days": 70}))
    assert "most attempts find nothing" in " ".join(guide().split())
    lucky = guide(Params.load({"research.discovery_probability": 0.9}))
    assert "most attempts" not in " ".join(lucky.split())
    known = Params.load({f"groups.{i}.visible_at_start": 1.0 for i in Params.load().groups.ids})
    assert "all groups there are" in guide(known)
    assert "further groups" not in guide(known)
    early = guide(Params.load({"enterprise.late_reply_free_days": 3}))
    assert "older than 3 days" in " ".join(early.split())
    assert "$1,000,000.50" in guide(Params.load({"company.initial_cash_usd": 1_000_000.5}))


def test_nothing_is_said_of_competitors_where_there_are_none() -> None:
    assert "ompetitor" in guide()
    assert "ompetitor" not in guide(Params.load({"competitors.enabled": False}))


def test_rejected_threats_are_told_as_the_rules_have_it() -> None:
    assert "even one that threatened to leave" in " ".join(guide().split())
    assert "then it is gone" in " ".join(guide(rules=Rules.repaired()).split())


def test_means_and_effectiveness_do_not_occur() -> None:
    params, text = Params.load(), guide()
    told = {float(n.replace(",", "")) for n in re.findall(r"\d[\d,]*\.?\d*", text)}
    shown_anyway = set()
    for table in TOLD_TABLES:
        for value in vars(getattr(params, table)).values():
            if isinstance(value, np.ndarray):
                shown_anyway |= set(value.tolist()) | set((100 * value).tolist())
    small_talk = {float(n) for n in range(31)} | {280.0, 500.0, 0.2, 0.5, 50.0, 1e6, 25_000.0}
    groups = params.groups
    for secret in (
        params.influence.effectiveness,
        groups.budget_mean_usd,
        groups.usage_mean_units_per_day,
        groups.q_floor_mean,
        groups.market_cap_base,
    ):
        assert not (set(np.ravel(secret).tolist()) & told) - shown_anyway - small_talk


def test_tables_are_complete() -> None:
    params, text = Params.load(), guide()
    projects = params.research_tiers
    for k, tier in enumerate(projects.ids):
        assert f"| {tier} | {projects.label[k]} | {projects.cost_usd[k]:,.0f} |" in text
    for k, tier in enumerate(params.capacity_tiers.ids):
        assert f"| {tier} | {params.capacity_tiers.capacity_units_per_day[k]:,.0f} |" in text
    for channel in CHANNELS:
        assert channel in text
    for k, group in enumerate(params.groups.ids):
        assert (params.groups.name[k] in text) == (params.groups.visible_at_start[k] > 0), group


def test_rules_are_told_as_they_are() -> None:
    assert "holds per seat" in guide(rules=Rules.repaired())
    assert "holds per seat" not in guide()
    assert "$10,000" in guide(rules=Rules.repaired())
    assert "Competitors improve" not in guide(Params.load({"competitors.enabled": False}))
