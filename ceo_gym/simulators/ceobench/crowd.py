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
        end = self.used + count.cumsum()
        if len(end) and end[-1] > len(self.ids):
            grown = np.empty(max(int(end[-1]), len(self.ids) * 3 // 2), np.int32)
            grown[: self.used] = self.ids[: self.used]
            self.ids = grown
        self.ids[self.used : int(end[-1])] = spread(first_id, count)
        self.used = int(end[-1])
        return end - count

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


def _merge(world: World) -> None:
    """Halve the simulated individuals."""
    population, crowd = world.population, world.crowd
    first, second = _pairs(population)
    weight = population.weight[first] + population.weight[second]
    draws = world.streams("merge").random(len(first))
    first_stays = draws * weight < population.weight[first]
    stays, goes = np.where(first_stays, (first, second), (second, first))
    _reconcile_issues(world, stays, goes)
    # the ids of both, the survivor's in front; what nobody needs any more is left out
    one = np.ones(len(population), np.bool_)
    one[stays] = one[goes] = False
    others = one.nonzero()[0]
    own = _members(population, crowd, others)
    runs = np.concatenate([population.place[stays], population.place[goes]]).reshape(2, -1).T
    sizes = np.concatenate([population.weight[stays], population.weight[goes]]).reshape(2, -1).T
    both = crowd.members(runs.ravel(), sizes.ravel())
    population.weight[stays] = weight
    crowd.ids, crowd.used = np.concatenate([own, both]), len(own) + len(both)
    order = np.concatenate([others, stays])
    count = population.weight[order].astype(np.int64)
    population.place[order] = count.cumsum() - count
    population.weighted = True
    world.drop_rows(goes)


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


def _members(population: Population, crowd: Crowd, rows: Ints) -> Ints:
    return crowd.members(population.place[rows], population.weight[rows])


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
