"""The statistics of the comparison: they pass what is alike and reject what is not."""

import numpy as np
import pytest

from tests.conformance.ceobench.compare import FAMILIES, bankruptcies, cells, family, permutation
from tests.conformance.ceobench.runner import MAIN, Runs, _table
from tests.conformance.shared import shared_file

METRICS = ("cash", "subs", "usage", "sat_S1", "pmi")
DAYS = 60


def runs(seeds: int, seed: int, shift: float = 0.0) -> Runs:
    """Random walks; `shift` is what they gain a day, in standard deviations of a step."""
    rng = np.random.default_rng(seed)
    steps = rng.standard_normal((seeds, DAYS, len(METRICS))) + shift
    return Runs(METRICS, 1_000.0 + steps.cumsum(axis=1))


def stopped(of: Runs, days: np.ndarray) -> Runs:
    values = of.values.copy()
    for row, day in zip(values, days):
        row[day:] = np.nan
        row[day - 1, 0] = -1.0 if day < DAYS else 1.0
    return Runs(of.metrics, values)


def test_samples_of_one_world_agree() -> None:
    ours, theirs = runs(32, 1), runs(24, 2)
    found = cells(ours, theirs, np.arange(10, DAYS + 1))
    assert found.varied.all()
    assert found.agree.mean() > 0.98
    assert np.mean(found.z**2) < 2.5
    shuffled = permutation(ours, theirs, 10)
    assert shuffled.mean_square < shuffled.limit
    assert shuffled.last_day == 59


def test_a_drift_is_seen() -> None:
    ours, theirs = runs(32, 1, 0.3), runs(8, 2)
    shuffled = permutation(ours, theirs, 10)
    assert shuffled.mean_square > shuffled.limit
    assert all(share < 0.02 for _, share in shuffled.by_family.values())


def test_constants_are_compared_exactly() -> None:
    ours, theirs = runs(32, 1), runs(24, 2)
    ours.values[:, :, 1], theirs.values[:, :, 1] = 7.0, 7.0
    ours.values[:, :, 2], theirs.values[:, :, 2] = 7.0, 8.0
    found = cells(ours, theirs, np.array([DAYS]))
    assert found.z[1] == 0.0
    assert np.isinf(found.z[2])
    assert found.agree[[1, 2]].tolist() == [True, False]
    assert found.varied.tolist() == [True, False, False, True, True]


def test_cells_need_living_episodes() -> None:
    theirs = stopped(runs(8, 2), np.array([20, 25, 30, DAYS, DAYS, DAYS, DAYS, DAYS]))
    found = cells(runs(32, 1), theirs, np.array([24, 40]))
    assert set(found.day) == {24}
    assert permutation(runs(32, 1), theirs, 7, every=1).last_day == 20


@pytest.mark.parametrize(("ours", "theirs", "alike"), [(30, 30, True), (20, 45, False)])
def test_days_of_bankruptcy(ours: int, theirs: int, alike: bool) -> None:
    rng = np.random.default_rng(3)
    first = stopped(runs(32, 1), np.minimum(ours + rng.integers(0, 14, 32), DAYS))
    second = stopped(runs(16, 2), np.minimum(theirs + rng.integers(0, 14, 16), DAYS))
    assert (bankruptcies(first, second, DAYS) > 0.01) is alike


def test_no_bankruptcies_are_alike() -> None:
    assert bankruptcies(runs(4, 1), runs(4, 2), DAYS) == 1.0


def test_every_recorded_metric_has_a_family() -> None:
    shared_file(MAIN)
    assert {family(metric) for metric in _table(MAIN)[0]} == set(FAMILIES)
