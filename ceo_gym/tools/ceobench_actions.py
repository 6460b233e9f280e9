"""Tools that do or buy something at once, on the current day (tools.md 4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.ceobench.validation import InvalidDecision, mapping, number, shown
from ceo_gym.simulators.ceobench.world import World
from ceo_gym.tools.ceobench_settings import GROWTH, RESEARCH
from ceo_gym.tools.declaration import TEXT, WHOLE, Field, Kind, Output, Tool, unscaled

INFORMATION = "information acquisition"
COMMUNICATION = "public communication"
SALES = "enterprise sales"
TIME = "time"

# argument of a forecast -> days ahead
FORECAST_DAYS = {"cash_1wk": 7, "cash_4wk": 28, "cash_12wk": 84, "cash_26wk": 182}
_BOUNDS = ("point", "lower", "upper")
_WHERE_WEEKS_PASS = (
    "a week does not pass through call; it passes through step of the environment, or through the "
    "next_week of its tool and code wrappers"
)


def read_forecast(predictions: Mapping[str, Any]) -> list[list[float]]:
    """The twelve numbers of a forecast in the form that `World.step_week` takes.

    Args:
        predictions: `FORECAST_DAYS` -> ``{"point", "lower", "upper"}`` in USD.

    Returns:
        [4][3] point, lower, upper.

    Raises:
        InvalidDecision: if a key is missing or unknown, a number is not finite, or a forecast is
            not lower <= point <= upper.
    """
    form = "{point, lower, upper}"
    given = _exactly("predictions", predictions, FORECAST_DAYS)
    rows = []
    for key, entry in given.items():
        cells = _exactly(key, mapping(key, entry, form), _BOUNDS)
        row = [number(f"{name} of {key}", cells[name], unit="USD") for name in _BOUNDS]
        point, lower, upper = row
        if not lower <= point <= upper:
            raise InvalidDecision(
                "out_of_range",
                f"{key} needs lower <= point <= upper, not {lower:g}, {point:g}, {upper:g}",
            )
        rows.append(row)
    return rows


def _exactly(name: str, given: Mapping[str, Any], names: Any) -> dict[str, Any]:
    """The entries of a map that must have just these keys, in their order."""
    needed = ", ".join(names)
    for key in given:
        if key not in names:
            raise InvalidDecision(
                "unknown_key", f"unknown key {shown(key)} in {name}; needed: {needed}"
            )
    for key in names:
        if key not in given:
            raise InvalidDecision("missing_argument", f"{name} needs {key}; needed: {needed}")
    return {key: given[key] for key in names}


def _next_week(world: World, given: dict[str, Any]) -> dict[str, Any]:
    read_forecast(given["predictions"])
    if not given["rationale"].strip():
        raise InvalidDecision("missing_argument", "the rationale must not be empty")
    raise InvalidDecision("not_found", _WHERE_WEEKS_PASS)


def _log_rationale(world: World, given: dict[str, Any]) -> dict[str, Any]:
    # changes nothing: the call itself is what a transcript keeps
    return {"logged": True, "day": world.day}


def _research_market(world: World, given: dict[str, Any]) -> dict[str, Any]:
    result = world.research_market()
    found = result.get("discovered_group_id")
    return {"cost": result["cost"]} if found is None else {"discovered_group_id": found}


def _start_research_project(world: World, given: dict[str, Any]) -> dict[str, Any]:
    result = world.start_research_project(**given)
    return result | {"cost": unscaled(result["cost"])}


RESEARCH_MARKET = Tool(
    "research_market",
    GROWTH,
    "immediate",
    "Pays for one attempt to find an unknown customer group. The outcome is known at once: either "
    "discovered_group_id, or only the cost. A found group can be addressed in the same week.",
    _research_market,
    path="market.research_market",
    result=(Output("discovered_group_id", "text", False), Output("cost", "number", False)),
)

START_RESEARCH_PROJECT = Tool(
    "start_research_project",
    RESEARCH,
    "immediate",
    "Pays for a research project that raises the quality of the product on its completion day. "
    "Duration and gain are told at once. Tiers run side by side and can be repeated, one running "
    "project a tier.",
    _start_research_project,
    path="research.start_research_project",
    fields=(Field("tier", WHOLE, "Project tier", low=1, high=20, required=True),),
    result=(
        Output("project_id", "text"),
        Output("tier", "integer"),
        Output("name", "text"),
        Output("cost", "number"),
        Output("expected_completion_day", "integer"),
        Output("expected_duration_days", "integer"),
        Output("expected_quality_boost", "number"),
    ),
)

RESEARCH_GROUP = Tool(
    "research_group",
    INFORMATION,
    "immediate",
    "Pays for a study of a known group; some days later its information level is the target and "
    "its report is of that day. At the level a group already has it is a refresh.",
    lambda world, given: world.research_group(**given),
    path="market.research_group",
    fields=(
        Field("group_id", TEXT, "A known group", required=True),
        Field(
            "target_level",
            WHOLE,
            "Information level to reach",
            low=2,
            high=5,
            default="max(current level, 2)",
        ),
    ),
    result=(
        Output("group_id", "text"),
        Output("new_level", "integer"),
        Output("expected_completion_day", "integer"),
        Output("is_refresh", "boolean"),
    ),
)

POST_SOCIAL_MEDIA = Tool(
    "post_social_media",
    COMMUNICATION,
    "immediate",
    "Publishes a text in the company's name, one a week. What people think of it shows on the "
    "next day; only a strong opinion changes how many prospects come, for some days.",
    lambda world, given: world.post_social_media(**given),
    path="marketing.post_social_media",
    fields=(
        Field("content", TEXT, "The text", unit="characters", low=1, high=280, required=True),
        Field("reply_to_post_id", WHOLE, "Public post to answer", default="null"),
    ),
    result=(
        Output("agent_post_id", "integer"),
        Output("day", "integer"),
        Output("content", "text"),
        Output("reply_to_post_id", "integer or null"),
    ),
)

# the world reads all spellings of a deal, and tells each entry's own mistake
_CUSTOMER_ID = {"type": "integer"}
_OFFER = {
    "anyOf": [
        {
            "type": "object",
            "properties": {
                "plan": {"type": "string", "enum": list(PLANS)},
                "price_per_seat": {"type": "number"},
            },
            "required": ["plan", "price_per_seat"],
        },
        {"type": "array", "items": {"type": ["string", "number"]}, "minItems": 2},
    ]
}
_OFFERS = {"type": "array", "items": _OFFER, "minItems": 1}
_DEAL = {
    "anyOf": [
        {
            "type": "object",
            "properties": {"customer_id": _CUSTOMER_ID, "offerings": _OFFERS},
            "required": ["customer_id", "offerings"],
        },
        {"type": "array", "items": {"anyOf": [_CUSTOMER_ID, _OFFERS]}, "minItems": 2},
    ]
}
_REJECTION = {
    "anyOf": [
        _CUSTOMER_ID,
        {"type": "array", "items": _CUSTOMER_ID, "minItems": 1},
        {
            "type": "object",
            "properties": {"customer_id": _CUSTOMER_ID},
            "required": ["customer_id"],
        },
    ]
}
DEALS = Kind(
    "list of [customer_id, [[plan, price_per_seat], ...]] or of dicts",
    {"type": "array", "items": _DEAL, "minItems": 1},
    lambda value: isinstance(value, (list, tuple)),
    "a list of [customer_id, [[plan, price_per_seat], ...]] or of "
    '{"customer_id": ..., "offerings": [{"plan": ..., "price_per_seat": ...}]}',
)
CUSTOMER_IDS = Kind(
    "list of customer_id",
    {"type": "array", "items": _REJECTION, "minItems": 1},
    lambda value: isinstance(value, (list, tuple)),
    "a list of customer ids",
)
_NOT_BARE = "a deal stands in the list deals, even if it is the only one"

SEND_ENTERPRISE_DEAL = Tool(
    "send_enterprise_deal",
    SALES,
    "immediate",
    "Offers plans and prices per seat to enterprises, in their open thread or, for subscribers, in "
    "a new one. At most three offers a customer count; answers come after a day or more. Deals of "
    "a list stand alone: results has success or error for each.",
    lambda world, given: world.send_offers(given["deals"]),
    path="enterprise.send_enterprise_deal",
    fields=(
        Field(
            "deals",
            DEALS,
            "Deals, each [customer_id, [[plan, price_per_seat], ...]] or "
            '{"customer_id": ..., "offerings": [{"plan": "A", "price_per_seat": 40}]}',
            unit="USD/month per seat",
            required=True,
        ),
    ),
    result=(Output("results", "list"),),
    hints=dict.fromkeys(("customer_id", "offerings", "offers"), _NOT_BARE),
)

REJECT_ENTERPRISE_DEAL = Tool(
    "reject_enterprise_deal",
    SALES,
    "immediate",
    "Closes the open threads of enterprises. A new lead is lost by it; what becomes of a "
    "subscriber depends on the rules.",
    lambda world, given: world.reject_offers(given["deals"]),
    path="enterprise.reject_enterprise_deal",
    fields=(
        Field(
            "deals",
            CUSTOMER_IDS,
            'Customer ids, each a number, [number] or {"customer_id": number}',
            required=True,
        ),
    ),
    result=(Output("results", "list"),),
    hints=dict.fromkeys(("customer_id", "customer_ids"), _NOT_BARE),
)

NEXT_WEEK = Tool(
    "next_week",
    TIME,
    "time",
    "Ends the week: seven days pass, fewer at the end of the run or when the cash is gone. The "
    "forecasts are kept and compared later; they change nothing.",
    _next_week,
    path="_client.next_week",
    fields=(
        Field(
            "predictions",
            Kind(
                "{cash_1wk,cash_4wk,cash_12wk,cash_26wk: {point,lower,upper}}",
                {
                    "type": "object",
                    "properties": {
                        key: {
                            "type": "object",
                            "properties": {name: {"type": "number"} for name in _BOUNDS},
                            "required": list(_BOUNDS),
                            "additionalProperties": False,
                        }
                        for key in FORECAST_DAYS
                    },
                    "required": list(FORECAST_DAYS),
                    "additionalProperties": False,
                },
                lambda value: isinstance(value, Mapping),
                "a map {cash_1wk, cash_4wk, cash_12wk, cash_26wk: {point, lower, upper}}",
            ),
            "Expected cash in 7, 28, 84 and 182 days, with lower <= point <= upper",
            unit="USD",
            required=True,
        ),
        Field("rationale", TEXT, "Why you decided as you did", low=1, required=True),
    ),
    result=(
        Output("success", "boolean"),
        Output("day", "integer"),
        Output("dashboard", "text"),
    ),
)

LOG_RATIONALE = Tool(
    "log_rationale",
    TIME,
    "note",
    "Notes down why you act as you do. It changes nothing.",
    _log_rationale,
    path="analytics.log_rationale",
    fields=(Field("rationale", TEXT, "The note", required=True),),
    result=(Output("logged", "boolean"), Output("day", "integer")),
)
