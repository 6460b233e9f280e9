"""The bridge from Gymnasium's vector envs to those of stable-baselines3."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

pytest.importorskip("stable_baselines3", reason="needs the extra sb3")

from gymnasium.wrappers import TimeLimit
from stable_baselines3.common.vec_env import DummyVecEnv, VecMonitor

from ceo_gym.training.bridge import GymnasiumVecEnv
from ceo_gym.wrappers import FlattenActionDiscrete, SymlogObservation
from tests.envs.test_vector import same
from tests.training.companies import SHORT

SEEDS, STEPS = 3, 10


def company(poor: bool = False, limit: int | None = None) -> gym.Env[Any, Any]:
    params = SHORT | ({"company.initial_cash_usd": 2e4} if poor else {})
    env: gym.Env[Any, Any] = gym.make(
        "ceo_gym:CEOBench-v0",
        actions="manager",
        obs="compact",
        record="none",
        start="configured",
        params=params,
    )
    if limit is not None:
        env = TimeLimit(env, limit)
    return SymlogObservation(FlattenActionDiscrete(env))


MAKERS = (company, lambda: company(poor=True), lambda: company(limit=3))


def bridged(mode: str, autoreset: AutoresetMode) -> GymnasiumVecEnv:
    vector = {"sync": gym.vector.SyncVectorEnv, "async": gym.vector.AsyncVectorEnv}[mode]
    return GymnasiumVecEnv(vector(MAKERS, autoreset_mode=autoreset))


@pytest.mark.parametrize("autoreset", [AutoresetMode.SAME_STEP, AutoresetMode.DISABLED])
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_it_gives_what_a_dummy_vec_env_gives(mode: str, autoreset: AutoresetMode) -> None:
    ours, theirs = bridged(mode, autoreset), DummyVecEnv(list(MAKERS))
    try:
        assert ours.observation_space == theirs.observation_space
        assert ours.action_space == theirs.action_space
        ours.seed(5), theirs.seed(5)
        assert same(ours.reset(), dict(theirs.reset()))
        assert same(ours.reset_infos, theirs.reset_infos)
        ours.action_space.seed(1)
        ends = np.zeros(SEEDS, int)
        for _ in range(STEPS):
            masks = ours.env_method("action_masks")
            assert same(masks, theirs.env_method("action_masks"))
            actions = np.stack([ours.action_space.sample() for _ in MAKERS])
            mine, other = ours.step(actions), theirs.step(actions)
            assert same(mine[0], dict(other[0]))
            np.testing.assert_array_equal(mine[1], other[1])
            np.testing.assert_array_equal(mine[2], other[2])
            assert same(mine[3], other[3])
            assert same(ours.reset_infos, theirs.reset_infos)
            ends += mine[2]
        # by the horizon, by ruin and by a limit, and not together
        assert (ends >= 2).all()
        assert len(set(ends)) > 1
    finally:
        ours.close()
        theirs.close()


def test_the_mode_that_wastes_an_action_is_refused() -> None:
    with pytest.raises(ValueError, match="SAME_STEP"):
        bridged("sync", AutoresetMode.NEXT_STEP)
    with pytest.raises(TypeError, match="VectorEnv"):
        GymnasiumVecEnv(company())  # type: ignore[arg-type]


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_attributes_methods_and_options(mode: str) -> None:
    env = bridged(mode, AutoresetMode.SAME_STEP)
    try:
        assert env.has_attr("action_masks")
        assert not env.has_attr("no_such_thing")
        with pytest.raises(AttributeError, match="no_such_thing"):
            env.get_attr("no_such_thing")
        assert env.env_is_wrapped(SymlogObservation) == [True] * SEEDS
        assert env.env_is_wrapped(TimeLimit, [1, 2]) == [False, True]
        assert env.get_attr("render_mode", 1) == [None]
        env.set_attr("note", 7)
        assert env.get_attr("note") == [7] * SEEDS
        for call in (
            lambda: env.set_attr("note", 1, [0]),
            lambda: env.env_method("report", indices=0),
        ):
            with pytest.raises(ValueError, match="in all its envs"):
                call()
        env.seed(1)
        env.set_options({"start": "empty"})
        env.reset()
        assert [info["start"] for info in env.reset_infos] == ["empty"] * SEEDS
        env.reset()
        assert [info["start"] for info in env.reset_infos] == ["configured"] * SEEDS
        env.set_options([{"start": "empty"}, {}, {}])
        with pytest.raises(ValueError, match="same reset options"):
            env.reset()
    finally:
        env.close()


def test_episodes_are_monitored() -> None:
    env = VecMonitor(bridged("sync", AutoresetMode.SAME_STEP))
    env.seed(1)
    env.reset()
    nothing = np.zeros((SEEDS, *env.action_space.shape), np.int64)  # type: ignore[misc]
    for _ in range(4):
        *_, infos = env.step(nothing)
    assert infos[0]["episode"]["l"] == 4
    assert infos[0]["episode"]["r"] == pytest.approx(infos[0]["cash_usd"] / 1e6 - 1.0, abs=1e-5)
    env.close()
