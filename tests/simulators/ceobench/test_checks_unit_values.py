"""Every recorded case of ``conformance/ceobench_unit_values.csv``.

Each recorded function has one translation below, from the inputs of a case to what the simulator
gives for them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import (
    Rules,
    acquisition,
    competitors,
    customers,
    economy,
    enterprise,
    product,
    renewal,
    reputation,
    satisfaction,
    service,
    social,
)
from ceo_gym.simulators.ceobench.competitors import Event
from ceo_gym.simulators.ceobench.enterprise import ACCEPT, COUNTER, GHOST, Preferences
from tests.simulators.ceobench.reference import (
    CALM,
    EXACT,
    GROUP,
    GROUPS,
    INITIAL,
    PARAMS,
    PLAN,
    Dice,
    World,
    add_accounts,
    by_group,
    morning,
    preferences,
    prospects,
    unit_values,
)

Inputs = dict[str, Any]
LETTERS = {position: plan for plan, position in PLAN.items()} | {customers.NO_PLAN: None}


def curve_of(x: Inputs) -> dict[str, float]:
    """The five numbers of the price-quality curve, by column of an account."""
    return {
        "left": x["steep_low"],
        "right": x["steep_high"],
        "budget": x["budget"],
        "q_floor": x["q_floor"],
        "q_ceiling": x["q_ceiling"],
    }


def buyer(x: Inputs) -> Preferences:
    curve = curve_of(x)
    return preferences(
        left=curve["left"],
        right=curve["right"],
        budget=curve["budget"],
        floor=curve["q_floor"],
        ceiling=curve["q_ceiling"],
        lockin=x.get("lockin_per_extra_month", 0.0),
    )


def net_quality(x: Inputs) -> np.ndarray:
    """Quality after the lock-in of a contract."""
    return np.array([x["quality"] - x.get("lockin_per_extra_month", 0.0) * (x["months"] - 1)])


# --- curve and offers -----------------------------------------------------------------------------


def required_quality(x: Inputs) -> float:
    return customers.required_quality(x["price"], *curve_of(x).values(), PARAMS.curve)


def surplus(x: Inputs) -> float:
    quality, price = np.array([[x["quality"]]]), np.array([[x["price"]]])
    return enterprise.offer_surplus(quality, price, buyer(x), PARAMS.curve, x["months"])[0, 0]


def quota_factor(x: Inputs) -> float:
    quota = x["quota"] or 0.0  # a plan without a quota serves nothing
    return customers.quota_factor(quota, x["demand"])


def highest_price(x: Inputs) -> float:
    return enterprise.highest_acceptable_price(net_quality(x), buyer(x), PARAMS.curve)[0]


def counter_price(x: Inputs) -> float:
    highest = enterprise.highest_acceptable_price(net_quality(x), buyer(x), PARAMS.curve)
    factor = np.array([x["opening_factor"]])
    return enterprise.counter_price(highest, np.array([x["turn"]]), factor, PARAMS.enterprise)[0]


def decision(x: Inputs) -> Inputs:
    plans, prices = zip(*x["offerings"])
    found = enterprise.decide(
        np.array([[x["quality_by_plan"][plan] for plan in plans]]),
        np.array([prices]),
        np.ones((1, len(plans)), np.bool_),
        np.array([x["turn"]]),
        np.array([float(x["max_turns"])]),
        np.array([x["opening_factor"]]),
        buyer(x),
        PARAMS,
        Rules.published(),
    )
    answer = {ACCEPT: "accept", COUNTER: "counter", GHOST: "ghost"}[int(found.answer[0])]
    asked = float(found.counter_usd[0])
    return {
        "decision": answer,
        "chosen": int(found.offer[0]),
        "surplus": float(found.surplus[0]),
        "counter": None if np.isnan(asked) else asked,
    }


# --- market ---------------------------------------------------------------------------------------


def cycle_multipliers(x: Inputs) -> dict[str, float]:
    found = economy.multipliers(x["pmi"], PARAMS)
    fields = {
        "lead_generation": "leads",
        "willingness_to_pay": "budget",
        "deal_velocity": "deal_velocity",
        "seat_count": "seats",
    }
    g = GROUP[x["group"]]
    values = {name: float(getattr(found, field)[g]) for name, field in fields.items()}
    for name in fields.keys() - x["betas"].keys():  # no sensitivity, no effect
        assert values.pop(name) == 1.0
    return values


def ads_load(x: Inputs) -> float:
    return customers.ads_load(x["total_strength"], PARAMS.perceived)


def lead_cycle(x: Inputs) -> dict[str, float]:
    clock, day = PARAMS.clock, x["day"]
    found = {
        "weekly": float(clock.weekday_multiplier[day % 7]),
        "monthly": float(clock.month_multiplier[day % 30]),
    }
    assert abs(acquisition.calendar(day, PARAMS) - found["weekly"] * found["monthly"]) < EXACT
    return found


def expected_leads(x: Inputs) -> float:
    return acquisition.expected_prospects(
        np.array([x["reputation"]]),
        np.array([x["saturation"]]),
        x["cycle"],
        np.array([x["macro"]]),
        np.ones(1),
        x["surge"],
        np.array([[x["paid_leads"]], [x["referral_leads"]]]),
    )[0]


def development(x: Inputs) -> dict[str, float]:
    world = World(params=CALM)
    world.set_daily_spend(development=x["shared_spend"])
    world.set_targeted_dev_spend({"S1": x["targeted_spend"]})
    morning(world, 5)
    product.develop(world)
    market = world.market
    return {
        "shared": market.quality_shared,
        "shared_bank": market.bank_shared,
        "group": market.quality_group[GROUP["S1"]],
        "group_bank": market.bank_group[GROUP["S1"]],
    }


def competitor_event(x: Inputs) -> Inputs:
    """One uniform number sets both the share of the shared bank and that of the leak of `S1`."""
    c, u = PARAMS.competitors, x["unit_uniform"]
    world = World(params=CALM)
    assert world.params.clock.horizon_days == 500
    market = world.market
    market.bank_shared = x["shared_bank"]
    market.bank_group[GROUP["S1"]] = x["s1_segment_bank"]
    event = Event(
        day=x["day"],
        size=competitors.exogenous_size(x["raw_lognormal"], x["day"], world.params),
        catch_up=c.catch_up_min + (c.catch_up_max - c.catch_up_min) * u,
        leaks=np.full(
            GROUPS, c.targeted_leak_min + (c.targeted_leak_max - c.targeted_leak_min) * u
        ),
    )
    world.exogenous.event_on[x["day"]] = event
    morning(world, x["day"])
    competitors.strike(world)
    boost = market.shift_shared
    return {
        "boost": boost,
        "winner": "feedback" if boost > event.size else "sampled",
        "shared_bank_after": market.bank_shared,
        "s1_bank_after": market.bank_group[GROUP["S1"]],
        "group_offset_added": {group: market.shift_group[GROUP[group]] for group in INITIAL},
    }


def post_multiplier(x: Inputs) -> float:
    s = PARAMS.social
    strength = sum(
        social.post_contribution(np.array([effect]), age, s) for age, effect in x["age_and_effect"]
    )
    return social.own_post_multiplier(strength, s)[0]


def post_mood(x: Inputs) -> dict[str, float]:
    """Shares of the moods over the draws 0, 0.001, …, 0.999.

    So they were recorded: 0.15 + 0.55 is a little more than 0.7, hence the 0.551 of some cases.
    """
    count = 1000
    world = World(params={"social.posts_per_week": count})
    poster = (0.0, 2, GROUP["S1"], "general", x["satisfaction"])
    world.today.posters = [poster] * count
    world.streams = Dice(np.arange(count) / count)
    social.write_posts(world)
    moods = world.history.posts.sentiment
    assert len(moods) == count
    names = {social.POSITIVE: "positive", social.NEUTRAL: "neutral", social.NEGATIVE: "negative"}
    return {name: float((moods == mood).mean()) for mood, name in names.items()}


# --- service and reputation -----------------------------------------------------------------------


def damage_scale(x: Inputs) -> float:
    return reputation.event_scale(x["subscribers"])


def service_day(x: Inputs) -> dict[str, float]:
    capacity = PARAMS.capacity_tiers.capacity_units_per_day[x["capacity_tier"]]
    overload = service.overload(x["usage"], capacity)
    return {
        "overload": overload,
        "p_outage": service.outage_probability(x["ops_spend"], overload, PARAMS.service),
        "p95_ms": service.mean_latency_ms(overload, PARAMS.service),
        "error_rate": service.mean_error_rate(overload, PARAMS.service),
    }


def reputation_move(x: Inputs) -> dict[str, float]:
    """One content and one discontent account stand for all; the others vote with zero."""
    level = np.zeros(x["subscribers"])
    level[:2] = x["sum_positive"], x["sum_negative"]
    group = np.full(len(level), GROUP[x["group"]])
    voices = np.bincount(group, reputation.voice(level, PARAMS.reputation), GROUPS)
    votes = PARAMS.reputation.gain_per_account * voices
    voters = np.bincount(group, minlength=GROUPS)
    known = by_group(dict.fromkeys(INITIAL, 1.0)) > 0.0
    found = reputation.apply_votes(np.full(GROUPS, 0.5), votes, voters, known, PARAMS)
    return {name: found[GROUP[name]] for name in INITIAL}


# --- subscribers ----------------------------------------------------------------------------------

CALM_WEEKDAY = 399  # a day whose weekday multiplier is 1


def subscriber(x: Inputs, *, day: int = CALM_WEEKDAY, params: Any = CALM, **columns: Any) -> World:
    """A world with one `S1` account on plan A, as the case describes it."""
    world = World(params=params)
    world.market.quality_shared = x["shared_bonus"]
    world.market.quality_group[GROUP["S1"]] = x.get("group_bonus", 0.0)
    world.company.ads_strength_global = x.get("ads_strength", 0.0)
    if "model_tier" in x:
        world.company.model_tier[PLAN["A"]] = x["model_tier"]
        world.company.quota_units[PLAN["A"]] = x["quota"]
    add_accounts(
        world,
        "S1",
        start_day=day - x["days_subscribed"],
        relationship=x["relationship"],
        issue_days=x.get("open_issue_days", 0),
        annoyance=x.get("ads_sensitivity", 0.0),
        **columns,
    )
    return world


def quality_at_renewal(x: Inputs) -> float:
    """The surplus of plan A for an account that demands no quality at all."""
    world = subscriber(x, rate=x["daily_usage"], q_floor=0.0, q_ceiling=0.0)
    morning(world, CALM_WEEKDAY, overload=x["overload"], outage=x["outage"])
    assert world.today.weekday == x["weekly_mult"]
    return renewal.plan_surplus(world, np.array([0]))[0][PLAN["A"], 0]


def new_satisfaction(x: Inputs) -> float:
    world = subscriber(
        x,
        day=x["day"],
        rate=x["daily_usage"],
        effective_usd=x["price"],
        satisfaction=x["old"],
        **curve_of(x),
    )
    market = world.market
    market.shift_shared = x["global_offset"]
    market.shift_group[GROUP["S1"]] = x["segment_offset"]
    market.budget_shift[GROUP["S1"]] = x["segment_budget_shift"]
    morning(world, x["day"], overload=x["overload"], outage=x["outage"])
    assert world.today.weekday == x["weekly_mult"]
    satisfaction.update(world)
    return world.population.satisfaction[0]


def first_plan(x: Inputs) -> str | None:
    person = prospects("S1", usage=x["usage"], **curve_of(x))
    multiplier = PARAMS.model_tiers.quality_multiplier[np.array(x["model_tiers"]) - 1]
    quality = np.full(GROUPS, PARAMS.product.base_quality + x["shared_bonus"])
    plan, _ = acquisition.first_decision(
        person,
        customers.delivered_quality(multiplier, quality),
        np.array(x["prices"]),
        np.array(x["quotas"], dtype=float),
        np.array([x["lead_promotion"]]),
        PARAMS,
    )
    return LETTERS[int(plan[0])]


def plan_at_renewal(x: Inputs) -> str | None:
    world = subscriber(x, rate=x["usage"], **curve_of(x))
    company = world.company
    company.price_usd[:] = x["prices"]
    company.model_tier[:] = x["model_tiers"]
    company.quota_units[:] = x["quotas"]
    company.promotion_global = x["promotion"]
    world.market.multipliers = economy.multipliers(x["pmi"], world.params)
    assert x["group"] == "S1"
    morning(world, CALM_WEEKDAY)
    return LETTERS[int(renewal.choose(world, np.array([0]))[0])]


# --- the cases ------------------------------------------------------------------------------------

TRANSLATION: dict[str, Callable[[Inputs], Any]] = {
    "minimum quality a customer demands at a price": required_quality,
    "enterprise surplus of one offering (quality minus demand minus lock-in)": surplus,
    "quota fulfilment factor": quota_factor,
    "highest price an enterprise would accept": highest_price,
    "counter-offer price at a turn": counter_price,
    "enterprise decision on up to three offerings": decision,
    "business-cycle multipliers of a segment": cycle_multipliers,
    "effective in-app ad strength": ads_load,
    "weekly and monthly lead cycle": lead_cycle,
    "per-event reputation damage scale for group size": damage_scale,
    "overload, outage probability and noise-free latency/error rate": service_day,
    "daily quality gain from development (noise off)": development,
    "competitor event effect given raw draws (episode length 500)": competitor_event,
    "perceived quality of a subscriber (renewal-time evaluation)": quality_at_renewal,
    "one-day reputation move from satisfaction (all start at 0.5)": reputation_move,
    "lead multiplier from company posts": post_multiplier,
    "post mood probabilities by satisfaction": post_mood,
    "expected leads of a segment on a day (composition of factors)": expected_leads,
    "new satisfaction of a subscriber after one day": new_satisfaction,
    "plan picked by a new individual lead (before the noisy acceptance test; A when none suits)": (
        first_plan
    ),
    "plan picked at renewal (null means cancel)": plan_at_renewal,
}
RECORDED = unit_values()


def test_every_recorded_function_has_a_translation():
    assert RECORDED.keys() == TRANSLATION.keys()


def compare(actual: Any, expected: Any) -> None:
    """Numbers to the tolerance of the check files, everything else exactly."""
    if isinstance(expected, dict):
        assert actual.keys() == expected.keys()
        for name, value in expected.items():
            compare(actual[name], value)
    elif isinstance(expected, float):
        assert abs(actual - expected) <= EXACT, f"{actual} against {expected}"
    else:
        assert actual == expected


@pytest.mark.parametrize(
    ("function", "inputs", "expected"),
    [
        pytest.param(function, inputs, output, id=f"{TRANSLATION[function].__name__} {number}")
        for function, cases in RECORDED.items()
        for number, (inputs, output) in enumerate(cases)
    ],
)
def test_unit_value(function, inputs, expected):
    compare(TRANSLATION[function](inputs), expected)
