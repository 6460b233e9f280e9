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
