"""Distributions of drawn customers and of their first decisions.

``sampling_moments.csv`` and ``take_rates.csv`` (customers.md 21, last part). Tolerance: four
standard errors of both samples together, plus half a unit of the last printed digit.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import acquisition, customers
from ceo_gym.simulators.ceobench.customers import Prospects
from tests.simulators.ceobench.reference import (
    GROUP,
    GROUPS,
    PARAMS,
    PLAN,
    SPEC,
    agree,
    draw,
    sd_error,
    share_error,
    table,
)

DRAWN = 20_000
MOMENTS = table(f"{SPEC}/sampling_moments.csv")
TAKE_RATES = table(f"{SPEC}/take_rates.csv")


@cache
def sample(group: str, shift: float = 0.0) -> Prospects:
    return draw(group, DRAWN, seed=21, shift=shift)


# --- attributes -----------------------------------------------------------------------------------

ATTRIBUTES = {  # column of the file -> drawn values
    "budget_usd": lambda p: p.budget,
    "q_floor": lambda p: p.q_floor,
    "q_span": lambda p: p.q_ceiling - p.q_floor,
    "usage_units": lambda p: p.usage,
    "left_steepness": lambda p: p.left,
    "right_steepness": lambda p: p.right,
    "seats": lambda p: p.seats,
    "lockin": lambda p: p.lockin,
    "ads_annoyance": lambda p: p.annoyance,
    "ads_yield_usd": lambda p: p.ads_yield,
}
LIMITS = {  # column of the file -> drawn values, limit
    "share_budget_at_floor": (lambda p: p.budget, PARAMS.sampling.budget_floor_usd),
    "share_q_floor_at_floor": (lambda p: p.q_floor, PARAMS.sampling.positive_floor),
    "share_usage_at_floor": (lambda p: p.usage, PARAMS.sampling.usage_floor_units),
    "share_left_steepness_at_cap": (lambda p: p.left, PARAMS.sampling.left_steepness_max),
    "share_right_steepness_at_cap": (lambda p: p.right, PARAMS.sampling.right_steepness_max),
}
BY_GROUP = {"argnames": "row", "argvalues": MOMENTS, "ids": [row["group_id"] for row in MOMENTS]}


def half_unit(text: str) -> float:
    """Half a unit of the last of the five significant digits of the file."""
    value = abs(float(text))
    return 0.5 * 10.0 ** (np.floor(np.log10(value)) - 4) if value else 0.0


@pytest.mark.parametrize(**BY_GROUP)
@pytest.mark.parametrize("name", ATTRIBUTES)
def test_moments(name, row):
    values, n = ATTRIBUTES[name](sample(row["group_id"])), int(row["n"])
    mean, sd = row[f"{name}_mean"], row[f"{name}_sd"]
    spread = float(values.std())
    errors = spread / np.sqrt(DRAWN), spread / np.sqrt(n)
    agree(float(values.mean()), float(mean), *errors, rounding=half_unit(mean))
    errors = sd_error(values), sd_error(values, n)
    agree(spread, float(sd), *errors, rounding=half_unit(sd))


@pytest.mark.parametrize(**BY_GROUP)
@pytest.mark.parametrize("name", LIMITS)
def test_share_at_a_limit(name, row):
    values, limit = LIMITS[name]
    ours, theirs = float((values(sample(row["group_id"])) == limit).mean()), float(row[name])
    compare_shares(ours, theirs, DRAWN, int(row["n"]), digits=4)


def compare_shares(ours: float, theirs: float, n: float, m: float, digits: int) -> None:
    """Two shares, at the spread of the common share."""
    common = (ours * n + theirs * m) / (n + m)
    agree(ours, theirs, share_error(common, n, m), rounding=0.5 * 10.0**-digits)


def test_every_column_of_the_file_is_checked():
    moments = {f"{name}_{moment}" for name in ATTRIBUTES for moment in ("mean", "sd")}
    assert set(MOMENTS[0]) == {"group_id", "n"} | moments | set(LIMITS)
    assert [row["group_id"] for row in MOMENTS] == list(GROUP)


# --- first decisions ------------------------------------------------------------------------------

# scenarios of customers.md 21: product quality, quotas, lead promotion, shift of expectations
SCENARIOS = {
    "L1": (0.5, (100.0, 300.0, 1000.0), 0.0, 0.0),
    "L2": (0.8, (100.0, 300.0, 1000.0), 10.0, 0.0),
    "L3": (0.8, (100.0, 300.0, 1000.0), 0.0, 0.2),
    "L4": (0.8, (10_000.0, 30_000.0, 100_000.0), 0.0, 0.0),
}
PRICES = np.array([20.0, 50.0, 100.0])
TIERS = np.array([3, 4, 5])
BY_SCENARIO = {
    "argnames": "row",
    "argvalues": TAKE_RATES,
    "ids": [f"{row['scenario']} {row['group_id']}" for row in TAKE_RATES],
}


@pytest.mark.parametrize(**BY_SCENARIO)
def test_take_rate(row):
    quality, quota, promotion, shift = SCENARIOS[row["scenario"]]
    people, n = sample(row["group_id"], shift), int(row["n"])
    multiplier = PARAMS.model_tiers.quality_multiplier[TIERS - 1]
    delivered = customers.delivered_quality(multiplier, np.full(GROUPS, quality))
    if row["scenario"] == "L4":
        taken = acquisition.passes_gate(people, delivered, np.array(quota), PARAMS, per_seat=False)
    else:
        plan, taken = acquisition.first_decision(
            people, delivered, PRICES, np.array(quota), np.full(DRAWN, promotion), PARAMS
        )
    share = float(row["accepted_or_gated_share"])
    compare_shares(float(taken.mean()), share, DRAWN, n, digits=4)
    if row["scenario"] != "L4":  # shares of the plans among those who accept
        for letter, position in PLAN.items():
            ours = float((plan[taken] == position).mean())
            theirs = float(row[f"share_plan_{letter}"])
            compare_shares(ours, theirs, int(taken.sum()), n * share, digits=4)


def test_every_scenario_and_group_is_checked():
    individuals = [g for g in GROUP if not PARAMS.groups.is_enterprise[GROUP[g]]]
    enterprises = [g for g in GROUP if PARAMS.groups.is_enterprise[GROUP[g]]]
    found = [(row["scenario"], row["group_id"]) for row in TAKE_RATES]
    assert found == [
        (scenario, group)
        for scenario in SCENARIOS
        for group in (enterprises if scenario == "L4" else individuals)
    ]
