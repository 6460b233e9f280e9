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
    """A bias would make |z| grow with the number of our seeds.

    The bound on single cells is for samples of like size. With many of our seeds, the error of a
    cell is that of the recording's 16 runs alone, and where those happen to be alike it is too
    small: on day 56 of T2 none of them had had an outage for days (their largest share of open
    issues is 0.494; ours after an outage within three days average 0.59), so that cell and its
    relatives stand out.
    """
    few, many = compare(QUICK), compare(LONG)
    z = np.array([cell.z for cell in many])
    growth = np.abs(z).mean() / np.mean([abs(cell.z) for cell in few])
    print(f"sd of z {z.std():.2f}, mean |z| grows by a factor {growth:.2f}")
    assert 0.7 <= z.std() <= 1.4
    assert growth < 1.2
