"""Same seed and decisions, same bits: in any process, whatever the hash seed."""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ceo_gym.baselines import make_policy
from ceo_gym.simulators.ceobench import World

PROGRAM = """
import hashlib
from ceo_gym.baselines import make_policy
from ceo_gym.simulators.ceobench import World
world, policy = World({seed}, params={{"clock.horizon_days": 120}}), make_policy("steady")
while not world.ended:
    policy.decide(world)
    world.step_week()
print(hashlib.sha256(world.save()).hexdigest())
"""


def in_this_process(seed: int) -> str:
    world = World(seed, params={"clock.horizon_days": 120})
    policy = make_policy("steady")
    while not world.ended:
        policy.decide(world)
        world.step_week()
    return hashlib.sha256(world.save()).hexdigest()


@pytest.mark.parametrize("hash_seed", ["0", "1", "random"])
def test_same_bits_in_other_processes(hash_seed: str) -> None:
    result = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(seed=11)],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {"PYTHONHASHSEED": hash_seed},
        cwd=Path(__file__).parents[2],
    )
    assert result.stdout.strip() == in_this_process(11)


def test_other_seeds_differ_and_globals_are_untouched() -> None:
    before = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002 - the global one
    assert in_this_process(11) != in_this_process(12)
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # noqa: NPY002


def test_worlds_in_one_process_do_not_touch_each_other() -> None:
    alone = in_this_process(11)
    other = World(99)
    other.set_prices(A=3)
    other.step_week()
    assert in_this_process(11) == alone
