"""One game of a policy, through the environment, for one seed."""

from __future__ import annotations

import inspect
import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gymnasium as gym

from ceo_gym.baselines import Policy, make_policy, needed_env_args
from ceo_gym.registration import ENVIRONMENTS
from ceo_gym.simulators.common.parameters import nearest

# The environment's own defaults keep books, which no policy reads.
DEFAULT_ENV_ARGS = {"record": "none"}
# An id stands for the first of these, and a picture is no part of a game.
NOT_FOR_USERS = ("variant", "render_mode")


class EpisodeFailed(RuntimeError):
    """A game could not be played to its end; the message names the seed and what was raised."""


@dataclass(frozen=True)
class Episode:
    """What is kept of one game.

    Attributes:
        seed: of world and policy.
        final_cash_usd: cash on the last day; below zero when bankrupt.
        survival_days: days played: the horizon, or the day of bankruptcy.
        bankrupt: whether cash fell below zero.
        reward_sum: undiscounted sum of the rewards, in the units of the env's `reward`.
        weekly_cash_usd: cash before the first week, then at the end of every week.
        cpu_seconds: of the process, from the reset to the end; no part of the outcome.
    """

    seed: int
    final_cash_usd: float
    survival_days: int
    bankrupt: bool
    reward_sum: float
    weekly_cash_usd: tuple[float, ...]
    cpu_seconds: float


@dataclass(frozen=True)
class Game:
    """Which env and policy play, by name, so that any process can make them.

    Attributes:
        env: id of an environment.
        env_args: its arguments, plain JSON values.
        policy: name of a policy, or ``"module:Class"``.
        policy_args: its arguments, plain JSON values.
    """

    env: str
    env_args: dict[str, Any]
    policy: str
    policy_args: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        env: str,
        policy: str,
        env_args: Mapping[str, Any] | None = None,
        policy_args: Mapping[str, Any] | None = None,
    ) -> Game:
        """A game of which the names are known and the arguments can be written down.

        What the policy needs of its env is added to the arguments of the env.

        Raises:
            ValueError: if there is no such env, policy or argument, with the nearest; if a value
                is not plain JSON; or if the policy needs an env with another argument than given.
        """
        env = env.removeprefix("ceo_gym:")
        if env not in ENVIRONMENTS:
            raise ValueError(f"no environment {env!r}; {nearest(env, ENVIRONMENTS)}")
        given, known = dict(env_args or {}), _arguments(env)
        for name in given:
            if name not in known:
                raise ValueError(f"{env} has no argument {name!r}; {nearest(name, known)}")
        given = {name: _plain(name, value) for name, value in given.items()}
        own = {name: _plain(name, value) for name, value in (policy_args or {}).items()}
        needed = needed_env_args(policy, **own)
        for name, value in needed.items():
            if name in given and given[name] != value:
                raise ValueError(
                    f"{policy} needs an env with {name}={json.dumps(value)}, "
                    f"not {json.dumps(given[name])}"
                )
        return cls(env, DEFAULT_ENV_ARGS | needed | given, policy, own)

    def make(self) -> tuple[gym.Env[Any, Any], Policy]:
        """A new env and a new policy for it.

        Raises:
            ValueError: if the env refuses its arguments, or the policy the env.
        """
        env: gym.Env[Any, Any] = gym.make(self.env, **self.env_args)
        return env, make_policy(self.policy, env, **self.policy_args)

    def play(self, seed: int) -> Episode:
        """Play one game from its beginning to its end.

        Env and policy are new, so that nothing of one game is left in another.

        Raises:
            EpisodeFailed: if the policy or the env raised; the cause is what they raised.
        """
        try:
            env, policy = self.make()
            try:
                return _play(env, policy, seed)
            finally:
                env.close()
        except Exception as error:
            raise EpisodeFailed(
                f"{self.policy} in {self.env} failed on seed {seed}: "
                f"{type(error).__name__}: {error}"
            ) from error


def _play(env: gym.Env[Any, Any], policy: Policy, seed: int) -> Episode:
    start = time.process_time()
    observation, info = env.reset(seed=seed)
    policy.reset(seed)
    cash, rewards, over = [float(info["cash_usd"])], 0.0, False
    while not over:
        observation, reward, terminated, truncated, info = env.step(policy.act(observation, info))
        cash.append(float(info["cash_usd"]))
        rewards += float(reward)
        over = terminated or truncated
    return Episode(
        seed=seed,
        final_cash_usd=cash[-1],
        survival_days=int(info["day"]),
        bankrupt=bool(info["bankrupt"]),
        reward_sum=rewards,
        weekly_cash_usd=tuple(cash),
        cpu_seconds=time.process_time() - start,
    )


def _arguments(env: str) -> list[str]:
    """Names of the arguments of an environment."""
    creator: Callable[..., Any] = gym.envs.registration.load_env_creator(
        ENVIRONMENTS[env].entry_point
    )
    return [name for name in inspect.signature(creator).parameters if name not in NOT_FOR_USERS]


def _plain(name: str, value: Any) -> Any:
    """A value as a result file will give it back: tuples are lists."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"the argument {name} must be plain JSON of finite numbers, so that a result file can "
            f"name it and every process can make the same, not {value!r:.80}"
        ) from error
