"""Results and errors of every decision (checks 1 and 2 of tools.md 9, and part of 5).

Errors that a Python signature already excludes, such as an unknown plan keyword, belong to the
tools layer. What decisions bring about is in `test_checks_tools_effects`.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.simulators.ceobench.reference import (
    ENTERPRISE,
    GROUP,
    INDIVIDUAL,
    LEAD,
    LOST,
    SPEC,
    World,
    company,
    level_of,
    refuse,
    table,
)

INF, NAN = float("inf"), float("nan")

# --- 1: results -----------------------------------------------------------------------------------

CALLS: dict[str, Callable[[World], dict]] = {  # published tool -> a valid call of its method
    "set_prices": lambda w: w.set_prices(A=20, B=50),
    "set_model_tiers": lambda w: w.set_model_tiers(A=3, C=5),
    "set_usage_quotas": lambda w: w.set_usage_quotas(A=100, B=300, C=1000),
    "set_promotion": lambda w: w.set_promotion(
        1, by_group={"S1": 2}, by_customer={2: 3}, by_group_plan={"S2": {"B": 4}}
    ),
    "set_ads_strength": lambda w: w.set_ads_strength(0.1, by_group={"S1": 0.2}, by_customer={2: 1}),
    "set_targeted_ad_spend": lambda w: w.set_targeted_ad_spend({"linkedin": {"S1": 100}}),
    "set_lead_promotion": lambda w: w.set_lead_promotion(
        1, by_group={"S1": 2}, by_channel={"linkedin": 3}, by_channel_group={"linkedin": {"S1": 4}}
    ),
    "research_market": lambda w: w.research_market(),
    "set_daily_spend": lambda w: w.set_daily_spend(operations=100, development=200),
    "set_targeted_dev_spend": lambda w: w.set_targeted_dev_spend({"S1": 100}),
    "start_research_project": lambda w: w.start_research_project(1),
    "set_capacity_tier": lambda w: w.set_capacity_tier(2),
    "set_targeted_ops_spend": lambda w: w.set_targeted_ops_spend({"S1": 100}),
    "research_group": lambda w: w.research_group("S1"),
    "post_social_media": lambda w: w.post_social_media("hello"),
    "send_enterprise_deal": lambda w: w.send_offers([[LEAD, [["A", 20]]]]),
    "reject_enterprise_deal": lambda w: w.reject_offers([LEAD]),
}
FIELDS = {
    row["tool"]: row["result_fields"]
    for row in table(f"{SPEC}/tools.csv")
    if row["changes_world"] == "yes" and row["kind"] in ("setting", "immediate")
}


def test_1_every_tool_that_changes_the_world_has_a_method():
    assert FIELDS.keys() == CALLS.keys()


@pytest.mark.parametrize("tool", [name for name in CALLS if name != "research_market"])
def test_1_result_fields(tool):
    world = company()
    before = world.save()
    result = CALLS[tool](world)
    assert set(result) == set(FIELDS[tool].split(","))
    assert world.save() != before


def test_1_result_of_market_research():
    """Success names the group, failure only the cost (tools.md 4.1)."""
    outcomes = set()
    for seed in range(20):
        world = World(seed)
        result = world.research_market()
        found = int(world.market.discovered.sum()) > 6
        outcomes.add(found)
        assert ("discovered_group_id" in result) == found
        assert set(result) <= set(FIELDS["research_market"].split("|"))
        if found:
            assert world.market.info_level[GROUP[result["discovered_group_id"]]] == 1
    assert outcomes == {True, False}


@pytest.mark.parametrize(
    "tool", [name for name in CALLS if name.startswith(("set_", "post_", "send_", "reject_"))]
)
def test_5_settings_and_messages_cost_nothing_until_the_step(tool):
    world = company()
    cash, ledger = world.company.cash_usd, world.history.ledger_usd.copy()
    CALLS[tool](world)
    assert world.company.cash_usd == cash
    np.testing.assert_array_equal(world.history.ledger_usd, ledger)


# --- 2: errors ------------------------------------------------------------------------------------

TOO_LONG = "x" * 281
Change = Callable[[World], object]


def cash(amount: float) -> Change:
    """Sets the cash."""
    return lambda world: setattr(world.company, "cash_usd", amount)


def one_public_post(world: World) -> None:
    """Somebody else has posted."""
    world.history.post(world.day, "economy", ["neutral"])


def one_own_post(world: World) -> None:
    """The company has posted today."""
    world.post_social_media("hello")


def at_the_end(world: World) -> None:
    """The last day has been played."""
    world.day = world.params.clock.horizon_days


# tool -> code, decision and, for some, what is changed beforehand
ERRORS: dict[str, list[tuple[str | Change, ...]]] = {
    "set_prices": [
        ("missing_argument", lambda w: w.set_prices()),
        ("out_of_range", lambda w: w.set_prices(A=0)),
        ("out_of_range", lambda w: w.set_prices(A=20, B=-5)),
        ("wrong_type", lambda w: w.set_prices(A=20, B="30")),
        ("wrong_type", lambda w: w.set_prices(A=INF)),
        ("wrong_type", lambda w: w.set_prices(A=NAN)),
    ],
    "set_model_tiers": [
        ("missing_argument", lambda w: w.set_model_tiers()),
        ("out_of_range", lambda w: w.set_model_tiers(A=0)),
        ("out_of_range", lambda w: w.set_model_tiers(A=2, B=6)),
        ("wrong_type", lambda w: w.set_model_tiers(A=2, B=2.5)),
        ("wrong_type", lambda w: w.set_model_tiers(A="3")),
    ],
    "set_usage_quotas": [
        ("missing_argument", lambda w: w.set_usage_quotas()),
        ("out_of_range", lambda w: w.set_usage_quotas(A=100, B=-1, C=100)),
        ("wrong_type", lambda w: w.set_usage_quotas(A=100, B=NAN, C=100)),
    ],
    "set_daily_spend": [
        ("missing_argument", lambda w: w.set_daily_spend()),
        ("out_of_range", lambda w: w.set_daily_spend(operations=10, development=-1)),
        ("wrong_type", lambda w: w.set_daily_spend(operations=INF)),
        ("wrong_type", lambda w: w.set_daily_spend(operations="10")),
    ],
    "set_capacity_tier": [
        ("out_of_range", lambda w: w.set_capacity_tier(8)),
        ("out_of_range", lambda w: w.set_capacity_tier(-1)),
        ("wrong_type", lambda w: w.set_capacity_tier("2")),
        ("wrong_type", lambda w: w.set_capacity_tier(1.5)),
    ],
    "set_targeted_ad_spend": [
        ("unknown_key", lambda w: w.set_targeted_ad_spend({"radio": {"S1": 1}})),
        ("unknown_key", lambda w: w.set_targeted_ad_spend({"linkedin": {"S9": 1}})),
        ("not_discovered", lambda w: w.set_targeted_ad_spend({"linkedin": {"D_S01": 1}})),
        ("wrong_type", lambda w: w.set_targeted_ad_spend({"linkedin": 100})),
        ("out_of_range", lambda w: w.set_targeted_ad_spend({"linkedin": {"S1": 1, "S2": -1}})),
        ("wrong_type", lambda w: w.set_targeted_ad_spend({"linkedin": {"S1": "1"}})),
        ("wrong_type", lambda w: w.set_targeted_ad_spend({"linkedin": {"S1": NAN}})),
        ("wrong_type", lambda w: w.set_targeted_ad_spend(None)),
        ("wrong_type", lambda w: w.set_targeted_ad_spend([["linkedin", "S1", 1]])),
        (  # a mixture of both directions
            "unknown_key",
            lambda w: w.set_targeted_ad_spend({"linkedin": {"S1": 1}, "S2": {"linkedin": 1}}),
        ),
    ],
    "set_targeted_dev_spend": [
        ("unknown_key", lambda w: w.set_targeted_dev_spend({"S9": 1})),
        ("not_discovered", lambda w: w.set_targeted_dev_spend({"S1": 1, "D_E01": 1})),
        ("out_of_range", lambda w: w.set_targeted_dev_spend({"S1": -1})),
        ("wrong_type", lambda w: w.set_targeted_dev_spend(None)),
        ("wrong_type", lambda w: w.set_targeted_dev_spend(["S1"])),
    ],
    "set_targeted_ops_spend": [
        ("unknown_key", lambda w: w.set_targeted_ops_spend({"S9": 1})),
        ("not_discovered", lambda w: w.set_targeted_ops_spend({"D_S01": 1})),
        ("out_of_range", lambda w: w.set_targeted_ops_spend({"S1": 1, "S2": -1})),
        ("wrong_type", lambda w: w.set_targeted_ops_spend(["S1"])),
        ("unknown_key", lambda w: w.set_targeted_ops_spend({"S1": 1}, by_plan={"D": 1})),
        ("unknown_key", lambda w: w.set_targeted_ops_spend(by_group_plan={"S1": {"D": 1}})),
        ("wrong_type", lambda w: w.set_targeted_ops_spend({"S1": 1}, by_customer={"x": 1})),
    ],
    "set_ads_strength": [
        ("out_of_range", lambda w: w.set_ads_strength(1.5)),
        ("out_of_range", lambda w: w.set_ads_strength(0.5, by_group={"S1": -0.1})),
        ("unknown_key", lambda w: w.set_ads_strength(0.5, by_group={"S9": 0.1})),
        ("not_discovered", lambda w: w.set_ads_strength(0.5, by_group={"D_S01": 0.1})),
        ("wrong_type", lambda w: w.set_ads_strength(0.5, by_customer={"x": 0.1})),
        ("wrong_type", lambda w: w.set_ads_strength(0.5, by_customer=[2])),
    ],
    "set_promotion": [
        ("out_of_range", lambda w: w.set_promotion(-1)),
        ("out_of_range", lambda w: w.set_promotion(1, by_group={"S1": -1})),
        ("unknown_key", lambda w: w.set_promotion(1, by_group={"S9": 1})),
        ("not_discovered", lambda w: w.set_promotion(1, by_group={"D_S01": 1})),
        ("unknown_key", lambda w: w.set_promotion(1, by_group_plan={"S1": {"D": 1}})),
        ("wrong_type", lambda w: w.set_promotion(1, by_customer={"x": 1})),
        ("wrong_type", lambda w: w.set_promotion(1, by_customer={2.5: 1})),
        ("wrong_type", lambda w: w.set_promotion(INF)),
    ],
    "set_lead_promotion": [
        ("out_of_range", lambda w: w.set_lead_promotion(-1)),
        ("unknown_key", lambda w: w.set_lead_promotion(1, by_group={"S9": 1})),
        ("unknown_key", lambda w: w.set_lead_promotion(1, by_channel={"radio": 1})),
        ("out_of_range", lambda w: w.set_lead_promotion(1, by_channel={"linkedin": -1})),
        (
            "not_discovered",
            lambda w: w.set_lead_promotion(1, by_channel_group={"linkedin": {"D_S01": 1}}),
        ),
        ("wrong_type", lambda w: w.set_lead_promotion(1, by_channel_group=["linkedin"])),
    ],
    "research_market": [("insufficient_funds", lambda w: w.research_market(), cash(24_999.99))],
    "research_group": [
        ("unknown_key", lambda w: w.research_group("S9")),
        ("not_discovered", lambda w: w.research_group("D_S01")),
        ("busy", lambda w: w.research_group("S1", 3), lambda w: w.research_group("S1")),
        ("out_of_range", lambda w: w.research_group("S1", 1)),
        ("out_of_range", lambda w: w.research_group("S1", 6)),
        ("wrong_type", lambda w: w.research_group("S1", 2.5)),
        ("out_of_range", lambda w: w.research_group("S1", 3), level_of("S1", 4)),
        ("insufficient_funds", lambda w: w.research_group("S1"), cash(59_999.99)),
        ("insufficient_funds", lambda w: w.research_group("S1", 5), cash(699_999.99)),
    ],
    "start_research_project": [
        ("busy", lambda w: w.start_research_project(1), lambda w: w.start_research_project(1)),
        ("out_of_range", lambda w: w.start_research_project(0)),
        ("out_of_range", lambda w: w.start_research_project(21)),
        ("wrong_type", lambda w: w.start_research_project("1")),
        ("insufficient_funds", lambda w: w.start_research_project(1), cash(166_666.99)),
    ],
    "post_social_media": [
        ("out_of_range", lambda w: w.post_social_media("")),
        ("out_of_range", lambda w: w.post_social_media(TOO_LONG)),
        ("not_found", lambda w: w.post_social_media("hello", 99)),
        ("not_found", lambda w: w.post_social_media("hello", 2), one_public_post),
        ("limit_reached", lambda w: w.post_social_media("again"), one_own_post),
        ("wrong_type", lambda w: w.post_social_media(None)),
    ],
    "send_enterprise_deal": [
        ("wrong_type", lambda w: w.send_offers("3")),
        ("wrong_type", lambda w: w.send_offers([LEAD])),
        ("wrong_type", lambda w: w.send_offers({LEAD: [["A", 20]]})),
        ("missing_argument", lambda w: w.send_offers([{"offerings": [["A", 20]]}])),
        ("missing_argument", lambda w: w.send_offers([[LEAD, []]])),
        ("missing_argument", lambda w: w.send_offers([{"customer_id": LEAD}])),
        ("wrong_type", lambda w: w.send_offers([[LEAD, [["A"]]]])),
        ("wrong_type", lambda w: w.send_offers([[LEAD, [{"plan": "A"}]]])),
        ("wrong_type", lambda w: w.send_offers([[LEAD, [["A", NAN]]]])),
        ("wrong_type", lambda w: w.send_offers([["three", [["A", 20]]]])),
        ("not_found", lambda w: w.send_offers([[99, [["A", 20]]]])),
        ("not_found", lambda w: w.send_offers([[INDIVIDUAL, [["A", 20]]]])),
        ("not_found", lambda w: w.send_offers([[LOST, [["A", 20]]]])),
    ],
    "reject_enterprise_deal": [
        ("wrong_type", lambda w: w.reject_offers("3")),
        ("missing_argument", lambda w: w.reject_offers([])),
        ("missing_argument", lambda w: w.reject_offers([{"customer": LEAD}])),
        ("wrong_type", lambda w: w.reject_offers(["three"])),
        ("not_found", lambda w: w.reject_offers([99])),
        ("not_found", lambda w: w.reject_offers([INDIVIDUAL])),
        ("not_found", lambda w: w.reject_offers([ENTERPRISE])),
        ("not_found", lambda w: w.reject_offers([LOST])),
    ],
    "next_week": [
        ("wrong_type", lambda w: w.step_week(np.zeros((3, 3)))),
        ("wrong_type", lambda w: w.step_week(np.full((4, 3), NAN))),
        ("wrong_type", lambda w: w.step_week(np.full((4, 3), INF))),
        ("out_of_range", lambda w: w.step_week(np.tile([1.0, 2.0, 3.0], (4, 1)))),  # low > point
        ("out_of_range", lambda w: w.step_week(np.tile([1.0, 0.0, 0.5], (4, 1)))),  # point > high
        ("limit_reached", lambda w: w.step_week(), at_the_end),
        ("limit_reached", lambda w: w.step_day(), at_the_end),
    ],
}


@pytest.mark.parametrize(
    ("code", "decision", "prepare"),
    [
        pytest.param(code, decision, prepare, id=f"{tool} {number} {code}")
        for tool, cases in ERRORS.items()
        for number, (code, decision, *prepare) in enumerate(cases)
    ],
)
def test_2_errors_change_nothing(code, decision, prepare):
    world = company()
    for change in prepare:
        change(world)
    refuse(world, code, decision)


def test_2_all_tools_that_change_the_world_are_covered():
    assert ERRORS.keys() == FIELDS.keys() | {"next_week"}
