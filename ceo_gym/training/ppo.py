"""A training run: begin or go on, update, evaluate, keep."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ceo_gym.runs.files import write_atomically
from ceo_gym.training import checkpoints, curve, policy
from ceo_gym.training.extras import require_sb3
from ceo_gym.training.settings import Settings

SETTINGS, CURVE, MODEL, BEST = "settings.json", "curve.csv", "model.npz", "best.npz"
LAST_RATE = 0.1  # of the learning rate, at the end of the budget
Progress = Callable[["State"], None]


@dataclass
class State:
    """How far a run has come.

    Attributes:
        updates: of the learner.
        steps: weeks played.
        seconds: of training, without the time between a kill and the next start.
        share: of the budget that is used, from 0 to 1.
        mean_usd: of the last evaluation, NaN before the first.
        best_usd: the highest mean of an evaluation so far.
        ended_usd: final cash of the companies that ended in training since the last evaluation.
    """

    updates: int = 0
    steps: int = 0
    seconds: float = 0.0
    share: float = 0.0
    mean_usd: float = float("nan")
    best_usd: float = float("-inf")
    ended_usd: list[float] = field(default_factory=list)


def train(
    settings: Settings,
    out: Path,
    *,
    steps: int | None = None,
    minutes: float | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> State:
    """Train until a budget is used up; the same call again goes on from the last checkpoint.

    The directory has ``settings.json``, ``curve.csv`` (an evaluation a row, see `curve.Point`),
    ``model.npz`` (the policy at the end, see `policy.Trained`), ``best.npz`` (the policy with the
    best evaluation on tuning seeds), ``checkpoints`` and ``tensorboard``.

    Args:
        settings: of the run; the same as in the directory if there is one.
        out: directory of the run.
        steps: budget of weeks, counted from the beginning of the run; a whole update more may be
            played.
        minutes: budget of wall time, counted over all starts of the run.
        workers: 1 plays all companies in this process; with more, each has a process of its own.
            The numbers that come out are the same.
        progress: called after every update.

    Returns:
        How far the run has come.

    Raises:
        ModuleNotFoundError: without the extra ``sb3``, naming the pip line.
        ValueError: for no budget, or a directory of other settings.
        OSError: if the directory cannot be written.
    """
    require_sb3()
    if steps is None and minutes is None:
        raise ValueError("a training run needs a budget: steps, minutes or both")
    for name, budget in (("steps", steps), ("minutes", minutes)):
        if budget is not None and budget <= 0:
            raise ValueError(f"{name} must be above 0, not {budget}")
    _claim(out, settings)
    from ceo_gym.training.learner import Learner

    run = _Run(settings, out, steps, minutes, progress)
    learner = Learner(settings, out, parallel=workers > 1)
    try:
        run.go(learner)
    finally:
        learner.close()
    return run.state


class _Run:
    """The loop of a run."""

    def __init__(
        self,
        settings: Settings,
        out: Path,
        steps: int | None,
        minutes: float | None,
        progress: Progress | None,
    ) -> None:
        self.state = State()
        self._settings, self._out, self._progress = settings, out, progress
        self._steps, self._seconds = steps, None if minutes is None else 60.0 * minutes
        self._points: list[curve.Point] = []
        self._began = time.monotonic()

    def go(self, learner: Any) -> None:
        kept = checkpoints.found(self._out / "checkpoints")
        if kept:
            self.state = State(**checkpoints.progress_of(kept[-1]))
            learner.resume(kept[-1])
        else:
            learner.begin()
        self._began = time.monotonic() - self.state.seconds
        self._clock()  # the budget may be another than it was
        # what came after the last checkpoint is done again
        self._points = [
            point for point in curve.read(self._out / CURVE) if point.update <= self.state.updates
        ]
        if not self._points:
            self._evaluate(learner)
        while self.state.share < 1.0:
            rate = 1.0 - (1.0 - LAST_RATE) * self.state.share
            self.state.ended_usd += learner.update(self._settings.learning_rate * rate)
            self.state.updates += 1
            self.state.steps = learner.steps
            self._clock()
            if self.state.updates % self._settings.eval_every == 0 or self.state.share >= 1.0:
                self._evaluate(learner)
            if self.state.updates % self._settings.checkpoint_every == 0 or self.state.share >= 1.0:
                self._keep(learner)
            if self._progress is not None:
                self._progress(self.state)

    def _clock(self) -> None:
        self.state.seconds = time.monotonic() - self._began
        parts = [0.0]
        if self._steps is not None:
            parts.append(self.state.steps / self._steps)
        if self._seconds is not None:
            parts.append(self.state.seconds / self._seconds)
        self.state.share = min(1.0, max(parts))

    def _evaluate(self, learner: Any) -> None:
        cash, bankrupt = learner.evaluate()
        self._clock()
        ended, self.state.ended_usd = self.state.ended_usd, []
        point = curve.Point(
            update=self.state.updates,
            steps=self.state.steps,
            seconds=round(self.state.seconds, 1),
            mean_usd=float(cash.mean()),
            median_usd=float(np.median(cash)),
            min_usd=float(cash.min()),
            max_usd=float(cash.max()),
            bankrupt=bankrupt,
            seeds=len(cash),
            training_mean_usd=float(np.mean(ended)) if ended else float("nan"),
        )
        self._points.append(point)
        curve.write(self._out / CURVE, self._points)
        policy.write(self._out / MODEL, learner.model, self._settings)
        self.state.mean_usd = point.mean_usd
        if point.mean_usd > self.state.best_usd:
            self.state.best_usd = point.mean_usd
            policy.write(self._out / BEST, learner.model, self._settings)

    def _keep(self, learner: Any) -> None:
        checkpoints.save(
            self._out / "checkpoints",
            self.state.updates,
            learner.model,
            asdict(self.state),
            keep=self._settings.keep,
        )


def _claim(out: Path, settings: Settings) -> None:
    """Write the settings, or check that they are the same."""
    path = out / SETTINGS
    if not path.exists():
        text = json.dumps(settings.as_dict(), indent=1) + "\n"
        write_atomically(path, text.encode())
        return
    try:
        there = Settings.from_dict(json.loads(path.read_text(encoding="utf-8")))
    except (TypeError, ValueError) as error:
        raise ValueError(f"{path} is not the settings of a training run: {error}") from error
    old, new = there.as_dict(), settings.as_dict()
    other = [f"{n} is {old[n]!r} there and {new[n]!r} here" for n in new if old[n] != new[n]]
    if other:
        raise ValueError(
            f"{out} belongs to another training run: {'; '.join(other)}. Give another directory"
        )
