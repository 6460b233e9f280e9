"""Tools that change a standing setting of the company (tools.md 3).

All are free, stored at once and in force from the next simulated day until changed.
"""

from __future__ import annotations

from typing import Any

from ceo_gym.simulators.ceobench.world import World
from ceo_gym.tools.declaration import (
    NUMBER,
    PER_CHANNEL,
    PER_CHANNEL_GROUP,
    PER_CUSTOMER,
    PER_GROUP,
    PER_GROUP_PLAN,
    PER_PLAN,
    WHOLE,
    Field,
    Kind,
    Output,
    Tool,
    unscaled,
)

PRICING = "pricing and plan design"
GROWTH = "growth and market expansion"
QUALITY = "product quality / reliability"
RESEARCH = "product quality and research"
SUPPORT = "reliability and support"

_MONTHLY = "USD/month per seat"
_KEEP = "keep"


def _plans(kind: Kind, doc: str, **rest: Any) -> tuple[Field, ...]:
    """One optional argument a plan."""
    return tuple(Field(p, kind, f"{doc} of plan {p}", default=_KEEP, **rest) for p in "ABC")


def _amounts(unit: str, *named: tuple[str, Kind, str], high: float | None = None) -> Any:
    """Optional scopes of one kind of amount."""
    return tuple(
        Field(name, kind, doc, unit=unit, low=0.0, high=high, default=_KEEP)
        for name, kind, doc in named
    )


def _scopes(*names: str) -> tuple[Output, ...]:
    return (Output("global", "number"), *(Output(f"by_{name}", "map") for name in names))


def _set_capacity_tier(world: World, arguments: dict[str, Any]) -> dict[str, Any]:
    result = world.set_capacity_tier(**arguments)
    return result | {name: unscaled(result[name]) for name in ("capacity_units", "cost_per_day")}


SET_PRICES = Tool(
    "set_prices",
    PRICING,
    "setting",
    "Sets list prices. New individuals see them from the next day, subscribers at their next "
    "bill; enterprises keep the agreed price. A price cannot go back to 0: withdraw a plan by a "
    "quota of 0.",
    lambda world, given: world.set_prices(**given),
    path="pricing.set_prices",
    fields=_plans(NUMBER, "List price", unit=_MONTHLY, above=0.0),
    result=(Output("updated", "map"), Output("current", "map")),
    update="partial",
)

SET_MODEL_TIERS = Tool(
    "set_model_tiers",
    PRICING,
    "setting",
    "Sets the model behind each plan: a higher tier multiplies quality and costs more per unit of "
    "usage. Acts on all customers from the next day.",
    lambda world, given: world.set_model_tiers(**given),
    path="pricing.set_model_tiers",
    fields=_plans(WHOLE, "Model tier", low=1, high=5),
    result=(Output("updated", "map"), Output("current", "map")),
    update="partial",
)

SET_USAGE_QUOTAS = Tool(
    "set_usage_quotas",
    PRICING,
    "setting",
    "Sets what a customer may use a day; 0 serves nothing. An enterprise's quota is compared with "
    "the usage of all its seats together, unless the rules say that it holds per seat.",
    lambda world, given: world.set_usage_quotas(**given),
    path="pricing.set_usage_quotas",
    fields=_plans(NUMBER, "Quota", unit="units/day per customer", low=0.0),
    result=(Output("quotas", "map"),),
    update="partial",
)

SET_PROMOTION = Tool(
    "set_promotion",
    PRICING,
    "setting",
    "Sets ongoing discounts; scopes add up, and what is left to pay is never below 0. Acts at "
    "sign-up, at the next bill of each subscriber and in enterprise deals at signing.",
    lambda world, given: world.set_promotion(**given),
    path="pricing.set_promotion",
    fields=_amounts(
        _MONTHLY,
        ("global_promotion", NUMBER, "For everybody"),
        ("by_group", PER_GROUP, "For known groups"),
        ("by_customer", PER_CUSTOMER, "For single customers"),
        ("by_group_plan", PER_GROUP_PLAN, "For known groups on a plan"),
    ),
    result=_scopes("group", "customer", "group_plan"),
    update="scope replaced",
)

SET_ADS_STRENGTH = Tool(
    "set_ads_strength",
    PRICING,
    "setting",
    "Sets the strength of advertising shown inside the product to subscribers: daily income "
    "against lower quality. Scopes add up, the sum counts up to 1. It does not attract customers; "
    "that is set_targeted_ad_spend.",
    lambda world, given: world.set_ads_strength(**given),
    path="marketing.set_ads_strength",
    fields=_amounts(
        "",
        ("global_strength", NUMBER, "For everybody"),
        ("by_group", PER_GROUP, "For known groups"),
        ("by_customer", PER_CUSTOMER, "For single customers"),
        high=1.0,
    ),
    result=_scopes("group", "customer"),
    update="scope replaced",
)

SET_TARGETED_AD_SPEND = Tool(
    "set_targeted_ad_spend",
    GROWTH,
    "setting",
    "Sets advertising by channel and known group, the only way to buy it. The full amount is "
    "billed daily whether or not anybody comes. {group: {channel: amount}} is understood too.",
    lambda world, given: world.set_targeted_ad_spend(**given),
    path="marketing.set_targeted_ad_spend",
    fields=(
        Field(
            "targeted_spend",
            PER_CHANNEL_GROUP,
            "Amounts by channel (social_media, search_ads, linkedin, content_marketing, "
            "referral_program) and group",
            unit="USD/day",
            low=0.0,
            required=True,
        ),
    ),
    result=(Output("targeted_spend", "map"), Output("total_per_day", "number")),
    update="whole map replaced",
)

SET_LEAD_PROMOTION = Tool(
    "set_lead_promotion",
    GROWTH,
    "setting",
    "Sets discounts on the first bill of new individuals; scopes add up, channel scopes count for "
    "prospects who came through that channel. It does not change how many prospects come.",
    lambda world, given: world.set_lead_promotion(**given),
    path="marketing.set_lead_promotion",
    fields=_amounts(
        "USD/month",
        ("global_promotion", NUMBER, "For everybody"),
        ("by_group", PER_GROUP, "For known groups"),
        ("by_channel", PER_CHANNEL, "For channels"),
        ("by_channel_group", PER_CHANNEL_GROUP, "For known groups through a channel"),
    ),
    result=_scopes("group", "channel", "channel_group"),
    update="scope replaced",
)

SET_DAILY_SPEND = Tool(
    "set_daily_spend",
    QUALITY,
    "setting",
    "Sets shared spending: operations solves tickets and prevents outages, development raises "
    "the quality of the product for everybody. Billed daily.",
    lambda world, given: world.set_daily_spend(**given),
    path="marketing.set_daily_spend",
    fields=_amounts(
        "USD/day",
        ("operations", NUMBER, "Shared support"),
        ("development", NUMBER, "Shared development"),
    ),
    result=(Output("updated", "map"), Output("current", "map")),
    update="partial",
    hints={"advertising": "advertising is bought with set_targeted_ad_spend"},
)

SET_TARGETED_DEV_SPEND = Tool(
    "set_targeted_dev_spend",
    RESEARCH,
    "setting",
    "Sets development for single known groups, beside the shared one. Billed daily.",
    lambda world, given: world.set_targeted_dev_spend(**given),
    path="analytics.set_targeted_dev_spend",
    fields=(
        Field(
            "targeted_spend", PER_GROUP, "Amounts by group", unit="USD/day", low=0.0, required=True
        ),
    ),
    result=(Output("targeted_spend", "map"), Output("total_extra_per_day", "number")),
    update="whole map replaced",
)

SET_CAPACITY_TIER = Tool(
    "set_capacity_tier",
    SUPPORT,
    "setting",
    "Sets how much usage the servers carry a day; any jump is free. Billed daily. Usage above "
    "capacity slows the service and makes outages likelier.",
    _set_capacity_tier,
    path="infrastructure.set_capacity_tier",
    fields=(Field("tier", WHOLE, "Capacity tier", low=0, high=7, required=True),),
    result=(
        Output("tier", "integer"),
        Output("capacity_units", "integer"),
        Output("cost_per_day", "number"),
    ),
)

_OPS_RESULT = (
    *(Output(f"by_{scope}", "map") for scope in ("group", "plan", "group_plan", "customer")),
    Output("total_extra_per_day", "number"),
    Output("targeted_spend", "map"),
)
_ONLY_EXTENDED = "give targeted_spend {group: amount}; other scopes need extended_scopes=True"

SET_TARGETED_OPS_SPEND = Tool(
    "set_targeted_ops_spend",
    SUPPORT,
    "setting",
    "Sets support for single known groups, beside the shared one. Billed daily.",
    lambda world, given: world.set_targeted_ops_spend(**given),
    path="analytics.set_targeted_ops_spend",
    fields=(
        Field(
            "targeted_spend", PER_GROUP, "Amounts by group", unit="USD/day", low=0.0, required=True
        ),
    ),
    result=_OPS_RESULT,
    update="group scope replaced",
    hints=dict.fromkeys(("by_group", "by_plan", "by_group_plan", "by_customer"), _ONLY_EXTENDED),
)

SET_TARGETED_OPS_SPEND_EXTENDED = Tool(
    "set_targeted_ops_spend",
    SUPPORT,
    "setting",
    "Sets support for single known groups, plans or customers, beside the shared one. Billed "
    "daily.",
    lambda world, given: world.set_targeted_ops_spend(**given),
    path="analytics.set_targeted_ops_spend",
    fields=_amounts(
        "USD/day",
        ("targeted_spend", PER_GROUP, "For known groups, another name of by_group"),
        ("by_group", PER_GROUP, "For known groups"),
        ("by_plan", PER_PLAN, "For plans"),
        ("by_group_plan", PER_GROUP_PLAN, "For known groups on a plan"),
        ("by_customer", PER_CUSTOMER, "For single customers"),
    ),
    result=_OPS_RESULT,
    update="scope replaced",
)
