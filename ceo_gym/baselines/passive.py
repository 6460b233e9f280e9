"""Doing nothing: the company of day 0 pays for its smallest platform and nobody ever comes."""

from __future__ import annotations

from typing import Any

import gymnasium as gym


class Passive:
    """Makes no decision.

    Args:
        env: any env of the package.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        self._company: Any = env.unwrapped

    def reset(self, seed: int | None = None) -> None:
        """Nothing to get ready."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """The action that changes nothing."""
        return self._company.noop_action()
