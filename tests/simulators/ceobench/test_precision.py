"""Attributes and moods in float32 change nothing that anyone could notice."""

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import World
from tests.golden import runs
from tests.properties import decisions


@pytest.mark.parametrize("profile", runs.PROFILES)
@pytest.mark.parametrize("run", runs.RUNS)
def test_float32_plays_the_same_game(
    run: str, profile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """126 days of thousands of customers: cash to a ten-thousandth, hardly a decision differs."""
    single = np.array(runs.trajectory(run, profile))

    class Double(World):
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs, real=np.float64)

    for module in (runs, decisions):
        monkeypatch.setattr(module, "World", Double)
    double = np.array(runs.trajectory(run, profile))
    assert single.shape == double.shape
    scale = np.abs(double).max(axis=0)
    assert (np.abs(single - double) <= 1e-4 * scale + 3).all()


def test_columns_have_the_asked_type() -> None:
    assert World().population.satisfaction.dtype == np.float32
    assert World(real=np.float64).population.satisfaction.dtype == np.float64
    assert World(real=np.float64).population.effective_usd.dtype == np.float64
    assert World().population.effective_usd.dtype == np.float64
