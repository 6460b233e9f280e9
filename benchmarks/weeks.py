"""A week by size of the company and record level: settled companies, and growing ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from benchmarks import recorded
from benchmarks.companies import growing, settled
from benchmarks.tables import Row
from benchmarks.timing import Yardstick, best
from ceo_gym.simulators.ceobench import World

LEVELS = ("none", "business", "full")
Maker = Callable[..., World]


def week_seconds(maker: Maker, size: int, record: str, rounds: int) -> tuple[float, float]:
    """Least CPU seconds of one and the same week, and the mean of accounts before and after.

    The week before is played off the clock: first touches of memory and code after restoring are
    nothing that a long run pays.
    """
    snapshot = maker(size, record=record).save()
    accounts = 0.0

    def prepare() -> World:
        nonlocal accounts
        world = World.restore(snapshot)
        world.step_week()
        accounts = float(len(world.population))
        return world

    def week(world: World) -> None:
        world.step_week()

    seconds = best(rounds, prepare, week)
    after = prepare()
    after.step_week()
    return seconds, (accounts + len(after.population)) / 2


def rounds_for(size: int, most: int) -> int:
    """Fewer rounds for what takes long."""
    return max(2, min(most, 300_000 // max(size, 1)))


def settled_weeks(yardstick: Yardstick, sizes: Sequence[int], most_rounds: int) -> Iterator[Row]:
    """Rows by record level and size; the fixed cost of a week is the row of size 0."""
    for record in LEVELS:
        empty = np.nan
        for size in sizes:
            seconds, accounts = week_seconds(settled, size, record, rounds_for(size, most_rounds))
            if not size:
                empty = seconds
            yield _row(yardstick, size, record, seconds, accounts, empty)


def growing_weeks(yardstick: Yardstick, sizes: Sequence[int], most_rounds: int) -> Iterator[Row]:
    """The same of companies to which prospects come."""
    for record in LEVELS:
        empty, _ = week_seconds(settled, 0, record, most_rounds)
        for size in sizes:
            seconds, accounts = week_seconds(growing, size, record, rounds_for(size, most_rounds))
            yield _row(yardstick, size, record, seconds, accounts, empty)


def _row(
    yardstick: Yardstick,
    size: int,
    record: str,
    seconds: float,
    accounts: float,
    empty: float,
) -> Row:
    account_days = 7 * accounts
    theirs = recorded.week(size)
    return {
        "record": record,
        "size": size,
        "customers": round(accounts),
        "ms_a_week": seconds * 1e3,
        "weeks_a_second": 1 / seconds,
        "ns_a_customer_and_day": seconds / account_days * 1e9 if size else None,
        "net_of_empty_week": (seconds - empty) / account_days * 1e9 if size else None,
        **yardstick.ratios(seconds),
        "recorded_s": theirs,
        "speed_up": theirs / seconds if theirs else None,
    }
