"""Which choices can be carried out now, in the form that ``action_space.sample(mask=…)`` takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ceo_gym.envs.ceobench.action_keys import MAX_MARKET_RESEARCH
from ceo_gym.envs.ceobench.arguments import SlotNumbers
from ceo_gym.envs.ceobench.keys import BOX, CHOICE, Key
from ceo_gym.envs.ceobench.observation_sales import Slots
from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.ceobench.talks import waiting_for_player
from ceo_gym.simulators.common.rows import Bools, Ints


def action_mask(
    keys: Sequence[Key], world: World, slots: Slots, numbers: SlotNumbers
) -> dict[str, Any]:
    """Masks of all keys: None for reals, one array for a choice, a tuple of arrays for a list.

    A masked choice would be refused; an open one is not refused for the reason the mask knows
    (known groups, cash at this moment, running research, empty slots, one post a day). What tools
    have done since the observation counts: a thread that was answered by a call is closed.
    """
    return in_form(keys, _tables(world, slots, numbers))


def in_form(keys: Sequence[Key], allowed: Mapping[str, Bools]) -> dict[str, Any]:
    """Masks of all keys from tables of what is allowed; keys without a table are open.

    Args:
        keys: the keys of the action.
        allowed: a table is [choices] for one choice, [cells, choices] for a list, or [cells] if
            all but choice 0 of a cell stand and fall together.
    """
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


def _tables(world: World, slots: Slots, numbers: SlotNumbers) -> dict[str, Bools]:
    params, market, cash = world.params, world.market, world.company.cash_usd
    known = market.discovered
    plans, channels = len(PLANS), len(CHANNELS)
    yes, channels_open = np.ones(1, bool), np.ones(channels, bool)
    by_plan, by_channel = np.repeat(known, plans), np.tile(known, channels)
    no_post_yet = not (market.own_posts and market.own_posts[-1].day == world.day)
    attempts = np.arange(MAX_MARKET_RESEARCH + 1) * params.research.discovery_cost_usd
    replies = np.arange(numbers.replies) < len(slots.replies)
    sales, population = world.negotiations, world.population
    waiting = sales.leads.customer_id[sales.threads.lead[waiting_for_player(world)]]
    inbox = _among(slots.inbox, waiting, numbers.inbox)
    firms = population.customer_id[population.lead >= 0]
    accounts = _among(slots.accounts, firms, numbers.accounts)
    return {
        "ads_set": by_channel,
        "dev_set": known,
        "ops_set": known,
        "strength_set": np.concatenate([yes, known]),
        "promotion_set": np.concatenate([yes, known, by_plan]),
        "lead_promotion_set": np.concatenate([yes, known, channels_open, by_channel]),
        "account_set": np.repeat(accounts, 2),
        "account_op": accounts,
        "inbox_op": inbox,
        "inbox_plan": np.repeat(inbox, plans),
        "market_research": attempts <= cash,
        "group_research": _group_research(world, known, cash),
        "rnd": _projects(world, cash),
        "post_op": np.array([True, no_post_yet, no_post_yet and replies.any()]),
        "post_group": known,
        "post_reply": replies,
    }


def _among(shown: Ints, there: Ints, slots: int) -> Bools:
    """[slots] whether the slot holds one of those who are still there."""
    found = np.zeros(slots, bool)
    found[: len(shown)] = np.isin(shown, there)
    return found


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
