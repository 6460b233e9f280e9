"""Tools that only read (tools.md 5 and 7.3). They are free and change nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceo_gym.simulators.ceobench.codes import KINDS
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.ceobench.validation import whole
from ceo_gym.simulators.ceobench.world import World
from ceo_gym.text.ceobench import dashboard, settings
from ceo_gym.tools import ceobench_texts
from ceo_gym.tools.ceobench_actions import INFORMATION, SALES
from ceo_gym.tools.ceobench_settings import PRICING, RESEARCH
from ceo_gym.tools.declaration import TEXT, WHOLE, Field, Output, Tool, unscaled

MODEL_CLASSES = ("small", "light", "medium", "large", "frontier")
PSEUDO_ACCOUNT = 1  # writes commentary and what is said of competitors
MAX_POSTS = 1_000_000  # more than a run can have


def _cost_info(world: World, given: dict[str, Any]) -> dict[str, Any]:
    models, capacity = world.params.model_tiers, world.params.capacity_tiers
    return {
        "model_tiers": {
            tier: {
                "cost_per_usage_unit": float(models.cost_usd_per_unit[k]),
                "quality_multiplier": float(models.quality_multiplier[k]),
                "class": MODEL_CLASSES[k],
            }
            for k, tier in enumerate(models.ids)
        },
        "capacity_tiers": {
            tier: {
                "capacity_units": unscaled(capacity.capacity_units_per_day[k]),
                "cost_per_day": unscaled(capacity.cost_usd_per_day[k]),
            }
            for k, tier in enumerate(capacity.ids)
        },
        "note": "Usage costs its units times the cost of the plan's model tier, every day; "
        "capacity is billed daily whether used or not.",
    }


def _noise(width: float) -> str:
    return f"±{100.0 * width:g}%"


def _market_overview(world: World, given: dict[str, Any]) -> dict[str, Any]:
    groups, market = world.params.groups, world.market
    known = sorted(i for i, yes in zip(groups.ids, market.discovered) if yes)
    widths = world.params.info_levels.noise_half_width
    overview: dict[str, Any] = {
        "known_groups": [
            {
                "group_id": i,
                "group_name": groups.name[groups.index[i]],
                "segment": groups.kind[groups.index[i]].capitalize(),
                "info_level": int(market.info_level[groups.index[i]]),
                "noise": _noise(widths[market.info_level[groups.index[i]]]),
            }
            for i in known
        ],
        "undiscovered_count": len(groups.ids) - len(known),
        "macroeconomic": None,
    }
    if market.published:
        reading = market.published[-1]
        overview["macroeconomic"] = {
            "pmi_value": reading.value,
            "pmi_trend": reading.trend,
            "pmi_change": reading.change,
            "cycle_phase": reading.phase,
            "description": ceobench_texts.reading_text(reading),
        }
    return overview


def _group_insights(world: World, given: dict[str, Any]) -> dict[str, Any]:
    report = world.group_insights(**given)
    network, reputation = report["network_influence"], report["reputation_influence"]
    return {
        "group_id": report["group_id"],
        "group_name": report["group_name"],
        "segment": report["segment"].capitalize(),
        "info_level": report["info_level"],
        "noise": _noise(report["noise"]),
        "estimates": report["estimates"],
        "network_influence": {way: network[way] for way in ("outgoing", "incoming")},
        "reputation_influence": reputation,
    }


def _social_posts(world: World, given: dict[str, Any]) -> dict[str, Any]:
    limit = whole("limit", given.get("limit", 50), 1, MAX_POSTS, true_counts=False)
    posts, groups = world.history.posts, world.params.groups
    stop = len(posts)
    start = max(0, stop - limit)
    # the published tool takes any `days` and forgets it; the switch is the one for loose arguments
    if not world.rules.loose_input:
        days = whole("days", given.get("days", 7), 1, MAX_POSTS, true_counts=False)
        start = max(start, int(np.searchsorted(posts.day, world.day - days, side="right")))
    texts = ceobench_texts.post_texts(world, start, stop) if start < stop else []
    names = ceobench_texts.post_writers(world, start, stop)
    found = []
    for row in reversed(range(start, stop)):
        group, own = int(posts.group[row]), int(posts.reply_to[row])
        # what no customer wrote passes for a post of the pseudo account, of the first group
        author = group if posts.customer_id[row] != PSEUDO_ACCOUNT else 0
        post: dict[str, Any] = {
            "post_id": row + 1,
            "day": int(posts.day[row]),
            "content": texts[row - start],
            "reply_to_agent_post_id": own or None,
            "source_group_id": groups.ids[group] if group >= 0 else None,
            "group_id": groups.ids[author],
            "customer_type": "large" if groups.is_enterprise[author] else "small",
            "custom_name": None,
            "persona_name": names[row - start],
        }
        if own:
            post["replying_to_your_post"] = world.market.own_posts[own - 1].content
        found.append(post)
    return {"posts": found, "total": len(found)} if found else {"posts": []}


def _research_projects(world: World, given: dict[str, Any]) -> dict[str, Any]:
    tiers, projects = world.params.research_tiers, world.market.projects
    done = projects.finished_day >= 0
    rows = []
    for k, name in enumerate(tiers.label):
        same = projects.tier == k + 1
        rows.append(
            {
                "tier": k + 1,
                "name": name,
                "cost": unscaled(tiers.cost_usd[k]),
                "mean_days": unscaled(tiers.duration_mean_days[k]),
                "mean_quality_boost": float(tiers.quality_mean[k]),
                "in_progress": int((same & ~done).sum()),
                "completed": int((same & done).sum()),
                "total_quality_boost": float(projects.quality[same & done].sum()),
            }
        )
    return {"tiers": rows}


def _week_summary(world: World, given: dict[str, Any]) -> dict[str, Any]:
    count = whole("n", given.get("n", 1), 1, MAX_POSTS, true_counts=False)
    weeks = [dashboard.week_numbers(week) for week in world.history.weeks[-count:]]
    # more digits than a report shows, fewer than a float has
    return {
        "weeks": [
            {name: round(v, 4) if isinstance(v, float) else v for name, v in week.items()}
            for week in weeks
        ]
    }


def _open_threads(world: World, given: dict[str, Any]) -> dict[str, Any]:
    waiting, groups = world.observe().waiting, world.params.groups
    deadline = world.params.enterprise.deadline_days

    def plan(position: int) -> str | None:
        return PLANS[position] if position >= 0 else None

    threads = [
        {
            "customer_id": int(waiting.customer_id[k]),
            "group_id": groups.ids[waiting.group[k]],
            "kind": KINDS[waiting.kind[k]],
            "turn": int(waiting.turn[k]),
            "message_day": int(waiting.day[k]),
            "deadline_day": int(waiting.day[k]) + deadline,
            "seats": int(waiting.seats[k]),
            "asked_plan": plan(waiting.asked_plan[k]),
            "asked_price_per_seat": float(waiting.asked_usd[k]),
            "plan": plan(waiting.plan[k]),
            "price_per_seat": float(waiting.price_usd[k]),
        }
        for k in range(len(waiting.customer_id))
    ]
    return {"threads": threads, "total": len(threads)}


GET_COST_INFO = Tool(
    "get_cost_info",
    INFORMATION,
    "read",
    "Costs and effects of the model tiers and of the capacity tiers; constant.",
    _cost_info,
    path="infrastructure.get_cost_info",
    result=(Output("model_tiers", "map"), Output("capacity_tiers", "map"), Output("note", "text")),
)

GET_MARKET_OVERVIEW = Tool(
    "get_market_overview",
    INFORMATION,
    "read",
    "The known customer groups, how many are unknown, and the last published reading of the "
    "business cycle (null before the first).",
    _market_overview,
    path="market.get_market_overview",
    result=(
        Output("known_groups", "list"),
        Output("undiscovered_count", "integer"),
        Output("macroeconomic", "map or null"),
    ),
)

GET_GROUP_INSIGHTS = Tool(
    "get_group_insights",
    INFORMATION,
    "read",
    "The report about a known group as of its last study: estimates with the stated relative "
    "error, and referrals and reputation influence from and to other known groups, per account.",
    _group_insights,
    path="market.get_group_insights",
    fields=(Field("group_id", TEXT, "A known group", required=True),),
    result=(
        Output("group_id", "text"),
        Output("group_name", "text"),
        Output("segment", "text"),
        Output("info_level", "integer"),
        Output("noise", "text"),
        Output("estimates", "map"),
        Output("network_influence", "map"),
        Output("reputation_influence", "map"),
    ),
)

GET_SOCIAL_POSTS = Tool(
    "get_social_posts",
    INFORMATION,
    "read",
    "The newest public posts of others, newest first: customers, commentary on the economy, "
    "competitors, replies to the company's posts.",
    _social_posts,
    path="analytics.get_social_posts",
    fields=(
        Field(
            "days",
            WHOLE,
            "Age of the oldest post; has no effect under the published rules",
            unit="day",
            low=1,
            default="7",
        ),
        Field("limit", WHOLE, "Most posts to return", unit="posts", low=1, default="50"),
    ),
    result=(Output("posts", "list"), Output("total", "integer", False)),
)

LIST_RESEARCH_PROJECTS = Tool(
    "list_research_projects",
    RESEARCH,
    "read",
    "All tiers of research projects: cost, mean duration and gain, and how many of each run and "
    "are completed.",
    _research_projects,
    path="research.list_research_projects",
    result=(Output("tiers", "list"),),
)

GET_CURRENT_CONFIG = Tool(
    "get_current_config",
    PRICING,
    "read",
    "Every setting in force: prices, tiers, quotas, capacity, shared and targeted spends, "
    "promotions, in-app advertising. Maps hold only entries that are not 0.",
    lambda world, given: settings.in_force(world),
    result=(
        Output("prices", "map"),
        Output("model_tiers", "map"),
        Output("usage_quotas", "map"),
        Output("capacity_tier", "integer"),
        Output("daily_spend", "map"),
        Output("targeted_ad_spend", "map"),
        Output("targeted_dev_spend", "map"),
        Output("targeted_ops_spend", "map"),
        Output("promotion", "map"),
        Output("lead_promotion", "map"),
        Output("ads_strength", "map"),
    ),
)

GET_WEEK_SUMMARY = Tool(
    "get_week_summary",
    INFORMATION,
    "read",
    "The numbers of the dashboards of the last n weeks, oldest first.",
    _week_summary,
    fields=(Field("n", WHOLE, "Number of weeks", unit="weeks", low=1, default="1"),),
    result=(Output("weeks", "list"),),
)

GET_OPEN_THREADS = Tool(
    "get_open_threads",
    SALES,
    "read",
    "The enterprise threads that wait for the company's word: who, what kind, since when, until "
    "when, and what is asked. Prices are USD/month per seat; null where there is none.",
    _open_threads,
    result=(Output("threads", "list"), Output("total", "integer")),
)
