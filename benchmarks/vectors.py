"""Two envs in one process against two processes, by size of the company.

Wall time, since waiting is what is measured. Both sides step the same number of the same envs in
turns, and each figure is the best of several rounds. Beside the ratio stands what two processes of
plain arithmetic reached in the same turns: much below 2, the machine has no second core to give,
and no vector env could do better.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from functools import partial
from multiprocessing.pool import Pool
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv

from benchmarks.companies import STILL, UNSATURATED, settled
from benchmarks.tables import Row
from benchmarks.timing import Yardstick

NUM_ENVS = 2
# what a learner sees and does, and everything there is
PROFILES = {
    "compact, manager": {"obs": "compact", "actions": "manager"},
    "full, full": {"obs": "full", "actions": "full"},
}


class Founded(gym.Wrapper[Any, Any, Any, Any]):
    """An env whose every episode begins with a made company.

    Args:
        size: customers of the company.
        **arguments: of the env.
    """

    def __init__(self, size: int, **arguments: Any) -> None:
        params = STILL | UNSATURATED
        super().__init__(gym.make("ceo_gym:CEOBench-v0", params=params, record="none", **arguments))
        company: Any = self.env.unwrapped
        company.reset(seed=1)
        company._world = settled(size, record="none")
        self._saved = company.save_state()

    def reset(self, **arguments: Any) -> tuple[Any, dict[str, Any]]:
        """Begin with the made company, whatever the seed."""
        _, info = self.env.reset(**arguments)
        company: Any = self.env.unwrapped
        company.restore_state(self._saved)
        return company.observe(), info


def scaling(
    yardstick: Yardstick, sizes: Sequence[int], rounds: int, least_seconds: float
) -> Iterator[Row]:
    """Steps a second of all envs together, and what the second process brings.

    Args:
        yardstick: kernels of this run.
        sizes: customers of each company.
        rounds: of each side, in turns.
        least_seconds: length of a round on one process, by which the number of steps is chosen.
    """
    with multiprocessing.Pool(NUM_ENVS) as pool:
        yield from _scaling(yardstick, sizes, rounds, least_seconds, pool)


def _scaling(
    yardstick: Yardstick,
    sizes: Sequence[int],
    rounds: int,
    least_seconds: float,
    pool: Pool,
) -> Iterator[Row]:
    for size in sizes:
        for profile, arguments in PROFILES.items():
            makers = [partial(Founded, size, **arguments)] * NUM_ENVS
            both: tuple[VectorEnv[Any, Any, Any], ...] = (
                SyncVectorEnv(makers),
                AsyncVectorEnv(makers),
            )
            try:
                yield _row(yardstick, size, profile, both, rounds, least_seconds, pool)
            finally:
                for vector in both:
                    vector.close()


def _row(
    yardstick: Yardstick,
    size: int,
    profile: str,
    both: tuple[VectorEnv[Any, Any, Any], ...],
    rounds: int,
    least_seconds: float,
    pool: Pool,
) -> Row:
    single: Any = both[0].envs[0].unwrapped  # type: ignore[attr-defined]
    idle = single.noop_action()
    action = {name: np.stack([value] * NUM_ENVS) for name, value in idle.items()}
    trial = _seconds_a_step(both[0], action, 2)
    steps = int(np.clip(least_seconds / trial, 2, 60))  # within an episode
    best, plain = [np.inf, np.inf], [0.0, 0.0]
    for _ in range(rounds):
        for k, vector in enumerate(both):
            best[k] = min(best[k], _seconds_a_step(vector, action, steps))
            done = pool.map(_arithmetic, [least_seconds / 4] * (k + 1), chunksize=1)
            plain[k] = max(plain[k], sum(done))
    one, two = (NUM_ENVS / seconds for seconds in best)
    return {
        "obs_actions": profile,
        "size": size,
        "steps_a_second_one_process": one,
        "steps_a_second_two_processes": two,
        "ratio": two / one,
        "ratio_of_plain_arithmetic": plain[1] / plain[0],
        **yardstick.ratios(1 / two),
    }


def _seconds_a_step(vector: VectorEnv[Any, Any, Any], action: Any, steps: int) -> float:
    vector.reset()
    vector.step(action)  # first touches of memory after the company has been put in
    start = time.perf_counter()
    for _ in range(steps):
        vector.step(action)
    return (time.perf_counter() - start) / steps


def _arithmetic(seconds: float) -> float:
    """Kernels a second of this process."""
    numbers = np.linspace(0.0, 1.0, 10_000)
    out, done = np.empty_like(numbers), 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        np.exp(numbers, out=out)
        done += 1
    return done / seconds
