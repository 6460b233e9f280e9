"""Monthly drift of preferences: of whole groups, and of each subscriber (customers.md 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import satisfaction
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS
from ceo_gym.simulators.ceobench.state import truncated
from ceo_gym.simulators.common.rows import Bools, Floats

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
    g, limits = params.groups, params.drift
    rates = (
        g.own_drift_budget_rate_per_day,
        g.own_drift_quality_rate_per_day,
        g.own_drift_left_steepness_rate_per_day,
        g.own_drift_seats_rate_per_day,
    )
    # [4, G] growth of a month; a rate of 0 leaves even what lies outside the limits
    growth = np.array([(1.0 + rate) ** MONTH_DAYS for rate in rates]).astype(population.real)
    growth[3] = 1.0 + (growth[3] - 1.0) * seat_multiplier
    moves = np.array(rates) != 0.0
    for part in population.chunks():
        group = population.group[part].astype(np.intp)
        factor = [row.take(group) for row in growth]

        budget, left = population.budget[part], population.left[part]
        drifted = np.clip(budget * factor[0], limits.budget_min_usd, limits.budget_max_usd)
        population.budget[part] = _where(moves[0].take(group), drifted, budget)

        kept = population.joined_shift[part] if keep_shift else 0.0
        for column in (population.q_floor, population.q_ceiling):
            column[part] = (column[part] - kept) * factor[1] + kept

        drifted = np.clip(left * factor[2], limits.left_steepness_min, limits.left_steepness_max)
        population.left[part] = _where(moves[2].take(group), drifted, left)

        seats = population.seats[part]
        seats[:] = _where(moves[3].take(group), np.maximum(1.0, seats * factor[3]), seats)
        population.whole_seats[part] = truncated(seats)


def _where(mask: Bools, values: Floats, others: Floats) -> Floats:
    """`np.where`, without it where the answer is the same for all."""
    return values if mask.all() else others if not mask.any() else np.where(mask, values, others)
