"""A run that was killed goes on, bit for bit, from its last checkpoint."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("stable_baselines3", reason="needs the extra sb3")
pytest.importorskip("sb3_contrib", reason="needs the extra sb3")

from ceo_gym.training import checkpoints, curve, train
from ceo_gym.training.policy import read
from ceo_gym.training.settings import Settings
from tests.training.companies import tiny

STEPS, UPDATES = 180, 15

PROGRAM = """
import sys
from pathlib import Path
from ceo_gym.training import train
from tests.training.companies import tiny
if __name__ == "__main__":
    algorithm, out, workers, steps = sys.argv[1:]
    train(tiny(algorithm=algorithm), Path(out), steps=int(steps), workers=int(workers))
"""


def outcome(out: Path) -> tuple[list[curve.Point], dict[str, np.ndarray]]:
    points = [dataclasses.replace(each, seconds=0.0) for each in curve.read(out / "curve.csv")]
    return points, dict(read(out / "model.npz")[1])


def killed(out: Path, settings: Settings, workers: int) -> None:
    """Start a run and kill it, with its workers, after its second checkpoint."""
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, settings.algorithm, str(out), str(workers), str(STEPS)],
        start_new_session=True,
    )
    try:
        deadline = time.monotonic() + 120
        while not (out / "checkpoints" / "000002").exists():
            assert process.poll() is None, "the run ended by itself"
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize(("algorithm", "workers"), [("ppo", 1), ("ppo", 2), ("maskable_ppo", 1)])
def test_killed_and_resumed_is_uninterrupted(algorithm: str, workers: int, tmp_path: Path) -> None:
    settings, whole, torn = tiny(algorithm=algorithm), tmp_path / "whole", tmp_path / "torn"
    killed(torn, settings, workers)
    done = checkpoints.progress_of(checkpoints.found(torn / "checkpoints")[-1])["updates"]
    assert 2 <= done < UPDATES
    first = train(settings, whole, steps=STEPS)
    second = train(settings, torn, steps=STEPS)
    assert (first.steps, first.updates) == (second.steps, second.updates) == (STEPS, UPDATES)
    points, arrays = outcome(whole)
    points_of_torn, arrays_of_torn = outcome(torn)
    assert repr(points) == repr(points_of_torn)  # NaN is no equal of itself
    for name, array in arrays.items():
        np.testing.assert_array_equal(array, arrays_of_torn[name], err_msg=name)


def test_a_finished_run_stays_and_a_larger_budget_extends_it(tmp_path: Path) -> None:
    settings = tiny()
    assert train(settings, tmp_path, steps=24).updates == 2
    before = (tmp_path / "curve.csv").read_bytes()
    assert train(settings, tmp_path, steps=24).updates == 2
    assert (tmp_path / "curve.csv").read_bytes() == before
    assert train(settings, tmp_path, steps=36).updates == 3
    assert [point.update for point in curve.read(tmp_path / "curve.csv")] == [0, 2, 3]
    kept = checkpoints.found(tmp_path / "checkpoints")
    assert [path.name for path in kept] == ["000002", "000003"]


def test_halves_and_damage(tmp_path: Path) -> None:
    settings = tiny()
    train(settings, tmp_path, steps=24)
    half = tmp_path / "checkpoints" / "000009.part"
    half.mkdir()
    assert len(checkpoints.found(tmp_path / "checkpoints")) == 2
    assert not half.exists()
    (tmp_path / "checkpoints" / "000002" / "state.pkl").write_bytes(b"")
    with pytest.raises(ValueError, match="damaged checkpoint"):
        train(settings, tmp_path, steps=36)


def test_other_settings_and_missing_budgets_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="needs a budget"):
        train(tiny(), tmp_path)
    with pytest.raises(ValueError, match="minutes must be above 0"):
        train(tiny(), tmp_path, minutes=0)
    train(tiny(), tmp_path, steps=12)
    with pytest.raises(ValueError, match=r"another training run: seed is 0 there and 1 here"):
        train(tiny(seed=1), tmp_path, steps=12)
    (tmp_path / "settings.json").write_text("{")
    with pytest.raises(ValueError, match="not the settings of a training run"):
        train(tiny(), tmp_path, steps=12)


def test_minutes_end_a_run(tmp_path: Path) -> None:
    state = train(tiny(), tmp_path, minutes=0.02)
    assert state.share == 1.0
    assert state.seconds >= 1.2
