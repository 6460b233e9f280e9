"""What the SQL tables of a company cost.

    python -m benchmarks.ceobench_tables [--queries FILE.jsonl.gz] [--json FILE]

* idle: weeks per second with tables that were queried once and lie idle, against none;
* tables: CPU seconds of the first query of each table at about 100,000 accounts and 40 weeks, and
  of a query a week later;
* queries (with a file of them, one JSON row with `kind` and `text` each): the slowest at about
  20,000 accounts and 30 weeks.

The kernel is one exponential of a million numbers, timed in the same run.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sqlite3
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from benchmarks.timing import Yardstick, cpu_seconds
from ceo_gym.sql.ceobench import BusinessDatabase, QueryError
from ceo_gym.sql.ceobench.schema import create, table_names

OFFERS = {"new_lead": "list_price", "lead_counter": "accept"}


def grown(weeks: int, scale: float, price_c: float = 60.0, **arguments: Any) -> Any:
    """An env whose company has grown for some weeks, with enterprises and in-app ads.

    Args:
        weeks: weeks played.
        scale: advertising, in multiples of what is written below.
        price_c: list price of plan C; at 60 USD most individuals choose it.
        arguments: of the env.
    """
    params = {"company.initial_cash_usd": 1e9}
    env: Any = gym.make("ceo_gym:CEOBench-v0", params=params, **arguments).unwrapped
    env.reset(seed=1)
    world = env.world
    world.set_prices(A=20, B=40, C=price_c)
    world.set_model_tiers(A=3, B=4, C=5)
    world.set_usage_quotas(A=5_000, B=100_000, C=400_000)
    world.set_capacity_tier(7)
    world.set_targeted_dev_spend(dict.fromkeys(("S1", "S2", "S3", "E1", "E2"), 40_000))
    world.set_targeted_ad_spend(
        {
            "content_marketing": {"S1": 400 * scale, "S2": 400 * scale, "E1": 4_000 * scale},
            "referral_program": {"S3": 400 * scale},
            "linkedin": {"E2": 1_000 * scale},
        }
    )
    world.set_ads_strength(0.1)
    for _ in range(weeks):
        week(env)
    return env


def week(env: Any) -> None:
    """A week of the growing company."""
    support = 300 + 0.3 * len(env.world.population)
    env.step(env.action(spend={"operations": support, "development": 20_000}, bulk_op=OFFERS))


def idle_costs(weeks: int = 30, rounds: int = 15) -> dict[str, float]:
    """Weeks per second without a database, and with one that was queried before; best of each."""
    best = {"without": np.inf, "idle": np.inf}
    for turn in range(2 * rounds):
        kind = ("without", "idle")[turn % 2]  # in turns, so that both meet the same machine
        env: Any = gym.make("ceo_gym:CEOBench-v0").unwrapped
        env.reset(seed=1, options={"start": "configured"})
        env.step(env.noop_action())
        if kind == "idle":
            for table in table_names():
                env.query(f"SELECT COUNT(*) FROM {table}")
        noop = env.noop_action()
        seconds = cpu_seconds(lambda e=env, a=noop: [e.step(a) for _ in range(weeks)])
        best[kind] = min(best[kind], seconds)
    return {kind: weeks / seconds for kind, seconds in best.items()}


def fill_costs(weeks: int = 40, scale: float = 0.078) -> dict[str, Any]:
    """CPU seconds by table: first query, and the median of the next three weeks."""
    env = grown(weeks, scale)
    accounts = [len(env.world.population)]
    books = BusinessDatabase(env.world)
    books.query("SELECT 1")

    def ask() -> dict[str, float]:
        return {
            table: cpu_seconds(lambda t=table: books.query(f"SELECT 1 FROM {t} LIMIT 1"))
            for table in table_names()
        }

    first, later = ask(), []
    for _ in range(3):
        week(env)
        accounts.append(len(env.world.population))
        later.append(ask())
    return {"accounts": accounts, "first": first, "weeks": later}


def query_costs(
    file: Path, price_c: float, weeks: int = 30, scale: float = 0.062
) -> dict[str, Any]:
    """CPU seconds of the queries of a file that the tables can answer, each after its fill."""
    env = grown(weeks, scale, price_c)
    books = BusinessDatabase(env.world)
    empty = sqlite3.connect(":memory:")
    for table in table_names():
        for statement in create(table):
            empty.execute(statement)
        books.query(f"SELECT 1 FROM {table} LIMIT 1")
    with gzip.open(file, "rt", encoding="utf-8") as rows:
        parsed = [json.loads(row) for row in rows]
    texts = dict.fromkeys(row["text"] for row in parsed if row["kind"] == "sql")
    seconds: dict[str, float] = {}
    refused: dict[str, str] = {}
    for sql in texts:
        try:
            empty.execute(f"EXPLAIN {sql}")
        except Exception:  # noqa: BLE001 - whatever SQLite says, it does not fit
            continue
        try:
            seconds[sql] = cpu_seconds(lambda q=sql: books.query(q))
        except QueryError as error:
            refused[sql] = str(error)
    slow = sorted(seconds, key=seconds.__getitem__, reverse=True)
    return {
        "accounts": len(env.world.population),
        "queries": len(texts),
        "answered": len(seconds),
        "refused": refused,
        "over_2_s": sum(s > 2.0 for s in seconds.values()),
        "slowest": [(seconds[sql], sql) for sql in slow[:5]],
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--queries", type=Path, help="also time the queries of this file")
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    kernel = Yardstick.measured().exp_seconds
    print(f"exp of a million numbers: {kernel * 1e3:.2f} ms")
    found: dict[str, Any] = {"kernel_ms": kernel * 1e3}

    found["idle"] = idle = idle_costs()
    print(
        f"weeks per second: {idle['without']:.0f} without tables, {idle['idle']:.0f} with idle "
        f"ones ({100 * (1 - idle['idle'] / idle['without']):+.1f} % slower)"
    )
    found["tables"] = tables = fill_costs()
    print(f"tables at {tables['accounts'][0]:,} accounts; a week later {tables['accounts'][1:]}")
    print(f"{'CPU seconds':>26}{'first':>10}" + "".join(f"{f'week {k + 1}':>10}" for k in range(3)))
    for table in (*table_names(), "all"):
        columns = [tables["first"], *tables["weeks"]]
        cells = [sum(c.values()) if table == "all" else c[table] for c in columns]
        print(f"{table:>26}" + "".join(f"{cell:>10.3f}" for cell in cells))
    # one of the recorded queries compares every subscriber of plan C with every payment
    for price_c in (60.0, 600.0) if arguments.queries else ():
        found[f"queries_c_{price_c:g}"] = asked = query_costs(arguments.queries, price_c)
        print(f"plan C at {price_c:g} USD:")
        print(
            f"{asked['answered']} of {asked['queries']} different queries fit the tables and were "
            f"answered at {asked['accounts']:,} accounts; {asked['over_2_s']} took over 2 s"
        )
        for seconds, sql in asked["slowest"]:
            print(f"{seconds:>10.3f}  {' '.join(sql.split())[:160]}")
        for sql, reason in asked["refused"].items():
            print(f"   refused  {' '.join(sql.split())[:80]}: {reason[:60]}")
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
