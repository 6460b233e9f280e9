"""Smoothed satisfaction of every account, once a day (customers.md 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import customers, finance
from ceo_gym.simulators.common.rows import Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def smooth(old: Floats, instant: Floats, weight: float) -> Floats:
    """S <- (1 - w) S + w (Q - Q^req)."""
    return (1.0 - weight) * old + weight * instant


def update(world: World) -> None:
    """Step 11a of the day, from yesterday's issues and relationship and today's service."""
    population, today, p = world.population, world.today, world.params.perceived
    if not len(population):
        return
    view = today.view
    service = p.overload_penalty * today.service.overload
    service += p.outage_penalty * today.service.outage
    cell = population.plan * view.delivered.shape[1] + population.group
    core = view.delivered.ravel().take(cell)
    core += standing(world, slice(None), zero_is_neutral=True)
    if service:
        core -= service
    today.factor = customers.quota_factor(today.quota, today.demand)
    loads = finance.account_loads(world)
    quality = customers.subscriber_quality(
        core,
        today.factor,
        population.issue_days,
        population.annoyance,
        loads,
        p,
    )
    quality -= population.demanded
    if view.quality_shift.any():
        quality -= view.quality_shift[population.group]
    today.old_satisfaction = population.satisfaction.copy()
    population.satisfaction[:] = smooth(
        today.old_satisfaction, quality, world.params.satisfaction.weight_of_today
    )


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
        bonus = bonus + world.params.tenure_bonus.take(world.day - population.start_day[rows])
    return bonus


def refresh_demanded(world: World, rows: Ints | slice = slice(None)) -> None:
    """Store the quality that accounts demand at their price, without the market's shifts.

    It is all that daily satisfaction needs of the price-quality curve. It changes with a bill, a
    deal, the monthly drift and the group's budget shift, and with nothing else.
    """
    population = world.population
    shift = world.today.view.budget_shift[population.group[rows]]
    population.demanded[rows] = customers.required_quality(
        population.effective_usd[rows],
        population.left[rows],
        population.right[rows],
        shifted_budget(population.reference_budget[rows], shift, world),
        population.q_floor[rows],
        population.q_ceiling[rows],
        world.params.curve,
    )


def shifted_budget(budget: Floats, shift: Floats, world: World) -> Floats:
    """Reference budget plus shift; the floor applies only where there is a shift."""
    if not shift.any():
        return budget
    floor = world.params.sampling.budget_floor_usd
    return np.where(shift == 0.0, budget, np.maximum(floor, budget + shift))
