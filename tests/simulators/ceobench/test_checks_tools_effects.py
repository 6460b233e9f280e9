"""What decisions bring about: the checks of tools.md 9 that concern methods of the world.

Number 3 (partial and replace semantics), 4 (defaults), 5 (costs), 7 (limits), the forms of number 8
and the rules of section 7.4 by profile.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest

from ceo_gym.simulators.ceobench.finance import CATEGORIES, CATEGORY
from tests.simulators.ceobench.reference import (
    CHANNEL,
    ENTERPRISE,
    GROUP,
    GROUPS,
    INDIVIDUAL,
    INITIAL,
    LEAD,
    PARAMS,
    PLAN,
    SPEC,
    World,
    close,
    company,
    level_of,
    refuse,
    table,
)

# --- 3: partial and replace -----------------------------------------------------------------------


def test_3_plan_settings_are_partial():
    world = company()
    world.set_prices(A=20, B=50, C=90)
    assert world.set_prices(B=60) == {"updated": {"B": 60}, "current": {"A": 20, "B": 60, "C": 90}}
    world.set_model_tiers(A=2, B=3, C=4)
    result = world.set_model_tiers(C=5)
    assert result == {"updated": {"C": 5}, "current": {"A": 2, "B": 3, "C": 5}}
    world.set_usage_quotas(A=100, B=200, C=300)
    assert world.set_usage_quotas(A=50) == {"quotas": {"A": 50, "B": 200, "C": 300}}
    world.set_daily_spend(operations=100, development=200)
    result = world.set_daily_spend(development=0)
    assert result == {
        "updated": {"development": 0},
        "current": {"operations": 100, "development": 0},
    }


def test_3_maps_without_scopes_are_replaced():
    world = company()
    world.set_targeted_ad_spend({"linkedin": {"S1": 100}, "search_ads": {"S2": 50}})
    result = world.set_targeted_ad_spend({"linkedin": {"S2": 30}})
    assert result == {"targeted_spend": {"linkedin": {"S2": 30}}, "total_per_day": 30}
    assert world.company.ads_spend_usd.sum() == 30
    assert world.set_targeted_ad_spend({})["total_per_day"] == 0
    world.set_targeted_dev_spend({"S1": 100})
    result = world.set_targeted_dev_spend({"S2": 40})
    assert result == {"targeted_spend": {"S2": 40}, "total_extra_per_day": 40}
    assert world.set_targeted_dev_spend({})["total_extra_per_day"] == 0


SCOPED = {  # tool -> its scopes with two values each; the first names the value for everybody
    "set_promotion": {
        "global_promotion": ("global", 1.0, 2.0),
        "by_group": ("by_group", {"S1": 1.0, "S2": 2.0}, {"S3": 3.0}),
        "by_customer": ("by_customer", {INDIVIDUAL: 1.0}, {ENTERPRISE: 2.0}),
        "by_group_plan": ("by_group_plan", {"S1": {"A": 1.0}}, {"S2": {"B": 2.0}}),
    },
    "set_lead_promotion": {
        "global_promotion": ("global", 1.0, 2.0),
        "by_group": ("by_group", {"S1": 1.0, "S2": 2.0}, {"S3": 3.0}),
        "by_channel": ("by_channel", {"linkedin": 1.0}, {"search_ads": 2.0}),
        "by_channel_group": (
            "by_channel_group",
            {"linkedin": {"S1": 1.0}},
            {"search_ads": {"S2": 2.0}},
        ),
    },
    "set_ads_strength": {
        "global_strength": ("global", 0.1, 0.2),
        "by_group": ("by_group", {"S1": 0.1, "S2": 0.2}, {"S3": 0.3}),
        "by_customer": ("by_customer", {INDIVIDUAL: 0.1}, {ENTERPRISE: 0.2}),
    },
    "set_targeted_ops_spend": {
        "by_group": ("by_group", {"S1": 1.0, "S2": 2.0}, {"S3": 3.0}),
        "by_plan": ("by_plan", {"A": 1.0}, {"B": 2.0}),
        "by_group_plan": ("by_group_plan", {"S1": {"A": 1.0}}, {"S2": {"B": 2.0}}),
        "by_customer": ("by_customer", {INDIVIDUAL: 1.0}, {ENTERPRISE: 2.0}),
    },
}


def amount(value) -> float:
    """Sum of all numbers of a scope."""
    return sum(map(amount, value.values())) if isinstance(value, dict) else value


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("tool", SCOPED)
def test_3_scopes_are_kept_or_replaced(tool, seed):
    """A random sequence of calls, read back without arguments after each."""
    world, scopes, rng = company(), SCOPED[tool], random.Random(seed)
    method = getattr(world, tool)
    expected = {}
    for argument, (field, first, _) in scopes.items():
        empty = 0.0 if isinstance(first, float) else {}
        expected[field] = empty
        choices = scopes[argument]
        scopes = scopes | {argument: (*choices, empty)}
    for _ in range(25):
        given = {name for name in scopes if rng.random() < 0.5}
        arguments = {}
        for argument in sorted(given):
            field, *values = scopes[argument]
            arguments[argument] = rng.choice(values)
            expected[field] = arguments[argument]
        returned, read_back = method(**arguments), method()
        if tool == "set_targeted_ops_spend":
            total = sum(map(amount, expected.values()))
            extra = {"total_extra_per_day": total, "targeted_spend": expected["by_group"]}
        else:
            extra = {}
        assert returned == read_back == expected | extra


def test_3_scopes_of_a_setting_add_up():
    world = company()
    world.set_promotion(
        1, by_group={"S1": 2}, by_customer={INDIVIDUAL: 4}, by_group_plan={"S1": {"B": 8}}
    )
    account = np.flatnonzero(world.population.customer_id == INDIVIDUAL)
    close(world.ongoing_promotion(account)[:, 0], [7.0, 15.0, 7.0])


# --- 4: defaults ----------------------------------------------------------------------------------


def test_4_initial_state():
    world = World()
    company, market = world.company, world.market
    assert company.cash_usd == 1_000_000.0
    assert (company.price_usd == 0.0).all()
    assert (company.quota_units == 0.0).all()
    assert (company.model_tier == 1).all()
    assert company.capacity_tier == 0
    assert company.operations_usd == company.development_usd == company.targeted_support_usd == 0.0
    assert not company.ads_spend_usd.any()
    assert not company.development_group_usd.any()
    assert world.set_promotion() == {
        "global": 0.0,
        "by_group": {},
        "by_customer": {},
        "by_group_plan": {},
    }
    assert world.set_lead_promotion() == {
        "global": 0.0,
        "by_group": {},
        "by_channel": {},
        "by_channel_group": {},
    }
    assert world.set_ads_strength() == {"global": 0.0, "by_group": {}, "by_customer": {}}
    levels = {group: int(market.info_level[g]) for group, g in GROUP.items()}
    assert levels == {group: int(group in INITIAL) for group in GROUP}
    assert world.day == 0


# --- 5: costs -------------------------------------------------------------------------------------


def booked_today(world: World) -> dict[str, float]:
    amounts = zip(CATEGORIES, world.history.ledger_usd[world.day].tolist())
    return {category: amount for category, amount in amounts if amount}


def purchase(world: World, category: str, cost: float, buy: Callable[[World], dict]) -> dict:
    """Buy something that must cost exactly so much, on the same day."""
    cash, day = world.company.cash_usd, world.day
    assert booked_today(world) == {}
    result = buy(world)
    assert world.day == day
    close(cash - world.company.cash_usd, cost)
    assert booked_today(world) == {category: -cost}
    return result


def test_5_market_research_is_charged_even_when_nothing_is_left():
    cost = PARAMS.research.discovery_cost_usd
    assert cost == 25_000.0
    purchase(company(), "market_research", cost, lambda w: w.research_market())
    world = company()
    world.market.info_level[:] = 1
    result = purchase(world, "market_research", cost, lambda w: w.research_market())
    assert result == {"cost": cost}
    # it is enough to have the cost
    world = company()
    world.company.cash_usd = cost
    world.research_market()
    assert world.company.cash_usd == 0.0


@pytest.mark.parametrize(
    ("current", "level", "row"),
    [
        pytest.param(current, level, row, id=f"from {current} to {level}")
        for level, row in enumerate(table(f"{SPEC}/info_levels.csv"))
        for current in (1, 2, 5)
        if level >= max(current, 2)
    ],
)
def test_5_group_research(current, level, row):
    """Cost and delay are those of the target level, whatever the current one."""
    world = company()
    level_of("S1", current)(world)
    assert int(row["level"]) == level
    result = purchase(
        world, "group_research", float(row["cost_usd"]), lambda w: w.research_group("S1", level)
    )
    due = world.day + int(row["delay_days"])
    assert result == {
        "group_id": "S1",
        "new_level": level,
        "expected_completion_day": due,
        "is_refresh": level == current,
    }
    while world.day < due:
        assert world.market.info_level[GROUP["S1"]] == current
        world.step_day()
    assert world.market.info_level[GROUP["S1"]] == level
    assert world.market.snapshot_day[GROUP["S1"]] == due


@pytest.mark.parametrize("current", [1, 2, 4])
def test_5_default_level_of_group_research(current):
    world = company()
    level_of("S1", current)(world)
    assert world.research_group("S1")["new_level"] == max(current, 2)


@pytest.mark.parametrize("row", table(f"{SPEC}/research_tiers.csv"), ids=lambda r: r["tier"])
def test_5_research_projects(row):
    world, tier = company(), int(row["tier"])
    result = purchase(
        world,
        "research_project",
        float(row["cost_usd"]),
        lambda w: w.start_research_project(tier),
    )
    assert result["project_id"] == f"t{tier}_0"
    assert (result["tier"], result["name"], result["cost"]) == (
        tier,
        row["label"],
        float(row["cost_usd"]),
    )
    assert result["expected_completion_day"] == world.day + result["expected_duration_days"]
    assert result["expected_duration_days"] >= 30
    assert result["expected_quality_boost"] >= 0.001
    twin = company()
    assert twin.start_research_project(tier) == result  # the pair depends on seed, tier and count


def test_5_spends_are_charged_from_the_next_day_on():
    world = company()
    world.set_daily_spend(operations=100, development=200)
    world.set_targeted_ops_spend({"S1": 10})
    world.set_targeted_dev_spend({"S1": 20})
    world.set_targeted_ad_spend({"linkedin": {"S1": 30}, "referral_program": {"S2": 40}})
    world.set_capacity_tier(3)
    for _ in range(2):
        world.step_day()
        booked = world.history.ledger_usd[world.day]
        close(booked[CATEGORY["operations"]], -110.0)
        close(booked[CATEGORY["development"]], -220.0)
        close(booked[CATEGORY["advertising"]], -70.0)
        close(booked[CATEGORY["capacity"]], -1330.0)


@pytest.mark.parametrize("row", table(f"{SPEC}/capacity_tiers.csv"), ids=lambda r: r["tier"])
def test_5_capacity_tiers(row):
    assert company().set_capacity_tier(int(row["tier"])) == {
        "tier": int(row["tier"]),
        "capacity_units": float(row["capacity_units_per_day"]),
        "cost_per_day": float(row["cost_usd_per_day"]),
    }


# --- 7: limits ------------------------------------------------------------------------------------


def test_7_one_post_a_week():
    world = company()
    world.post_social_media("x" * 280)
    refuse(world, "limit_reached", lambda w: w.post_social_media("again"))
    world.step_week()
    assert world.post_social_media("next week")["agent_post_id"] == 2


def test_7_one_running_project_a_tier():
    world = company()
    first = world.start_research_project(1)
    refuse(world, "busy", lambda w: w.start_research_project(1))
    assert world.start_research_project(2)["project_id"] == "t2_0"
    while world.day < first["expected_completion_day"]:
        refuse(world, "busy", lambda w: w.start_research_project(1))
        world.step_day()
    assert world.start_research_project(1)["project_id"] == "t1_1"


def test_7_one_running_research_a_group():
    world = company()
    due = world.research_group("S1")["expected_completion_day"]
    refuse(world, "busy", lambda w: w.research_group("S1", 3))
    world.research_group("S2")
    while world.day < due:
        world.step_day()
    assert world.research_group("S1", 3)["is_refresh"] is False


@pytest.mark.parametrize("rules", ["published", "repaired"])
def test_7_the_fourth_offer_is_cut(rules):
    world = company(rules)
    offers = [["A", 10], ["B", 20], ["C", 30], ["A", 1]]
    world.send_offers([[LEAD, offers]])
    thread = world.negotiations.leads.thread[world.negotiations.leads.customer_id == LEAD][0]
    threads = world.negotiations.threads
    assert threads.offer_plan[thread].tolist() == [0, 1, 2]
    assert threads.offer_usd[thread].tolist() == [10.0, 20.0, 30.0]


# --- 8: forms of offers and advertising -----------------------------------------------------------

OFFER_FORMS = {
    "lists": [[LEAD, [["B", 20.5]]]],
    "tuples": [(LEAD, [("B", 20.5)])],
    "months are ignored": [[LEAD, [["B", 20.5, 12]]]],
    "dictionaries": [{"customer_id": LEAD, "offerings": [{"plan": "B", "price_per_seat": 20.5}]}],
    "other price key": [{"customer_id": LEAD, "offerings": [{"plan": "B", "price": 20.5}]}],
    "a missing plan means B": [{"customer_id": LEAD, "offerings": [{"price_per_seat": 20.5}]}],
}


@pytest.mark.parametrize("form", OFFER_FORMS)
def test_8_forms_of_offers(form):
    world = company()
    result = world.send_offers(OFFER_FORMS[form])
    assert result == {"results": [{"customer_id": LEAD, "success": True}]}
    threads = world.negotiations.threads
    thread = world.negotiations.leads.thread[world.negotiations.leads.customer_id == LEAD][0]
    assert threads.offer_plan[thread].tolist() == [PLAN["B"], -1, -1]
    close(threads.offer_usd[thread, 0], 20.5)
    assert threads.reply_day[thread] > world.day


@pytest.mark.parametrize(
    "form", [[LEAD], [[LEAD]], [{"customer_id": LEAD}], np.array([LEAD])], ids=str
)
def test_8_forms_of_rejections(form):
    world = company()
    result = world.reject_offers(form)
    assert result == {"results": [{"customer_id": LEAD, "success": True}]}
    lead = world.negotiations.leads.customer_id == LEAD
    assert world.negotiations.leads.thread[lead].tolist() == [-1]


def test_8_a_batch_succeeds_if_one_deal_can_be_sent():
    world = company()
    result = world.send_offers([[99, [["A", 20]]], [LEAD, [["A", 20]]], [ENTERPRISE, [["A", 20]]]])
    first, second, third = result["results"]
    assert first.keys() == {"customer_id", "error"}
    assert second == {"customer_id": LEAD, "success": True}
    assert third == {"customer_id": ENTERPRISE, "success": True}  # a renegotiation
    result = world.reject_offers([INDIVIDUAL, LEAD])
    assert [set(entry) for entry in result["results"]] == [
        {"customer_id", "error"},
        {"customer_id", "success"},
    ]


def test_8_inverted_advertising_map():
    world = company()
    result = world.set_targeted_ad_spend({"S1": {"linkedin": 100, "search_ads": 50}})
    assert result["targeted_spend"] == {"search_ads": {"S1": 50}, "linkedin": {"S1": 100}}
    expected = np.zeros((len(CHANNEL), GROUPS))
    expected[CHANNEL["linkedin"], GROUP["S1"]] = 100
    expected[CHANNEL["search_ads"], GROUP["S1"]] = 50
    np.testing.assert_array_equal(world.company.ads_spend_usd, expected)


# --- rules of tools.md 7.4 ------------------------------------------------------------------------

PROFILE_RULES = {  # decision -> code in the profile `repaired`; `published` accepts it
    "a price of a billion": ("out_of_range", lambda w: w.set_prices(A=1e9)),
    "a spend of a billion": ("out_of_range", lambda w: w.set_daily_spend(operations=1e9)),
    "a promotion of a billion": ("out_of_range", lambda w: w.set_promotion(1e9)),
    "true as a tier": ("wrong_type", lambda w: w.set_model_tiers(A=True)),
    "true as a capacity tier": ("wrong_type", lambda w: w.set_capacity_tier(True)),
    "an unknown customer": ("not_found", lambda w: w.set_promotion(by_customer={99: 1})),
    "an unknown plan": ("unknown_key", lambda w: w.send_offers([[LEAD, [["X", 20]]]])),
    "a negative price": ("out_of_range", lambda w: w.send_offers([[LEAD, [["A", -5]]]])),
}


@pytest.mark.parametrize("name", PROFILE_RULES)
def test_validation_by_profile(name):
    code, decision = PROFILE_RULES[name]
    decision(company("published"))
    refuse(company("repaired"), code, decision)


@pytest.mark.parametrize("rules", ["published", "repaired"])
def test_whole_floats_count_as_integers(rules):
    world = company(rules)
    world.set_model_tiers(A=3.0)
    world.set_capacity_tier(2.0)
    assert world.start_research_project(1.0)["tier"] == 1
    assert (world.company.model_tier[PLAN["A"]], world.company.capacity_tier) == (3, 2)
