"""What it costs to run a program in the sandbox, on top of its own time."""

from __future__ import annotations

import shutil
import statistics
import sys
import time
from collections.abc import Iterator

import gymnasium as gym

from benchmarks.tables import Row
from benchmarks.timing import Yardstick
from ceo_gym.wrappers import CodeAction

NM = "import novamind_api as nm\n"
# what a program does -> its text, and how often it does it
PROGRAMS = {
    "nothing": ("pass", 1),
    "imports the client, NumPy and pandas": (NM + "import numpy, pandas", 1),
    "a hundred settings": (NM + "for k in range(100): nm.pricing.set_prices(A=k + 1)", 100),
    "a hundred queries": (NM + "for k in range(100): nm.query('SELECT 1')", 100),
    "a week": (NM + "nm.advance()", 1),
}


def costs(yardstick: Yardstick, rounds: int) -> Iterator[Row]:
    """A row for each kind of program: wall milliseconds, the company's answers taken off.

    The start of the first worker is a row of its own. Wall time, since most of it passes in other
    processes; the median of some rounds.
    """
    if not sys.platform.startswith("linux") or shutil.which("bwrap") is None:
        yield {"program": "not measured: bubblewrap is not installed", **yardstick.ratios(0.0)}
        return
    env = CodeAction(gym.make("ceo_gym:CEOBench-v0"))
    begun = time.perf_counter()
    env.reset(seed=1)
    env.step("pass")
    first = time.perf_counter() - begun
    yield _row("the first of a game, with the start of the worker", [first], yardstick)
    for name, (code, calls) in PROGRAMS.items():
        found = []
        for _ in range(rounds):
            begun = time.perf_counter()
            *_, info = env.step(code)
            found.append(time.perf_counter() - begun - info["answer_seconds"])
            assert info["exit_code"] == 0, info["stderr"]
        yield _row(name, found, yardstick) | ({"us_a_call": _us(found, calls)} if calls > 1 else {})
    env.close()


def _row(name: str, seconds: list[float], yardstick: Yardstick) -> Row:
    middle = statistics.median(seconds)
    worst = max(seconds)
    ratios = yardstick.ratios(middle)
    return {"program": name, "ms": middle * 1e3, "most_ms": worst * 1e3, "us_a_call": "-", **ratios}


def _us(seconds: list[float], calls: int) -> float:
    return statistics.median(seconds) / calls * 1e6
