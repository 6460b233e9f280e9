"""Bias and spread of `max_agents`: many seeds of three games with and without it.

    python -m benchmarks.approximation [--seeds 32] [--workers 1] [--cache FILE] [--pages]

Games that are over count on later days with their last cash and without customers. Each game is
kept in the cache, so that an interrupted study goes on.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks import pages
from benchmarks.episodes import weeks
from benchmarks.tables import Row, text
from benchmarks.timing import ROOT

DAYS = (90, 180, 365)
FIRST_SEED = 3_000
CASES: dict[str, tuple[int, ...]] = {"P2": (20_000, 2_000), "P3": (20_000, 2_000)}
CASES |= {"million": (20_000,)}
MEASURES = ("cash", "subscribers")


def game(case: tuple[str, int, int]) -> tuple[tuple[str, int, int], list[list[float]]]:
    """[days][cash, subscribers] of a game; limit 0 stands for none."""
    name, limit, seed = case
    found: list[list[float]] = []
    for world in weeks(name, seed, record="none", max_agents=limit or None):
        while len(found) < len(DAYS) and world.day >= DAYS[len(found)]:
            day = DAYS[len(found)]
            cash = float(world.history.cash_usd[day])
            found.append([cash, float(world.population.accounts.sum())])
        if len(found) == len(DAYS):
            break
    cash = float(world.company.cash_usd)
    return case, found + [[cash, 0.0]] * (len(DAYS) - len(found))


def all_cases(seeds: int) -> Iterator[tuple[str, int, int]]:
    """Games by name, limit and seed."""
    for name, limits in CASES.items():
        for limit in (*limits, 0):
            for seed in range(FIRST_SEED, FIRST_SEED + seeds):
                yield name, limit, seed


def study(seeds: int, workers: int, cache: Path) -> dict[tuple[str, int, int], list[list[float]]]:
    """Results by case; those in the cache are not played again."""
    found = {}
    if cache.exists():
        for line in cache.read_text(encoding="utf-8").splitlines():
            case, values = json.loads(line)
            found[tuple(case)] = values
    missing = [case for case in all_cases(seeds) if case not in found]
    cache.parent.mkdir(parents=True, exist_ok=True)
    with multiprocessing.get_context("spawn").Pool(workers) as pool, cache.open("a") as file:
        for case, values in pool.imap_unordered(game, missing):
            found[case] = values
            file.write(json.dumps([case, values]) + "\n")
            file.flush()
    return found


def rows(found: dict[tuple[str, int, int], list[list[float]]], seeds: int) -> list[Row]:
    """Means with and without, their difference, and how the spread over seeds compares."""
    table = []
    every = range(FIRST_SEED, FIRST_SEED + seeds)
    for name, limits in CASES.items():
        full = np.array([found[name, 0, seed] for seed in every])
        for limit in limits:
            some = np.array([found[name, limit, seed] for seed in every])
            for d, day in enumerate(DAYS):
                for m, measure in enumerate(MEASURES):
                    a, b = full[:, d, m], some[:, d, m]
                    error = a.std(ddof=1) / np.sqrt(seeds)
                    table.append(
                        {
                            "game": name,
                            "max_agents": limit,
                            "day": day,
                            "measure": measure,
                            "everyone": a.mean(),
                            "merged": b.mean(),
                            "difference_percent": 100 * (b.mean() - a.mean()) / abs(a.mean()),
                            "difference_errors": (b.mean() - a.mean()) / error,
                            "spread_ratio": b.std(ddof=1) / a.std(ddof=1),
                            "same_seed_percent": 100
                            * float(np.median(np.abs(b - a) / np.maximum(np.abs(a), 1.0))),
                        }
                    )
    return table


def main() -> None:
    """Play what is missing, print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=32)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--cache", type=Path, default=ROOT / "runs/approximation.jsonl")
    parser.add_argument("--pages", action="store_true", help="fill the table of the docs")
    asked = parser.parse_args()
    table = rows(study(asked.seeds, asked.workers, asked.cache), asked.seeds)
    print(text(table))
    if asked.pages:
        pages.fill_all({"crowd": table})


if __name__ == "__main__":
    main()
