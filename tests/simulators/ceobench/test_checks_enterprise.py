"""Enterprise sales against ``enterprise_checks.toml``: all sections but the statistics.

Curve, prices, decisions, evaluation of quality, patience, deadlines, goodwill and damage
(enterprise.md 17, numbers 1 to 10 and 13).
"""

from __future__ import annotations

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import (
    Rules,
    codes,
    customers,
    enterprise,
    negotiation,
    negotiator,
    reputation,
    talks,
)
from ceo_gym.simulators.ceobench.codes import CHURN_PREVENTION, NEW_LEAD, RENEGOTIATION
from ceo_gym.simulators.ceobench.enterprise import ACCEPT, COUNTER, GHOST
from tests.simulators.ceobench.reference import (
    CALM,
    CENT,
    EXACT,
    GROUP,
    PARAMS,
    PLAN,
    World,
    add_enterprises,
    add_leads,
    checks,
    close,
    draw,
    label,
    morning,
    preferences,
    rows,
)

CHECKS = checks("enterprise_checks.toml")
BUYER = CHECKS["customer"]
CURVE = {
    "left": BUYER["left_steepness"],
    "right": BUYER["right_steepness"],
    "budget": BUYER["budget_usd"],
    "q_floor": BUYER["quality_floor"],
    "q_ceiling": BUYER["quality_ceiling"],
}
CUSTOMER = preferences(
    **{k: CURVE[k] for k in ("left", "right", "budget")},
    floor=CURVE["q_floor"],
    ceiling=CURVE["q_ceiling"],
    lockin=BUYER["lockin_penalty"],
)


# --- one offer ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row", rows(CHECKS["required_quality"]), ids=lambda r: f"{r['price_usd']:g}"
)
def test_required_quality(row):
    close(
        customers.required_quality(row["price_usd"], *CURVE.values(), PARAMS.curve), row["required"]
    )


@pytest.mark.parametrize(
    "row", rows(CHECKS["highest_acceptable_price"]), ids=lambda r: f"{r['quality']:g}"
)
def test_highest_acceptable_price(row):
    quality = np.array([row["quality"]])
    price = enterprise.highest_acceptable_price(quality, CUSTOMER, PARAMS.curve)
    close(price, row["price_usd"])


CONTRACT = CHECKS["highest_acceptable_price_with_contract"]


@pytest.mark.parametrize(
    ("quality", "price"), list(zip(CONTRACT["quality"], CONTRACT["price_usd"]))
)
def test_highest_acceptable_price_with_contract(quality, price):
    net = np.array([quality - BUYER["lockin_penalty"] * (CONTRACT["months"] - 1)])
    close(enterprise.highest_acceptable_price(net, CUSTOMER, PARAMS.curve), price)
    # at that price the surplus of the whole contract is gone
    surplus = enterprise.offer_surplus(
        np.array([[quality]]), np.array([[price]]), CUSTOMER, PARAMS.curve, CONTRACT["months"]
    )
    close(surplus, 0.0)


COUNTER_SERIES = {  # name of the series: quality, offer factor
    "quality_0_60": (0.60, BUYER["initial_offer_factor"]),
    "quality_0_80": (0.80, BUYER["initial_offer_factor"]),
    "quality_0_95": (0.95, BUYER["initial_offer_factor"]),
    "factor_0_6_quality_0_80": (0.80, 0.6),
}


@pytest.mark.parametrize(
    ("series", "turn", "price"),
    [
        (series, turn, price)
        for series in CHECKS["counter_offer"]
        if series != "turn"
        for turn, price in zip(CHECKS["counter_offer"]["turn"], CHECKS["counter_offer"][series])
    ],
)
def test_counter_offer(series, turn, price):
    quality, factor = COUNTER_SERIES[series]
    highest = enterprise.highest_acceptable_price(np.array([quality]), CUSTOMER, PARAMS.curve)
    counter = enterprise.counter_price(
        highest, np.array([turn]), np.array([factor]), PARAMS.enterprise
    )
    close(counter, price, CENT)
    close(counter, np.round(counter, 2))  # whole cents


ANSWERS = {"accept": ACCEPT, "counter": COUNTER, "ghost": GHOST}


@pytest.mark.parametrize("row", rows(CHECKS["decision"]), ids=lambda row: row["case"])
def test_decision(row):
    plans, prices = zip(*(offer.split("@") for offer in row["offers"]))
    quality = np.array([[row["qualities_A_B_C"][PLAN[plan]] for plan in plans]])
    decision = enterprise.decide(
        quality,
        np.array([[float(price) for price in prices]]),
        np.ones((1, len(plans)), np.bool_),
        np.array([row["turn"]]),
        np.array([float(BUYER["max_turns"])]),
        np.array([BUYER["initial_offer_factor"]]),
        CUSTOMER,
        PARAMS,
        Rules.published(),
    )
    assert plans[decision.offer[0]] == row["best_plan"]
    close(decision.surplus, row["surplus"])
    assert decision.answer[0] == ANSWERS[row["decision"]]
    if row["counter_usd"] < 0.0:  # none
        assert np.isnan(decision.counter_usd[0])
    else:
        close(decision.counter_usd, row["counter_usd"], CENT)


# --- quality in the eyes of the negotiator --------------------------------------------------------

EVALUATION = CHECKS["evaluation_quality"]


@pytest.mark.parametrize("column", ["A", "B", "C", "C_with_shared_bonus_0_9"])
@pytest.mark.parametrize("account", range(len(EVALUATION["relationship"])))
def test_evaluation_quality(account, column):
    # numbers of the section's note
    world = World(params=CALM)
    market, company = world.market, world.company
    market.quality_shared = 0.9 if column.endswith("0_9") else 0.45
    market.quality_group[GROUP["E1"]] = 0.10
    company.model_tier[:] = 2, 4, 5
    company.quota_units[:] = 1000.0, 20_000.0, 1e7
    company.ads_strength_global = 0.2
    relationship = EVALUATION["relationship"][account]
    if EVALUATION["subscribed"][account]:
        who = add_enterprises(
            world,
            "E1",
            start_day=40,
            rate=15_000.0,
            annoyance=0.08,
            relationship=relationship,
            issue_days=EVALUATION["open_issue_days"][account],
        )
    else:
        who = add_leads(world, "E1", annoyance=0.08)
        world.negotiations.leads.relationship[who] = relationship
    morning(world, 101)
    plan = np.array([[PLAN[column[0]]]])
    quality = negotiator.negotiated_quality(world, who, plan, np.array([False]))
    close(quality[0, 0], EVALUATION[column][account])


@pytest.mark.parametrize("noise", [0.8, 1.0, 1.1])
def test_first_negotiations_see_their_noise_after_the_clip(noise):
    world = World(params=CALM)
    world.market.quality_shared = 5.0  # beyond the clip at 1
    who = add_leads(world, "E1", decision_noise=noise)
    morning(world, 101)
    plan = np.array([[PLAN["A"]]])
    close(negotiator.negotiated_quality(world, who, plan, np.array([True])), noise)
    close(negotiator.negotiated_quality(world, who, plan, np.array([False])), 1.0)


def test_shift_counted_twice():
    # the note: global shift 0.30, group shift 0.05, budget shift -2, all before the lead is created
    expected = CHECKS["shift_counted_twice"]
    count = 200
    world = World(params=CALM)
    world.market.shift_shared = 0.30
    world.market.shift_group[GROUP["E1"]] = 0.05
    world.market.budget_shift[GROUP["E1"]] = -2.0
    plain = draw("E1", count)
    drawn = draw("E1", count, shift=0.35, budget_shift=-2.0)
    talks.open_leads(world, drawn, np.arange(2, 2 + count))
    morning(world, 100)
    who = np.arange(count)
    stored = world.negotiations.leads
    felt = negotiator.preferences(world, who, negotiator.live_view(world))

    close(stored.q_floor - plain.q_floor, expected["stored_floor_minus_draw"])
    close(felt.floor - plain.q_floor, expected["negotiated_floor_minus_draw"])
    close(felt.ceiling - plain.q_ceiling, expected["negotiated_floor_minus_draw"])
    free = (
        plain.budget > PARAMS.sampling.budget_floor_usd - expected["negotiated_budget_minus_draw"]
    )
    assert free.sum() > count / 2
    close((stored.budget - plain.budget)[free], expected["stored_budget_minus_draw"])
    close((felt.budget - plain.budget)[free], expected["negotiated_budget_minus_draw"])


# --- turns ----------------------------------------------------------------------------------------

UNACCEPTABLE_USD, WELCOME_USD = 55.0, 5.0  # for the customer of the file at quality 0.8
OPENED = {
    "new_lead": NEW_LEAD,
    "customer_opened": CHURN_PREVENTION,
    "agent_opened": RENEGOTIATION,
}


def negotiating_world(kind: int, patience: float) -> tuple[World, int]:
    """A world on day 1 in which an enterprise may be written to; its customer id.

    Delivered quality 0.8 for an account of neutral relationship, quota not binding.
    """
    world = World(params=CALM)
    world.market.quality_shared = 0.6
    world.company.model_tier[:] = 4
    world.company.quota_units[:] = 1e7
    morning(world, 1)
    if kind == NEW_LEAD:
        who = add_leads(world, "E1", patience_turns=patience, **CURVE)
    else:
        # too dear a subscription makes the customer complain
        listed = UNACCEPTABLE_USD if kind == CHURN_PREVENTION else WELCOME_USD
        who = add_enterprises(
            world,
            "E1",
            lead={"patience_turns": patience} | CURVE,
            listed_usd=listed,
            effective_usd=listed,
            **CURVE,
        )
        morning(world, 1)
        negotiation.negotiate(world)
        assert (world.negotiations.leads.thread[who] >= 0) == (kind == CHURN_PREVENTION)
    return world, int(world.negotiations.leads.customer_id[who[0]])


def success_of_message(number: int, kind: int, patience: float) -> bool:
    """Whether the player's `number`-th message closes a deal, after as many poor offers before."""
    world, customer = negotiating_world(kind, patience)
    for message in range(1, number + 1):
        price = WELCOME_USD if message == number else UNACCEPTABLE_USD
        world.send_offers([[customer, [["A", price]]]])
        assert world.negotiations.threads.kind[-1] == kind
        morning(world, world.day + 1)
        negotiation.negotiate(world)
        if world.negotiations.deals:
            return True
        if world.negotiations.threads.state[-1] != codes.OPEN:
            return False
    raise AssertionError("the enterprise countered a welcome offer")


@pytest.mark.parametrize("opened", OPENED)
@pytest.mark.parametrize(
    "row", rows(CHECKS["usable_offers"]), ids=lambda r: f"{r['max_turns']} turns"
)
def test_usable_offers(row, opened):
    usable, kind = row[opened], OPENED[opened]
    patience = float(row["max_turns"])
    for number in range(1, usable + 1):
        assert success_of_message(number, kind, patience)
    assert not success_of_message(usable + 1, kind, patience)


# --- goodwill, damage, deadlines ------------------------------------------------------------------


@pytest.mark.parametrize("row", rows(CHECKS["late_reply"]), ids=label)
@pytest.mark.parametrize("subscribed", [True, False])
def test_late_reply(row, subscribed):
    kind = CHURN_PREVENTION if subscribed else NEW_LEAD
    world, customer = negotiating_world(kind, 6.0)
    if not subscribed:  # a counter-offer, so that the last message is the customer's
        world.send_offers([[customer, [["A", UNACCEPTABLE_USD]]]])
        morning(world, world.day + 1)
        negotiation.negotiate(world)
    who = np.array([0])
    before = negotiator.account_values(world, who)["relationship"]
    morning(world, world.day + row["days_since_customer_message"])
    world.send_offers([[customer, [["A", WELCOME_USD]]]])
    after = negotiator.account_values(world, who)["relationship"]
    close(after - before, row["relationship_change"])


def test_a_second_message_before_the_answer_costs_no_more_goodwill():
    world, customer = negotiating_world(CHURN_PREVENTION, 6.0)
    late = {r["days_since_customer_message"]: r for r in rows(CHECKS["late_reply"])}[6]
    before = float(world.population.relationship[0])
    morning(world, world.day + late["days_since_customer_message"])
    for _ in range(2):
        world.send_offers([[customer, [["A", WELCOME_USD]]]])
        close(world.population.relationship - before, late["relationship_change"])


def test_first_answer_to_a_new_lead_is_free():
    world, customer = negotiating_world(NEW_LEAD, 6.0)
    morning(world, world.day + 6)
    world.send_offers([[customer, [["A", WELCOME_USD]]]])
    close(world.negotiations.leads.relationship, PARAMS.sampling.initial_relationship)


@pytest.mark.parametrize("row", rows(CHECKS["reputation_damage"]), ids=label)
def test_reputation_damage(row):
    accounts = row["group_subscribers"]
    close(reputation.event_scale(accounts), row["scale"])
    middle, low, high = (
        float(reputation.loss_damage(np.array([u]), accounts, PARAMS.reputation)[0])
        for u in (0.5, 0.0, 1.0)
    )
    close(middle, row["mean_damage"])
    close([low / middle, high / middle], [0.5, 1.5])  # U(0.5, 1.5) of the note


def test_timeout_trace(monkeypatch):
    """Accounts whose complaint is not answered leave; their loss repeats every day (quirk N5)."""
    trace = CHECKS["timeout_trace"]
    opened, last, count = 26, 40, 4  # of the note
    world = World(params=CALM)
    world.market.quality_shared = 0.6
    world.company.model_tier[:] = 4
    world.company.quota_units[:] = 1e7
    world.day = opened - 1
    who = add_enterprises(world, "E1", count, listed_usd=UNACCEPTABLE_USD, anchor=29, **CURVE)

    losses: dict[int, int] = {}
    original = reputation.loss_damage

    def counted(uniform, accounts, params):
        losses[world.day] = losses.get(world.day, 0) + len(uniform)
        return original(uniform, accounts, params)

    monkeypatch.setattr(reputation, "loss_damage", counted)
    standing = {}
    while world.day < last:
        world.step_day()
        standing[world.day] = float(world.market.reputation[GROUP["E1"]])
        threads = world.negotiations.threads
        if world.day == opened:
            assert threads.kind[count:].tolist() == [CHURN_PREVENTION] * count
            assert sorted(threads.lead[count:]) == who.tolist()
        gone = world.negotiations.leads.status[who] == codes.CANCELLED
        assert gone.all() == (world.day >= trace["cancelled_on_day"])
        assert gone.any() == (world.day >= trace["cancelled_on_day"])
    assert world.history.departures.day.tolist() == [trace["cancelled_on_day"]] * count
    days = range(trace["cancelled_on_day"], last + 1)
    assert [losses.get(day, 0) for day in days] == trace["damage_events_per_day_33_to_40"]
    assert sorted(losses) == list(days)
    # nobody is left after the first of these days, so only the damage moves the reputation
    daily = CHECKS["reputation_damage"]["mean_damage"][0]
    for day in range(trace["cancelled_on_day"] + 1, last + 1):
        fall = standing[day - 1] - standing[day]
        assert 0.5 * count * daily - EXACT <= fall <= 1.5 * count * daily + EXACT
