"""What must hold in the company world whatever the player does."""

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import ARRIVAL_GATED_OUT
from ceo_gym.simulators.ceobench.finance import CATEGORY
from tests.properties.decisions import act, founded, week

PURCHASES = [CATEGORY[name] for name in ("market_research", "group_research", "research_project")]
SLOW = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)

seeds = st.integers(0, 10_000)
rules = st.sampled_from(["published", "repaired"])
weeks = st.lists(week, min_size=1, max_size=14)


def play(world: World, plan: list) -> World:
    for decisions, sale in plan:
        if world.ended:
            break
        act(world, decisions, sale)
        world.step_week()
    return world


@SLOW
@given(seeds, rules, weeks)
def test_books_balance_to_the_cent_every_day(seed: int, profile: str, plan: list) -> None:
    world = play(founded(seed, profile), plan)
    ledger, cash = world.history.ledger_usd, world.history.cash_usd
    purchases = ledger[:, PURCHASES].sum(axis=1)
    flows = ledger.sum(axis=1) - purchases
    for day in range(1, world.day + 1):
        assert cash[day] == pytest.approx(
            cash[day - 1] + purchases[day - 1] + flows[day], abs=0.005
        )
    assert world.company.cash_usd == pytest.approx(ledger.sum(), abs=0.005)

    history = world.history
    paid = np.bincount(history.bills.day, weights=history.bills.payment_usd, minlength=len(ledger))
    assert paid == pytest.approx(ledger[:, CATEGORY["subscription_payment"]], abs=0.005)
    counts = history.ledger_count
    assert counts[:, CATEGORY["lead_acquisition_cost"]].sum() == len(history.arrivals)
    charged = np.count_nonzero(~history.bills.suspended)
    assert counts[:, CATEGORY["subscription_payment"]].sum() == charged


@SLOW
@given(seeds, rules, weeks)
def test_every_prospect_is_in_exactly_one_place(seed: int, profile: str, plan: list) -> None:
    world = play(founded(seed, profile), plan)
    history, leads = world.history, world.negotiations.leads
    arrivals = history.arrivals
    places = [
        leads.customer_id[leads.status == 0],  # negotiating
        world.population.customer_id,  # subscribed
        history.departures.customer_id,  # cancelled
        history.declined.customer_id,  # individuals lost
        history.lost_leads.customer_id,  # enterprises lost
        arrivals.customer_id[arrivals.outcome == ARRIVAL_GATED_OUT],
    ]
    everybody = np.sort(np.concatenate(places))
    assert everybody.tolist() == list(range(2, world.company.next_customer_id))
    assert sorted(arrivals.customer_id.tolist()) == everybody.tolist()
    group_of = np.zeros(world.company.next_customer_id, int)
    group_of[arrivals.customer_id] = arrivals.group
    assert (group_of[world.population.customer_id] == world.population.group).all()
    counted = np.bincount(world.population.group, minlength=26)
    assert counted.tolist() == world.population.accounts.tolist()


@SLOW
@given(seeds, rules, weeks)
def test_state_stays_in_its_bounds(seed: int, profile: str, plan: list) -> None:
    world = play(founded(seed, profile), plan)
    _no_nan(vars(world.company))
    _no_nan(vars(world.market))
    _no_nan(world.population.columns())
    population, market, leads = world.population, world.market, world.negotiations.leads
    assert ((population.relationship >= 0) & (population.relationship <= 1)).all()
    assert (population.q_ceiling > population.q_floor).all()
    assert (population.effective_usd >= 0).all()
    assert (population.rate >= 0).all()
    assert (population.seats >= 1).all()
    assert ((market.reputation >= 0.001) & (market.reputation <= 1)).all()
    assert (np.isin(market.info_level, range(6))).all()
    subscribed = leads.status == 1
    assert (subscribed == (leads.account >= 0)).all()
    assert (population.lead[leads.account[subscribed]] == np.flatnonzero(subscribed)).all()
    threads = world.negotiations.threads
    open_ = np.flatnonzero(threads.state == 0)
    assert sorted(leads.thread[leads.thread >= 0].tolist()) == open_.tolist()
    # nothing that waits for the player can be older than its deadline
    waiting = open_[threads.sender[open_] != 2]
    assert (world.day - threads.day[waiting] <= 7).all()


def _no_nan(values: dict[str, Any]) -> None:
    for name, value in values.items():
        if isinstance(value, (float, np.ndarray)) and np.asarray(value).dtype.kind == "f":
            assert np.isfinite(value).all(), name


@SLOW
@given(seeds, rules, weeks, st.integers(0, 13), st.sampled_from(["none", "business", "full"]))
def test_restored_world_continues_bit_for_bit(
    seed: int, profile: str, plan: list, cut: int, record: str
) -> None:
    world = founded(seed, profile, record)
    play(world, plan[:cut])
    copy = World.restore(world.save())
    assert copy.save() == world.save()
    for _ in range(3 - world.day % 7 % 3):  # into the middle of a week
        if not world.ended:
            world.step_day()
            copy.step_day()
    mid = World.restore(copy.save())
    assert mid.save() == world.save()
    play(world, plan[cut:])
    play(mid, plan[cut:])
    assert mid.save() == world.save()


@SLOW
@given(seeds, weeks)
def test_record_level_changes_nothing_but_the_record(seed: int, plan: list) -> None:
    worlds = [play(founded(seed, "published", level), plan) for level in ("none", "full")]
    a, b = (w.population.columns() for w in worlds)
    assert all(a[name].tobytes() == b[name].tobytes() for name in a)
    assert worlds[0].company.cash_usd == worlds[1].company.cash_usd
    assert len(worlds[0].history.arrivals) == 0


@SLOW
@given(seeds, weeks)
def test_exogenous_paths_are_the_same_for_every_policy(seed: int, plan: list) -> None:
    busy, idle = play(founded(seed, "published"), plan), World(seed)
    while idle.day < busy.day:
        idle.step_day()
    assert busy.market.index == idle.market.index
    assert (busy.market.effectiveness == idle.market.effectiveness).all()
    events = [day for day, _ in busy.market.competitor_events]
    assert events == [day for day, _ in idle.market.competitor_events]
    assert busy.exogenous.surge.tolist() == idle.exogenous.surge.tolist()
