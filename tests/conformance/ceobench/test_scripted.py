"""Scripted policies against the recordings of the published program."""

import csv
import gzip
from collections.abc import Iterator

import numpy as np
import pytest

from tests.conformance.ceobench.scripted import play
from tests.conformance.shared import shared_file

MAIN = "conformance/ceobench_reference.csv.gz"
EARLY = "conformance/ceobench_reference_early.csv.gz"
SEEDS = range(2_000, 2_032)


def recorded(name: str, policy: str) -> Iterator[dict[str, str]]:
    with gzip.open(shared_file(name), "rt") as file:
        yield from (row for row in csv.DictReader(file) if row["policy"] == policy)


def test_passive_company_equals_the_recording_to_the_dollar() -> None:
    reference = {(r["seed"], int(r["day"])): float(r["cash"]) for r in recorded(MAIN, "P0")}
    ours = play("P0", 1, 500)
    assert len(ours["day"]) == 500
    for (_, day), cash in reference.items():
        if day <= 500:
            assert ours["cash"][day - 1] == cash
    assert ours["cash"][-1] == 957_500.0


@pytest.fixture(scope="module")
def growth() -> list[dict[str, np.ndarray]]:
    return [play("P2", seed, 112) for seed in SEEDS]


@pytest.mark.parametrize("day", [28, 56, 84, 112])
@pytest.mark.parametrize("metric", ["cash", "subs", "leads_all", "mrr"])
def test_growth_policy(growth: list, day: int, metric: str) -> None:
    rows = [*recorded(MAIN, "P2"), *recorded(EARLY, "P2")]
    theirs = np.array([float(r[metric]) for r in rows if int(r["day"]) == day])
    assert len(theirs) == 24
    ours = np.array([run[metric][day - 1] for run in growth])
    error = np.hypot(ours.std(ddof=1) / len(ours) ** 0.5, theirs.std(ddof=1) / len(theirs) ** 0.5)
    gap = ours.mean() - theirs.mean()
    print(
        f"day {day} {metric}: {ours.mean():.1f} against {theirs.mean():.1f}, z {gap / error:+.2f}"
    )
    assert abs(gap) <= max(3 * error, 0.03 * abs(theirs.mean()))
