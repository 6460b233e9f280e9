"""Smoothed satisfaction of every account, once a day (customers.md 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import customers, finance
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.common.rows import Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def smooth(old: Floats, instant: Floats, weight: float) -> Floats:
    """S <- (1 - w) S + w (Q - Q^req)."""
    return (1.0 - weight) * old + weight * instant


def update(world: World) -> None:
    """Step 11a of the day, from yesterday's issues and relationship and today's service."""
    population, view, p = world.population, world.today.view, world.params.perceived
    if not len(population):
        return
    service = p.overload_penalty * world.today.service.overload
    service += p.outage_penalty * world.today.service.outage
    core_of = (view.delivered.ravel() - service).astype(population.real)  # by cell
    shift_of = np.concatenate([view.quality_shift] * len(PLANS)).astype(population.real)
    shifted = bool(shift_of.any())
    weight = world.params.satisfaction.weight_of_today
    for part in population.chunks():
        cell = population.cell[part]
        core = core_of.take(cell)
        core += standing(world, part, zero_is_neutral=True)
        quality = customers.subscriber_quality(
            core,
            population.served_share[part],
            population.issue_days[part].astype(population.real),
            population.annoyance[part],
            finance.account_loads(world, part),
            p,
        )
        quality -= population.demanded[part]
        if shifted:
            quality -= shift_of.take(cell)
        satisfaction = population.satisfaction[part]
        population.old_satisfaction[part] = satisfaction
        satisfaction[:] = smooth(satisfaction, quality, weight)


def standing(
    world: World, rows: Ints | slice, *, zero_is_neutral: bool, tenure: bool = True
) -> Floats:
    """[n] relationship bonus plus tenure bonus of some accounts.

    Args:
        world: the world.
        rows: accounts.
        zero_is_neutral: read a relationship of 0 as `customers.read_relationship` does; renewals
            take it as it is.
        tenure: include the tenure bonus.
    """
    population, p = world.population, world.params.perceived
    relationship = population.relationship[rows]
    if zero_is_neutral:
        relationship = customers.read_relationship(relationship, world.rules, p)
    bonus = customers.relationship_bonus(relationship, p)
    if tenure:
        bonus += world.tenure_bonus.take(world.day - population.start_day[rows])
    return bonus


def refresh_demanded(world: World, rows: Ints | slice | None = None) -> None:
    """Store the quality that accounts demand at their price, without the market's shifts.

    It is all that daily satisfaction needs of the price-quality curve. It changes with a bill, a
    deal, the monthly drift and the group's budget shift, and with nothing else.

    Args:
        world: the world.
        rows: the accounts; all unless given.
    """
    population = world.population
    budget_shift = world.today.view.budget_shift.astype(population.real)
    shifted = bool(budget_shift.any())
    for part in population.chunks() if rows is None else (rows,):
        budget = population.reference_budget[part]
        if shifted:
            budget = shifted_budget(budget, budget_shift.take(population.group[part]), world)
        population.demanded[part] = customers.required_quality(
            population.effective_usd[part].astype(population.real),
            population.left[part],
            population.right[part],
            budget,
            population.q_floor[part],
            population.q_ceiling[part],
            world.params.curve,
        )


def shifted_budget(budget: Floats, shift: Floats, world: World) -> Floats:
    """Reference budget plus shift; the floor applies only where there is a shift."""
    floor = world.params.sampling.budget_floor_usd
    return np.where(shift == 0.0, budget, np.maximum(floor, budget + shift))
