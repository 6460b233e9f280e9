"""The environments that the wrappers of this room can read."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
from gymnasium import spaces


def company_env(env: gym.Env[Any, Any], wrapper: object, space: str = "") -> Any:
    """The ceo-gym environment below all wrappers.

    Args:
        env: what is to be wrapped.
        wrapper: who wraps it, for the error.
        space: ``"action_space"`` or ``"observation_space"``, if that must be a Dict.

    Raises:
        TypeError: if it is no ceo-gym environment, or has lost its Dict.
    """
    base: Any = env.unwrapped
    name = type(wrapper).__name__
    if not hasattr(base, "describe"):
        raise TypeError(f"{name} wraps a ceo-gym environment, not {env}")
    if space and not isinstance(getattr(env, space), spaces.Dict):
        raise TypeError(f"{name} needs the Dict {space} of the environment; {env} has another")
    return base
