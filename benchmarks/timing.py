"""How things are timed, and the two kernels of known cost that every figure is set against.

CPU seconds of this process unless said otherwise: on a shared machine they do not count waiting
for a core. A figure is the best of several rounds, which other jobs disturb least.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

ROOT = Path(__file__).parents[1]
Ready = TypeVar("Ready")


def cpu_seconds(work: Callable[[], Any]) -> float:
    """CPU seconds of one call."""
    start = time.process_time()
    work()
    return time.process_time() - start


def best(rounds: int, prepare: Callable[[], Ready], work: Callable[[Ready], Any]) -> float:
    """Least CPU seconds of `work` on what `prepare` (not timed) makes anew for every round."""
    found = np.inf
    for _ in range(rounds):
        ready = prepare()
        gc.collect()  # so that garbage of the preparation is not collected on the clock
        start = time.process_time()
        work(ready)
        found = min(found, time.process_time() - start)
    return found


class Yardstick(NamedTuple):
    """Kernels measured in the same run, so that figures of different machines can be compared."""

    exp_seconds: float  # the exponential of a million float64 numbers
    copy_seconds: float  # a copy of 64 MB of memory

    @classmethod
    def measured(cls, rounds: int = 20) -> Yardstick:
        """Both kernels, each the best of some rounds."""
        numbers = np.linspace(0.0, 1.0, 1_000_000)
        out = np.empty_like(numbers)
        source = np.ones(64_000_000, np.uint8)
        target = np.empty_like(source)
        target[:] = 0  # touched, so that no page is mapped on the clock
        nothing: Callable[[], None] = lambda: None  # noqa: E731 - only a placeholder
        return cls(
            best(rounds, nothing, lambda _: np.exp(numbers, out=out)),
            best(rounds, nothing, lambda _: np.copyto(target, source)),
        )

    def ratios(self, seconds: float) -> dict[str, float]:
        """Some seconds as multiples of the kernels."""
        return {
            "times_exp": seconds / self.exp_seconds,
            "times_copy": seconds / self.copy_seconds,
        }


def in_fresh_process(*command: str) -> Any:
    """What a module of the benchmarks prints as JSON when it runs by itself.

    Args:
        command: name of the module and its arguments.
    """
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    result = subprocess.run(
        [sys.executable, "-m", *command],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": path},
    )
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{result.stderr}")
    return json.loads(result.stdout.splitlines()[-1])
