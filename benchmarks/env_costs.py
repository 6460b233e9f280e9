"""What the environment adds to the world's week: looking, reading actions, masks, by profile."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import gymnasium as gym
import numpy as np

from benchmarks.companies import FIRST_GROUPS, settled
from benchmarks.tables import Row
from benchmarks.timing import Yardstick
from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.sections import CHANNELS

PROFILES = (("full", "full"), ("core", "full"), ("manager", "full"), ("manager", "compact"))
QUIET = 0  # customers up to which a difference of two weeks is larger than its noise
# decisions that are carried out but change nothing, so that the week after them is the same
BUSY: dict[str, dict[str, Any]] = {
    "full": {
        "price": {"A": 20, "B": 40, "C": 80},
        "quota": {"A": 300, "B": 800, "C": 100_000},
        "ads": {(channel, group): 0.0 for channel in CHANNELS for group in FIRST_GROUPS},
        "dev": dict.fromkeys(FIRST_GROUPS, 0.0),
        "promotion": dict.fromkeys(FIRST_GROUPS, 0.0),
        "bulk_op": {"new_lead": "list_price", "lead_counter": "accept"},
    },
    "manager": {"price": {"A": 1e-6}, "offers": "list_price"},
}
BUSY["core"] = {name: value for name, value in BUSY["full"].items() if name != "promotion"}


def costs(yardstick: Yardstick, sizes: Sequence[int], rounds: int) -> Iterator[Row]:
    """Microseconds beyond the world's own week, for profiles of actions and observations.

    A step less the week is taken at the same state in turns, each the best of all rounds; large
    companies drown it in the noise of their week, which is why it is given for small ones only.
    What an observation and a mask cost is timed alone.
    """
    for size in sizes:
        world = settled(size, record="none")
        world.market.info_level[: len(FIRST_GROUPS)] = 1  # known, so that decisions reach them
        snapshot = world.save()
        for actions, obs in PROFILES:
            yield _row(yardstick, snapshot, size, actions, obs, rounds)


def _row(
    yardstick: Yardstick, snapshot: bytes, size: int, actions: str, obs: str, rounds: int
) -> Row:
    env: Any = gym.make("ceo_gym:CEOBench-v0", actions=actions, obs=obs, record="none").unwrapped
    env.reset(seed=1)
    noop, busy = env.noop_action(), env.action(**BUSY[actions])
    found = dict.fromkeys(("week", "step", "busy", "look", "mask"), np.inf)

    def timed(name: str, work: Callable[[], Any]) -> None:
        start = time.process_time()
        work()
        found[name] = min(found[name], time.process_time() - start)

    for _ in range(rounds):
        gc.collect()  # now rather than on the clock
        for name in ("week", "step", "busy"):
            env._world = World.restore(snapshot)  # the made company in place of the env's own
            env.step(noop)
            work = {
                "week": env.world.step_week,
                "step": lambda: env.step(noop),
                "busy": lambda: env.step(busy),
            }[name]
            timed(name, work)
        timed("look", env.observe)
        timed("mask", env.action_mask)
    beyond = found["step"] - found["week"] if size <= QUIET else None
    reading = found["busy"] - found["step"] if size <= QUIET else None
    return {
        "actions": actions,
        "obs": obs,
        "size": size,
        "week_us": found["week"] * 1e6,
        "noop_step_beyond_us": _microseconds(beyond),
        "busy_action_us": _microseconds(reading),
        "observation_us": found["look"] * 1e6,
        "mask_us": found["mask"] * 1e6,
        **yardstick.ratios(found["look"]),
    }


def _microseconds(seconds: float | None) -> float | None:
    return None if seconds is None else seconds * 1e6
