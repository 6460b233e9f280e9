"""The simulator has not become slow: ratios of costs within one run, never seconds.

Both sides of a ratio are timed in turns, each the best of several rounds of CPU time, so that other
jobs on the machine disturb them alike; a ratio above its limit is measured once more.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from benchmarks.companies import growing, settled
from benchmarks.timing import best
from ceo_gym.simulators.ceobench import World

# name -> largest ratio that passes, and what was measured when the limit was set
LIMITS = {
    "empty week / small kernels": (6.9, 4.3),
    "empty step / small kernels": (12.0, 7.2),
    "settled week / kernels, 10,000": (8.5, 5.2),
    "settled week / kernels, 40,000": (4.4, 2.7),
    "growing week / kernels, 10,000": (13.6, 8.5),
    "save and restore / kernels, 10,000": (22.0, 14.0),
    # four times the customers: at most linear less the fixed cost
    "settled week, 40,000 / 10,000": (3.4, 2.1),
    # what is recorded for the tables and for study
    "settled business / none, 10,000": (2.0, 1.15),
    "growing business / none, 10,000": (2.0, 1.16),
    "settled full / none, 10,000": (2.5, 1.3),
}
SMALL = 100  # accounts whose kernels take as long as calling NumPy does
ROUNDS = 5
Work = Callable[[], float]  # least CPU seconds of a round


def kernels(accounts: int) -> Work:
    """A day's arithmetic on all accounts, seven times: what a week can hardly do without.

    Thirty multiply-adds, a gather by group, a sum by group and a uniform draw for every account.
    """
    rng = np.random.default_rng(1)
    x, y = rng.random((2, accounts))
    group = rng.integers(0, 26, accounts)
    table, out = rng.random(26), np.empty(accounts)

    def days(_: None) -> None:
        for _day in range(7):
            for _term in range(30):
                np.multiply(x, 0.5, out=out)
                np.add(out, y, out=out)
            np.add(table.take(group), out, out=out)
            np.bincount(group, weights=out, minlength=26)
            rng.random(out=out)

    return lambda: best(1, lambda: None, days)


def week(maker: Callable[..., World], size: int, record: str = "none") -> Work:
    """One and the same week of a company, after another that is not timed."""
    snapshot = _snapshot(maker, size, record)

    def prepare() -> World:
        world = World.restore(snapshot)
        world.step_week()
        return world

    return lambda: best(1, prepare, World.step_week)


@cache
def _snapshot(maker: Callable[..., World], size: int, record: str) -> bytes:
    return maker(size, record=record).save()


def saves(size: int) -> Work:
    world = World.restore(_snapshot(settled, size, "none"))
    return lambda: best(1, lambda: None, lambda _: World.restore(world.save()))


def step() -> Work:
    """A step of an env without customers, observation included."""
    env: Any = gym.make("ceo_gym:CEOBench-v0", record="none").unwrapped

    def prepare() -> dict[str, Any]:
        env.reset(seed=1)
        env.step(env.noop_action())
        return env.noop_action()

    return lambda: best(1, prepare, env.step)


def recorded(maker: Callable[..., World], record: str) -> tuple[Work, Work]:
    return week(maker, 10_000, record), week(maker, 10_000)


SIDES: dict[str, Callable[[], tuple[Work, Work]]] = {
    "empty week / small kernels": lambda: (week(settled, 0), kernels(SMALL)),
    "empty step / small kernels": lambda: (step(), kernels(SMALL)),
    "settled week / kernels, 10,000": lambda: (week(settled, 10_000), kernels(10_000)),
    "settled week / kernels, 40,000": lambda: (week(settled, 40_000), kernels(40_000)),
    "growing week / kernels, 10,000": lambda: (week(growing, 10_000), kernels(10_000)),
    "save and restore / kernels, 10,000": lambda: (saves(10_000), kernels(10_000)),
    "settled week, 40,000 / 10,000": lambda: (week(settled, 40_000), week(settled, 10_000)),
    "settled business / none, 10,000": lambda: recorded(settled, "business"),
    "growing business / none, 10,000": lambda: recorded(growing, "business"),
    "settled full / none, 10,000": lambda: recorded(settled, "full"),
}


def ratio(name: str) -> float:
    """Both sides in turns; the best of each."""
    ours, theirs = SIDES[name]()
    rounds = [(ours(), theirs()) for _ in range(ROUNDS)]
    return min(a for a, _ in rounds) / min(b for _, b in rounds)


@pytest.mark.parametrize("name", LIMITS)
def test_costs_keep_their_ratio(name: str) -> None:
    limit, _ = LIMITS[name]
    found = [ratio(name)]
    if found[0] > limit:
        found.append(ratio(name))
    assert min(found) <= limit, f"{name}: {found} against a limit of {limit}"


def test_every_ratio_has_a_limit() -> None:
    assert LIMITS.keys() == SIDES.keys()
    for limit, measured in LIMITS.values():
        assert measured < limit
