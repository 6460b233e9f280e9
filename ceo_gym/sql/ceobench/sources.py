"""Which source fills which table."""

from __future__ import annotations

from ceo_gym.sql.ceobench.accounts import Customers, Subscriptions
from ceo_gym.sql.ceobench.ads import AdsRevenue
from ceo_gym.sql.ceobench.ledger import Ledger
from ceo_gym.sql.ceobench.market import (
    AdChannelLeads,
    AgentSocialMediaPosts,
    GroupInfoLevels,
    MacroeconomicConditions,
    ResearchProjects,
    SegmentDiscovery,
    SocialMediaPosts,
)
from ceo_gym.sql.ceobench.operations import ConfigHistory, ConfigOverrides, Predictions, ServiceDay
from ceo_gym.sql.ceobench.sales import EnterpriseTurns, Notifications
from ceo_gym.sql.ceobench.source import Source
from ceo_gym.sql.ceobench.tickets import Issues
from ceo_gym.sql.ceobench.usage import DailyUsage

__all__ = ["Source", "all_sources"]


def all_sources() -> dict[str, Source]:
    """A fresh source for every table."""
    return {
        "ad_channel_leads": AdChannelLeads(),
        "ads_revenue": AdsRevenue(),
        "agent_social_media_posts": AgentSocialMediaPosts(),
        "config_history": ConfigHistory(),
        "config_overrides": ConfigOverrides(),
        "customers": Customers(),
        "daily_usage": DailyUsage(),
        "enterprise_turns": EnterpriseTurns(),
        "group_info_levels": GroupInfoLevels(),
        "issues": Issues(),
        "ledger": Ledger(),
        "macroeconomic_conditions": MacroeconomicConditions(),
        "notifications": Notifications(),
        "predictions": Predictions(),
        "research_projects": ResearchProjects(),
        "segment_discovery": SegmentDiscovery(),
        "service_day": ServiceDay(),
        "social_media_posts": SocialMediaPosts(),
        "subscriptions": Subscriptions(),
    }
