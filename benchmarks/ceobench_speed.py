"""How long a simulated week of the company world takes, by size of the company.

    python -m benchmarks.ceobench_speed [--json FILE]

Each figure is the best of several plays of the same week from a snapshot; the last column sets it
against a NumPy kernel of known cost measured in the same run (one exponential of a million
numbers), so that runs on different machines can be compared. The reference's recorded cost of a
week is 0.015 CPU seconds with no customers and about 28 microseconds per customer and day.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.customers import draw_prospects

SIZES = (0, 1_150, 11_600, 116_000)  # about 0, 1, 10 and 100 thousand after the first month


def company(size: int, record: str) -> World:
    """A company with `size` individuals of the three first groups, billing days spread evenly.

    Made rather than grown, so that every size has the same mix; then played for a month, with
    signing-up switched off, until satisfaction and issues have settled.
    """
    params = {"surges.probability_per_day": 0.0, "competitors.enabled": False}
    world = World(seed=1, record=record, params=params)
    world.company.cash_usd = 1e9
    world.set_prices(A=20, B=40, C=80)
    world.set_model_tiers(A=4, B=5, C=5)
    world.set_usage_quotas(A=300, B=800, C=100_000)
    world.set_daily_spend(operations=0.15 * size)
    capacity = world.params.capacity_tiers.capacity_units_per_day
    world.set_capacity_tier(min(int(np.searchsorted(capacity, 300.0 * size)), len(capacity) - 1))
    world.market.quality_shared = 1.5
    world.market.info_level[:] = 0  # unknown groups send nobody: the company stays as it is
    if size:
        counts = np.zeros(len(world.params.groups.ids), np.int64)
        counts[:3] = np.diff(np.linspace(0, size, 4).astype(int))
        zero = np.zeros(len(counts))
        people = draw_prospects(
            counts,
            world.params,
            world.streams,
            quality_shift=zero,
            budget_shift=zero,
            deal_velocity=zero + 1.0,
        )
        plan = np.arange(size) % 3
        everybody = np.random.default_rng(1).permutation(size)  # groups mixed, as in a grown one
        world.sign_up(people, everybody, np.arange(size) + 2, plan, np.zeros(size))
        population = world.population
        population.anchor[:] = np.arange(size) % 30
        population.start_day[:] = 0
        population.rate[:] = population.usage
        population.first_bill_done[:] = True
        world.company.next_customer_id = size + 2
    for _ in range(5):
        world.step_week()
    return world


def week_seconds(size: int, record: str, rounds: int = 15) -> tuple[float, int]:
    """Best time of one and the same week, and the accounts in it."""
    snapshot = company(size, record).save()
    best = np.inf
    for _ in range(rounds):
        world = World.restore(snapshot)
        world.step_week()  # what a long run does not pay: first touches of memory and code
        start = time.perf_counter()
        world.step_week()
        best = min(best, time.perf_counter() - start)
    return best, len(world.population)


def kernel_seconds() -> float:
    """Best time of one exponential of a million numbers."""
    numbers, best = np.linspace(0.0, 1.0, 1_000_000), np.inf
    for _ in range(20):
        start = time.perf_counter()
        np.exp(numbers)
        best = min(best, time.perf_counter() - start)
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path, help="also write the figures to this file")
    arguments = parser.parse_args()
    kernel = kernel_seconds()
    print(f"exp of a million numbers: {kernel * 1e3:.2f} ms")
    heads = (
        "record",
        "accounts",
        "ms/week",
        "weeks/s",
        "ns/account/day",
        "net of empty",
        "x kernel",
    )
    print("".join(f"{head:>16}" for head in heads))
    rows = []
    for record in ("none", "business"):
        empty = 0.0
        for size in SIZES:
            seconds, accounts = week_seconds(size, record)
            empty = empty or seconds
            account_days = 7 * accounts if accounts else float("nan")
            row = {
                "record": record,
                "accounts": accounts,
                "ms_per_week": seconds * 1e3,
                "weeks_per_second": 1 / seconds,
                "ns_per_account_and_day": seconds / account_days * 1e9,
                "ns_per_account_and_day_net_of_empty_week": (seconds - empty) / account_days * 1e9,
                "times_kernel": seconds / kernel,
            }
            rows.append(row)
            figures = [v if isinstance(v, (str, int)) else f"{v:.2f}" for v in row.values()]
            print("".join(f"{figure:>16}" for figure in figures))
    if arguments.json:
        arguments.json.write_text(json.dumps({"kernel_ms": kernel * 1e3, "weeks": rows}, indent=1))


if __name__ == "__main__":
    main()
