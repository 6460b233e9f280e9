"""The shape of a policy, and the built-in ones by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import gymnasium as gym

from ceo_gym.baselines.passive import Passive
from ceo_gym.baselines.random import Random
from ceo_gym.baselines.rule_based import RuleBased
from ceo_gym.baselines.steady import Steady
from ceo_gym.simulators.common.parameters import nearest


class Policy(Protocol):
    """Decides what a company does, week by week, from what a player may see."""

    def reset(self, seed: int | None = None) -> None:
        """Get ready for a new game; `seed` is for the policy's own randomness."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """The action for the coming week."""


POLICIES: dict[str, Callable[[gym.Env[Any, Any]], Policy]] = {
    "passive": Passive,
    "random": Random,
    "steady": Steady,
    "rule_based": RuleBased,
}


def make_policy(name: str, env: gym.Env[Any, Any]) -> Policy:
    """A new policy by name.

    Args:
        name: one of `POLICIES`.
        env: a company env, of which the policy takes the names and shapes of observation and
            action.

    Raises:
        ValueError: if there is none of that name.
    """
    if name not in POLICIES:
        raise ValueError(f"no policy {name!r}; {nearest(name, POLICIES)}")
    return POLICIES[name](env)
