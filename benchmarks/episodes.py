"""Whole games: the scripted policies P2 and P3 by tool calls, and a company of a million.

    python -m benchmarks.episodes NAME RECORD DAYS     # one game, printed as JSON

The seeds are such that the companies of P2 and P3 live to the end. Both look into the ledger and
the subscriptions by SQL, every week; but for `SQL`, these looks are answered from the world, so
that what keeping records costs can be told from what reading them costs.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

import gymnasium as gym

from benchmarks import recorded
from benchmarks.companies import FastGrowing
from benchmarks.memory import peak_bytes
from benchmarks.tables import Row
from benchmarks.timing import Yardstick, in_fresh_process
from ceo_gym.simulators.ceobench import World
from tests.conformance.ceobench.scripted import POLICIES, RULES, Desk

SEEDS = {"P2": 2, "P3": 3, "million": 1}
LEVELS = ("none", "business")
SQL = "business, asked by SQL"


class QuietDesk(Desk):
    """A desk without tables."""

    @property
    def cash(self) -> float:
        return float(self.company.world.company.cash_usd)

    @property
    def revenue_a_day(self) -> float:
        return float(self.company.world.observe().mrr_usd) / 30


def games(yardstick: Yardstick, names: Sequence[str], days: int) -> Iterator[Row]:
    """Rows by name and record level, each game in a process of its own."""
    for name in names:
        for record in LEVELS if name == "million" else (*LEVELS, SQL):
            row = in_fresh_process("benchmarks.episodes", name, record, str(days))
            yield row | yardstick.ratios(row["cpu_s"])


def played(name: str, record: str, days: int) -> Row:
    """One game in this process, which must be fresh."""
    gym.make("ceo_gym:CEOBench-v0").close()  # what is loaded once is no part of a game
    start = time.process_time()
    world, live, ever = (
        _million(record, days) if name == "million" else _scripted(name, record, days)
    )
    seconds = time.process_time() - start
    weeks = len(live)
    theirs = recorded.episode(sum(live), world.company.next_customer_id - 2, sum(ever), weeks)
    return {
        "game": name,
        "record": record,
        "days": world.day,
        "most_customers": max(live),
        "customers_at_end": live[-1],
        "ever": world.company.next_customer_id - 2,
        "cpu_s": seconds,
        "weeks_a_second": weeks / seconds,
        "ns_a_customer_and_day": seconds / (7 * sum(live)) * 1e9 if any(live) else None,
        "peak_mb": peak_bytes() / 1e6,
        "recorded_s": theirs if max(live) < recorded.LARGEST else None,
        "speed_up": theirs / seconds if max(live) < recorded.LARGEST else None,
    }


def _scripted(name: str, record: str, days: int) -> tuple[World, list[int], list[int]]:
    level = record.split(",")[0]
    env: Any = gym.make("ceo_gym:CEOBench-v0", rules=RULES, record=level, obs="compact").unwrapped
    env.reset(seed=SEEDS[name])
    desk = Desk(env) if record == SQL else QuietDesk(env)
    live: list[int] = []
    ever: list[int] = []
    while not env.world.ended and env.world.day < days:
        POLICIES[name](desk, len(live) + 1)
        env.step(env.noop_action())
        live.append(len(env.world.population))
        ever.append(env.world.company.next_customer_id - 2)
    return env.world, live, ever


def _million(record: str, days: int) -> tuple[World, list[int], list[int]]:
    company = FastGrowing(SEEDS["million"], record=record)
    world = company.world
    live: list[int] = []
    ever: list[int] = []
    while not world.ended and world.day < days:
        company.decide()
        world.step_week()
        live.append(len(world.population))
        ever.append(world.company.next_customer_id - 2)
    return world, live, ever


if __name__ == "__main__":
    print(json.dumps(played(sys.argv[1], sys.argv[2], int(sys.argv[3]))))
