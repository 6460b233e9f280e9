"""A company in the middle of its game, as one attribute that can be read and written."""

from __future__ import annotations

from typing import Any

import gymnasium as gym


class Snapshot(gym.Wrapper[Any, Any, Any, Any]):
    """Gives an env the attribute `snapshot`.

    A vector env reads and writes attributes of all its envs, each with a value of its own, also
    when they live in other processes; so a checkpoint can hold the companies that were playing.

    Args:
        env: a ceo-gym environment.
    """

    @property
    def snapshot(self) -> dict[str, Any]:
        """The company, and the generator that draws the seeds of later ones."""
        base: Any = self.env.unwrapped
        return {"company": base.save_state(), "generator": base.np_random.bit_generator.state}

    @snapshot.setter
    def snapshot(self, value: dict[str, Any]) -> None:
        base: Any = self.env.unwrapped
        base.restore_state(value["company"])
        base.np_random.bit_generator.state = value["generator"]
