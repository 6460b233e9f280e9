"""Large companies at a bounded cost: a simulated individual stands for several customers.

Off unless a world is made with ``max_agents=N``. Then, whenever more than N individuals are
simulated, they are merged in pairs: one of the two, drawn with the chance of its share of their
weight, goes on and stands for both. So any sum over customers keeps its expected value, group by
group and plan by plan, whatever the customers' attributes and moods are; pairs are neighbours in
the order of group, plan, billing day, open issue and satisfaction, which keeps the spread small.
Newcomers are drawn at the same scale, their number exactly. When fewer than N / 4 are left, each is
split in two, which have the same past and go their own ways from then on. Enterprises always stand
for themselves alone.

It is an approximation: all customers of a simulated one share its fate, so what is random about
single customers averages out less. How much is measured in the documentation (performance). Each
customer keeps its own id, with its own rows in the records.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.common.rows import Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.state import Population
    from ceo_gym.simulators.ceobench.world import World

LEAST = 100  # smallest max_agents


@dataclass
class Crowd:
    """Who stands for whom."""

    limit: int | None  # individuals to simulate at most, about; None = each one
    scale: int = 1  # customers that a newcomer stands for
    # customer ids, the members of an account one after the other, itself first; see `place`
    ids: Ints = field(default_factory=lambda: np.zeros(0, np.int32))
    used: int = 0  # of these

    @classmethod
    def limited(cls, max_agents: int | None) -> Crowd:
        """Nobody yet, with the argument ``max_agents`` checked.

        Raises:
            ValueError: if it is not None or a whole number >= 100.
        """
        whole = isinstance(max_agents, (int, np.integer)) and not isinstance(max_agents, bool)
        if max_agents is not None and not (whole and max_agents >= LEAST):
            raise ValueError(
                f"max_agents must be None or a whole number >= {LEAST}, not {max_agents!r}"
            )
        return cls(None if max_agents is None else int(max_agents))

    def register(self, first_id: Ints, weight: Floats) -> Ints:
        """Keep the ids of newcomers, of which each has as many in a row as it stands for.

        Returns:
            [n] their places.
        """
        if self.limit is None:
            return np.zeros(len(first_id), np.int64)
        count = weight.astype(np.int64)
        return self.keep(spread(first_id, count)) + count.cumsum() - count

    def keep(self, ids: Ints) -> int:
        """Add ids; returns the place of the first."""
        start, end = self.used, self.used + len(ids)
        if end > len(self.ids):
            grown = np.empty(max(end, len(self.ids) * 3 // 2), np.int32)
            grown[:start] = self.ids[:start]
            self.ids = grown
        self.ids[start:end] = ids
        self.used = end
        return start

    def packed(self) -> Crowd:
        """The same without the spare room, for a snapshot."""
        return Crowd(self.limit, self.scale, self.ids[: self.used], self.used)

    def members(self, place: Ints, weight: Floats) -> Ints:
        """The ids of all customers that accounts stand for, account by account."""
        return self.ids[spread(place, weight.astype(np.int64))]


def spread(start: Ints, count: Ints) -> Ints:
    """The numbers ``start[i], start[i] + 1, …``, `count[i]` of them, one run after the other."""
    offset: Ints = np.repeat(start - (count.cumsum() - count), count)
    return offset + np.arange(len(offset))


def every_customer(first_id: Ints, weight: Floats) -> tuple[Ints, Ints]:
    """Positions and ids of all customers behind newcomers, whose ids follow each other."""
    if (weight == 1.0).all():
        return np.arange(len(weight)), first_id
    count = weight.astype(np.int64)
    return np.repeat(np.arange(len(count)), count), spread(first_id, count)


def day_scale(world: World, prospects: int) -> int:
    """How many of today's prospects one simulated individual stands for.

    More than `Crowd.scale` only where they would be more than the limit by themselves.
    """
    limit, scale = world.crowd.limit, world.crowd.scale
    return scale if limit is None else max(scale, -(-prospects // limit))


def fit(world: World) -> None:
    """At the end of a day: merge while there are too many individuals, split while too few."""
    limit, crowd, population = world.crowd.limit, world.crowd, world.population
    if limit is None:
        return
    while (
        len(population) > limit and len(population) - len(world.negotiations.subscribed()) > limit
    ):
        _merge(world)
        crowd.scale *= 2
    while crowd.scale > 1 and len(population) * 4 < limit:
        _split(population, crowd)
        crowd.scale //= 2
    if crowd.used > 2 * int(population.accounts.sum()) + limit:
        _pack(population, crowd)


def _merge(world: World) -> None:
    """Halve the simulated individuals."""
    population, crowd = world.population, world.crowd
    first, second = _pairs(population)
    share = population.weight[first] / (population.weight[first] + population.weight[second])
    first_stays = world.streams("merge").random(len(first)) < share
    stays, goes = np.where(first_stays, (first, second), (second, first))
    _reconcile_issues(world, stays, goes)
    # the ids of both side by side, the survivor's in front
    count = np.stack([population.weight[stays], population.weight[goes]], axis=1).astype(np.int64)
    place = np.stack([population.place[stays], population.place[goes]], axis=1)
    both = crowd.ids[spread(place.ravel(), count.ravel())]
    size = count.sum(axis=1)
    population.place[stays] = crowd.keep(both) + size.cumsum() - size
    population.weight[stays] = size
    population.weighted = True
    world.drop_rows(goes)
    _pack(population, crowd)


def _pack(population: Population, crowd: Crowd) -> None:
    """Forget the ids of those who have left."""
    crowd.ids = crowd.members(population.place, population.weight)
    crowd.used = len(crowd.ids)
    count = population.weight.astype(np.int64)
    population.place[:] = count.cumsum() - count


def _pairs(population: Population) -> tuple[Ints, Ints]:
    """Pairs of individuals of the same group and plan that are as alike as can be."""
    rows = (population.lead < 0).nonzero()[0]
    order = np.lexsort(
        (
            population.satisfaction[rows],
            population.issue_days[rows] > 0,
            population.anchor[rows],
            population.cell[rows],
        )
    )
    rows = rows[order]
    cell = population.cell[rows]
    starts = np.flatnonzero(np.diff(cell, prepend=-1))
    position = np.arange(len(rows)) - np.repeat(starts, np.diff(starts, append=len(rows)))
    second = (position % 2 == 1).nonzero()[0]  # its predecessor is of the same cell
    return rows[second - 1], rows[second]


def _reconcile_issues(world: World, stays: Ints, goes: Ints) -> None:
    """Records of tickets where only one of a pair has an open one."""
    open_one, open_other = (world.population.issue_days[rows] > 0 for rows in (stays, goes))
    world.history.record_issues(world, goes[open_other & ~open_one], closed=True)
    world.history.record_issues(world, goes[open_one & ~open_other])


def _split(population: Population, crowd: Crowd) -> None:
    """Double the simulated individuals."""
    rows = (population.weight > 1.0).nonzero()[0]
    halves = np.floor(population.weight[rows] * 0.5)
    kept = population.weight[rows] - halves
    place = population.place[rows] + kept.astype(np.int64)
    columns = {name: column[rows] for name, column in population.columns().items()}
    population.weight[rows] = kept
    population.append(
        len(rows),
        **columns | {"weight": halves, "place": place, "customer_id": crowd.ids[place]},
    )
    population.weighted = bool((population.weight > 1.0).any())
