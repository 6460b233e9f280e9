"""The learning curve: evaluations on tuning seeds while training goes on, one row each in a CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from ceo_gym.runs.files import write_atomically


@dataclass(frozen=True)
class Point:
    """One evaluation of the policy as it was.

    Attributes:
        update: updates so far.
        steps: weeks played for training so far.
        seconds: of training so far, evaluations included.
        mean_usd: mean final cash over the seeds.
        median_usd: the median.
        min_usd: the least.
        max_usd: the most.
        bankrupt: companies that went bankrupt.
        seeds: number of seeds.
        training_mean_usd: mean final cash of the companies that ended in training since the point
            before, with exploration; NaN if none did.
    """

    update: int
    steps: int
    seconds: float
    mean_usd: float
    median_usd: float
    min_usd: float
    max_usd: float
    bankrupt: int
    seeds: int
    training_mean_usd: float


def final_cash(model: Any, env: Any, seeds: int) -> tuple[np.ndarray[Any, Any], int]:
    """Play one company for each tuning seed by the most probable actions.

    Args:
        model: a learner of stable-baselines3.
        env: a `VecNormalize` env of as many companies as seeds; its running means are taken from
            the learner and not changed.
        seeds: tuning seeds 1 to this.

    Returns:
        [seeds] final cash in USD, and how many went bankrupt.
    """
    env.obs_rms, env.training = model.get_env().obs_rms, False
    env.seed(1)  # counted up from env to env
    observation = env.reset()
    cash, over, bankrupt = np.zeros(seeds), np.zeros(seeds, bool), 0
    while not over.all():
        masks = np.stack(env.env_method("action_masks")) if _masked(model) else None
        extra = {} if masks is None else {"action_masks": masks}
        actions, _ = model.predict(observation, deterministic=True, **extra)
        observation, _, ended, infos = env.step(actions)
        for k in np.flatnonzero(ended & ~over):
            cash[k], over[k] = infos[k]["cash_usd"], True
            bankrupt += bool(infos[k]["bankrupt"])
    return cash, bankrupt


def _masked(model: Any) -> bool:
    return type(model).__name__ == "MaskablePPO"


def read(path: Path) -> list[Point]:
    """The points of a CSV, none if there is no file.

    Raises:
        ValueError: if it is not the CSV of a learning curve.
    """
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        if reader.fieldnames != [each.name for each in fields(Point)]:
            raise ValueError(f"{path} is not a learning curve: it has columns {reader.fieldnames}")
        whole = ("update", "steps", "bankrupt", "seeds")
        return [
            Point(**{name: (int if name in whole else float)(v) for name, v in row.items()})  # type: ignore[arg-type]
            for row in reader
        ]


def write(path: Path, points: list[Point]) -> None:
    """Write all points.

    Raises:
        OSError: if the file cannot be written.
    """
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, [each.name for each in fields(Point)], lineterminator="\n")
    writer.writeheader()
    writer.writerows(asdict(point) for point in points)
    write_atomically(path, text.getvalue().encode())
