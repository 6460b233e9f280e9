"""Scripted policies against the recordings of the published program; a part of `make conformance`.

The whole comparison, with the later days and all policies, is `report.py`.
"""

import numpy as np
import pytest

from tests.conformance.ceobench import compare
from tests.conformance.ceobench.runner import EARLY, EARLY_DAYS, HORIZON, MAIN, played, recorded
from tests.conformance.shared import shared_file

SEEDS = 32
FIRST_DAY = 14


@pytest.fixture(autouse=True)
def recordings() -> None:
    shared_file(MAIN), shared_file(EARLY)


def test_passive_company_equals_the_recording_to_the_dollar() -> None:
    ours, theirs = played("P0", 1), recorded("P0", MAIN)
    assert ours.values.shape[1] == HORIZON
    assert (ours.of("cash")[0] == theirs.of("cash")).all()
    assert ours.of("cash")[0, -1] == 957_500.0


@pytest.mark.parametrize("policy", ["P1", "P2", "P3", "P4"])
def test_early_days(policy: str) -> None:
    ours = played(policy, SEEDS, EARLY_DAYS)
    theirs = recorded(policy, MAIN, EARLY).upto(EARLY_DAYS)
    assert len(theirs.values) == 24
    found = compare.cells(ours, theirs, np.arange(FIRST_DAY, EARLY_DAYS + 1))
    assert found.agree.mean() >= 0.98
    assert found.agree[found.varied].mean() >= 0.98
    assert np.mean(found.z[found.varied] ** 2) <= 2.0
