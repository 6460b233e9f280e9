"""Checkpoints: everything that a training run needs to go on as if nothing had happened.

A checkpoint is a directory that appears under its name only when it is whole. What it holds: the
learner with its optimiser, the running means of `VecNormalize`, all companies in the middle of
their games, the states of the random generators, and how far the run has come.
"""

from __future__ import annotations

import json
import os
import pickle
import random
import shutil
from pathlib import Path
from typing import Any

import numpy as np

LEARNER, STATE, PROGRESS = "learner.zip", "state.pkl", "progress.json"
_BESIDE = ".part"


def save(directory: Path, number: int, model: Any, progress: dict[str, Any], *, keep: int) -> Path:
    """Write a checkpoint and remove the oldest beyond `keep`.

    Args:
        directory: where all checkpoints of a run are.
        number: of updates; names the checkpoint.
        model: a learner of stable-baselines3 on `VecNormalize(VecMonitor(GymnasiumVecEnv))`.
        progress: plain JSON values.
        keep: checkpoints to keep, at least 1.

    Raises:
        OSError: if it cannot be written; earlier ones stay.
    """
    import torch

    directory.mkdir(parents=True, exist_ok=True)
    path, beside = directory / f"{number:06d}", directory / f"{number:06d}{_BESIDE}"
    for old in (path, beside):
        shutil.rmtree(old, ignore_errors=True)
    beside.mkdir()
    model.save(beside / LEARNER)
    normalised = model.get_env()
    monitor = normalised.venv
    state = {
        "normalise": {
            name: getattr(normalised, name) for name in ("obs_rms", "ret_rms", "returns")
        },
        "monitor": (monitor.episode_returns, monitor.episode_lengths),
        "companies": monitor.get_attr("snapshot"),
        "numpy": np.random.get_state(),  # noqa: NPY002 - stable-baselines3 draws from it
        "python": random.getstate(),
        "torch": torch.get_rng_state().numpy(),
    }
    with (beside / STATE).open("wb") as file:
        pickle.dump(state, file)
        file.flush()
        os.fsync(file.fileno())
    (beside / PROGRESS).write_text(json.dumps(progress), encoding="utf-8")
    os.replace(beside, path)
    for old in found(directory)[:-keep]:
        shutil.rmtree(old)
    return path


def found(directory: Path) -> list[Path]:
    """Whole checkpoints, oldest first; halves that a kill left behind are removed."""
    if not directory.is_dir():
        return []
    for half in directory.glob(f"*{_BESIDE}"):
        shutil.rmtree(half)
    return sorted(path for path in directory.iterdir() if path.name.isdigit())


def progress_of(path: Path) -> dict[str, Any]:
    """How far the run had come at a checkpoint.

    Raises:
        ValueError: if the file is damaged.
    """
    try:
        return json.loads((path / PROGRESS).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise ValueError(f"{path} is no checkpoint of a training run: {error}") from error


def restore(path: Path, env: Any, algorithm: type) -> Any:
    """The learner of a checkpoint on an env that goes on where it stood.

    Args:
        path: a checkpoint.
        env: a fresh `VecNormalize(VecMonitor(GymnasiumVecEnv))` of the same settings.
        algorithm: class of the learner.

    Raises:
        ValueError: if the checkpoint is damaged or of another number of companies.
    """
    import torch

    try:
        with (path / STATE).open("rb") as file:
            state = pickle.load(file)
    except (OSError, EOFError, pickle.UnpicklingError) as error:
        raise ValueError(f"{path} is a damaged checkpoint: {error}") from error
    if len(state["companies"]) != env.num_envs:
        raise ValueError(f"{path} has {len(state['companies'])} companies, not {env.num_envs}")
    env.reset()  # a vector env steps only after a reset
    for name, value in state["normalise"].items():
        setattr(env, name, value)
    monitor = env.venv
    monitor.episode_returns, monitor.episode_lengths = state["monitor"]
    monitor.venv.vector.set_attr("snapshot", state["companies"])
    model = algorithm.load(path / LEARNER, env=env, device="cpu", force_reset=False)  # type: ignore[attr-defined]
    np.random.set_state(state["numpy"])  # noqa: NPY002 - stable-baselines3 draws from it
    random.setstate(state["python"])
    torch.set_rng_state(torch.from_numpy(state["torch"]))
    return model
