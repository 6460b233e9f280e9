"""Statistics of enterprise sales against ``enterprise_checks.toml``.

Sections attribute_statistics, first_offer_statistics, new_lead_statistics and
new_lead_statistics_independent (enterprise.md 17, numbers 11, 12 and 14). A statistic may differ
from the agreed one by four standard errors of both samples together, plus half a unit of its last
printed digit.
"""

from __future__ import annotations

from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import (
    Offers,
    acquisition,
    codes,
    economy,
    enterprise,
    negotiator,
    talks,
)
from ceo_gym.simulators.ceobench.enterprise import ACCEPT, COUNTER, GHOST
from tests.simulators.ceobench.reference import (
    CALM,
    GROUP,
    PARAMS,
    PLAN,
    World,
    agree,
    checks,
    draw,
    morning,
    rows,
    sd_error,
    share_error,
)

CHECKS = checks("enterprise_checks.toml")
LEADS = 30_000  # the notes of the first two sections, for both samples


def mean_agrees(sample: np.ndarray, expected: float, count: int, digits: int) -> None:
    """The mean of `sample` against that of `count` draws of the same spread."""
    sd = float(sample.std())
    agree(
        float(sample.mean()),
        expected,
        sd / np.sqrt(len(sample)),
        sd / np.sqrt(count),
        rounding=0.5 * 10.0**-digits,
    )


def sd_agrees(sample: np.ndarray, expected: float, count: int, digits: int) -> None:
    """The standard deviation of `sample` against that of `count` draws of the same kind."""
    errors = sd_error(sample), sd_error(sample, count)
    agree(float(sample.std()), expected, *errors, rounding=0.5 * 10.0**-digits)


def share_agrees(share: float, expected: float, ours: float, theirs: float) -> None:
    """Two shares of samples of these sizes, at the spread of their common mean."""
    common = (share * ours + expected * theirs) / (ours + theirs)
    agree(share, expected, share_error(common, ours, theirs), rounding=0.5e-4)


# --- attributes -----------------------------------------------------------------------------------


@cache
def attributes(group: str) -> SimpleNamespace:
    """Drawn enterprises of a group at index 46, and the delays of their first answers."""
    velocity = economy.multipliers(46.0, PARAMS).deal_velocity[GROUP[group]]
    people = draw(group, LEADS, seed=11, deal_velocity=float(velocity))
    world = World(seed=11, params=CALM)
    ids = np.arange(2, 2 + LEADS)
    talks.open_leads(world, people, ids)
    world.send_offers(Offers.uniform(ids, PLAN["A"], 20.0))
    delay = world.negotiations.threads.reply_day.astype(np.float64)  # sent on day 0
    return SimpleNamespace(
        offer_factor=people.offer_factor,
        max_turns=people.patience_turns,
        mean_delay=people.reply_mean_days,
        realised_delay=delay,
        seats=people.seats,
    )


ATTRIBUTES = rows(CHECKS["attribute_statistics"])
BY_GROUP = {"argnames": "row", "argvalues": ATTRIBUTES, "ids": lambda row: row["groups"]}


@pytest.mark.parametrize(**BY_GROUP)
@pytest.mark.parametrize(
    ("name", "digits"),
    [("offer_factor", 4), ("max_turns", 3), ("mean_delay", 3), ("realised_delay", 3), ("seats", 1)],
)
def test_attribute_means(row, name, digits):
    sample = getattr(attributes(row["groups"]), name)
    mean_agrees(sample, row[f"{name}_mean"], LEADS, digits)


@pytest.mark.parametrize(**BY_GROUP)
@pytest.mark.parametrize(
    ("name", "digits"), [("offer_factor", 4), ("mean_delay", 3), ("realised_delay", 3)]
)
def test_attribute_deviations(row, name, digits):
    sample = getattr(attributes(row["groups"]), name)
    sd_agrees(sample, row[f"{name}_sd"], LEADS, digits)


@pytest.mark.parametrize(**BY_GROUP)
def test_probability_of_an_answer_within_a_round(row):
    share = float((attributes(row["groups"]).realised_delay <= 6).mean())
    share_agrees(share, row["probability_delay_at_most_6"], LEADS, LEADS)


# --- first offers ---------------------------------------------------------------------------------


@cache
def first_offers(group: str, quality: float) -> SimpleNamespace:
    """Answers at turn 1 of the leads that pass the gate, by offered price."""
    world = World(seed=12, params=CALM)
    world.market.quality_shared = quality - PARAMS.product.base_quality
    world.company.model_tier[:] = 4  # multiplier 1
    world.company.quota_units[:] = 1e9
    people = draw(group, LEADS, seed=12)
    morning(world, 1)
    passed = acquisition.passes_gate(
        people, world.today.view.delivered, world.company.quota_units, PARAMS, per_seat=False
    )
    n = int(passed.sum())
    talks.open_leads(world, people.take(passed), np.arange(2, 2 + n))
    who, leads = np.arange(n), world.negotiations.leads
    plan = np.zeros((n, 1), np.int64)
    seen = negotiator.negotiated_quality(world, who, plan, np.ones(n, np.bool_))
    felt = negotiator.preferences(world, who, negotiator.live_view(world))

    def answers(price):
        return enterprise.decide(
            seen,
            np.full((n, 1), price),
            np.ones((n, 1), np.bool_),
            np.ones(n, np.int64),
            leads.patience_turns,
            leads.offer_factor,
            felt,
            PARAMS,
            world.rules,
        )

    return SimpleNamespace(
        gate=n / LEADS, count=n, at_20=answers(20.0), at_40=answers(40.0), at_any=answers(1e9)
    )


FIRST = rows(CHECKS["first_offer_statistics"])
BY_CASE = {
    "argnames": "row",
    "argvalues": FIRST,
    "ids": lambda row: f"{row['groups']} at {row['quality']}",
}


@pytest.mark.parametrize(**BY_CASE)
def test_share_that_passes_the_gate(row):
    share_agrees(first_offers(row["groups"], row["quality"]).gate, row["gate"], LEADS, LEADS)


@pytest.mark.parametrize(**BY_CASE)
@pytest.mark.parametrize(
    ("name", "price", "answer"),
    [
        ("accept_at_20", "at_20", ACCEPT),
        ("counter_at_20", "at_20", COUNTER),
        ("ghost_at_20", "at_20", GHOST),
        ("accept_at_40", "at_40", ACCEPT),
        ("accept_any_price", "at_any", ACCEPT),
    ],
)
def test_answers_to_the_first_offer(row, name, price, answer):
    found = first_offers(row["groups"], row["quality"])
    share = float((getattr(found, price).answer == answer).mean())
    share_agrees(share, row[name], found.count, LEADS * row["gate"])


@pytest.mark.parametrize(**BY_CASE)
def test_first_counter_offer(row):
    found = first_offers(row["groups"], row["quality"])
    asked = found.at_any.counter_usd[found.at_any.answer == COUNTER]
    refused = 1.0 - row["accept_any_price"] - row["ghost_at_20"]
    count = int(LEADS * row["gate"] * refused)
    mean_agrees(asked, row["first_counter_mean_usd"], count, 3)
    sd_agrees(asked, row["first_counter_sd_usd"], count, 3)


# --- a fixed weekly policy ------------------------------------------------------------------------


@cache
def new_leads() -> SimpleNamespace:
    """The policy of the section's note, in one company with many times its advertising.

    Quality 0.85 on plan A, index 50, no competitors, no saturation; leads of days 1 to 28, played
    to day 84.
    """
    world = World(
        seed=13,
        params=CALM
        | {
            "economy.initial_index": 50.0,
            "economy.long_run_mean": 50.0,
            "economy.cycle_amplitude": 0.0,
            "economy.daily_sd": 0.0,
            "acquisition.effectiveness_noise_sd": 0.0,
            "groups.E1.market_cap_base": 1e9,
            "company.initial_cash_usd": 1e10,
        },
        record="none",
    )
    world.market.quality_shared = 0.65
    world.set_model_tiers(A=4)
    world.set_usage_quotas(A=1e7)
    world.set_prices(A=1000.0, B=1000.0, C=1000.0)  # no individual comes, no plan change tempts
    world.set_targeted_ad_spend({"linkedin": {"E1": 6e6}})
    sales = world.negotiations
    threads, leads = sales.threads, sales.leads
    deal_day = np.full(0, -1)
    while world.day < 84:
        if world.day == 28:
            world.set_targeted_ad_spend({})
        waiting = talks.waiting_for_player(world)
        waiting = waiting[threads.kind[waiting] == codes.NEW_LEAD]
        if len(waiting):
            asked, turn = threads.asked_usd[waiting], threads.turn[waiting]
            price = np.where(turn == 0, 60.0, np.where(turn == 2, 45.0, asked))
            ids = leads.customer_id[threads.lead[waiting]]
            world.send_offers(Offers.uniform(ids, PLAN["A"], price))
        for _ in range(7):
            world.step_day()
            deal_day = np.append(deal_day, np.full(len(leads) - len(deal_day), -1))
            closed = (threads.kind == codes.NEW_LEAD) & (threads.state == codes.ACCEPTED)
            won = threads.lead[closed]
            deal_day[won[deal_day[won] < 0]] = world.day
    first = threads.kind == codes.NEW_LEAD
    thread = np.full(len(leads), -1)
    thread[threads.lead[first]] = np.flatnonzero(first)
    counted = np.flatnonzero((leads.group == GROUP["E1"]) & (leads.created_day <= 28))
    state = threads.state[thread[counted]]
    won = counted[state == codes.ACCEPTED]
    return SimpleNamespace(
        count=len(counted),
        won=(state == codes.ACCEPTED).astype(np.float64),
        open=float((state == codes.OPEN).mean()),
        price=threads.asked_usd[thread[won]],
        days=(deal_day[won] - leads.created_day[won]).astype(np.float64),
    )


REFERENCE = CHECKS["new_lead_statistics"]
EQUATIONS = CHECKS["new_lead_statistics_independent"]
EQUATION_LEADS = 60_000  # of the note


def test_share_of_leads_won():
    found = new_leads()
    assert found.count > REFERENCE["leads"]
    ours = share_error(REFERENCE["won"], found.count)
    agree(found.won.mean(), REFERENCE["won"], ours, REFERENCE["won_se"], rounding=0.5e-4)
    share_agrees(found.won.mean(), EQUATIONS["won"], found.count, EQUATION_LEADS)


def test_share_of_leads_still_open():
    found = new_leads()
    share_agrees(found.open, REFERENCE["still_open"], found.count, REFERENCE["leads"])


def test_price_of_deals():
    price = new_leads().price
    ours = float(price.std() / np.sqrt(len(price)))
    expected, error = REFERENCE["mean_price_usd"], REFERENCE["mean_price_se"]
    agree(float(price.mean()), expected, ours, error, rounding=0.5e-2)
    count = int(EQUATION_LEADS * EQUATIONS["won"])
    mean_agrees(price, EQUATIONS["mean_price_usd"], count, 2)


@pytest.mark.parametrize("price", [60, 45])
def test_share_of_deals_at_an_offered_price(price):
    deals = new_leads().price
    share, name = float((deals == price).mean()), f"share_closed_at_{price}"
    won = REFERENCE["leads"] * REFERENCE["won"]
    share_agrees(share, REFERENCE[name], len(deals), won)
    share_agrees(share, EQUATIONS[name], len(deals), EQUATION_LEADS * EQUATIONS["won"])


def test_days_from_lead_to_deal():
    days = new_leads().days
    name, deals = "days_from_lead_to_deal", REFERENCE["leads"] * REFERENCE["won"]
    ours = float(days.std() / np.sqrt(len(days)))
    expected, error = REFERENCE[f"{name}_mean"], REFERENCE[f"{name}_se"]
    agree(float(days.mean()), expected, ours, error, rounding=0.5e-2)
    sd_agrees(days, REFERENCE[f"{name}_sd"], int(deals), 2)
    count = int(EQUATION_LEADS * EQUATIONS["won"])
    mean_agrees(days, EQUATIONS[f"{name}_mean"], count, 2)
    sd_agrees(days, EQUATIONS[f"{name}_sd"], count, 2)
