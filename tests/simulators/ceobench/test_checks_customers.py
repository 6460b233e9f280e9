"""Rules of single customers and groups against ``customer_checks.toml``.

Curve, ads load, quota, service, issues, usage, reputation, drift, calendar: customers.md 21,
numbers 1 to 4, 13 to 17 and 19 to 21. Views of quality are in `test_checks_views`, money in
`test_checks_money`.
"""

from __future__ import annotations

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import (
    acquisition,
    customers,
    drift,
    reputation,
    service,
    support,
)
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS
from tests.simulators.ceobench.reference import (
    CALM,
    GROUP,
    GROUPS,
    INITIAL,
    NO_ISSUES,
    PARAMS,
    PLAN,
    World,
    add_accounts,
    add_enterprises,
    by_group,
    checks,
    close,
    label,
    morning,
    rows,
)

CHECKS = checks("customer_checks.toml")
FINE = 1e-12  # tolerance of the sections that ask for it


# --- price, ads, quota ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("curve", "price", "required"),
    [
        pytest.param(curve, price, required, id=f"budget {curve['budget']:g}, price {price:g}")
        for curve in CHECKS["required_quality"]
        for price, required in zip(curve["price"], curve["required"])
    ],
)
def test_required_quality(curve, price, required):
    customer = [curve[name] for name in ("left", "right", "budget", "q_floor", "q_ceiling")]
    close(customers.required_quality(price, *customer, PARAMS.curve), required)


@pytest.mark.parametrize("row", rows(CHECKS["ads_load"]), ids=label)
def test_ads_load(row):
    close(customers.ads_load(row["global"] + row["group"], PARAMS.perceived), row["load"])


@pytest.mark.parametrize("row", rows(CHECKS["quota_factor"]), ids=label)
def test_quota_factor(row):
    close(customers.quota_factor(row["quota"], row["demand"]), row["factor"])


# --- service --------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows(CHECKS["outage_probability"]), ids=label)
def test_outage_probability(row):
    probability = service.outage_probability(row["ops_usd"], row["overload"], PARAMS.service)
    close(probability, row["probability"], FINE)


def test_service_means():
    # the section's comment: usage 300 000 on 200 000 units, which is capacity tier 1
    expected = CHECKS["service_means"]
    overload = service.overload(300_000, PARAMS.capacity_tiers.capacity_units_per_day[1])
    close(overload, expected["overload"])
    close(service.mean_latency_ms(overload, PARAMS.service), expected["p95_ms"])
    close(service.mean_error_rate(overload, PARAMS.service), expected["error_rate"])


@pytest.mark.parametrize(
    ("day", "rate", "units"),
    [
        (day, rate, units)
        for day in (50, 54)
        for rate, units in zip(
            CHECKS["usage_rounding"]["rate"], CHECKS["usage_rounding"][f"day_{day}"]
        )
    ],
)
def test_usage_rounding(day, rate, units):
    quota = 100.0  # of the section's comment
    weekday = CHECKS["usage_rounding"][f"day_{day}_multiplier"]
    close(service.served_units(np.asarray(rate) * weekday, quota), units)

    world = World(params=CALM)
    world.company.quota_units[:] = quota
    add_accounts(world, "S1", plan=PLAN["B"], rate=rate)
    morning(world, day)
    close(world.today.weekday, weekday)
    close(world.today.usage_by_plan, [0.0, units, 0.0])


@pytest.mark.parametrize("row", rows(CHECKS["calendar"]), ids=lambda row: f"day {row['day']}")
def test_calendar(row):
    clock = PARAMS.clock
    close(clock.weekday_multiplier[row["day"] % 7], row["weekday"])
    close(clock.month_multiplier[row["day"] % MONTH_DAYS], row["month"])
    close(acquisition.calendar(row["day"], PARAMS), row["weekday"] * row["month"])


# --- issues and support ---------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows(CHECKS["issue_probability"]), ids=label)
def test_issue_probability(row):
    probability = support.issue_probability(
        row["satisfaction"], row["seats"], row["outage"], PARAMS.support
    )
    close(probability, row["probability"], FINE)


RESOLUTION = CHECKS["resolution_means"]


@pytest.mark.parametrize(
    ("open_issues", "spend", "base", "expected"),
    [
        pytest.param(
            {"S1": 30, "E1": 10},
            RESOLUTION["global_ops_usd"],
            PARAMS.support.base_resolutions_per_day,
            RESOLUTION["global"],
            id="global",
        ),
        pytest.param({"E1": 10}, 50.0, 0.0, {"E1": RESOLUTION["by_group_E1_usd_50"]}, id="group"),
        pytest.param({"S1": 30}, 20.0, 0.0, {"S1": RESOLUTION["by_plan_B_usd_20"]}, id="plan"),
        pytest.param(
            {"E1": 10}, 10.0, 0.0, {"E1": RESOLUTION["by_group_plan_E1_C_usd_10"]}, id="group, plan"
        ),
        pytest.param(
            {"S1": 1}, 5.0, 0.0, {"S1": RESOLUTION["by_customer_S1_usd_5"]}, id="customer"
        ),
    ],
)
def test_resolution_means(open_issues, spend, base, expected):
    means = support.resolution_means(by_group(open_issues), spend, base, PARAMS.resolutions_per_usd)
    close(means, by_group(expected))


@pytest.mark.parametrize(
    ("setting", "treated"),
    [
        ({"by_group": {"E1": 1e6}}, {"E1"}),
        ({"by_plan": {"B": 1e6}}, {"S1"}),
        ({"by_group_plan": {"E1": {"C": 1e6}}}, {"E1"}),
        ({"by_group_plan": {"E1": {"B": 1e6}}}, set()),
        ({"by_customer": {2: 1e6}}, {"first S1"}),
    ],
    ids=str,
)
def test_targeted_pools_hold_the_accounts_of_their_scope(setting, treated):
    """The state of `resolution_means`; a million dollars resolve a whole pool and nothing else."""
    world = World(params=NO_ISSUES | {"support.base_resolutions_per_day": 0.0})
    individuals = add_accounts(world, "S1", 30, plan=PLAN["B"], issue_days=1)
    enterprises = world.negotiations.leads
    who = add_enterprises(world, "E1", 10, plan=PLAN["C"], issue_days=1)
    world.set_targeted_ops_spend(**setting)
    morning(world, 5)
    support.resolve_and_raise(world)

    resolved = world.population.issue_days == 0
    expected = np.zeros(40, np.bool_)
    expected[individuals] = "S1" in treated
    expected[individuals[0]] |= "first S1" in treated
    expected[enterprises.account[who]] = "E1" in treated
    np.testing.assert_array_equal(resolved, expected)


AFTER_ISSUE = CHECKS["relationship_after_issue"]


@pytest.mark.parametrize(
    ("name", "issue_days", "start", "outage"),
    [
        ("resolved_day_1", 1, 0.5, False),
        ("resolved_day_2", 2, 0.5, False),
        ("resolved_day_3", 3, 0.5, False),
        ("resolved_day_1_with_outage", 1, 0.5, True),
        ("resolved_day_1_from_zero", 1, 0.0, False),
    ],
)
def test_relationship_after_a_resolved_issue(name, issue_days, start, outage):
    # so many free resolutions that the issue is closed for certain
    world = World(params=NO_ISSUES | {"support.base_resolutions_per_day": 1e6})
    add_accounts(world, "S1", issue_days=issue_days, relationship=start)
    morning(world, 5, outage=outage)
    support.resolve_and_raise(world)
    assert world.population.issue_days[0] == 0
    close(world.population.relationship, AFTER_ISSUE[name])


def test_relationship_under_an_unresolved_issue():
    world = World(params=NO_ISSUES | {"support.base_resolutions_per_day": 0.0})
    add_accounts(world, "S1", issue_days=1, relationship=0.5)
    series = []
    for day in range(1, max(AFTER_ISSUE["unresolved_series_day"]) + 1):
        morning(world, day)
        support.resolve_and_raise(world)
        assert world.population.issue_days[0] == day + 1
        series.append(float(world.population.relationship[0]))
    close(series[0], AFTER_ISSUE["unresolved"])
    days = np.array(AFTER_ISSUE["unresolved_series_day"])
    close(np.array(series)[days - 1], AFTER_ISSUE["unresolved_series"])


# --- reputation -----------------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows(CHECKS["reputation_event_scale"]), ids=label)
def test_reputation_event_scale(row):
    close(reputation.event_scale(row["accounts"]), row["scale"], FINE)


@pytest.mark.parametrize("row", rows(CHECKS["cancel_damage"]), ids=label)
def test_cancel_damage(row):
    damage = reputation.cancel_damage(
        np.array([row["satisfaction"]]), np.array([row["u"]]), row["accounts"], PARAMS.reputation
    )
    close(damage, row["damage"], FINE)


DAILY_REPUTATION = {  # the state that the name of each row describes: group, accounts, satisfaction
    "S1_100_accounts_at_0p3": [("S1", 100, 0.3)],
    "S1_100_accounts_at_minus_0p3": [("S1", 100, -0.3)],
    "S3_1000_accounts_at_0p5": [("S3", 1000, 0.5)],
    "S1_1_account_at_0p5": [("S1", 1, 0.5)],
    "S1_50_at_0p6_and_50_at_minus_0p3": [("S1", 50, 0.6), ("S1", 50, -0.3)],
}


@pytest.mark.parametrize("name", CHECKS["daily_reputation"])
def test_daily_reputation(name):
    world = World()
    for group, count, level in DAILY_REPUTATION[name]:
        add_accounts(world, group, count, satisfaction=level)
    morning(world, 5)
    reputation.count_votes(world)
    reputation.update(world)
    change = world.market.reputation - PARAMS.reputation.initial
    expected = CHECKS["daily_reputation"][name]
    assert set(expected) == set(INITIAL)
    close(change, by_group(expected), FINE)  # undiscovered groups stay where they are


# --- drift ----------------------------------------------------------------------------------------

DRIFT = CHECKS["own_drift_30_days"]


def drifting_world() -> World:
    """One account each of S1, S3 and E1 as the comment of the section describes them."""
    world = World(params=CALM)
    curve = {"budget": 50.0, "left": 1.2, "right": 3.0, "q_floor": 0.10, "q_ceiling": 0.55}
    add_accounts(world, "S1", **curve)
    add_accounts(world, "S3", **curve)
    sturdy = curve | {"left": 1.0, "q_floor": 0.50, "q_ceiling": 0.95, "seats": 100.0}
    add_enterprises(world, "E1", **sturdy)
    world.market.multipliers.seats[GROUP["E1"]] = 0.9
    return world


@pytest.mark.parametrize("group", ["S1", "S3", "E1"])
def test_own_drift(group):
    world = drifting_world()
    morning(world, 90)
    drift.drift(world)
    account = world.population.group == GROUP[group]
    for column, expected in DRIFT[group].items():
        close(getattr(world.population, column)[account], expected)


def test_group_drift():
    world = drifting_world()
    morning(world, 90)
    drift.drift(world)
    close(world.market.shift_group, by_group(DRIFT["group_quality_shift"]))
    close(world.market.budget_shift, by_group(DRIFT["group_budget_shift"]))
    close(world.market.shift_shared, 0.0)


@pytest.mark.parametrize("day", [30, 60])
def test_nothing_drifts_in_the_first_two_months(day):
    assert DRIFT["day_60_changes_nothing"]
    world = drifting_world()
    morning(world, day)
    before = world.population.get_state()["budget"].copy(), world.population.seats.copy()
    drift.drift(world)
    np.testing.assert_array_equal(world.population.budget, before[0])
    np.testing.assert_array_equal(world.population.seats, before[1])
    np.testing.assert_array_equal(world.market.shift_group, np.zeros(GROUPS))
    np.testing.assert_array_equal(world.market.budget_shift, np.zeros(GROUPS))
