"""Simulated individuals that stand for several customers."""

from typing import Any

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import World, crowd, support
from ceo_gym.simulators.ceobench.codes import ARRIVAL_SUBSCRIBED
from ceo_gym.sql.ceobench import BusinessDatabase

MARKET = {f"groups.{group}.market_cap_base": 1e7 for group in ("S1", "S2", "S3")}


def founded(seed: int = 3, **arguments: Any) -> World:
    """A company that soon has some ten thousand customers."""
    params = MARKET | {"company.initial_cash_usd": 1e8, "surges.probability_per_day": 0.0}
    world = World(seed, params=params, **arguments)
    world.set_prices(A=30, B=60, C=120)
    world.set_model_tiers(A=3, B=3, C=4)
    world.set_usage_quotas(A=150, B=400, C=100_000)
    world.set_capacity_tier(5)
    world.set_daily_spend(operations=2_000, development=2_000)
    world.set_targeted_dev_spend({"S1": 20_000, "S2": 20_000, "S3": 20_000})
    world.set_ads_strength(0.1)
    world.set_targeted_ad_spend(
        {"content_marketing": {"S1": 1e3, "S2": 1e3}, "referral_program": {"S3": 1e3}}
    )
    return world


def grown(weeks: int = 10, **arguments: Any) -> World:
    world = founded(**arguments)
    for _ in range(weeks):
        world.step_week()
    return world


@pytest.mark.parametrize("bad", [0, 99, 1.5, True, "many"])
def test_a_bad_limit_is_refused(bad: Any) -> None:
    with pytest.raises(ValueError, match="max_agents"):
        World(max_agents=bad)


def test_spread() -> None:
    numbers = crowd.spread(np.array([10, 5, 7]), np.array([2, 0, 3]))
    assert numbers.tolist() == [10, 11, 7, 8, 9]


def test_a_limit_that_is_not_reached_changes_no_bit() -> None:
    plain, limited = grown(4), grown(4, max_agents=1_000_000)
    assert limited.crowd.scale == 1
    assert not limited.population.weighted
    assert plain.history.weeks == limited.history.weeks
    a, b = plain.population.columns(), limited.population.columns()
    for name in a.keys() - {"place"}:
        assert a[name].tobytes() == b[name].tobytes(), name


def check(world: World) -> None:
    """What always holds between accounts, weights and ids."""
    population = world.population
    individual = population.lead < 0
    assert np.count_nonzero(individual) <= world.crowd.limit
    assert (population.weight >= 1).all()
    assert (population.weight[~individual] == 1).all()
    assert (population.weight == np.floor(population.weight)).all()
    _, ids = world.members(np.arange(len(population)))
    assert len(np.unique(ids)) == len(ids) == population.accounts.sum()
    own = np.cumsum(population.weight).astype(int) - population.weight.astype(int)
    if population.weighted:
        assert (ids[own] == population.customer_id).all()
    counted = np.bincount(population.group, population.weight, len(population.accounts))
    assert (counted == population.accounts).all()


@pytest.mark.parametrize("rules", ["published", "repaired"])
def test_weights_and_ids_follow_every_day(rules: str) -> None:
    world = founded(max_agents=500, rules=rules)
    for day in range(120):
        if day == 60:
            assert world.crowd.scale >= 8
        if day >= 60:
            world.company.price_usd[:] = 1e6  # nobody comes or renews
        world.step_day()
        check(world)
    assert world.crowd.scale <= 4


def test_it_merges_and_splits() -> None:
    world, scales = founded(max_agents=500), set()
    for day in range(150):
        if day >= 70:
            world.market.info_level[:] = 0  # nobody comes
            world.population.budget[:] = 1.0  # nobody renews
        world.step_day()
        scales.add(world.crowd.scale)
    assert {1, 2, 4, 8} <= scales
    assert world.crowd.scale == 1
    check(world)


def test_records_have_every_customer() -> None:
    """Tables agree with the totals of the world to the cent and to the account."""
    world = grown(max_agents=500)
    assert world.crowd.scale >= 8
    history, day = world.history, world.day
    subscribed = np.count_nonzero(history.arrivals.outcome == ARRIVAL_SUBSCRIBED)
    assert subscribed == sum(week.new_individual_subscribers for week in history.weeks)
    assert len(history.arrivals) == sum(week.new_leads for week in history.weeks)
    assert len(np.unique(history.arrivals.customer_id)) == len(history.arrivals)
    cancelled = sum(week.cancellations + week.enterprise_cancellations for week in history.weeks)
    assert len(history.departures) == cancelled
    paid = np.bincount(history.bills.day, history.bills.payment_usd, day + 1)
    assert paid == pytest.approx(history.ledger_usd[: day + 1, 1], abs=0.01)
    opened = np.bincount(history.issues.closed.astype(int), minlength=2)
    assert opened[0] - opened[1] >= history.weeks[-1].open_issues

    books = BusinessDatabase(world)

    def number(sql: str) -> float:
        return books.query(sql)["rows"][0]["n"]

    live = number("SELECT COUNT(*) n FROM subscriptions WHERE status = 'subscribed'")
    assert live == world.population.accounts.sum()
    assert number("SELECT COUNT(*) n FROM customers") >= len(history.arrivals)
    money = number("SELECT SUM(amount) n FROM ledger")
    assert money == pytest.approx(world.company.cash_usd, abs=0.5)


def test_merging_keeps_what_is_expected() -> None:
    """Sums over customers after merging: right on average, and near every time."""
    world = grown(max_agents=40_000)
    assert world.crowd.scale == 1
    saved, population = world.save(), world.population
    columns = ("effective_usd", "satisfaction", "rate", "relationship", "budget", "q_floor")
    before = np.array([getattr(population, name).sum(dtype=np.float64) for name in columns])
    counts, cells = population.accounts.copy(), np.bincount(population.cell, minlength=78)
    after = []
    for number in range(60):
        copy = World.restore(saved)
        copy.streams("merge").random(1_000 * number)
        crowd._merge(copy)
        crowd._merge(copy)
        crowd._merge(copy)
        merged = copy.population
        assert len(merged) < len(population) / 7
        assert (np.bincount(merged.cell, merged.weight, 78) == cells).all()
        assert (copy.population.accounts == counts).all()
        after.append([(getattr(merged, name) * merged.weight).sum() for name in columns])
    mean, spread = np.mean(after, axis=0), np.std(after, axis=0, ddof=1)
    assert (np.abs(mean - before) <= 4 * spread / np.sqrt(len(after))).all()
    assert (spread <= 0.02 * np.abs(before)).all()


def test_the_company_fares_as_when_everyone_is_simulated() -> None:
    """Twelve seeds, each with and without; means within four standard errors."""
    means, errors = [], []
    for arguments in ({}, {"max_agents": 1_000}):
        rows = []
        for seed in range(12):
            week = grown(seed=seed, record="none", **arguments).history.weeks[-1]
            rows.append([week.individual_subscribers, week.cash_usd, week.usage_units])
        means.append(np.mean(rows, axis=0))
        errors.append(np.std(rows, axis=0, ddof=1) / np.sqrt(len(rows)))
    assert (np.abs(means[0] - means[1]) <= 4 * np.hypot(*errors)).all()


def test_a_saved_crowd_goes_on_bit_for_bit() -> None:
    world = grown(max_agents=500)
    copy = World.restore(world.save())
    for game in (world, copy):
        for _ in range(3):
            game.step_week()
    assert world.save() == copy.save()


def test_support_resolves_as_many_as_it_can_pay_for() -> None:
    """With weights too, the pool's mean number of customers is resolved."""
    world = grown(max_agents=500, record="none")
    world.population.issue_days[:] = 3
    saved, before = world.save(), world.population.accounts.sum()
    resolved = []
    for number in range(200):
        copy = World.restore(saved)
        copy.company.operations_usd = 400.0
        copy.streams("support").random(1_000 * number)
        copy.streams("issues").random(1_000 * number)
        support._treat(copy, copy.population.issue_days.nonzero()[0])
        resolved.append(before - support.open_issues(copy))
    # 2 a day for nothing, 0.6 a dollar for individuals
    expected = 2 + 0.6 * 400.0
    assert np.mean(resolved) == pytest.approx(expected, abs=4 * np.std(resolved) / 200**0.5)
