"""Schemas are sound, fit the calls they describe, and tell units and ranges."""

import copy
import json
from typing import Any

import pytest

from ceo_gym.simulators.ceobench import World
from ceo_gym.tools.ceobench import TOOLS, call, schemas
from tests.tools.test_ceobench import CALLS

PLAIN = {"number": (int, float), "integer": int, "string": str, "boolean": bool}
WORDS = {
    "type",
    "description",
    "properties",
    "required",
    "additionalProperties",
    "propertyNames",
    "items",
    "minItems",
    "anyOf",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "minLength",
    "maxLength",
}


def sound(schema: dict[str, Any]) -> None:
    """Only words that every chat interface knows, and each where it belongs."""
    assert set(schema) <= WORDS, schema
    assert ("type" in schema) != ("anyOf" in schema) or "enum" in schema
    if "properties" in schema:
        assert schema["type"] == "object"
        assert set(schema.get("required", [])) <= set(schema["properties"])
        for inner in schema["properties"].values():
            sound(inner)
    if isinstance(schema.get("additionalProperties"), dict):
        sound(schema["additionalProperties"])
    if "propertyNames" in schema:
        assert set(schema["propertyNames"]) == {"enum"}
    if schema.get("type") == "array":
        assert schema["items"], "interfaces refuse arrays without a type of their items"
        sound(schema["items"])
    for inner in schema.get("anyOf", ()):
        sound(inner)
    assert schema.get("minimum", 0) <= schema.get("maximum", 1e308)
    assert schema.get("minLength", 0) <= schema.get("maxLength", 1e308)


def fits(value: Any, schema: dict[str, Any]) -> bool:
    """Whether a value has the form of a schema (the words of `sound` only)."""
    if "anyOf" in schema:
        return any(fits(value, inner) for inner in schema["anyOf"])
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    return any(_fits(value, schema, kind) for kind in kinds)


def _fits(value: Any, schema: dict[str, Any], kind: str) -> bool:
    if kind == "object":
        rest, known = schema.get("additionalProperties", {}), schema.get("properties", {})
        names = schema.get("propertyNames", {}).get("enum")
        return (
            isinstance(value, dict)
            and set(schema.get("required", [])) <= set(value)
            and (names is None or set(value) <= set(names))
            and all(
                fits(item, known[key]) if key in known else rest is not False and _free(item, rest)
                for key, item in value.items()
            )
        )
    if kind == "array":
        return (
            isinstance(value, list)
            and len(value) >= schema.get("minItems", 0)
            and all(fits(item, schema["items"]) for item in value)
        )
    if isinstance(value, bool) != (kind == "boolean"):
        return False
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    if not isinstance(value, PLAIN[kind]) or value not in schema.get("enum", [value]):
        return False
    if kind == "string":
        return schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", 1e308)
    above = schema.get("exclusiveMinimum", -1e308)
    return schema.get("minimum", -1e308) <= value <= schema.get("maximum", 1e308) and value > above


def _free(item: Any, rest: dict[str, Any]) -> bool:
    return not rest or fits(item, rest)


def parameters(name: str) -> dict[str, Any]:
    schema: dict[str, Any] = TOOLS[name].schema["function"]["parameters"]
    return schema


@pytest.mark.parametrize(
    "schema", schemas(extended_scopes=True), ids=lambda s: s["function"]["name"]
)
def test_schemas_are_sound(schema: dict[str, Any]) -> None:
    function = schema["function"]
    assert json.loads(json.dumps(schema)) == schema
    assert 10 < len(function["description"]) <= 1024
    sound(function["parameters"])
    for name, field in function["parameters"]["properties"].items():
        assert len(field["description"]) > 5, name


@pytest.mark.parametrize(("name", "arguments"), CALLS, ids=repr)
def test_valid_calls_fit_their_schema(name: str, arguments: dict[str, Any]) -> None:
    assert fits(arguments, parameters(name))


@pytest.mark.parametrize(
    "deal",
    [
        [7, [["A", 25.0], ["B", 45]]],
        {"customer_id": 7, "offerings": [{"plan": "A", "price_per_seat": 9}]},
        {"customer_id": 7, "offerings": [["A", 9]]},
    ],
)
def test_deals_fit_their_schema(deal: Any) -> None:
    assert fits({"deals": [deal]}, parameters("send_enterprise_deal"))
    assert fits({"deals": [7, [7], {"customer_id": 7}]}, parameters("reject_enterprise_deal"))


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("set_prices", {"A": 0}),
        ("set_prices", {"D": 1}),
        ("set_model_tiers", {"A": 6}),
        ("set_ads_strength", {"by_group": {"S1": 1.5}}),
        ("set_promotion", {"by_group_plan": {"S1": {"D": 1}}}),
        ("set_promotion", {"by_group_plan": {"S1": {"A": -1}}}),
        ("set_lead_promotion", {"by_channel": {"tv": 1}}),
        ("set_targeted_ad_spend", {"targeted_spend": {"linkedin": {"S1": -1}}}),
        ("post_social_media", {"content": "x" * 281}),
        ("post_social_media", {"content": ""}),
        ("research_group", {"target_level": 2}),
        ("send_enterprise_deal", {"deals": []}),
        ("send_enterprise_deal", {"deals": [5]}),
        ("next_week", {"rationale": "x", "predictions": {}}),
    ],
)
def test_what_is_refused_does_not_fit(name: str, arguments: dict[str, Any]) -> None:
    assert not fits(arguments, parameters(name))


@pytest.mark.parametrize("name", [name for name in TOOLS if TOOLS[name].served])
def test_units_and_ranges_are_in_the_words(name: str) -> None:
    for field in TOOLS[name].fields:
        text = parameters(name)["properties"][field.name]["description"]
        assert field.unit in text
        assert field.span in text
        assert not field.default or field.default in text


def test_tools_that_need_a_workspace_can_be_left_out() -> None:
    names = {schema["function"]["name"] for schema in schemas(served_only=True)}
    assert names == {tool.name for tool in TOOLS.values() if tool.served}


def test_a_schema_is_a_copy() -> None:
    before = copy.deepcopy(schemas())
    for schema in schemas():
        schema["function"]["parameters"]["properties"].clear()
    assert schemas() == before


def test_documentation_and_trials_are_of_the_same_toolbox() -> None:
    world = World(seed=1)
    scopes = {"by_plan": {"A": 3}}
    trial = {"tool": "set_targeted_ops_spend", "args": scopes}
    assert call(world, "validate", trial, extended_scopes=True) == {"valid": True}
    with pytest.raises(ValueError, match="extended_scopes"):
        call(world, "validate", trial)
    for wide in (False, True):
        told = call(
            world,
            "get_tool_documentation",
            {"tool_names": "set_targeted_ops_spend"},
            extended_scopes=wide,
        )["tools"]["set_targeted_ops_spend"]
        assert ("by_plan" in told["parameters"]["properties"]) == wide
