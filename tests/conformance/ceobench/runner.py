"""Plays scripted policies on many seeds, in processes, and reads the recordings."""

import csv
import gzip
import os
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from rich.progress import Progress

from ceo_gym.simulators.ceobench import Rules
from tests.conformance.ceobench.scripted import RULES, play
from tests.conformance.shared import SHARED

MAIN = "conformance/ceobench_reference.csv.gz"
EARLY = "conformance/ceobench_reference_early.csv.gz"
HORIZON = 500
EARLY_DAYS = 119
FIRST_SEED = 2_000
KEYS = ("policy", "seed", "day")


class Runs(NamedTuple):
    """Daily values of many seeds under one policy; NaN where there is no value."""

    metrics: tuple[str, ...]
    values: np.ndarray  # [seeds, days, metrics], from day 1; NaN after an episode has stopped

    def upto(self, days: int) -> "Runs":
        return Runs(self.metrics, self.values[:, :days])

    def of(self, metric: str) -> np.ndarray:
        """[seeds, days] values of a metric."""
        return self.values[:, :, self.metrics.index(metric)]

    @property
    def last_day(self) -> np.ndarray:
        """[seeds] last day played."""
        return np.isfinite(self.of("cash")).sum(axis=1)


@cache
def _table(name: str) -> tuple[tuple[str, ...], dict[str, dict[str, np.ndarray]]]:
    """Metrics of a recording, and policy -> seed -> [days, metrics]."""
    rows: dict[str, dict[str, list[list[float]]]] = {}
    with gzip.open(SHARED / name, "rt") as file:
        reader = csv.reader(file)
        head = next(reader)
        assert tuple(head[:3]) == KEYS
        for policy, seed, day, *cells in reader:
            if int(day) <= HORIZON:
                of_seed = rows.setdefault(policy, {}).setdefault(seed, [])
                assert len(of_seed) == int(day) - 1
                of_seed.append([float(cell) if cell else np.nan for cell in cells])
    arrays = {
        policy: {seed: np.array(days) for seed, days in seeds.items()}
        for policy, seeds in rows.items()
    }
    return tuple(head[3:]), arrays


def recorded(policy: str, *names: str) -> Runs:
    """All recorded seeds of a policy in the named files."""
    runs: list[np.ndarray] = []
    metrics: tuple[str, ...] = ()
    for name in names:
        metrics, arrays = _table(name)
        runs += arrays.get(policy, {}).values()
    return Runs(metrics, _stacked(runs))


def played(
    policy: str,
    seeds: int,
    days: int = HORIZON,
    *,
    progress: Progress | None = None,
    rules: Rules = RULES,
    params: Mapping[str, Any] | None = None,
) -> Runs:
    """Our runs of a policy, in the metrics of the recordings."""
    metrics = _table(MAIN)[0]
    numbers = range(FIRST_SEED, FIRST_SEED + seeds)
    jobs = [(policy, seed, days, metrics, rules, params) for seed in numbers]
    if progress is None and seeds * days < 4_000:
        return Runs(metrics, _stacked([_one(job) for job in jobs]))
    runs: dict[int, np.ndarray] = {}
    bar = progress.add_task(policy, total=seeds) if progress else None
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        futures = {pool.submit(_one, job): job[1] for job in jobs}
        for future in as_completed(futures):
            runs[futures[future]] = future.result()
            if progress and bar is not None:
                progress.advance(bar)
    return Runs(metrics, _stacked([runs[seed] for seed in sorted(runs)]))


def _one(job: tuple[str, int, int, tuple[str, ...], Rules, Mapping[str, Any] | None]) -> np.ndarray:
    policy, seed, days, metrics, rules, params = job
    rows = play(policy, seed, days, rules, params)
    return np.stack([np.asarray(rows[metric], float) for metric in metrics], axis=1)


def _stacked(runs: Sequence[np.ndarray] | Iterable[np.ndarray]) -> np.ndarray:
    runs = list(runs)
    days = max(len(run) for run in runs)
    stacked = np.full((len(runs), days, runs[0].shape[1]), np.nan)
    for row, run in zip(stacked, runs):
        row[: len(run)] = run
    return stacked
