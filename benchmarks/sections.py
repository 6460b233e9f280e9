"""The sections of the benchmark: what each measures, and how much of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from benchmarks import env_costs, episodes, memory, phases, programs, saves, startup, vectors, weeks
from benchmarks.tables import Row
from benchmarks.timing import Yardstick


class Scope(NamedTuple):
    """How much is measured."""

    sizes: tuple[int, ...]  # live customers
    growing_sizes: tuple[int, ...]
    env_sizes: tuple[int, ...]
    vector_sizes: tuple[int, ...]
    levels: tuple[str, ...]  # where not all three are measured
    rounds: int
    games: tuple[str, ...]
    days: int  # of the games
    round_seconds: float  # of the vector envs


FULL = Scope(
    sizes=(0, 1_000, 10_000, 100_000, 1_000_000),
    growing_sizes=(10_000, 100_000),
    env_sizes=(0, 1_000, 10_000, 100_000),
    vector_sizes=(0, 1_000, 10_000, 100_000),
    levels=("none", "business"),
    rounds=10,
    games=tuple(episodes.SEEDS),
    days=500,
    round_seconds=0.3,
)
QUICK = Scope(
    sizes=(0, 1_000),
    growing_sizes=(1_000,),
    env_sizes=(0,),
    vector_sizes=(0,),
    levels=("none",),
    rounds=2,
    games=("P3", "million"),
    days=21,
    round_seconds=0.05,
)


class Section(NamedTuple):
    """A table of figures."""

    title: str
    rows: Callable[[Yardstick, Scope], Iterator[Row]]


SECTIONS: dict[str, Section] = {
    "weeks": Section(
        "a week of a settled company",
        lambda yardstick, scope: weeks.settled_weeks(yardstick, scope.sizes, scope.rounds),
    ),
    "growing": Section(
        "a week of a growing company",
        lambda yardstick, scope: weeks.growing_weeks(yardstick, scope.growing_sizes, scope.rounds),
    ),
    "phases": Section(
        "per cent of a week by phase",
        lambda _, scope: phases.shares(_upto(scope, 100_000), scope.rounds),
    ),
    "env": Section(
        "what the environment adds to a week, microseconds",
        lambda yardstick, scope: env_costs.costs(yardstick, scope.env_sizes, 2 * scope.rounds),
    ),
    "memory": Section(
        "memory of a company, by process",
        lambda _, scope: memory.use(scope.sizes, scope.levels),
    ),
    "saves": Section(
        "saving and restoring a company",
        lambda yardstick, scope: saves.costs(yardstick, scope.sizes, scope.levels, scope.rounds),
    ),
    "startup": Section(
        "a fresh interpreter, wall time",
        lambda yardstick, scope: startup.costs(yardstick, min(5, scope.rounds)),
    ),
    "programs": Section(
        "a program in the sandbox on top of the company's answers, wall time",
        lambda yardstick, scope: programs.costs(yardstick, 5 * scope.rounds),
    ),
    "vectors": Section(
        "two envs in one process against two processes, wall time",
        lambda yardstick, scope: vectors.scaling(
            yardstick, scope.vector_sizes, min(5, scope.rounds), scope.round_seconds
        ),
    ),
    "episodes": Section(
        "whole games",
        lambda yardstick, scope: episodes.games(yardstick, scope.games, scope.days),
    ),
}


def _upto(scope: Scope, most: int) -> tuple[int, ...]:
    return tuple(size for size in scope.sizes if 0 < size <= most)
