"""The shape of a policy, the built-in ones by name, and others by module and class."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from importlib import import_module
from typing import Any, Protocol

import gymnasium as gym

from ceo_gym.baselines.oracle import Oracle
from ceo_gym.baselines.passive import Passive
from ceo_gym.baselines.random import Random
from ceo_gym.baselines.rule_based import RuleBased
from ceo_gym.baselines.steady import Steady
from ceo_gym.baselines.tuned import Tuned
from ceo_gym.simulators.common.parameters import nearest


class Policy(Protocol):
    """Decides what a company does, week by week, from what a player may see.

    A class may also have ``env_args(**arguments)``, a static method that says which arguments its
    env must have, such as ``{"actions": "manager"}``; its parameters are those of the policy
    without the env.
    """

    def reset(self, seed: int | None = None) -> None:
        """Get ready for a new game; `seed` is for the policy's own randomness."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """The action for the coming week."""


PolicyClass = Callable[..., Policy]  # of the env, and arguments of its own

POLICIES: dict[str, PolicyClass] = {
    "passive": Passive,
    "random": Random,
    "steady": Steady,
    "rule_based": RuleBased,
    "tuned": Tuned,
    "oracle": Oracle,  # privileged
}


def policy_class(name: str) -> PolicyClass:
    """The class of a policy.

    Args:
        name: one of `POLICIES`, or ``"package.module:Class"`` for any other.

    Raises:
        ValueError: if there is none of that name.
    """
    if name in POLICIES:
        return POLICIES[name]
    module, colon, attribute = name.partition(":")
    if not colon:
        raise ValueError(
            f'no policy {name!r}; {nearest(name, POLICIES)} Your own goes by "module:Class"'
        )
    try:
        return getattr(import_module(module), attribute)
    except (ImportError, AttributeError, ValueError) as error:
        raise ValueError(f"no policy {name!r}: {error}") from error


def make_policy(name: str, env: gym.Env[Any, Any], **arguments: Any) -> Policy:
    """A new policy by name.

    Args:
        name: see `policy_class`.
        env: a company env, of which the policy takes the names and shapes of observation and
            action.
        arguments: of the policy.

    Raises:
        ValueError: if there is none of that name, or it has no such argument.
    """
    found = policy_class(name)
    _check_arguments(name, found, arguments)
    return found(env, **arguments)


def needed_env_args(name: str, **arguments: Any) -> dict[str, Any]:
    """Arguments that the env of a policy must have; empty for most.

    Raises:
        ValueError: if there is none of that name, or it has no such argument.
    """
    found = policy_class(name)
    _check_arguments(name, found, arguments)
    needs = getattr(found, "env_args", None)
    return {} if needs is None else dict(needs(**arguments))


def _check_arguments(name: str, found: PolicyClass, arguments: dict[str, Any]) -> None:
    parameters = list(inspect.signature(found).parameters.values())[1:]  # without the env
    if any(each.kind is each.VAR_KEYWORD for each in parameters):
        return
    known = [each.name for each in parameters]
    for argument in arguments:
        if argument not in known:
            hint = nearest(argument, known) if known else "it has none"
            raise ValueError(f"the policy {name} has no argument {argument!r}; {hint}")
