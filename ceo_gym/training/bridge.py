"""Vector envs of Gymnasium as the vector envs of stable-baselines3."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from numpy.typing import NDArray
from stable_baselines3.common.vec_env.base_vec_env import VecEnv

Indices = int | Iterable[int] | None


class GymnasiumVecEnv(VecEnv):
    """What stable-baselines3 learns on, from what Gymnasium makes.

    With ``gym.make_vec(..., vectorization_mode="async")`` every env has a process of its own and
    observations come back through shared memory. Every sub-env gives, bit for bit, what it gives in
    a `DummyVecEnv`.

    * `seed` and `set_options` reach the next `reset`, as in the vector envs of stable-baselines3.
    * At the end of an episode the observation is the first one of the next, and ``infos[k]`` has
      ``terminal_observation``, what else the last step said, and ``TimeLimit.truncated``.
    * `env_method("action_masks")` gives MaskablePPO its masks.

    Args:
        vector: a vector env with the autoreset mode ``SAME_STEP`` or ``DISABLED``. In
            ``NEXT_STEP``, Gymnasium's default, the step after an end ignores its action, and a
            learner would take it for a decision.

    Raises:
        TypeError: if `vector` is no vector env.
        ValueError: for the mode ``NEXT_STEP``, or a vector env that does not tell its mode.
    """

    def __init__(self, vector: VectorEnv[Any, Any, Any]) -> None:
        if not isinstance(vector, VectorEnv):
            raise TypeError(f"the bridge takes a Gymnasium VectorEnv, not {vector!r:.80}")
        mode = vector.metadata.get("autoreset_mode")
        if mode not in (AutoresetMode.SAME_STEP, AutoresetMode.DISABLED):
            raise ValueError(
                f"the vector env has the autoreset mode {mode}; make it with "
                'vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}'
            )
        self.vector: Any = vector
        self._resets_itself = mode is AutoresetMode.SAME_STEP
        self._actions: Any = None
        super().__init__(
            vector.num_envs, vector.single_observation_space, vector.single_action_space
        )

    def reset(self) -> Any:
        """Begin an episode in every env; returns the observations."""
        options = self._options[0]
        if any(each != options for each in self._options):
            raise ValueError("a Gymnasium vector env takes the same reset options for all its envs")
        observations, infos = self.vector.reset(seed=list(self._seeds), options=options or None)
        self.reset_infos = [info_of(infos, k) for k in range(self.num_envs)]
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: NDArray[Any]) -> None:
        """Keep the actions; they are sent by `step_wait`."""
        self._actions = actions

    def step_wait(self) -> Any:
        """Step every env: observations, rewards, ends and infos."""
        observations, rewards, terminated, truncated, infos = self.vector.step(self._actions)
        ended = terminated | truncated
        each = [info_of(infos, k) for k in range(self.num_envs)]
        last = observations
        if ended.any() and not self._resets_itself:
            # rows of those that go on are the same in both
            observations, fresh = self.vector.reset(options={"reset_mask": ended.copy()})
        for k in range(self.num_envs):
            if ended[k] and self._resets_itself:
                final, info = each[k].pop("final_obs"), each[k].pop("final_info")
                each[k], self.reset_infos[k] = info, each[k]
                each[k]["terminal_observation"] = final
            elif ended[k]:
                self.reset_infos[k] = info_of(fresh, k)
                each[k]["terminal_observation"] = _row(last, k)
            each[k]["TimeLimit.truncated"] = bool(truncated[k] and not terminated[k])
        return observations, rewards.astype(np.float32), ended, each

    def close(self) -> None:
        """End the envs and their processes."""
        self.vector.close()

    # --- attributes and methods of sub-envs ---

    def has_attr(self, attr_name: str) -> bool:
        """Whether the envs have an attribute; a worker that is asked for a missing one dies."""
        return all(self.vector.call("has_wrapper_attr", attr_name))

    def get_attr(self, attr_name: str, indices: Indices = None) -> list[Any]:
        """An attribute of each env; a method is called, since Gymnasium does so."""
        self._require(attr_name)
        values = self.vector.get_attr(attr_name)
        return [values[k] for k in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Indices = None) -> None:
        """Set an attribute to one value in all envs.

        Raises:
            ValueError: for some of the envs, which Gymnasium has no way for.
        """
        self._all(indices)
        self.vector.set_attr(attr_name, [value] * self.num_envs)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Indices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method of every env.

        Raises:
            ValueError: for some of the envs, which Gymnasium has no way for.
        """
        self._all(indices)
        self._require(method_name)
        return list(self.vector.call(method_name, *method_args, **method_kwargs))

    def env_is_wrapped(
        self, wrapper_class: type[gym.Wrapper], indices: Indices = None
    ) -> list[bool]:
        """Whether each env has a wrapper of that name, by the names it prints."""
        names = [re.findall(r"\w+", text) for text in self.vector.call("__str__")]
        return [wrapper_class.__name__ in names[k] for k in self._get_indices(indices)]

    def _all(self, indices: Indices) -> None:
        if list(self._get_indices(indices)) != list(range(self.num_envs)):
            raise ValueError("a Gymnasium vector env calls and sets in all its envs, not in some")

    def _require(self, name: str) -> None:
        if not self.has_attr(name):
            raise AttributeError(f"the envs have no attribute {name!r}")


def info_of(infos: dict[str, Any], k: int) -> dict[str, Any]:
    """The info of one env out of the merged one of a vector env.

    Args:
        infos: with an array or dict a key, and under ``_<key>`` which envs have the key.
        k: position of the env.
    """
    mine: dict[str, Any] = {}
    for key, value in infos.items():
        if key.startswith("_") or not infos[f"_{key}"][k]:
            continue
        mine[key] = info_of(value, k) if isinstance(value, dict) else value[k]
    return mine


def _row(observations: Any, k: int) -> Any:
    """A copy of the observation of one env."""
    if isinstance(observations, dict):
        return {name: _row(part, k) for name, part in observations.items()}
    return np.array(observations[k])
