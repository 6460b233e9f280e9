"""What the tables cost: the first query of a company, a week's news, an idle database, queries.

    python benchmarks/ceobench_tables.py [--weeks 40] [--scale 12] [--json FILE]

A rich company grows under a fixed configuration; `--scale` multiplies its advertising. Times are
CPU seconds of this process; the kernel is one exponential of a million numbers in the same run.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np

from benchmarks.ceobench_speed import kernel_seconds
from ceo_gym.sql.ceobench import BusinessDatabase
from ceo_gym.sql.ceobench.schema import table_names

CASH_USD = 1e9


def grown(weeks: int, scale: float, **arguments: Any) -> Any:
    """An env with a company that has grown for some weeks, enterprises and in-app ads included."""
    params = {"company.initial_cash_usd": CASH_USD}
    env = gym.make("ceo_gym:CEOBench-v0", params=params, **arguments).unwrapped
    env.reset(seed=1, options={"start": "configured"})
    world = env.world
    world.set_prices(A=20, B=40, C=60)
    world.set_model_tiers(A=3, B=4, C=5)
    world.set_usage_quotas(A=5_000, B=100_000, C=400_000)
    world.set_capacity_tier(7)
    world.set_targeted_dev_spend(dict.fromkeys(("S1", "S2", "S3", "E1", "E2"), 40000))
    world.set_targeted_ad_spend(
        {
            "content_marketing": {"S1": 400 * scale, "S2": 400 * scale, "E1": 4_000 * scale},
            "referral_program": {"S3": 400 * scale},
            "linkedin": {"E2": 1_000 * scale},
        }
    )
    world.set_ads_strength(0.1)
    for _ in range(weeks):
        world.set_daily_spend(operations=0.3 * len(world.population) + 300, development=20_000)
        action = env.action(bulk_op={"new_lead": "list_price", "lead_counter": "accept"})
        env.step(action)
    return env


def cpu(work: Any) -> float:
    """CPU seconds of a call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--weeks", type=int, default=40)
    parser.add_argument("--scale", type=float, default=12.0)
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    kernel = kernel_seconds()
    env = grown(arguments.weeks, arguments.scale)
    world = env.world
    print(f"day {world.day}: {len(world.population):,} accounts, kernel {kernel * 1e3:.2f} ms")
    database = BusinessDatabase(world)
    database.query("SELECT 1")
    rows = []
    weekly = {table: [] for table in table_names()}
    first = {}
    for table in table_names():
        first[table] = cpu(lambda t=table: database.query(f"SELECT COUNT(*) FROM {t}"))
    for _ in range(4):
        env.step(env.action(bulk_op={"new_lead": "list_price", "lead_counter": "accept"}))
        for table in table_names():
            weekly[table].append(cpu(lambda t=table: database.query(f"SELECT COUNT(*) FROM {t}")))
    print(f"{'table':>26}{'rows':>12}{'first fill s':>14}{'week s':>10}")
    for table in table_names():
        count = database.query(f"SELECT COUNT(*) AS n FROM {table}")["rows"][0]["n"]
        row = {
            "table": table,
            "rows": count,
            "first_fill_s": first[table],
            "week_s": float(np.median(weekly[table])),
        }
        rows.append(row)
        print(f"{table:>26}{count:>12,}{row['first_fill_s']:>14.2f}{row['week_s']:>10.3f}")
    print(f"{'all':>26}{'':>12}{sum(first.values()):>14.2f}{sum(r['week_s'] for r in rows):>10.3f}")
    if arguments.json:
        arguments.json.write_text(json.dumps({"kernel_ms": kernel * 1e3, "tables": rows}, indent=1))


if __name__ == "__main__":
    main()
