"""Frozen trajectories: a world of a version never changes its outcomes.

The tolerance leaves room for the last bits of arithmetic in other NumPy versions, not for a
different draw or decision.
"""

import json

import pytest

from tests.golden.renew import FILE
from tests.golden.runs import FIELDS, PROFILES, RUNS, trajectory

GOLDEN = json.loads(FILE.read_text())


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("run", RUNS)
def test_trajectory_is_as_it_was(run: str, profile: str) -> None:
    assert tuple(GOLDEN["fields"]) == FIELDS
    weeks, frozen = trajectory(run, profile), GOLDEN[f"{run} {profile}"]
    assert len(weeks) == len(frozen)
    for week, then in zip(weeks, frozen):
        assert week == pytest.approx(then, rel=1e-6)


def test_profiles_differ() -> None:
    assert GOLDEN["busy published"] != GOLDEN["busy repaired"]
