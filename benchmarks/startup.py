"""What it takes until a first company runs, in a fresh interpreter.

python -m benchmarks.startup     # once, printed as JSON
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Iterator

from benchmarks.tables import Row
from benchmarks.timing import Yardstick, in_fresh_process

STEPS = ("import gymnasium", "import ceo_gym", "gym.make", "first reset", "first step")


def costs(yardstick: Yardstick, rounds: int) -> Iterator[Row]:
    """A row a step: least milliseconds of some fresh interpreters; NumPy is loaded before."""
    found = [in_fresh_process("benchmarks.startup") for _ in range(rounds)]
    for step in STEPS:
        seconds = min(one[step] for one in found)
        yield {"step": step, "ms": seconds * 1e3, **yardstick.ratios(seconds)}


def measured() -> dict[str, float]:
    """Seconds of every step in this process, which must be fresh."""
    clock = [time.perf_counter()]
    import gymnasium as gym

    clock.append(time.perf_counter())
    import ceo_gym  # noqa: F401 - what is timed

    clock.append(time.perf_counter())
    env = gym.make("CEOBench-v0", record="none")
    clock.append(time.perf_counter())
    env.reset(seed=1)
    clock.append(time.perf_counter())
    env.step(env.unwrapped.noop_action())  # type: ignore[attr-defined]
    clock.append(time.perf_counter())
    return dict(zip(STEPS, [after - before for before, after in itertools.pairwise(clock)]))


if __name__ == "__main__":
    print(json.dumps(measured()))
    sys.stdout.flush()
