"""Same seed and decisions, same bits: in any process, whatever the hash seed."""

import hashlib
import os
import random
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.baselines import make_policy
from ceo_gym.simulators.ceobench import World

PROGRAM = "from tests.properties.test_determinism import played; print(played({seed}))"


def played(seed: int) -> str:
    """What the company of the steady policy comes to, in a few letters."""
    env = gym.make("ceo_gym:CEOBench-v0", params={"clock.horizon_days": 120})
    policy, ended = make_policy("steady", env), False
    observation, info = env.reset(seed=seed)
    while not ended:
        observation, _, ended, _, info = env.step(policy.act(observation, info))
    return hashlib.sha256(env.unwrapped.save_state()).hexdigest()


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
    assert result.stdout.strip() == played(11)


def test_other_seeds_differ_and_globals_are_untouched() -> None:
    before = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002 - the global one
    assert played(11) != played(12)
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # noqa: NPY002


def test_worlds_in_one_process_do_not_touch_each_other() -> None:
    alone = played(11)
    other = World(99)
    other.set_prices(A=3)
    other.step_week()
    assert played(11) == alone
