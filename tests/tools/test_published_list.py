"""Every tool against the published list (tools.csv), argument by argument and field by field."""

import csv
from collections import defaultdict
from functools import cache
from typing import Any

import pytest

from ceo_gym.simulators.ceobench import InvalidDecision
from ceo_gym.tools.ceobench import ADDITIONS, TOOLS, call
from ceo_gym.tools.declaration import Field
from tests.conformance.shared import shared_file
from tests.tools.worlds import busy_world, waiting_id

PUBLISHED = [name for name in TOOLS if name not in {*ADDITIONS, "log_rationale"}]
SERVED = [name for name in PUBLISHED if TOOLS[name].served and name != "next_week"]

# (tool, column) where tools.md decides otherwise than the published program in tools.csv
DEVIATIONS = {
    ("set_usage_quotas", "type"): "float",  # 3.3: floats are accepted
    ("set_usage_quotas", "update_rule"): "partial",  # 3.3: omitted plans are kept
    ("set_usage_quotas", "required"): "no",
    ("set_usage_quotas", "default"): "keep",
    ("get_social_posts", "update_rule"): "",  # there is nothing to update
}
NO_RANGE = {"three offers per customer", "lower <= point <= upper"}  # tested by the world
FREE_LOW = {("get_social_posts", "days"), ("get_social_posts", "limit")}  # at least 1 here

# a call that is carried out by a busy company
ARGUMENTS: dict[str, dict[str, Any]] = {
    "set_prices": {"A": 45},
    "set_model_tiers": {"B": 3},
    "set_usage_quotas": {"C": 900},
    "set_promotion": {"by_group": {"S1": 2}},
    "set_ads_strength": {"global_strength": 0.1},
    "set_targeted_ad_spend": {"targeted_spend": {"linkedin": {"E1": 10}}},
    "set_lead_promotion": {"by_channel": {"linkedin": 3}},
    "set_daily_spend": {"operations": 100},
    "set_targeted_dev_spend": {"targeted_spend": {"S1": 10}},
    "set_targeted_ops_spend": {"targeted_spend": {"S1": 10}},
    "set_capacity_tier": {"tier": 2},
    "start_research_project": {"tier": 2},
    "research_group": {"group_id": "S1"},
    "get_group_insights": {"group_id": "E1"},
    "post_social_media": {"content": "We answer every ticket within a day."},
}

ROWS = {
    ("get_market_overview", "known_groups"): (
        "group_id group_name segment info_level noise",
        "",
    ),
    ("list_research_projects", "tiers"): (
        "tier name cost mean_days mean_quality_boost in_progress completed total_quality_boost",
        "",
    ),
    ("get_social_posts", "posts"): (
        "post_id day content reply_to_agent_post_id source_group_id group_id customer_type "
        "custom_name persona_name",
        "replying_to_your_post",
    ),
}


@cache
def listed() -> dict[str, list[dict[str, str]]]:
    path = shared_file("spec/ceobench/params/tools.csv")
    tools: dict[str, list[dict[str, str]]] = defaultdict(list)
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            for (name, column), value in DEVIATIONS.items():
                if row["tool"] == name:
                    row[column] = value
            tools[row["tool"]].append(row)
    return dict(tools)


def test_the_list_names_the_same_tools_in_the_same_order() -> None:
    assert list(listed()) == PUBLISHED
    assert [int(rows[0]["number"]) for rows in listed().values()] == list(range(1, 35))


@pytest.mark.parametrize("name", PUBLISHED)
def test_declaration(name: str) -> None:
    tool, row = TOOLS[name], listed()[name][0]
    assert tool.path == row["python_path"]
    assert tool.family == row["family"]
    assert tool.kind == row["kind"]
    assert tool.update == row["update_rule"]
    changes = tool.kind in ("setting", "immediate", "time")
    assert changes == (row["changes_world"] == "yes")
    fields = row["result_fields"].replace("|", ",").split(",")
    expected = [field for field in fields if field]
    if expected:  # the list does not know what scripts and documentation tools return
        assert [output.name for output in tool.result] == expected


@pytest.mark.parametrize("name", PUBLISHED)
def test_arguments(name: str) -> None:
    rows = [row for row in listed()[name] if row["argument"]]
    assert TOOLS[name].names == tuple(row["argument"] for row in rows)
    for field, row in zip(TOOLS[name].fields, rows):
        assert field.kind.label == row["type"], field.name
        assert field.required == (row["required"] == "yes"), field.name
        assert field.unit == row["unit"], field.name
        assert field.default == row["default"], field.name
        if (name, field.name) not in FREE_LOW:
            check_range(field, row)


def check_range(field: Field, row: dict[str, str]) -> None:
    low, high = row["min"], row["max"]
    if low in NO_RANGE or high in NO_RANGE:
        assert (field.low, field.high, field.above) == (None, None, None)
    elif low == ">0":
        assert (field.low, field.high, field.above) == (None, None, 0.0)
    else:
        low = low.removesuffix(" character")
        assert field.low == (float(low) if low else None)
        assert field.high == (float(high) if high else None)


@pytest.mark.parametrize("rules", ["published", "repaired"])
@pytest.mark.parametrize("name", SERVED)
def test_a_live_result_has_the_listed_fields(name: str, rules: str) -> None:
    world = busy_world(rules)
    arguments = ARGUMENTS.get(name, {})
    if name == "send_enterprise_deal":
        arguments = {"deals": [[waiting_id(world), [["B", 20.0]]]]}
    if name == "reject_enterprise_deal":
        arguments = {"deals": [waiting_id(world)]}
    result = call(world, name, arguments)
    wanted = listed()[name][0]["result_fields"]
    if "|" in wanted:
        assert len(result) == 1
        assert set(result) <= set(wanted.split("|"))
    elif wanted:
        assert list(result) == wanted.split(",")
    assert set(result) <= {output.name for output in TOOLS[name].result}
    assert result


@pytest.mark.parametrize(("name", "field"), ROWS)
def test_rows_of_results_have_the_published_fields(name: str, field: str) -> None:
    always, sometimes = (set(words.split()) for words in ROWS[name, field])
    rows = call(busy_world(), name)[field]
    assert rows
    for row in rows:
        assert always <= set(row) <= always | sometimes


@pytest.mark.parametrize("name", [name for name in PUBLISHED if not TOOLS[name].served])
def test_tools_of_the_workspace_say_where_it_is(name: str) -> None:
    needed = {f.name: 5 if f.kind.label == "float" else "x" for f in TOOLS[name].fields}
    with pytest.raises(InvalidDecision, match=f"{name} is not served here.*workspace") as error:
        call(busy_world(), name, needed)
    assert error.value.code == "not_found"
    assert "Served in a workspace only" in TOOLS[name].doc


def test_eight_tools_wait_for_a_workspace_and_one_for_a_week() -> None:
    assert [name for name in PUBLISHED if not TOOLS[name].served] == [
        "python_exec",
        "register_daily_calculation",
        "remove_daily_calculation",
        "list_daily_calculations",
        "register_script",
        "run_script",
        "list_scripts",
        "delete_script",
    ]
    forecast = {"point": 2, "lower": 1, "upper": 3}
    predictions = {f"cash_{weeks}wk": forecast for weeks in (1, 4, 12, 26)}
    with pytest.raises(InvalidDecision, match="step of the environment"):
        call(busy_world(), "next_week", {"predictions": predictions, "rationale": "x"})


def test_writers_of_posts_have_names_that_commentators_have_not() -> None:
    world = busy_world()
    rows = world.history.posts
    told = call(world, "get_social_posts", {"limit": 1000})["posts"]
    by_customers = 0
    for post in told:
        author = int(rows.customer_id[post["post_id"] - 1])
        assert (post["persona_name"] is None) == (author == 1)
        by_customers += author != 1
        if author == 1:
            assert (post["group_id"], post["customer_type"]) == ("S1", "small")
        else:
            assert post["source_group_id"] == post["group_id"]
    assert 0 < by_customers < len(told)
    # an author is hidden: the same one has another name under another post
    assert call(busy_world(), "get_social_posts", {"limit": 1000})["posts"] == told


def test_published_rules_take_any_age_of_posts() -> None:
    assert call(busy_world(), "get_social_posts", {"days": -1})["posts"]
    with pytest.raises(InvalidDecision, match="days must be"):
        call(busy_world("repaired"), "get_social_posts", {"days": -1})
