"""Whole-system acceptance without surges (day_loop.md 11): means over seeds against recordings."""

import csv
from typing import NamedTuple

import numpy as np
import pytest

from tests.conformance.ceobench.loads import play
from tests.conformance.shared import shared_file

LOADS = ("T1", "T2", "T3")
QUICK, LONG = 24, 96  # seeds


class Cell(NamedTuple):
    load: str
    day: int
    metric: str
    z: float


def compare(seeds: int) -> list[Cell]:
    """z of every recorded (load, day, metric): difference of means over the combined error."""
    path = shared_file("spec/ceobench/params/reference_trajectories_customers.csv")
    with path.open() as file:
        rows = [row for row in csv.DictReader(file) if row["surges"] == "off"]
    cells = []
    for load in LOADS:
        runs = [play(load, seed) for seed in range(5_000, 5_000 + seeds)]
        for row in rows:
            if row["policy"] != load:
                continue
            key = (int(row["day"]), row["metric"])
            ours = np.array([run[key] for run in runs if key in run])
            assert len(ours) >= 2, f"{load}: no values of {key}"
            error = np.hypot(
                ours.std(ddof=1) / len(ours) ** 0.5, float(row["sd"]) / int(row["n"]) ** 0.5
            )
            gap = ours.mean() - float(row["mean"])
            if error == 0.0:
                assert gap == 0.0, f"{load} {key}: constant {ours.mean()}, recorded {row['mean']}"
            cells.append(Cell(load, *key, gap / error if error else 0.0))
    return cells


def accept(cells: list[Cell]) -> None:
    z = np.array([cell.z for cell in cells])
    worst = sorted(cells, key=lambda cell: -abs(cell.z))[:8]
    report = f"{len(z)} cells, mean z {z.mean():+.2f}, sd {z.std():.2f}; worst: " + "; ".join(
        f"{c.load} day {c.day} {c.metric} {c.z:+.2f}" for c in worst
    )
    print(report)
    assert 0.7 <= z.std() <= 1.4, report
    assert abs(z).max() <= 4.5, report


def test_24_seeds() -> None:
    accept(compare(QUICK))


@pytest.mark.slow
def test_96_seeds_show_no_drift() -> None:
    """A bias would make |z| grow with the number of our seeds."""
    few, many = compare(QUICK), compare(LONG)
    accept(many)
    growth = np.mean([abs(c.z) for c in many]) / np.mean([abs(c.z) for c in few])
    assert growth < 1.2
