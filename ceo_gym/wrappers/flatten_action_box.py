"""One flat box of numbers in [-1, 1] instead of the Dict action."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ceo_gym.wrappers.base import company_env
from ceo_gym.wrappers.scales import amount, written


class FlattenActionBox(gym.ActionWrapper[Any, NDArray[Any], Any]):
    """Act by one vector in [-1, 1]; the zero vector changes nothing.

    Works with every action profile; ``make(..., actions="manager")`` is the one meant for
    learning. The cells follow the keys of the Dict action in their order:

    * an amount with a switch of its own: left alone within 0.1 of zero; above, written on a
      logarithmic scale from 0 to its upper bound; below, written as 0, or left alone if it is a
      price, which is never 0;
    * an amount without a switch: the same, 0 within 0.1 of zero;
    * a number that is itself in [-1, 1]: as it is;
    * a choice among n: zero and below are choice 0 (keep or nothing), the rest of the interval is
      shared by the others;
    * switches and the player's own forecasts have no cells.

    Args:
        env: a ceo-gym environment with a Dict action.

    Raises:
        TypeError: for another environment.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        keys = company_env(env, self, "action_space").action_keys
        companions = {key.companion for key in keys if key.companion}
        self._keys = [
            key for key in keys if key.key not in companions and not key.key.startswith("forecast")
        ]
        self._sizes = [int(np.prod(key.shape)) for key in self._keys]
        size = sum(self._sizes)
        self.action_space = spaces.Box(-1.0, 1.0, (size,), np.float32)

    @property
    def cells(self) -> list[str]:
        """Name of the key of each number, in their order."""
        return [key.key for key, size in zip(self._keys, self._sizes) for _ in range(size)]

    def action(self, action: NDArray[Any]) -> dict[str, Any]:
        """The Dict action of a vector.

        Raises:
            ValueError: if the vector is not in the action space.
        """
        given, shape = np.asarray(action), self.action_space.shape
        if given.dtype.kind not in "iufb" or given.shape != shape:
            raise ValueError(
                f"an action is numbers in [-1, 1] of shape {shape}, not {given.dtype} of shape "
                f"{given.shape}"
            )
        vector = given.astype(np.float64)
        if not (np.abs(vector) <= 1.0).all():
            wrong = int(np.argmin(np.abs(vector) <= 1.0))
            raise ValueError(
                f"an action is numbers in [-1, 1]; number {wrong} is {vector[wrong]:g}"
            )
        base: Any = self.env.unwrapped
        result: dict[str, Any] = base.noop_action()
        parts = np.split(vector, np.cumsum(self._sizes)[:-1])
        for key, z in zip(self._keys, parts):
            if key.options:
                steps = len(key.options) - 1
                choice = np.ceil(np.clip(z, 0.0, 1.0) * steps - 1e-9).astype(np.int64)
                result[key.key] = choice if key.shape else np.int64(choice[0])
                continue
            space = base.action_space[key.key]
            z = z.reshape(key.shape)
            if (space.low == -1.0).all() and (space.high == 1.0).all():
                result[key.key] = z.astype(np.float32)
                continue
            value = amount(z, space.high.astype(np.float64), key.unit).astype(np.float32)
            result[key.key] = np.minimum(value, space.high)
            if key.companion:
                base.switch_on(result, key.key, written(z, key.positive))
        return result
