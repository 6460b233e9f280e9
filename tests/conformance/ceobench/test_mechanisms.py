"""The mechanisms of the recordings one by one; and that a wrong mechanism would be seen."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pytest
from scipy import stats

from tests.conformance.ceobench import mechanisms, seedwise
from tests.conformance.ceobench.runner import EARLY, HORIZON, MAIN, Runs, played, recorded
from tests.conformance.ceobench.scripted import RULES
from tests.conformance.ceobench.seedwise import Figure, Row
from tests.conformance.shared import shared_file

SEEDS = {"P0": 48, "P1": 48, "P2": 32, "P3": 32, "P4": 32, "P7": 48, "P8": 64}
FIRST_RENEWALS = 63  # days, whole weeks


@pytest.fixture(autouse=True)
def recordings() -> None:
    shared_file(MAIN), shared_file(EARLY)


def rows_of(ours: Mapping[str, Runs], days: int = HORIZON) -> list[Row]:
    theirs = {policy: recorded(policy, MAIN, EARLY).upto(days) for policy in ours}
    return mechanisms.mechanisms(ours, theirs) + mechanisms.distributions(ours, theirs)


def refused(rows: list[Row]) -> list[tuple[str, str]]:
    return [(row.mechanism, row.policy) for row in rows if row.rejected]


def test_first_months_of_a_small_business() -> None:
    rows = rows_of({"P1": played("P1", 16, FIRST_RENEWALS)}, FIRST_RENEWALS)
    assert len(rows) >= 50
    assert refused(rows) == []


@pytest.mark.slow
def test_every_mechanism_and_distribution() -> None:
    rows = rows_of({policy: played(policy, seeds) for policy, seeds in SEEDS.items()})
    assert len(rows) >= 400
    assert refused(rows) == []


class Fault(NamedTuple):
    """A world that is wrong in one number or rule, and the rows one of which must be refused."""

    rows: str  # beginning of their names
    policy: str
    seeds: int
    days: int
    world: dict[str, Any]


FAULTS = [
    Fault("open issues", "P1", 32, 63, {"params": {"support.issue_dissatisfaction_rate": 0.18}}),
    Fault("reputation", "P1", 32, 63, {"params": {"reputation.gain_per_account": 0.00055}}),
    Fault("conversion", "P1", 32, 63, {"params": {"sampling.decision_noise_high": 1.15}}),
    Fault("cancel_ind", "P1", 32, 63, {"params": {"groups.S1.involuntary_churn_mean": 0.085}}),
    Fault("prospects of S2", "P1", 32, 63, {"params": {"acquisition.spend_unit_usd": 960.0}}),
    Fault("satisfaction of S1, loss", "P1", 32, 119, {"params": {"perceived.outage_penalty": 0.3}}),
    Fault("competitors, part of", "P1", 32, 119, {"params": {"competitors.catch_up_max": 0.8}}),
    Fault("research project 1", "P3", 32, 63, {"params": {"research_tiers.1.quality_mean": 0.07}}),
    Fault("business index", "P0", 32, 301, {"params": {"economy.reversion_per_day": 0.03}}),
    Fault("surges, share", "P0", 32, 301, {"rules": RULES.replace(surges_start_with_week=False)}),
    Fault("market research", "P7", 48, 119, {"params": {"research.discovery_probability": 0.6}}),
    Fault("offers waiting", "P8", 32, 119, {"params": {"groups.E1.reply_delay_mean_days": 8.0}}),
    Fault("day of the first deal", "P8", 48, 140, {"params": {"groups.E1.q_floor_mean": 0.58}}),
    Fault(
        "seats, monthly drift",
        "P8",
        32,
        182,
        {"params": {"groups.E1.own_drift_seats_rate_per_day": -0.0006}},
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: f"{fault.policy}: {fault.rows}")
def test_a_fault_is_seen(fault: Fault) -> None:
    ours = played(fault.policy, fault.seeds, fault.days, **fault.world)
    rows = rows_of({fault.policy: ours}, fault.days)
    assert any(name.startswith(fault.rows) for name, _ in refused(rows))


# --- the tests themselves -------------------------------------------------------------------------


def test_weekly_distance_is_the_two_sample_statistic_of_every_day() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.poisson(5, (9, 3)).astype(float), rng.poisson(6, (7, 3)).astype(float)
    a[2, 1] = np.nan
    row = seedwise.weekly_distance("", "", "", a, b)
    expected = [stats.ks_2samp(x[np.isfinite(x)], y).statistic for x, y in zip(a.T, b.T)]
    assert row is not None
    assert row.statistic == pytest.approx(np.mean(expected))


def test_figures_of_equal_weight_give_the_welch_statistic() -> None:
    rng = np.random.default_rng(2)
    a, b = rng.normal(0, 1, 12), rng.normal(1, 2, 8)
    row = seedwise.compare_figures("", "", "", Figure(a, np.ones(12)), Figure(b, np.ones(8)))
    welch = stats.ttest_ind(a, b, equal_var=False)
    assert row is not None
    assert row.statistic == pytest.approx(welch.statistic)
    assert row.p == pytest.approx(welch.pvalue, abs=0.03)


def test_shuffling_seeds_holds_its_level_for_heavy_tails() -> None:
    rng = np.random.default_rng(3)
    p = []
    for _ in range(100):
        bottom = rng.lognormal(3, 1.5, 40)
        figure = Figure(rng.poisson(bottom).astype(float), bottom)
        sides = Figure(*(x[:30] for x in figure)), Figure(*(x[30:] for x in figure))
        row = seedwise.compare_figures("", "", "", *sides)
        assert row is not None
        p.append(row.p)
    assert stats.kstest(p, "uniform").pvalue > 0.01


def test_constants_must_be_equal() -> None:
    one = Figure(np.full(5, 2.0), np.ones(5))
    same = seedwise.compare_figures("", "", "", one, one)
    other = seedwise.compare_figures("", "", "", one, one._replace(top=np.full(5, 2.001)))
    assert same is not None
    assert other is not None
    assert (same.p, other.p) == (1.0, 0.0)


def test_holm_goes_on_until_the_first_row_that_stands() -> None:
    blank = Row("", "", "", 9, 9, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
    rows = seedwise.holm([blank._replace(p=p) for p in (0.02, 0.001, 0.9, 0.03)] + [None])
    assert [row.rejected for row in rows] == [False, True, False, False]
    rows = seedwise.holm([blank._replace(p=p) for p in (0.012, 0.001, 0.9, 0.03)])
    assert [row.rejected for row in rows] == [True, True, False, False]
