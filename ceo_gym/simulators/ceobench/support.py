"""Issues: resolution by support spend, ageing, new tickets (customers.md 11)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ceo_gym.simulators.ceobench import customers
from ceo_gym.simulators.ceobench.sections import Support
from ceo_gym.simulators.common.rows import Bools, Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def issue_probability(
    satisfaction: ArrayLike, seats: ArrayLike | None, outage: bool, support: Support
) -> Floats:
    """Daily probability that an account without an issue raises one; `seats` None for one each."""
    at_zero = support.issue_base_rate + support.issue_outage_rate * float(outage)
    at_zero += support.issue_dissatisfaction_rate
    rate = at_zero - support.issue_dissatisfaction_rate * np.asarray(satisfaction)
    if seats is not None:
        rate *= np.asarray(seats)
    return np.minimum(np.maximum(rate, 0.0), support.issue_probability_max)


def resolution_means(
    open_by_group: Floats | Ints, spend_usd: float, base: float, per_usd: Floats
) -> Floats:
    """[G] expected resolutions of a pool: (base + a_g x) times the group's share of the pool.

    Args:
        open_by_group: [G] unresolved issues in the pool.
        spend_usd: x, dollars a day for the pool.
        base: resolutions that cost nothing, 0 for targeted pools.
        per_usd: [G] a_g, resolutions a dollar.
    """
    return (base + per_usd * spend_usd) * open_by_group / open_by_group.sum()


def resolve_and_raise(world: World) -> None:
    """Step 11b of the day: resolve, age and create issues on the accounts of step 11a."""
    population = world.population
    if not len(population):
        return
    raised = _raise(world)
    open_rows = population.issue_days.nonzero()[0]
    if len(open_rows):
        _treat(world, open_rows)
    population.issue_days[raised] = 1
    world.history.record_issues(world, raised)


def _raise(world: World) -> Ints:
    """Rows of those without an issue that raise one today."""
    population, support, rng = world.population, world.params.support, world.streams("issues")
    # a uniform number an account, of which nearly all need the leading eight bits only
    words = rng.bit_generator.random_raw(-(-len(population) // 8))
    leading = words.astype("<u8", copy=False).view(np.uint8)
    found, limits = [], []
    for part in population.chunks():
        limit = issue_probability(
            population.old_satisfaction[part],
            population.whole_seats[part] if len(world.negotiations.leads) else None,
            world.today.service.outage,
            support,
        )
        limit *= 256.0
        rows = (leading[part.start : part.stop] <= limit).nonzero()[0]
        limits.append(limit[rows])
        found.append(rows + part.start)
    rows = np.concatenate(found)
    drawn = leading[rows] + rng.random(len(rows))
    rows = rows[drawn < np.concatenate(limits)]
    return rows[population.issue_days[rows] == 0]


def _treat(world: World, rows: Ints) -> None:
    """Resolve some open issues; the rest age and wear the relationship down."""
    population, support = world.population, world.params.support
    resolved = np.zeros(len(rows), np.bool_)
    for pool, spend, base in _pools(world, rows):
        waiting = (~resolved if pool is None else pool & ~resolved).nonzero()[0]
        if len(waiting):
            chosen = _choose(world, rows[waiting], spend, base)
            resolved[waiting[chosen]] = True

    age = population.issue_days[rows]
    relationship = customers.read_relationship(
        population.relationship[rows], world.rules, world.params.perceived
    )
    worn = np.maximum(0.0, relationship - support.relationship_decay_per_day)
    mended = population.relationship[rows]
    if not world.today.service.outage:
        boosts = [0.0, support.boost_after_one_day, support.boost_after_two_days, 0.0]
        boost = np.array(boosts, population.real).take(np.minimum(age, 3))
        mended = np.where(boost > 0.0, np.minimum(1.0, relationship + boost), mended)
    population.relationship[rows] = np.where(resolved, mended, worn)
    population.issue_days[rows] = np.where(resolved, 0, age + 1)
    world.history.record_issues(world, rows[resolved], closed=True)


def _pools(world: World, rows: Ints) -> Iterator[tuple[Bools | None, float, float]]:
    """(members or None for all, dollars a day, free resolutions), in the order of treatment."""
    company, population = world.company, world.population
    yield None, company.operations_usd, world.params.support.base_resolutions_per_day
    group, plan = population.group[rows], population.plan[rows]
    for g in company.support_group_usd.nonzero()[0]:
        yield group == g, float(company.support_group_usd[g]), 0.0
    for p in company.support_plan_usd.nonzero()[0]:
        yield plan == p, float(company.support_plan_usd[p]), 0.0
    for g, p in zip(*np.nonzero(company.support_group_plan_usd)):
        yield (group == g) & (plan == p), float(company.support_group_plan_usd[g, p]), 0.0
    for customer_id, usd in company.support_customer_usd.items():
        if usd > 0.0:
            yield population.customer_id[rows] == customer_id, usd, 0.0


def _choose(world: World, rows: Ints, spend: float, base: float) -> Ints:
    """Positions of the resolved issues of a pool: a random subset of Poisson size a group."""
    per_usd, population = world.params.resolutions_per_usd, world.population
    group = population.group[rows]
    present = population.customers_by(group, rows, len(per_usd))
    means = resolution_means(present, spend, base, per_usd)
    rng = world.streams("support")
    counts = np.zeros_like(present)
    some = present.nonzero()[0]
    counts[some] = np.minimum(rng.poisson(means[some]), present[some])
    if not counts.any():
        return np.empty(0, np.intp)
    if (counts == present).all():
        return np.arange(len(group))
    # shuffle, gather the groups, and take the first counts[g] of each
    shuffled = rng.permutation(len(group))
    order = shuffled[group[shuffled].argsort(kind="stable")]
    if not population.weighted:
        rank = np.arange(len(group)) - (present.cumsum() - present).repeat(present)
        return order[rank < counts.repeat(present)]
    # where the last chosen customers are only a part of those that an account stands for, it is
    # chosen with the chance of that part
    customers = population.weight[rows[order]].astype(np.float64)
    accounts = np.bincount(group, minlength=len(present))
    before = customers.cumsum() - customers - (present.cumsum() - present).repeat(accounts)
    return order[(counts.repeat(accounts) - before) / customers > rng.random(len(rows))]


def open_issues(world: World) -> int:
    """Customers with an open issue."""
    population = world.population
    if not population.weighted:
        return int(np.count_nonzero(population.issue_days))
    return population.customers(population.issue_days.nonzero()[0])
