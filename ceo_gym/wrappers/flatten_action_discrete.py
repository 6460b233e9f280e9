"""One list of small choices instead of the Dict action, with masks."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ceo_gym.envs.ceobench.keys import switches
from ceo_gym.wrappers.base import company_env
from ceo_gym.wrappers.flatten_action_box import FlattenActionBox
from ceo_gym.wrappers.scales import DEAD_ZONE


class FlattenActionDiscrete(gym.ActionWrapper[Any, NDArray[np.int64], Any]):
    """Act by a `MultiDiscrete` list of choices; all zeros change nothing.

    Choices of the Dict action stay as they are. Every number becomes `levels` choices beside
    "leave it": for amounts, 0 and then steps on a logarithmic scale up to the upper bound (for
    prices, which are never 0, only such steps); for numbers in [-1, 1], steps from -1 to 1
    without 0.

    Args:
        env: a ceo-gym environment with a Dict action.
        levels: choices of a number beside "leave it", at least 2 and even.

    Raises:
        ValueError: for another number of levels.
        TypeError: for another environment.
    """

    def __init__(self, env: gym.Env[Any, Any], levels: int = 4) -> None:
        super().__init__(env)
        company_env(env, self, "action_space")
        if not isinstance(levels, int) or levels < 2 or levels % 2:
            raise ValueError(f"levels must be an even number of at least 2, not {levels!r}")
        self._flat = FlattenActionBox(env)
        down = np.linspace(-1.0, 0.0, levels // 2, endpoint=False)
        self._signed = np.concatenate([down, -down[::-1]])
        self._prices = np.linspace(DEAD_ZONE, 1.0, levels + 1)[1:]
        self._amounts = np.concatenate([[-1.0], np.linspace(DEAD_ZONE, 1.0, levels)[1:]])
        counts: list[int] = []
        self._kinds: list[Any] = []  # per cell: number of options, or the levels of a number
        base: Any = env.unwrapped
        for key, size in zip(self._flat._keys, self._flat._sizes):
            if key.options:
                counts += [len(key.options)] * size
                self._kinds += [len(key.options)] * size
                continue
            space = base.action_space[key.key]
            signed = (space.low == -1.0).all() and (space.high == 1.0).all()
            numbers = self._signed if signed else self._amounts
            counts += [levels + 1] * size
            self._kinds += [self._prices if key.positive else numbers] * size
        self._counts = np.array(counts)
        self.action_space = spaces.MultiDiscrete(self._counts)

    @property
    def cells(self) -> list[str]:
        """Name of the key of each choice, in their order."""
        return self._flat.cells

    def action(self, action: NDArray[np.int64]) -> dict[str, Any]:
        """The Dict action of a list of choices.

        Raises:
            ValueError: if the list is not in the action space.
        """
        choices = np.asarray(action)
        n = len(self._kinds)
        if choices.dtype.kind not in "iub" or choices.shape != (n,):
            raise ValueError(
                f"an action is {n} whole numbers, not {choices.dtype} of shape {choices.shape}"
            )
        wrong = (choices < 0) | (choices >= self._counts)
        if wrong.any():
            cell = int(np.argmax(wrong))
            raise ValueError(
                f"choice {cell} of an action is a number from 0 to {self._counts[cell] - 1}, "
                f"not {choices[cell]}"
            )
        vector = np.zeros(len(self._kinds))
        for cell, (kind, choice) in enumerate(zip(self._kinds, choices.tolist())):
            if choice:
                options = isinstance(kind, int)
                vector[cell] = choice / (kind - 1) if options else kind[choice - 1]
        return self._flat.action(vector)

    def action_masks(self) -> NDArray[np.bool_]:
        """Whether each choice of each cell can be carried out now, cell after cell.

        As MaskablePPO of sb3-contrib reads it. Choice 0 is always open.
        """
        base: Any = self.env.unwrapped
        mask, parts = base.action_mask(), []
        companions = {key.key: key for key in base.action_keys}
        for key, size in zip(self._flat._keys, self._flat._sizes):
            if key.options:
                own = mask[key.key]
                rows = own if key.shape else (own,)
                # an empty slot closes every choice; leaving the cell alone is still a choice
                parts += [np.array([True, *choices[1:]], np.bool_) for choices in rows]
                continue
            table = np.ones((size, len(self._signed) + 1), np.bool_)
            if key.companion:  # a cell whose switch is closed can only be left alone
                companion = companions[key.companion]
                switch = np.array(mask[companion.key])[:, 1].astype(np.bool_)
                table[:, 1:] = switch[switches(key, companion), None]
            parts.append(table.ravel())
        return np.concatenate(parts)
