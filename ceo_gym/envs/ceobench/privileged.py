"""Hidden state for study, never part of an observation."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceo_gym.envs.ceobench.books import ratio
from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.common.rows import Floats, sums_by


def hidden_state(world: World) -> dict[str, Any]:
    """What no player can know, as arrays by group [26] and numbers.

    Keys: ``reputation``, ``satisfaction`` and ``relationship`` (means over accounts, 0 without),
    ``quality_shift``, ``budget_shift_usd``, ``index`` (business cycle today), ``competitor_events``
    (so far) and ``seed`` (from which all the rest could be computed).
    """
    population, market = world.population, world.market
    accounts = population.accounts.astype(np.float64)

    def mean(values: Floats) -> Floats:
        return ratio(
            sums_by(population.group, population.times_weight(values), len(accounts)), accounts
        )

    return {
        "reputation": market.reputation.copy(),
        "satisfaction": mean(population.satisfaction),
        "relationship": mean(population.relationship),
        "quality_shift": market.quality_shift.copy(),
        "budget_shift_usd": market.budget_shift.copy(),
        "seed": world.streams.seed,
        "index": float(market.index),
        "competitor_events": len(market.competitor_events),
    }
