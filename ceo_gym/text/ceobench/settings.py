"""Every setting of the company that is in force, as plain data."""

from __future__ import annotations

from typing import Any

from ceo_gym.simulators.ceobench.scopes import ScopeReader
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.ceobench.world import World


def in_force(world: World) -> dict[str, Any]:
    """All standing settings; maps hold only entries that are not 0.

    Units: prices USD a month and seat, quotas units a day and account, spends USD a day,
    promotions USD a month (and seat), strengths 0 to 1.
    """
    company = world.company
    show = ScopeReader(world, "", "", 0.0)
    return {
        "prices": dict(zip(PLANS, company.price_usd.tolist())),
        "model_tiers": dict(zip(PLANS, company.model_tier.tolist())),
        "usage_quotas": dict(zip(PLANS, company.quota_units.tolist())),
        "capacity_tier": int(company.capacity_tier),
        "daily_spend": {
            "operations": company.operations_usd,
            "development": company.development_usd,
        },
        "targeted_ad_spend": show.show_channel_groups(company.ads_spend_usd),
        "targeted_dev_spend": show.show_groups(company.development_group_usd),
        "targeted_ops_spend": {
            "by_group": show.show_groups(company.support_group_usd),
            "by_plan": show.show(company.support_plan_usd, PLANS),
            "by_group_plan": show.show_group_plans(company.support_group_plan_usd),
            "by_customer": dict(company.support_customer_usd),
        },
        "promotion": {
            "global": company.promotion_global,
            "by_group": show.show_groups(company.promotion_group),
            "by_customer": dict(company.promotion_customer),
            "by_group_plan": show.show_group_plans(company.promotion_group_plan),
        },
        "lead_promotion": {
            "global": company.lead_promotion_global,
            "by_group": show.show_groups(company.lead_promotion_group),
            "by_channel": show.show(company.lead_promotion_channel, CHANNELS),
            "by_channel_group": show.show_channel_groups(company.lead_promotion_channel_group),
        },
        "ads_strength": {
            "global": company.ads_strength_global,
            "by_group": show.show_groups(company.ads_strength_group),
            "by_customer": dict(company.ads_strength_customer),
        },
    }
