"""Which choices can be carried out now, in the form that ``action_space.sample(mask=…)`` takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceo_gym.envs.ceobench.action_keys import MAX_MARKET_RESEARCH
from ceo_gym.envs.ceobench.keys import BOX, CHOICE, Key
from ceo_gym.envs.ceobench.observation_public import REPLY_SLOTS
from ceo_gym.envs.ceobench.observation_sales import ACCOUNT_SLOTS, INBOX_SLOTS, Slots
from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.common.rows import Bools

Mask = NDArray[np.int8]


def action_mask(keys: Sequence[Key], world: World, slots: Slots) -> dict[str, Any]:
    """Masks of all keys: None for reals, one array for a choice, a tuple of arrays for a list.

    A masked choice would be refused; an open one is not refused for the reason the mask knows
    (known groups, cash at this moment, running research, empty slots, one post a day).
    """
    allowed = _tables(world, slots)
    masks: dict[str, Any] = {}
    for key in keys:
        if key.kind == BOX:
            masks[key.key] = None
            continue
        n = len(key.options)
        table = allowed.get(key.key)
        if key.kind == CHOICE:
            masks[key.key] = np.ones(n, np.int8) if table is None else table[:n].astype(np.int8)
            continue
        if table is None:
            table = np.ones((key.shape[0], n), np.int8)
        elif table.ndim == 1:  # cells that may be touched at all; choice 0 is always open
            table = np.repeat(table[:, None], n, axis=1)
            table[:, 0] = True
        masks[key.key] = tuple(table.astype(np.int8))
    return masks


def _tables(world: World, slots: Slots) -> dict[str, Bools]:
    params, market, cash = world.params, world.market, world.company.cash_usd
    known = market.discovered
    plans, channels = len(PLANS), len(CHANNELS)
    yes, channels_open = np.ones(1, bool), np.ones(channels, bool)
    by_plan, by_channel = np.repeat(known, plans), np.tile(known, channels)
    no_post_yet = not (market.own_posts and market.own_posts[-1].day == world.day)
    attempts = np.arange(MAX_MARKET_RESEARCH + 1) * params.research.discovery_cost_usd
    replies = _filled(REPLY_SLOTS, len(slots.replies))
    return {
        "ads_set": by_channel,
        "dev_set": known,
        "ops_set": known,
        "strength_set": np.concatenate([yes, known]),
        "promotion_set": np.concatenate([yes, known, by_plan]),
        "lead_promotion_set": np.concatenate([yes, known, channels_open, by_channel]),
        "account_set": np.repeat(_filled(ACCOUNT_SLOTS, len(slots.accounts)), 2),
        "account_op": _filled(ACCOUNT_SLOTS, len(slots.accounts)),
        "inbox_op": _filled(INBOX_SLOTS, len(slots.inbox)),
        "inbox_plan": np.repeat(_filled(INBOX_SLOTS, len(slots.inbox)), plans),
        "market_research": attempts <= cash,
        "group_research": _group_research(world, known, cash),
        "rnd": _projects(world, cash),
        "post_op": np.array([True, no_post_yet, no_post_yet and replies.any()]),
        "post_group": known,
        "post_reply": replies,
    }


def _filled(slots: int, used: int) -> Bools:
    return np.arange(slots) < used


def _group_research(world: World, known: Bools, cash: float) -> Bools:
    """[G, 6] none, default, levels 2 to 5."""
    level, cost = world.market.info_level, world.params.info_levels.cost_usd
    studies = world.market.studies
    free = known.copy()
    free[studies.group[~studies.done]] = False
    table = np.zeros((len(known), 6), bool)
    table[:, 0] = True
    default = np.maximum(level, 2)
    table[:, 1] = free & (cost[default] <= cash)
    for target in range(2, 6):
        table[:, target] = free & (target >= level) & (cost[target] <= cash)
    return table


def _projects(world: World, cash: float) -> Bools:
    projects = world.market.projects
    table = world.params.research_tiers.cost_usd <= cash
    table[projects.tier[projects.finished_day < 0] - 1] = False
    return table
