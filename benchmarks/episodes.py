"""Whole games: the scripted policies P2 and P3 by tool calls, and a company of a million.

    python -m benchmarks.episodes NAME RECORD DAYS [MAX_AGENTS]    # one game, printed as JSON

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
MAX_AGENTS = 20_000  # of the games with merged customers
SQL = "business, asked by SQL"
VARIANTS = (("none", None), ("business", None), (SQL, None), ("none", MAX_AGENTS))


class QuietDesk(Desk):
    """A desk without tables."""

    @property
    def cash(self) -> float:
        return float(self.company.world.company.cash_usd)

    @property
    def revenue_a_day(self) -> float:
        return float(self.company.world.observe().mrr_usd) / 30


def weeks(name: str, seed: int, *, record: str, max_agents: int | None = None) -> Iterator[World]:
    """The world after each week of a game."""
    level = "business" if record == SQL else record
    if name == "million":
        company = FastGrowing(seed, record=level, max_agents=max_agents)
        while not company.world.ended:
            company.decide()
            company.world.step_week()
            yield company.world
        return
    env: Any = gym.make(
        "ceo_gym:CEOBench-v0", rules=RULES, record=level, obs="compact", max_agents=max_agents
    ).unwrapped
    env.reset(seed=seed)
    desk = Desk(env) if record == SQL else QuietDesk(env)
    week = 0
    while not env.world.ended:
        week += 1
        POLICIES[name](desk, week)
        env.step(env.noop_action())
        yield env.world


def games(yardstick: Yardstick, names: Sequence[str], days: int) -> Iterator[Row]:
    """Rows by name, record level and limit of agents, each game in a process of its own."""
    for name in names:
        for record, most in VARIANTS:
            if record == SQL and name == "million":
                continue  # its policy asks nothing by SQL
            limit = [] if most is None else [str(most)]
            row = in_fresh_process("benchmarks.episodes", name, record, str(days), *limit)
            yield row | yardstick.ratios(row["cpu_s"])


def played(name: str, record: str, days: int, max_agents: int | None = None) -> Row:
    """One game in this process, which must be fresh."""
    gym.make("ceo_gym:CEOBench-v0").close()  # what is loaded once is no part of a game
    start = time.process_time()
    live: list[int] = []
    ever: list[int] = []
    for world in weeks(name, SEEDS[name], record=record, max_agents=max_agents):
        live.append(int(world.population.accounts.sum()))
        ever.append(world.company.next_customer_id - 2)
        if world.day >= days:
            break
    seconds = time.process_time() - start
    theirs = recorded.episode(sum(live), ever[-1], sum(ever), len(live))
    return {
        "game": name,
        "record": record,
        "max_agents": max_agents,
        "days": world.day,
        "most_customers": max(live),
        "customers_at_end": live[-1],
        "ever": ever[-1],
        "cpu_s": seconds,
        "weeks_a_second": len(live) / seconds,
        "ns_a_customer_and_day": seconds / (7 * sum(live)) * 1e9 if any(live) else None,
        "peak_mb": peak_bytes() / 1e6,
        "recorded_s": theirs if max(live) < recorded.LARGEST else None,
        "speed_up": theirs / seconds if max(live) < recorded.LARGEST else None,
    }


if __name__ == "__main__":
    name, record, days, *limit = sys.argv[1:]
    print(json.dumps(played(name, record, int(days), *map(int, limit))))
