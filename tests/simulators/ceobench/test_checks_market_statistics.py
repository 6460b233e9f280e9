"""Statistics of the market against ``market_checks.toml``.

Sections competitor_statistics, competitor_statistics_independent, surge_statistics and
acquisition_statistics (market.md 16, numbers 10, 13 and 15). A statistic may differ from the agreed
one by four standard errors of both samples together, plus half a unit of its last printed digit.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import Params, acquisition, competitors
from ceo_gym.simulators.ceobench.codes import ARRIVAL_LEAD
from ceo_gym.simulators.ceobench.sections import SOURCES
from ceo_gym.simulators.common.streams import Streams
from tests.simulators.ceobench.reference import (
    ERRORS,
    GROUP,
    INITIAL,
    PARAMS,
    World,
    agree,
    checks,
    close,
    sd_error,
)

CHECKS = checks("market_checks.toml")


# --- competitors ----------------------------------------------------------------------------------

PUBLISHED = CHECKS["competitor_statistics"]
EQUATIONS = CHECKS["competitor_statistics_independent"]
EQUATION_RUNS = 20_000  # of the note
RUNS = 1500


@cache
def events() -> SimpleNamespace:
    """Totals a run over many schedules without investment by the player."""
    assert PARAMS.clock.horizon_days == 500
    day, size, run = [], [], []
    for seed in range(RUNS):
        for event in competitors.schedule(PARAMS, Streams(seed)):
            day.append(event.day)
            size.append(event.size)
            run.append(seed)
    day, size, run = np.array(day), np.array(size), np.array(run)

    def a_run(weight):
        return np.bincount(run, weights=weight, minlength=RUNS).astype(float)

    first = np.full(RUNS, 10_000)
    np.minimum.at(first, run, day)
    return SimpleNamespace(
        day=day,
        shift=a_run(size),
        early=a_run(day < 250),
        late=a_run(day >= 250),
        first=first,
        by_day=lambda limit: a_run(size * (day <= limit)),
        base=size
        / np.array([competitors.exogenous_size(1e9, d, PARAMS) for d in day])
        * PARAMS.competitors.size_max,
    )


def mean_agrees(sample: np.ndarray, expected: float, runs: int, digits: int = 4) -> None:
    """The mean of `sample` against that of so many runs of the same spread."""
    sd = float(sample.std())
    errors = sd / np.sqrt(len(sample)), sd / np.sqrt(runs)
    agree(float(sample.mean()), expected, *errors, rounding=0.5 * 10.0**-digits)


@pytest.mark.parametrize(
    ("name", "sample", "digits"),
    [
        ("mean_total_shift", "shift", 4),
        ("mean_events_before_day_250", "early", 3),
        ("mean_events_from_day_250", "late", 3),
        ("mean_first_event_day", "first", 2),
    ],
)
def test_competitor_means(name, sample, digits):
    mean_agrees(getattr(events(), sample), PUBLISHED[name], PUBLISHED["runs"], digits)


@pytest.mark.parametrize(
    ("expected", "runs"),
    [
        (PUBLISHED["sd_total_shift"], PUBLISHED["runs"]),
        (EQUATIONS["sd_total_shift"], EQUATION_RUNS),
    ],
)
def test_spread_of_the_competitors_total_shift(expected, runs):
    shift = events().shift
    errors = sd_error(shift), sd_error(shift, runs)
    agree(float(shift.std()), expected, *errors, rounding=0.5e-4)


def test_first_and_last_day_of_competitor_events():
    days = events().day
    assert days.min() == PUBLISHED["earliest_possible_day"]
    assert days.max() == PUBLISHED["latest_possible_day"]


@pytest.mark.parametrize("limit", [120, 200, 250, 365])
def test_competitor_shift_by_day(limit):
    mean_agrees(events().by_day(limit), EQUATIONS[f"mean_shift_by_day_{limit}"], EQUATION_RUNS)


def test_competitor_shift_of_the_equations():
    mean_agrees(events().shift, EQUATIONS["mean_total_shift"], EQUATION_RUNS)


@pytest.mark.parametrize(("name", "q"), [("q05", 0.05), ("q50", 0.50), ("q95", 0.95)])
def test_quantiles_of_the_total_shift(name, q):
    """The share of runs below the agreed quantile, which needs no density at the quantile."""
    below = float((events().shift < EQUATIONS[name]).mean())
    error = np.sqrt(q * (1.0 - q))
    agree(below, q, error / np.sqrt(RUNS), error / np.sqrt(EQUATION_RUNS))


def test_mean_clipped_size_of_an_event():
    base = events().base
    # the agreed mean is over the events of 20 000 runs
    per_run = len(base) / RUNS
    mean_agrees(base, EQUATIONS["mean_clipped_base_draw"], int(EQUATION_RUNS * per_run), 6)


# --- surges ---------------------------------------------------------------------------------------

SURGES = CHECKS["surge_statistics"]
SURGE_RUNS = 1500


def surge_path(seed: int, horizon: int, **changes: float) -> np.ndarray:
    """Z_t with every surge on its own days."""
    overrides = {f"surges.{name}": value for name, value in changes.items()}
    params = Params.load(overrides | {"clock.horizon_days": horizon})
    return acquisition.surge_factors(params, Streams(seed), from_week_start=False)[1:]


def test_number_of_surges():
    """Surges of one day that double the factor can be counted by its logarithm."""
    params = Params.load(
        {
            "surges.duration_min_days": 1,
            "surges.duration_max_days": 1,
            "surges.multiplier_min": 2.0,
            "surges.multiplier_span": 0.0,
        }
    )
    counts = np.array(
        [
            np.log2(acquisition.surge_factors(params, Streams(seed), from_week_start=False)).sum()
            for seed in range(SURGE_RUNS)
        ]
    )
    mean_agrees(counts, SURGES["mean_count"], 300, 3)
    agree(counts.mean(), SURGES["expected_count"], float(counts.std() / np.sqrt(SURGE_RUNS)))


def test_multiplier_of_surges():
    """Surges of one day show their multiplier in the factor (two on a day cannot happen)."""
    horizon = 30_000
    path = surge_path(5, horizon, duration_min_days=1, duration_max_days=1, probability_per_day=0.2)
    found = path[path != 1.0]
    assert found.min() >= 2.0
    assert found.max() <= 8.0
    agree(found.mean(), SURGES["mean_multiplier"], float(found.std() / np.sqrt(len(found))))


def test_duration_of_surges():
    """With a multiplier of 2 the logarithm counts active surges; per surge, their duration.

    Both paths have the same surges, since these depend on the seed alone. The last surge may be
    cut off by the horizon, which is nothing among hundreds.
    """
    horizon, flat = 30_000, {"multiplier_min": 2.0, "multiplier_span": 0.0}
    one_day = np.log2(surge_path(6, horizon, duration_min_days=1, duration_max_days=1, **flat))
    whole = np.log2(surge_path(6, horizon, **flat))
    number = one_day.sum()
    assert number > 100
    spread = np.sqrt((8**2 - 1) / 12)  # of a whole number from 3 to 10
    agree(whole.sum() / number, SURGES["mean_duration_days"], float(spread / np.sqrt(number)))


def test_surges_act_from_the_start_of_their_week():
    """Quirk M3: the published path rises earlier, never falls earlier, and in no earlier week."""
    rule = {"multiplier_min": 2.0, "multiplier_span": 0.0, "probability_per_day": 0.01}
    params = Params.load({f"surges.{k}": v for k, v in rule.items()})
    own = acquisition.surge_factors(params, Streams(7), from_week_start=False)
    published = acquisition.surge_factors(params, Streams(7), from_week_start=True)
    extra = np.flatnonzero(published != own)
    assert len(extra) > 0
    assert (published >= own).all()
    for day in extra:  # the surge begins later in that week
        end_of_week = -(-day // 7) * 7
        assert (own[day + 1 : end_of_week + 1] > 1.0).any()


# --- acquisition ----------------------------------------------------------------------------------

ACQUISITION = CHECKS["acquisition_statistics"]
ACQUISITION_RUNS = 60


@cache
def acquisition_runs() -> dict[str, np.ndarray]:
    """28 days of the policy in the section's note, by name of the statistic.

    The agreed spread leaves no room for surges, so they are off.
    """
    totals: dict[str, list[float]] = {}
    params = Params.load({"surges.probability_per_day": 0.0})
    for seed in range(ACQUISITION_RUNS):
        world = World(seed, params=params)
        world.market.quality_shared = 0.6
        world.set_prices(A=10, B=20, C=30)
        world.set_model_tiers(A=4, B=4, C=4)
        world.set_usage_quotas(A=1e7, B=1e7, C=1e7)
        world.set_capacity_tier(4)
        world.set_targeted_ad_spend(
            {"referral_program": {"S1": 100}, "linkedin": {"E1": 3000, "S2": 50}}
        )
        weeks = [world.step_week() for _ in range(4)]
        arrivals = world.history.arrivals
        by_group = {group: (arrivals.group == GROUP[group]) for group in INITIAL}
        found = {group: member.sum() for group, member in by_group.items()}
        for name, source in (("referral", "referral_program"), ("network", "network")):
            from_there = arrivals.source == SOURCES.index(source)
            found[f"S1_from_{name}"] = (by_group["S1"] & from_there).sum()
        found["lead_cost_usd"] = sum(week.lead_costs_usd for week in weeks)
        found["enterprise_threads"] = (arrivals.outcome == ARRIVAL_LEAD).sum()
        close(found["lead_cost_usd"], 0.5 * sum(week.new_leads for week in weeks))
        assert found["enterprise_threads"] == sum(week.new_enterprise_leads for week in weeks)
        for name, value in found.items():
            totals.setdefault(name, []).append(float(value))
    return {name: np.array(values) for name, values in totals.items()}


@pytest.mark.parametrize("name", [k for k in ACQUISITION if k != "note" and not k.endswith("_se")])
def test_acquisition(name):
    runs = acquisition_runs()[name]
    ours = float(runs.std(ddof=1) / np.sqrt(len(runs)))
    agree(float(runs.mean()), ACQUISITION[name], ours, ACQUISITION[f"{name}_se"])


def test_acquisition_as_a_whole():
    """Sum of squared deviations of the six groups, against its chi-square limit."""
    z = []
    for group in INITIAL:
        runs = acquisition_runs()[group]
        ours = runs.std(ddof=1) / np.sqrt(len(runs))
        error = np.hypot(ours, ACQUISITION[f"{group}_se"])
        z.append((runs.mean() - ACQUISITION[group]) / error)
    # 6 degrees of freedom: mean 6, standard deviation sqrt(12)
    assert np.square(z).sum() < 6.0 + ERRORS * np.sqrt(12.0)
