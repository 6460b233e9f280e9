"""Rewards in other units."""

from __future__ import annotations

import math
from typing import Any

import gymnasium as gym


class RewardScale(gym.RewardWrapper[Any, Any]):
    """Multiply every reward by a constant.

    Args:
        env: an environment.
        scale: finite and above 0.

    Raises:
        ValueError: for another scale.
    """

    def __init__(self, env: gym.Env[Any, Any], scale: float) -> None:
        super().__init__(env)
        if not (math.isfinite(scale) and scale > 0.0):
            raise ValueError(f"scale must be a finite number above 0, not {scale!r}")
        self.scale = float(scale)

    def reward(self, reward: Any) -> float:
        """The reward times the scale."""
        return float(reward) * self.scale
