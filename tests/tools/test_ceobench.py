"""Names, arguments and results of the tools (tools.md 9: checks 1, 3, 4, 5)."""

import json
import math
from typing import Any

import pytest

from ceo_gym.simulators.ceobench import InvalidDecision, World
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.tools import ceobench_texts
from ceo_gym.tools.ceobench import TOOLS, call, reference, schemas, validate
from tests.tools.worlds import busy_world, subscriber_id, waiting_id

NOT_SERVED = [tool.name for tool in TOOLS.values() if not tool.served]

CALLS: list[tuple[str, dict[str, Any]]] = [
    ("set_prices", {"A": 45}),
    ("set_model_tiers", {"A": 1, "C": 4.0}),
    ("set_usage_quotas", {"B": 1234}),
    ("set_promotion", {"global_promotion": 1, "by_group_plan": {"S2": {"A": 10.0, "B": 0}}}),
    ("set_promotion", {}),
    ("set_ads_strength", {"global_strength": 0.2, "by_customer": {"7": 0.5}}),
    ("set_ads_strength", {}),
    ("set_targeted_ad_spend", {"targeted_spend": {"search_ads": {"S1": 200}}}),
    ("set_targeted_ad_spend", {"targeted_spend": {}}),
    ("set_lead_promotion", {"by_group": {"S1": 15, "S2": 0}}),
    ("set_lead_promotion", {}),
    ("research_market", {}),
    ("set_daily_spend", {"operations": 60000, "development": 12000}),
    ("set_targeted_dev_spend", {"targeted_spend": {"S3": 500}}),
    ("start_research_project", {"tier": 2}),
    ("list_research_projects", {}),
    ("set_capacity_tier", {"tier": 3}),
    ("set_targeted_ops_spend", {"targeted_spend": {"S2": 30}}),
    ("research_group", {"group_id": "E1"}),
    ("research_group", {"group_id": "E1", "target_level": 3}),
    ("get_market_overview", {}),
    ("get_group_insights", {"group_id": "S1"}),
    ("get_group_insights", {"group_id": "E1"}),
    ("get_social_posts", {"days": 7, "limit": 10}),
    ("get_social_posts", {}),
    ("get_cost_info", {}),
    ("post_social_media", {"content": "We hear you."}),
    ("post_social_media", {"content": "We hear you.", "reply_to_post_id": 1}),
    ("log_rationale", {"rationale": "Holding."}),
    ("get_tool_documentation", {"tool_names": "set_prices"}),
    ("get_tool_documentation", {}),
    ("get_current_config", {}),
    ("get_week_summary", {"n": 3}),
    ("get_open_threads", {}),
    ("validate", {"tool": "set_prices", "args": {"A": 3}}),
    ("query", {"sql": "SELECT day, SUM(amount) AS usd FROM ledger GROUP BY day"}),
]
TYPES: dict[str, Any] = {
    "number": (int, float),
    "integer": int,
    "text": str,
    "boolean": bool,
    "map": dict,
    "list": list,
    "null": type(None),
}


def check_result(name: str, result: dict[str, Any]) -> None:
    outputs = {output.name: output for output in TOOLS[name].result}
    assert set(result) <= set(outputs)
    for output in outputs.values():
        if output.name not in result:
            assert not output.always, output.name
            continue
        value = result[output.name]
        kinds = [TYPES[kind] for kind in output.type.split(" or ")]
        assert any(isinstance(value, kind) for kind in kinds), output.name
        assert not isinstance(value, bool) or "boolean" in output.type
    assert json.loads(json.dumps(result, allow_nan=False)) == result


@pytest.fixture
def words(monkeypatch: pytest.MonkeyPatch) -> None:
    """Public posts get some text, whatever this installation has."""
    monkeypatch.setattr(
        ceobench_texts, "post_texts", lambda world, start, stop: ["hm"] * (stop - start)
    )


@pytest.mark.usefixtures("words")
@pytest.mark.parametrize("rules", ["published", "repaired"])
@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_valid_calls_return_the_declared_fields(
    name: str, arguments: dict[str, Any], rules: str
) -> None:
    world = busy_world(rules)
    before = world.save()
    check_result(name, call(world, name, arguments))
    if TOOLS[name].kind in ("read", "note"):
        assert world.save() == before


def test_every_served_tool_has_a_valid_call() -> None:
    elsewhere = {"next_week", "list_all_tables", "describe_tables", *NOT_SERVED}
    tested = {name for name, _ in CALLS} | {"send_enterprise_deal", "reject_enterprise_deal"}
    assert tested | elsewhere == set(TOOLS)


def offers(world: World) -> list[Any]:
    one = [["A", 25.0, 1], ["B", 45.0, 1], ["C", 70, 1]]
    return [
        [waiting_id(world), one],
        (str(waiting_id(world)), [("B", 20.0)]),
        {"customer_id": waiting_id(world), "offerings": [{"plan": "A", "price_per_seat": 9}]},
        {"customer_id": subscriber_id(world), "offerings": [{"plan": "C", "price": 30}]},
    ]


@pytest.mark.parametrize("form", range(4))
def test_deals_in_every_form(form: int) -> None:
    world = busy_world()
    deal = offers(world)[form]
    result = call(world, "send_enterprise_deal", {"deals": [deal]})
    check_result("send_enterprise_deal", result)
    who = deal["customer_id"] if isinstance(deal, dict) else int(deal[0])
    assert result == {"results": [{"customer_id": who, "success": True}]}


def test_deals_of_a_batch_stand_alone() -> None:
    world = busy_world()
    deals = [[waiting_id(world), [["B", 20.0]]], [10**9, [["B", 20.0]]]]
    good, bad = call(world, "send_enterprise_deal", {"deals": deals})["results"]
    assert good["success"]
    assert set(bad) == {"customer_id", "error"}


@pytest.mark.parametrize("form", [int, str, lambda i: [i], lambda i: {"customer_id": i}])
def test_rejections_in_every_form(form: Any) -> None:
    world = busy_world()
    who = waiting_id(world)
    result = call(world, "reject_enterprise_deal", {"deals": [form(who)]})
    assert result == {"results": [{"customer_id": who, "success": True}]}
    with pytest.raises(InvalidDecision) as error:
        call(world, "reject_enterprise_deal", {"deals": [form(who)]})
    assert error.value.code == "not_found"


def test_fourth_offer_is_cut() -> None:
    for rules, warned in (("published", False), ("repaired", True)):
        world = busy_world(rules)
        deal = [waiting_id(world), [["A", 10.0], ["B", 20.0], ["C", 30.0], ["A", 5.0]]]
        (result,) = call(world, "send_enterprise_deal", {"deals": [deal]})["results"]
        assert result["success"]
        assert ("warning" in result) == warned


def test_market_research_tells_the_find_or_the_cost() -> None:
    world, told = busy_world(), set()
    for _ in range(40):
        before = world.company.cash_usd
        result = call(world, "research_market")
        told.add(tuple(result))
        assert world.company.cash_usd == before - 25_000.0
    assert told == {("discovered_group_id",), ("cost",)}


@pytest.mark.parametrize(
    ("name", "arguments", "cost"),
    [
        ("research_group", {"group_id": "S1"}, 60_000.0),
        ("research_group", {"group_id": "S1", "target_level": 5}, 700_000.0),
        ("start_research_project", {"tier": 3}, 500_000.0),
        ("post_social_media", {"content": "Hello"}, 0.0),
    ],
)
def test_immediate_actions_cost_what_is_listed(
    name: str, arguments: dict[str, Any], cost: float
) -> None:
    world = busy_world()
    cash = world.company.cash_usd
    call(world, name, arguments)
    assert world.company.cash_usd == cash - cost


def test_settings_cost_nothing_until_a_day_passes() -> None:
    world = busy_world()
    cash = world.company.cash_usd
    for name, arguments in CALLS:
        if TOOLS[name].kind == "setting":
            call(world, name, arguments)
    assert world.company.cash_usd == cash


# --- reading back --------------------------------------------------------------------------------


def test_new_world_has_the_initial_state() -> None:
    world = World(seed=1)
    nothing: dict[str, Any] = {}
    assert call(world, "get_current_config") == {
        "prices": {"A": 0.0, "B": 0.0, "C": 0.0},
        "model_tiers": {"A": 1, "B": 1, "C": 1},
        "usage_quotas": {"A": 0.0, "B": 0.0, "C": 0.0},
        "capacity_tier": 0,
        "daily_spend": {"operations": 0.0, "development": 0.0},
        "targeted_ad_spend": nothing,
        "targeted_dev_spend": nothing,
        "targeted_ops_spend": dict.fromkeys(
            ("by_group", "by_plan", "by_group_plan", "by_customer"), nothing
        ),
        "promotion": {"global": 0.0}
        | dict.fromkeys(("by_group", "by_customer", "by_group_plan"), nothing),
        "lead_promotion": {"global": 0.0}
        | dict.fromkeys(("by_group", "by_channel", "by_channel_group"), nothing),
        "ads_strength": {"global": 0.0, "by_group": {}, "by_customer": {}},
    }
    overview = call(world, "get_market_overview")
    assert len(overview["known_groups"]) == 6
    assert {group["info_level"] for group in overview["known_groups"]} == {1}
    assert overview["macroeconomic"] is None


def test_partial_and_replaced_settings_read_back() -> None:
    world = World(seed=1)
    call(world, "set_prices", {"A": 45, "B": 80})
    call(world, "set_prices", {"B": 90, "C": None})
    call(world, "set_usage_quotas", {"C": 5})
    call(world, "set_daily_spend", {"operations": 7})
    call(world, "set_targeted_ad_spend", {"targeted_spend": {"linkedin": {"E1": 1}}})
    call(
        world, "set_targeted_ad_spend", {"targeted_spend": {"S1": {"search_ads": 2, "linkedin": 3}}}
    )
    call(world, "set_targeted_dev_spend", {"targeted_spend": {"S1": 4}})
    call(world, "set_targeted_dev_spend", {"targeted_spend": {"S2": 5}})
    call(world, "set_targeted_ops_spend", {"targeted_spend": {"S2": 6}})
    call(world, "set_promotion", {"by_group": {"S1": 2}, "by_customer": {"12": 3}})
    call(world, "set_promotion", {"by_group": {"S2": 4}})
    config = call(world, "get_current_config")
    assert config["prices"] == {"A": 45.0, "B": 90.0, "C": 0.0}
    assert config["usage_quotas"] == {"A": 0.0, "B": 0.0, "C": 5.0}
    assert config["daily_spend"] == {"operations": 7.0, "development": 0.0}
    assert config["targeted_ad_spend"] == {"search_ads": {"S1": 2.0}, "linkedin": {"S1": 3.0}}
    assert config["targeted_dev_spend"] == {"S2": 5.0}
    assert config["targeted_ops_spend"]["by_group"] == {"S2": 6.0}
    assert config["promotion"]["by_group"] == {"S2": 4.0}
    assert config["promotion"]["by_customer"] == {"12": 3.0}
    for name, key in (
        ("set_promotion", "promotion"),
        ("set_lead_promotion", "lead_promotion"),
        ("set_ads_strength", "ads_strength"),
    ):
        assert call(world, name) == config[key]


def test_support_scopes_need_to_be_asked_for() -> None:
    world = World(seed=1)
    scopes = {"by_plan": {"A": 3}, "by_group_plan": {"S1": {"B": 4}}}
    with pytest.raises(InvalidDecision, match="extended_scopes") as error:
        call(world, "set_targeted_ops_spend", scopes)
    assert error.value.code == "unknown_key"
    result = call(world, "set_targeted_ops_spend", scopes, extended_scopes=True)
    check_result("set_targeted_ops_spend", result)
    assert result["total_extra_per_day"] == 7.0
    assert call(world, "set_targeted_ops_spend", {}, extended_scopes=True) == result


# --- reading -------------------------------------------------------------------------------------


def test_insights_and_overview_have_the_published_form() -> None:
    world = busy_world()
    insights = call(world, "get_group_insights", {"group_id": "E1"})
    assert insights["noise"] == "±65%"
    assert insights["segment"] == "Enterprise"
    assert set(insights["network_influence"]) == {"outgoing", "incoming"}
    assert set(insights["reputation_influence"]) == {"outgoing", "incoming"}
    individual = call(world, "get_group_insights", {"group_id": "S1"})["estimates"]
    assert set(insights["estimates"]) - set(individual) == {
        "seat_range",
        "decision_rounds",
        "avg_response_days",
    }
    overview = call(world, "get_market_overview")
    assert set(overview["known_groups"][0]) == {
        "group_id",
        "group_name",
        "segment",
        "info_level",
        "noise",
    }
    assert set(overview["macroeconomic"]) == {
        "pmi_value",
        "pmi_trend",
        "pmi_change",
        "cycle_phase",
        "description",
    }
    assert overview["undiscovered_count"] == 20


def test_costs_are_the_worlds() -> None:
    world, params = busy_world(), Params.load()
    info = call(world, "get_cost_info")
    for k, tier in enumerate(params.model_tiers.ids):
        row = info["model_tiers"][tier]
        assert set(row) == {"cost_per_usage_unit", "quality_multiplier", "class"}
        assert row["cost_per_usage_unit"] == params.model_tiers.cost_usd_per_unit[k]
    for k, tier in enumerate(params.capacity_tiers.ids):
        assert info["capacity_tiers"][tier] == {
            "capacity_units": params.capacity_tiers.capacity_units_per_day[k],
            "cost_per_day": params.capacity_tiers.cost_usd_per_day[k],
        }


def test_research_list_counts_projects() -> None:
    world = busy_world()
    started = call(world, "start_research_project", {"tier": 2})
    tiers = call(world, "list_research_projects")["tiers"]
    assert [row["tier"] for row in tiers] == list(range(1, 21))
    assert (tiers[1]["in_progress"], tiers[1]["completed"]) == (1, 0)
    while world.day < started["expected_completion_day"]:
        world.step_day()
    row = call(world, "list_research_projects")["tiers"][1]
    assert (row["in_progress"], row["completed"]) == (0, 1)
    assert math.isclose(row["total_quality_boost"], started["expected_quality_boost"])


@pytest.mark.usefixtures("words")
def test_posts_are_newest_first_and_limited() -> None:
    world = busy_world()
    everything = call(world, "get_social_posts", {"limit": 1000})
    ids = [post["post_id"] for post in everything["posts"]]
    assert ids == list(range(len(world.history.posts), 0, -1))
    assert everything["total"] == len(ids) > 6
    assert call(world, "get_social_posts", {"limit": 5})["posts"] == everything["posts"][:5]
    mended = busy_world("repaired")
    recent = call(mended, "get_social_posts", {"days": 7, "limit": 1000})["posts"]
    expected = int((mended.history.posts.day > mended.day - 7).sum())
    assert len(recent) == expected < len(mended.history.posts)
    assert call(World(seed=1), "get_social_posts") == {"posts": []}


def test_open_threads_are_the_waiting_ones() -> None:
    world = busy_world()
    listed, waiting = call(world, "get_open_threads"), world.observe().waiting
    assert listed["total"] == len(waiting.customer_id) > 0
    assert [t["customer_id"] for t in listed["threads"]] == waiting.customer_id.tolist()
    assert [t["seats"] for t in listed["threads"]] == waiting.seats.tolist()


def test_reading_still_works_after_the_end() -> None:
    world = World(seed=1, params={"clock.horizon_days": 7})
    world.step_week()
    for name in ("get_current_config", "get_week_summary", "get_market_overview"):
        check_result(name, call(world, name))
    with pytest.raises(InvalidDecision) as error:
        call(world, "set_prices", {"A": 1})
    assert error.value.code == "limit_reached"


# --- schemas, reference, trying out --------------------------------------------------------------


def test_schemas_are_in_function_format() -> None:
    for schema in schemas():
        assert schema["type"] == "function"
        function = schema["function"]
        assert set(function) == {"name", "description", "parameters"}
        tool = TOOLS[function["name"]]
        assert tuple(function["parameters"]["properties"]) == tool.names
        assert function["parameters"]["additionalProperties"] is False
        for field in function["parameters"]["properties"].values():
            assert field["description"]
    assert json.loads(json.dumps(schemas())) == schemas()
    wide = {s["function"]["name"]: s["function"] for s in schemas(extended_scopes=True)}
    assert "by_plan" in wide["set_targeted_ops_spend"]["parameters"]["properties"]


def test_every_tool_has_a_row_in_the_reference() -> None:
    rows = [line for line in reference().splitlines() if line.startswith("| `")]
    assert len(rows) == len(TOOLS)
    for tool in TOOLS.values():
        (row,) = [line for line in rows if line.startswith(f"| `{tool.name}`")]
        assert all(f"`{name}`" in row for name in tool.names)


def test_validate_changes_and_reveals_nothing() -> None:
    world = busy_world()
    before = world.save()
    assert validate(world, "research_market") == {"valid": True}
    assert validate(world, "start_research_project", {"tier": 20}) == {"valid": True}
    with pytest.raises(InvalidDecision) as error:
        validate(world, "start_research_project", {"tier": 21})
    assert error.value.code == "out_of_range"
    for name in ("next_week", "validate"):
        with pytest.raises(InvalidDecision):
            validate(world, name, {"tool": "validate"})
    assert world.save() == before


def test_query_is_a_tool_among_the_others() -> None:
    world = busy_world()
    answer = call(world, "query", {"sql": "SELECT SUM(amount) AS cash FROM ledger"})
    assert math.isclose(answer["rows"][0]["cash"], world.company.cash_usd)
    for sql, code in (
        ("SELECT a FROM b", "unknown_key"),
        ("DROP TABLE ledger", "forbidden"),
        (" ", "missing_argument"),
    ):
        with pytest.raises(InvalidDecision) as error:
            call(world, "query", {"sql": sql})
        assert error.value.code == code
    with pytest.raises(InvalidDecision, match="keeps no books") as error:
        call(World(seed=1, record="none"), "query", {"sql": "SELECT 1 FROM ledger"})
    assert error.value.code == "not_recorded"


def test_documentation_comes_from_the_declarations() -> None:
    told = call(World(seed=1), "get_tool_documentation", {"tool_names": ["set_prices"]})["tools"]
    assert told["set_prices"]["python"] == "nm.pricing.set_prices"
    assert told["set_prices"]["usage"] == "set_prices(A=None, B=None, C=None)"
