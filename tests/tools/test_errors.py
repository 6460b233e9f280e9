"""What is refused, with which code, and that nothing has changed then (tools.md 9: 2 and 7)."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceo_gym.simulators.ceobench import InvalidDecision, World
from ceo_gym.tools import ceobench_texts
from ceo_gym.tools.ceobench import TOOLS, call
from ceo_gym.tools.ceobench_actions import FORECAST_DAYS, read_forecast
from tests.tools.worlds import busy_world, waiting_id

HUGE = 1e999
AD = "set_targeted_ad_spend"
DEV = "set_targeted_dev_spend"
OPS = "set_targeted_ops_spend"
SEND, REJECT = "send_enterprise_deal", "reject_enterprise_deal"

ERRORS: list[tuple[str, Any, str]] = [
    # the form of a call
    ("set_price", {"A": 1}, "not_found"),
    ("", {}, "not_found"),
    (3, {}, "wrong_type"),  # type: ignore[list-item]
    ("set_prices", [45, 80, 150], "wrong_type"),
    ("set_prices", "A=45", "wrong_type"),
    ("get_cost_info", {"tier": 1}, "unknown_key"),
    # 3.1 prices
    ("set_prices", {}, "missing_argument"),
    ("set_prices", None, "missing_argument"),
    ("set_prices", {"A": None}, "missing_argument"),
    ("set_prices", {"D": 10}, "unknown_key"),
    ("set_prices", {"A": 0}, "out_of_range"),
    ("set_prices", {"A": -1}, "out_of_range"),
    ("set_prices", {"A": "45"}, "wrong_type"),
    ("set_prices", {"A": True}, "wrong_type"),
    ("set_prices", {"A": HUGE}, "wrong_type"),
    ("set_prices", {"A": HUGE - HUGE}, "wrong_type"),
    ("set_prices", {"A": 45, "B": -1}, "out_of_range"),
    # 3.2 model tiers
    ("set_model_tiers", {}, "missing_argument"),
    ("set_model_tiers", {"E": 1}, "unknown_key"),
    ("set_model_tiers", {"A": 0}, "out_of_range"),
    ("set_model_tiers", {"A": 6}, "out_of_range"),
    ("set_model_tiers", {"A": 2.5}, "wrong_type"),
    ("set_model_tiers", {"A": "3"}, "wrong_type"),
    # 3.3 quotas
    ("set_usage_quotas", {}, "missing_argument"),
    ("set_usage_quotas", {"A": -1}, "out_of_range"),
    # 3.4 shared spends
    ("set_daily_spend", {}, "missing_argument"),
    ("set_daily_spend", {"operations": -1}, "out_of_range"),
    ("set_daily_spend", {"advertising": 100}, "unknown_key"),
    ("set_daily_spend", {"marketing": 100}, "unknown_key"),
    # 3.5 capacity
    ("set_capacity_tier", {}, "missing_argument"),
    ("set_capacity_tier", {"tier": 8}, "out_of_range"),
    ("set_capacity_tier", {"tier": -1}, "out_of_range"),
    ("set_capacity_tier", {"tier": "2"}, "wrong_type"),
    # 3.6 advertising
    (AD, {}, "missing_argument"),
    (AD, {"targeted_spend": []}, "wrong_type"),
    (AD, {"targeted_spend": {"tv": {"S1": 1}}}, "unknown_key"),
    (AD, {"targeted_spend": {"linkedin": {"S9": 1}}}, "unknown_key"),
    (AD, {"targeted_spend": {"linkedin": {"D_S01": 1}}}, "not_discovered"),
    (AD, {"targeted_spend": {"linkedin": 100}}, "wrong_type"),
    (AD, {"targeted_spend": {"linkedin": {"S1": -1}}}, "out_of_range"),
    (AD, {"targeted_spend": {"linkedin": {"S1": "1"}}}, "wrong_type"),
    (AD, {"targeted_spend": {"linkedin": {"S1": 1}, "S2": {"linkedin": 1}}}, "unknown_key"),
    # 3.7, 3.8 targeted development and support
    (DEV, {}, "missing_argument"),
    (DEV, {"targeted_spend": {"S1": -1}}, "out_of_range"),
    (DEV, {"targeted_spend": {"D_E01": 1}}, "not_discovered"),
    (DEV, {"targeted_spend": 500}, "wrong_type"),
    (OPS, {}, "missing_argument"),
    (OPS, {"targeted_spend": {"X": 1}}, "unknown_key"),
    (OPS, {"targeted_spend": {"S1": -1}}, "out_of_range"),
    (OPS, {"by_group": {"S1": 1}}, "unknown_key"),
    # 3.9 to 3.11 scopes, each refused as a whole
    ("set_ads_strength", {"global_strength": 1.5}, "out_of_range"),
    ("set_ads_strength", {"global_strength": 0.5, "by_group": {"X": 0.1}}, "unknown_key"),
    ("set_ads_strength", {"by_customer": {"bob": 0.1}}, "wrong_type"),
    ("set_ads_strength", {"by_group": 0.1}, "wrong_type"),
    ("set_promotion", {"global_promotion": -1}, "out_of_range"),
    ("set_promotion", {"global_promotion": 1, "by_group": {"D_S01": 1}}, "not_discovered"),
    ("set_promotion", {"by_group_plan": {"S1": {"D": 1}}}, "unknown_key"),
    ("set_promotion", {"by_customer": {"1.5": 1}}, "wrong_type"),
    ("set_lead_promotion", {"by_channel": {"tv": 1}}, "unknown_key"),
    ("set_lead_promotion", {"by_channel_group": {"linkedin": {"S1": -1}}}, "out_of_range"),
    # 4.2, 4.3 research
    ("research_group", {}, "missing_argument"),
    ("research_group", {"group_id": "D_S01"}, "not_discovered"),
    ("research_group", {"group_id": "S4"}, "unknown_key"),
    ("research_group", {"group_id": "S1", "target_level": 6}, "out_of_range"),
    ("research_group", {"group_id": "S1", "target_level": 1}, "out_of_range"),
    ("research_group", {"group_id": "S1", "target_level": 2.5}, "wrong_type"),
    ("start_research_project", {}, "missing_argument"),
    ("start_research_project", {"tier": 0}, "out_of_range"),
    ("start_research_project", {"tier": 21}, "out_of_range"),
    ("start_research_project", {"tier": "1"}, "wrong_type"),
    # 4.4 posts
    ("post_social_media", {}, "missing_argument"),
    ("post_social_media", {"content": ""}, "out_of_range"),
    ("post_social_media", {"content": "x" * 281}, "out_of_range"),
    ("post_social_media", {"content": 5}, "wrong_type"),
    ("post_social_media", {"content": "x", "reply_to_post_id": 10**6}, "not_found"),
    # 4.5, 4.6 deals
    (SEND, {}, "missing_argument"),
    (SEND, {"deals": []}, "missing_argument"),
    (SEND, {"deals": {"customer_id": 5}}, "wrong_type"),
    (SEND, {"deals": [5]}, "wrong_type"),
    (SEND, {"deals": [[5, []]]}, "missing_argument"),
    (SEND, {"deals": [{"offerings": [["A", 1]]}]}, "missing_argument"),
    (SEND, {"deals": [[5, [["A"]]]]}, "wrong_type"),
    (SEND, {"deals": [["bob", [["A", 1]]]]}, "wrong_type"),
    (SEND, {"deals": [[10**6, [["A", 1]]]]}, "not_found"),
    (REJECT, {}, "missing_argument"),
    (REJECT, {"deals": 5}, "wrong_type"),
    (REJECT, {"deals": [{}]}, "missing_argument"),
    (REJECT, {"deals": [10**6]}, "not_found"),
    # 5 reading
    ("get_group_insights", {}, "missing_argument"),
    ("get_group_insights", {"group_id": "D_S01"}, "not_discovered"),
    ("get_group_insights", {"group_id": ["S1"]}, "wrong_type"),
    ("get_social_posts", {"limit": "5"}, "wrong_type"),
    ("get_week_summary", {"n": 0}, "out_of_range"),
    ("get_tool_documentation", {"tool_names": ["set_price"]}, "not_found"),
    ("log_rationale", {}, "missing_argument"),
    ("python_exec", {"code": "1"}, "not_found"),
    ("run_script", {"name": "x"}, "not_found"),
]
ONLY_REPAIRED: list[tuple[str, Any, str]] = [
    ("set_prices", {"A": 10_001}, "out_of_range"),
    ("set_model_tiers", {"A": True}, "wrong_type"),
    ("set_promotion", {"by_customer": {"1000000000": 1}}, "not_found"),
    (SEND, {"deals": [[5, [["Z", 1]]]]}, "unknown_key"),
    (SEND, {"deals": [[5, [["A", -5]]]]}, "out_of_range"),
]


def refused(world: World, name: Any, arguments: Any) -> InvalidDecision:
    before = world.save()
    with pytest.raises(InvalidDecision) as error:
        call(world, name, arguments)
    assert world.save() == before
    assert str(error.value)
    return error.value


@pytest.mark.parametrize(("name", "arguments", "code"), ERRORS, ids=repr)
@pytest.mark.parametrize("rules", ["published", "repaired"])
def test_errors_have_their_code_and_change_nothing(
    name: str, arguments: Any, code: str, rules: str
) -> None:
    assert refused(busy_world(rules), name, arguments).code == code


@pytest.mark.parametrize(("name", "arguments", "code"), ONLY_REPAIRED, ids=repr)
def test_repaired_rules_refuse_more(name: str, arguments: Any, code: str) -> None:
    assert refused(busy_world("repaired"), name, arguments).code == code


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set_prices", {"A": 1e12}),
        ("set_daily_spend", {"operations": 1e12}),
        ("set_promotion", {"global_promotion": 1e9}),
        ("set_model_tiers", {"A": True, "B": 3.0}),
        ("set_capacity_tier", {"tier": True}),
        ("research_group", {"group_id": "S1", "target_level": 3.0}),
        ("set_promotion", {"by_customer": {"1000000000": 1}}),
        ("set_ads_strength", {"by_customer": {"1000000000": 1}}),
        (SEND, [["Z", 1]]),
        (SEND, [["A", -5]]),
        (SEND, [[None, 5]]),
        (SEND, [{"price": 5}]),
    ],
    ids=repr,
)
def test_published_rules_accept_what_is_not_checked_there(name: str, arguments: Any) -> None:
    """The accepting column of tools.md 7.4."""
    world = busy_world()
    if name == SEND:
        arguments = {"deals": [[waiting_id(world), arguments]]}
    assert call(world, name, arguments)


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set_prices", {"A": 10_000}),
        ("set_model_tiers", {"B": 3.0}),
        ("set_capacity_tier", {"tier": 2.0}),
        ("set_usage_quotas", {"A": 12.5}),
    ],
    ids=repr,
)
def test_repaired_rules_accept_the_bounds(name: str, arguments: Any) -> None:
    assert call(busy_world("repaired"), name, arguments)


def test_purchases_need_the_cash() -> None:
    world = World(seed=1, params={"company.initial_cash_usd": 1000.0})
    for name, arguments in (
        ("research_market", {}),
        ("research_group", {"group_id": "S1"}),
        ("start_research_project", {"tier": 1}),
    ):
        assert refused(world, name, arguments).code == "insufficient_funds"


def test_what_runs_cannot_be_started_again() -> None:
    world = busy_world()
    call(world, "start_research_project", {"tier": 4})
    assert refused(world, "start_research_project", {"tier": 4}).code == "busy"
    call(world, "research_group", {"group_id": "S1"})
    assert refused(world, "research_group", {"group_id": "S1"}).code == "busy"
    call(world, "post_social_media", {"content": "One."})
    assert refused(world, "post_social_media", {"content": "Two."}).code == "limit_reached"


def test_target_level_must_not_be_lower() -> None:
    world = busy_world()
    call(world, "research_group", {"group_id": "S1", "target_level": 4})
    world.step_week()
    refusal = refused(world, "research_group", {"group_id": "S1", "target_level": 3})
    assert refusal.code == "out_of_range"
    assert call(world, "research_group", {"group_id": "S1"})["is_refresh"]


@pytest.mark.parametrize(
    ("name", "arguments", "advice"),
    [
        ("set_price", {}, "set_prices"),
        ("set_daily_spend", {"advertising": 5}, "set_targeted_ad_spend"),
        ("set_daily_spend", {"develop": 5}, "development"),
        ("research_group", {"group": "S1"}, "group_id"),
        ("start_research_project", {}, r"start_research_project\(tier\)"),
        (AD, {"targeted_spend": [1]}, "{channel: {group: amount}}"),
        (AD, {"targeted_spend": {"search": {"S1": 1}}}, "search_ads"),
        ("python_exec", {"code": "1"}, "workspace"),
        ("get_prices", {}, "get_current_config"),
        ("get_daily_spend", {}, "get_current_config"),
        ("get_current_targeted_ad_spend", {}, "get_current_config"),
        ("list_open_deals", {}, "get_open_threads"),
        ("get_dashboard", {}, "get_week_summary"),
        ("run_sql", {}, "query"),
        ("get_notifications", {}, "query"),
        ("list_customers", {}, "query"),
        ("advance_week", {}, "next_week"),
        ("memory_insert", {"line": 1, "content": "x"}, "log_rationale"),
        (AD, {"targeted_spend": {"linkedin": {"S1": 1}, "S2": {}}}, "{channel: {group: amount}}"),
        (AD, {"targeted_spend": {"linkedin": {"D_E01": 1}}}, "known so far: S1, S2"),
        (SEND, {"customer_id": 5, "offerings": []}, "stands in the list deals"),
        (SEND, {"deals": [[5, "A", 30]]}, r"write \[customer_id, "),
        (REJECT, {"customer_id": 5}, "stands in the list deals"),
    ],
)
def test_errors_say_what_to_do(name: str, arguments: Any, advice: str) -> None:
    with pytest.raises(InvalidDecision, match=advice):
        call(World(seed=1), name, arguments)


LONG = "x" * 100_000


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        (LONG, {}),
        ("set_prices", {LONG: 1}),
        ("set_prices", {"A": LONG}),
        ("set_prices", {"A": 10**5000}),
        ("set_model_tiers", {"A": 10**5000}),
        (DEV, {"targeted_spend": {LONG: 1}}),
        (DEV, {"targeted_spend": {LONG: -1}}),
        (DEV, {"targeted_spend": {"S1": LONG}}),
        (AD, {"targeted_spend": {LONG: 1}}),
        (AD, {"targeted_spend": {"linkedin": {LONG: 1}}}),
        ("set_promotion", {"by_customer": {LONG: 1}}),
        (SEND, {"deals": [LONG]}),
        (SEND, {"deals": [[5, [LONG]]]}),
        ("research_group", {"group_id": LONG}),
        ("post_social_media", {"content": LONG}),
        ("describe_tables", {"table_names": [LONG]}),
        ("next_week", {"rationale": "x", "predictions": {LONG: 1}}),
    ],
    ids=range(17),
)
def test_errors_stay_short_whatever_was_given(name: str, arguments: Any) -> None:
    assert len(str(refused(World(seed=1, rules="repaired"), name, arguments))) < 500


def test_half_a_character_does_not_reach_the_tables() -> None:
    world = World(seed=1)
    refusal = refused(world, "post_social_media", {"content": "\ud800 hello"})
    assert refusal.code == "wrong_type"
    call(world, "post_social_media", {"content": "hello \U0001f600"})
    sql = "SELECT content FROM agent_social_media_posts"
    assert call(world, "query", {"sql": sql})["rows"] == [{"content": "hello \U0001f600"}]


# --- the week ------------------------------------------------------------------------------------

FORECAST = {key: {"point": 2.0, "lower": 1, "upper": 3} for key in FORECAST_DAYS}


def changed(key: str, **cells: Any) -> dict[str, Any]:
    entry = {name: v for name, v in (FORECAST[key] | cells).items() if v is not None}
    return FORECAST | {key: entry}


def test_a_week_does_not_pass_through_call() -> None:
    arguments = {"predictions": FORECAST, "rationale": "Hold."}
    refusal = refused(busy_world(), "next_week", arguments)
    assert refusal.code == "not_found"
    assert "wrappers" in str(refusal)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"predictions": FORECAST}, "missing_argument"),
        ({"predictions": FORECAST, "rationale": " "}, "missing_argument"),
        ({"rationale": "x"}, "missing_argument"),
        ({"rationale": "x", "predictions": {}}, "missing_argument"),
        ({"rationale": "x", "predictions": FORECAST | {"cash_2wk": {}}}, "unknown_key"),
        ({"rationale": "x", "predictions": FORECAST | {"cash_4wk": 5}}, "wrong_type"),
        ({"rationale": "x", "predictions": changed("cash_4wk", lower=None)}, "missing_argument"),
        ({"rationale": "x", "predictions": changed("cash_4wk", point="2")}, "wrong_type"),
        ({"rationale": "x", "predictions": changed("cash_4wk", upper=HUGE)}, "wrong_type"),
        ({"rationale": "x", "predictions": changed("cash_4wk", point=HUGE - HUGE)}, "wrong_type"),
        ({"rationale": "x", "predictions": changed("cash_4wk", point=0.5)}, "out_of_range"),
        ({"rationale": "x", "predictions": changed("cash_4wk", lower=4)}, "out_of_range"),
    ],
)
def test_forecasts_are_checked(arguments: dict[str, Any], code: str) -> None:
    assert refused(World(seed=1), "next_week", arguments).code == code


def test_forecasts_reach_the_world() -> None:
    world = World(seed=1)
    rows = read_forecast(FORECAST)
    assert rows == [[2.0, 1.0, 3.0]] * 4
    world.step_week(rows)  # type: ignore[arg-type]
    assert world.history.predictions.horizon_days.tolist() == list(FORECAST_DAYS.values())
    assert world.history.predictions.point_usd.tolist() == [2.0] * 4


# --- anything at all -----------------------------------------------------------------------------

names = st.sampled_from(
    ["S1", "E1", "D_S01", "A", "B", "linkedin", "cash_1wk", "point", "customer_id", "plan", "7"]
)
leaves = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.integers(0, 60), names, st.text()
)
json_values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(names, st.text()), inner, max_size=3)
    ),
    max_leaves=8,
)


@st.composite
def calls(draw: st.DrawFn) -> tuple[str, dict[str, Any]]:
    tool = TOOLS[draw(st.sampled_from(sorted(set(TOOLS) - {"validate"})))]
    return tool.name, {name: draw(json_values) for name in tool.names if draw(st.booleans())}


@settings(max_examples=150, deadline=None)
@given(calls())
def test_any_json_is_carried_out_or_refused(case: tuple[str, dict[str, Any]]) -> None:
    name, arguments = case
    world = busy_world()
    before = world.save()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ceobench_texts, "post_texts", lambda world, a, b: [""] * (b - a))
        try:
            result = call(world, name, arguments)
        except InvalidDecision:
            assert world.save() == before
        else:
            assert json.loads(json.dumps(result, allow_nan=False)) == result
