"""One row a week for a run's record: results, accounts by group, money, and some hidden truth.

Columns that start with ``hidden_`` are for whoever studies a run; a player cannot know them.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench.finance import CATEGORIES
from ceo_gym.simulators.ceobench.state import View
from ceo_gym.simulators.common.rows import Bools

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def row(world: World) -> dict[str, float]:
    """The last played week. Costs are positive numbers; purchases count to the week they open.

    Columns: the fields of `DayResult`; ``subscribers_<group>`` (accounts); ``income_<category>``
    and ``cost_<category>`` in dollars; hidden means over individuals and enterprises.
    """
    week = world.history.weeks[-1]
    values: dict[str, float] = dataclasses.asdict(week)
    for group, count in zip(world.params.groups.ids, world.population.accounts.tolist()):
        values[f"subscribers_{group}"] = count
    # daily flows are booked on the days of the week, the player's purchases on the day before it
    ledger, start = world.history.ledger_usd, week.day - week.days
    flows = ledger[start + 1 : week.day + 1].sum(axis=0).tolist()
    for k, name in enumerate(CATEGORIES):
        if name != "initial_funding":
            paid = float(ledger[start, k]) if name in _PURCHASES else flows[k]
            values[f"{'income' if name in _INCOME else 'cost'}_{name}"] = abs(paid)
    enterprise = world.population.lead >= 0
    for kind, chosen in (("individual", ~enterprise), ("enterprise", enterprise)):
        values |= _hidden(world, kind, chosen)
    values["hidden_index"] = world.market.index
    values["hidden_competitor_events"] = len(world.market.competitor_events)
    return values


_INCOME = ("subscription_payment", "ad_revenue")
_PURCHASES = ("market_research", "group_research", "research_project")


def _hidden(world: World, kind: str, chosen: Bools) -> dict[str, float]:
    """Mean delivered and demanded quality, and satisfaction, of some accounts."""
    names = ("delivered_quality", "required_quality", "satisfaction", "relationship")
    population = world.population
    if not chosen.any():
        return {f"hidden_{kind}_{name}": np.nan for name in names}
    view = View.of(world.company, world.market, world.params)
    group = population.group[chosen]
    values = (
        view.delivered[population.plan[chosen], group],
        population.demanded[chosen] + view.quality_shift[group],
        population.satisfaction[chosen],
        population.relationship[chosen],
    )
    means = (np.average(column, weights=population.weight[chosen]) for column in values)
    return {f"hidden_{kind}_{name}": float(value) for name, value in zip(names, means)}
