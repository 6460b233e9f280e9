"""Observations of a size that networks like."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

LIMIT = 25.0
# unit -> size below which the scale is about linear; other units stay as they are
SCALES = {
    "USD": 1_000.0,
    "USD/month": 10.0,
    "USD/day": 100.0,
    "accounts": 1.0,
    "seats": 1.0,
    "prospects": 1.0,
    "leads": 1.0,
    "threads": 1.0,
    "tickets": 1.0,
    "messages": 1.0,
    "deals": 1.0,
    "posts": 1.0,
    "views": 1.0,
    "units": 10_000.0,
    "units/day": 100.0,
    "ms": 100.0,
    "min": 60.0,
    "days": 30.0,
}


class SymlogObservation(gym.ObservationWrapper[Any, Any, Any]):
    """Replace every real number x of size s by sign(x) ln(1 + |x| / s), within [-25, 25].

    s depends on the unit of the cell: a thousand for dollars, so that a billion becomes 13.8.
    Shares, qualities and labels stay as they are; masks and choices are untouched. There is no
    running mean, so an observation has the same value in every run.

    Args:
        env: a ceo-gym environment.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        base: Any = env.unwrapped
        described = base.describe()["observation"]
        self._scale: dict[str, NDArray[np.float32]] = {}
        new: dict[str, spaces.Space[Any]] = {}
        for name, space in base.observation_space.spaces.items():
            if not isinstance(space, spaces.Box):
                new[name] = space
                continue
            scale = np.zeros(space.shape, np.float32)
            for cell in described[name]["cells"].values():
                scale[cell["index"]] = SCALES.get(cell["unit"], 0.0)
            self._scale[name] = scale
            low, high = (self._symlog(name, bound) for bound in (space.low, space.high))
            new[name] = spaces.Box(low, high, dtype=np.float32)
        self.observation_space = spaces.Dict(new)

    def observation(self, observation: Any) -> Any:
        """The observation on the new scale."""
        return {
            name: self._symlog(name, value) if name in self._scale else value
            for name, value in observation.items()
        }

    def _symlog(self, name: str, value: NDArray[Any]) -> NDArray[np.float32]:
        scale = self._scale[name]
        some = scale > 0.0
        size = np.log1p(np.abs(value) / np.where(some, scale, 1.0))
        scaled = np.where(some, np.sign(value) * size, value)
        return np.clip(scaled, -LIMIT, LIMIT).astype(np.float32)
