"""Monthly drift of preferences: of whole groups, and of each subscriber (customers.md 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import satisfaction
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS
from ceo_gym.simulators.ceobench.state import truncated
from ceo_gym.simulators.common.rows import Floats

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.state import Population
    from ceo_gym.simulators.ceobench.world import World


def is_due(day: int, params: Params) -> bool:
    """Whether preferences drift on this day: every 30 days after the grace period."""
    return day % MONTH_DAYS == 0 and day > params.drift.grace_days


def drift(world: World) -> None:
    """The first half of step 6, with yesterday's seat multiplier."""
    if not is_due(world.day, world.params):
        return
    g, market = world.params.groups, world.market
    market.shift_group += MONTH_DAYS * g.group_drift_quality_per_day
    market.budget_shift += MONTH_DAYS * g.group_drift_budget_usd_per_day
    if len(world.population):
        drift_accounts(
            world.population,
            world.params,
            market.multipliers.seats,
            keep_shift=not world.rules.own_drift_scales_stored_shift,
        )
        satisfaction.refresh_demanded(world)
        world.history.record_seats(world)


def drift_accounts(
    population: Population, params: Params, seat_multiplier: Floats, *, keep_shift: bool
) -> None:
    """Thirty days of own drift on every account, whatever its tenure.

    Args:
        population: the accounts, changed in place.
        params: the world's parameters.
        seat_multiplier: [G] of the business cycle.
        keep_shift: leave the stored market shift out of the quality drift (quirk C21 repaired).
    """
    g, limits, group = params.groups, params.drift, population.group

    def monthly(rate: Floats) -> tuple[Floats, np.ndarray]:
        factor = ((1.0 + rate) ** MONTH_DAYS)[group]
        return factor, (rate != 0.0)[group]

    factor, moves = monthly(g.own_drift_budget_rate_per_day)
    budget = np.clip(population.budget * factor, limits.budget_min_usd, limits.budget_max_usd)
    population.budget[:] = np.where(moves, budget, population.budget)

    factor, _ = monthly(g.own_drift_quality_rate_per_day)
    kept = population.joined_shift if keep_shift else 0.0
    population.q_floor[:] = (population.q_floor - kept) * factor + kept
    population.q_ceiling[:] = (population.q_ceiling - kept) * factor + kept

    factor, moves = monthly(g.own_drift_left_steepness_rate_per_day)
    left = np.clip(population.left * factor, limits.left_steepness_min, limits.left_steepness_max)
    population.left[:] = np.where(moves, left, population.left)

    factor, moves = monthly(g.own_drift_seats_rate_per_day)
    seats = np.maximum(1.0, population.seats * (1.0 + (factor - 1.0) * seat_multiplier[group]))
    population.seats[:] = np.where(moves, seats, population.seats)
    population.whole_seats[:] = truncated(population.seats)
