"""Saving a company and restoring it: time, and bytes a customer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TypeVar

from benchmarks.companies import settled
from benchmarks.tables import Row
from benchmarks.timing import Yardstick, best
from benchmarks.weeks import rounds_for
from ceo_gym.simulators.ceobench import World

Thing = TypeVar("Thing")


def costs(
    yardstick: Yardstick, sizes: Sequence[int], levels: Sequence[str], most_rounds: int
) -> Iterator[Row]:
    """Rows by record level and size."""
    for record in levels:
        for size in sizes:
            world = settled(size, record=record)
            data, customers = world.save(), len(world.population)
            rounds = rounds_for(size, most_rounds)
            save = best(rounds, partial(_same, world), World.save)
            restore = best(rounds, partial(_same, data), World.restore)
            yield {
                "record": record,
                "size": size,
                "customers": customers,
                "save_ms": save * 1e3,
                "restore_ms": restore * 1e3,
                "kb": len(data) / 1e3,
                "bytes_a_customer": len(data) / customers if customers else None,
                **yardstick.ratios(save + restore),
            }


def _same(thing: Thing) -> Thing:
    return thing
