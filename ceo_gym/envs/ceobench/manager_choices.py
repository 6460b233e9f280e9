"""What the named choices of the profile ``manager`` stand for now, and which are open.

Masks and decisions both ask here, so that a closed choice is one that would be refused or could
change nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ceo_gym.envs.ceobench import masks
from ceo_gym.envs.ceobench.keys import Key
from ceo_gym.simulators.ceobench import InvalidDecision, World
from ceo_gym.simulators.ceobench.talks import waiting_for_player
from ceo_gym.simulators.common.rows import Bools, sums_by

UP, DOWN, BY_RULE = 1, 2, 3
LEAST_KNOWN, BEST_PAYING = 1, 2
CHEAPEST, DEAREST = 1, 2
LIST_PRICE, ASKED, REPORT, REJECT = 1, 2, 3, 4
MAX_MARKET_RESEARCH = 3
CAPACITY_RESERVE = 1.3
CASH_SHARE = 0.5  # of the cash, for the dearest project


def capacity_tier(world: World, choice: int) -> int:
    """The capacity tier that a choice leads to."""
    tiers, tier = world.params.capacity_tiers, world.company.capacity_tier
    if choice == BY_RULE:
        weeks = world.history.weeks
        if not weeks:
            return tier
        days = slice(weeks[-1].day - weeks[-1].days + 1, weeks[-1].day + 1)
        busiest = float(world.history.service[days, 0].max())
        enough = np.searchsorted(tiers.capacity_units_per_day, CAPACITY_RESERVE * busiest)
        return min(int(enough), len(tiers.ids) - 1)
    return min(max(tier + (1 if choice == UP else -1), 0), len(tiers.ids) - 1)


def study(world: World, choice: int, known: Bools) -> tuple[int, int]:
    """Position of the group to research, and the level to research it to.

    Args:
        world: the company.
        choice: `LEAST_KNOWN` or `BEST_PAYING`.
        known: [G] groups known before the step.

    Raises:
        InvalidDecision: `busy`, if all of them are being researched.
    """
    market, population = world.market, world.population
    level, top = market.info_level, len(world.params.info_levels.ids) - 1
    idle = known.copy()
    idle[market.studies.group[~market.studies.done]] = False
    if not idle.any():
        raise InvalidDecision("busy", "every known group is being researched")
    if choice == LEAST_KNOWN:
        g = int(np.argmin(np.where(idle, level, top + 1)))
        return g, min(max(int(level[g]) + 1, 2), top)
    revenue = population.times_weight(population.effective_usd * population.whole_seats)
    paid = sums_by(population.group, revenue, len(level))
    g = int(np.argmax(np.where(idle, paid, -1.0)))
    return g, max(int(level[g]), 2)


def project(world: World, choice: int) -> int:
    """Tier of the project to start.

    Raises:
        InvalidDecision: `busy` if all are running, `insufficient_funds` if half of the cash pays
            none of the others (`DEAREST`).
    """
    projects, cost = world.market.projects, world.params.research_tiers.cost_usd
    idle = np.ones(len(cost), bool)
    idle[projects.tier[projects.finished_day < 0] - 1] = False
    if not idle.any():
        raise InvalidDecision("busy", "a project of every tier is running")
    if choice == CHEAPEST:
        return int(np.argmin(np.where(idle, cost, np.inf))) + 1
    fits = idle & (cost <= CASH_SHARE * world.company.cash_usd)
    if not fits.any():
        raise InvalidDecision("insufficient_funds", "half of the cash pays no project")
    return int(np.argmax(np.where(fits, cost, -1.0))) + 1


def action_mask(keys: Sequence[Key], world: World) -> dict[str, Any]:
    """Masks of all keys, see `masks.in_form`.

    Closed are: tiers beyond the last, the rule for capacity before there was a week, purchases
    that cash at this moment does not pay or that are under way, treatments where nobody waits, and
    a second post on a day.
    """
    company, params, market = world.company, world.params, world.market
    models, capacities = len(params.model_tiers.ids), len(params.capacity_tiers.ids)
    tier = company.model_tier
    by_rule = bool(world.history.weeks)
    attempts = np.arange(MAX_MARKET_RESEARCH + 1) * params.research.discovery_cost_usd
    waits = len(waiting_for_player(world)) > 0
    posted = bool(market.own_posts) and market.own_posts[-1].day == world.day
    allowed = {
        "tier": np.stack([np.ones_like(tier, bool), tier < models, tier > 1], axis=1),
        "capacity": np.array(
            [True, company.capacity_tier < capacities - 1, company.capacity_tier > 0, by_rule]
        ),
        "market_research": attempts <= company.cash_usd,
        "group_research": np.array(
            [True, *(_pays_study(world, c) for c in (LEAST_KNOWN, BEST_PAYING))]
        ),
        "rnd": np.array([True, *(_pays_project(world, c) for c in (CHEAPEST, DEAREST))]),
        "offers": np.array([True, waits, waits, waits, waits]),
        "post": np.array([True, *(not posted for _ in params.posts.topics)]),
    }
    return masks.in_form(keys, allowed)


def _pays_study(world: World, choice: int) -> bool:
    try:
        _, level = study(world, choice, world.market.discovered)
    except InvalidDecision:
        return False
    return bool(world.params.info_levels.cost_usd[level] <= world.company.cash_usd)


def _pays_project(world: World, choice: int) -> bool:
    try:
        tier = project(world, choice)
    except InvalidDecision:
        return False
    return bool(world.params.research_tiers.cost_usd[tier - 1] <= world.company.cash_usd)
