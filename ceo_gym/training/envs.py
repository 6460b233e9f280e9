"""The companies that are trained on: wrappers, vectors, and the wrappers by hand."""

from __future__ import annotations

from functools import partial
from typing import Any

import gymnasium as gym
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers import FilterObservation, FlattenObservation

from ceo_gym.training.prior import Around
from ceo_gym.training.settings import Settings
from ceo_gym.training.snapshot import Snapshot
from ceo_gym.wrappers import (
    FlattenActionDiscrete,
    GrowthReward,
    SymlogObservation,
    TargetAction,
)

# What a week's decisions are about; threads, accounts and single groups are left out, since the
# action does not name them either.
SEEN = (
    "time",
    "company",
    "week",
    "ledger_week",
    "plan_config",
    "plan_stats",
    "capacity",
    "spend",
    "quality",
    "global_settings",
    "macro",
)


def wrapped(env: gym.Env[Any, Any], algorithm: str) -> gym.Env[Any, Any]:
    """A company as the algorithm sees and steers it: a flat box in, a flat vector out.

    Args:
        env: a company env with ``actions="manager"`` and ``obs="full"``.
        algorithm: see `Settings`.
    """
    acting: gym.Env[Any, Any]
    acting = (
        FlattenActionDiscrete(env) if algorithm == "maskable_ppo" else Around(TargetAction(env))
    )
    return FlattenObservation(FilterObservation(SymlogObservation(acting), SEEN))


def make_env(settings: Settings) -> gym.Env[Any, Any]:
    """A company of a training run."""
    made: gym.Env[Any, Any] = gym.make(f"ceo_gym:{settings.env}", **settings.company_args)
    return Snapshot(wrapped(GrowthReward(made), settings.algorithm))


def make_vector(settings: Settings, number: int, *, parallel: bool) -> VectorEnv[Any, Any, Any]:
    """Companies side by side.

    Args:
        settings: of the run.
        number: of companies.
        parallel: whether each has a process of its own.
    """
    makers = [partial(make_env, settings)] * number
    how = AutoresetMode.SAME_STEP
    if parallel:
        # spawned, since a fork of a process with the threads of torch may hang
        return gym.vector.AsyncVectorEnv(makers, autoreset_mode=how, context="spawn")
    return gym.vector.SyncVectorEnv(makers, autoreset_mode=how)


def seen(env: gym.Env[Any, Any], observation: Any) -> Any:
    """What the wrappers make of an observation of the company below them."""
    if env is env.unwrapped:
        return observation
    assert isinstance(env, gym.Wrapper)
    below = seen(env.env, observation)
    return env.observation(below) if isinstance(env, gym.ObservationWrapper) else below


def decided(env: gym.Env[Any, Any], action: Any) -> Any:
    """What the wrappers make of an action, for the company below them."""
    while isinstance(env, gym.Wrapper):
        if isinstance(env, gym.ActionWrapper):
            action = env.action(action)
        env = env.env
    return action
