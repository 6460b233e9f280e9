"""A trained policy as one file, and the class that plays it. Needs NumPy only."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
from numpy.typing import NDArray

from ceo_gym.runs.files import write_atomically
from ceo_gym.training.settings import Settings

FORMAT, VERSION = "ceo-gym trained policy", 1
Arrays = Mapping[str, NDArray[Any]]
SHIPPED = str(Path(__file__).with_name("ppo-CEOBench-v0.npz"))


class Trained:
    """Plays what `ceo-gym train` has learned: the most probable action of every week.

    The file holds the weights of the network, the running means that observations are normalised
    by, and the settings of the training run, so that env and wrappers are made as they were then.
    ``max_agents`` is that of the training; another may be given as an argument of the env.

    Args:
        env: a company env with the arguments that `env_args` gives.
        model: path of a ``model.npz`` that a training run has written; the one that comes with the
            package unless given (`SHIPPED`, see the documentation on training).

    Raises:
        ValueError: if the file is none of these, or the env has other observations or actions.
        OSError: if it cannot be read.
    """

    def __init__(self, env: gym.Env[Any, Any], model: str = SHIPPED) -> None:
        from ceo_gym.training.envs import wrapped

        self._settings, self._arrays = read(Path(model))
        self._way = wrapped(env, self._settings.algorithm)
        shape = self._way.observation_space.shape
        space: Any = self._way.action_space
        self._space, choices = space, isinstance(space, gym.spaces.MultiDiscrete)
        outputs = (int(space.nvec.sum()),) if choices else space.shape
        if shape != self._arrays["mean"].shape or outputs != self._arrays["action_bias"].shape:
            raise ValueError(
                f"{model} was trained on other observations or actions than this env has; the env "
                f"needs {self.env_args(model)}"
            )

    @staticmethod
    def env_args(model: str = SHIPPED) -> dict[str, Any]:
        """What the env of a policy needs so that the company is the one that was trained on.

        Raises:
            ValueError: if the file is no trained policy.
            OSError: if it cannot be read.
        """
        # any number of simulated customers plays by the same rules
        return {
            name: value
            for name, value in read(Path(model))[0].company_args.items()
            if name in ("actions", "start")
        }

    def reset(self, seed: int | None = None) -> None:
        """Nothing to get ready."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """The most probable action."""
        from ceo_gym.training.envs import decided, seen

        outputs = network(self._arrays, seen(self._way, observation))
        space = self._space
        if isinstance(space, gym.spaces.Box):
            return decided(self._way, np.clip(outputs, space.low, space.high))
        allowed = self._way.get_wrapper_attr("action_masks")()
        outputs = np.where(allowed, outputs, -np.inf)
        cells = np.split(outputs, np.cumsum(space.nvec)[:-1])
        return decided(self._way, np.array([int(cell.argmax()) for cell in cells]))


def network(arrays: Arrays, observation: NDArray[Any]) -> NDArray[np.float64]:
    """Outputs of the network: means of the numbers, or logits of all choices.

    Args:
        arrays: of a file of `write`.
        observation: as the wrappers give it, not normalised.
    """
    x = (observation - arrays["mean"]) / np.sqrt(arrays["variance"] + float(arrays["epsilon"]))
    x = np.clip(x, -float(arrays["clip"]), float(arrays["clip"]))
    for layer in range(int(arrays["layers"])):
        x = np.tanh(arrays[f"weight_{layer}"] @ x + arrays[f"bias_{layer}"])
    return np.asarray(arrays["action_weight"] @ x + arrays["action_bias"])


def write(path: Path, model: Any, settings: Settings) -> None:
    """Write the policy of a learner of stable-baselines3.

    Args:
        path: the file, ``.npz``.
        model: a learner on a `VecNormalize` env with an `MlpPolicy`.
        settings: of the training run.

    Raises:
        OSError: if it cannot be written.
    """
    normalise, policy = model.get_env(), model.policy
    layers = [layer for layer in policy.mlp_extractor.policy_net if hasattr(layer, "weight")]
    arrays: dict[str, Any] = {
        "mean": normalise.obs_rms.mean,
        "variance": normalise.obs_rms.var,
        "epsilon": normalise.epsilon,
        "clip": normalise.clip_obs,
        "layers": len(layers),
        "action_weight": policy.action_net.weight.detach().numpy(),
        "action_bias": policy.action_net.bias.detach().numpy(),
    }
    for number, layer in enumerate(layers):
        arrays[f"weight_{number}"] = layer.weight.detach().numpy()
        arrays[f"bias_{number}"] = layer.bias.detach().numpy()
    about = {"format": FORMAT, "version": VERSION, "settings": settings.as_dict()}
    buffer = io.BytesIO()
    np.savez(buffer, about=np.array(json.dumps(about)), **arrays)
    write_atomically(path, buffer.getvalue())


def read(path: Path) -> tuple[Settings, Arrays]:
    """Settings and arrays of a file of `write`; nothing in it is executed.

    Raises:
        ValueError: if it is none.
        OSError: if it cannot be read.
    """
    try:
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
        about = json.loads(str(arrays.pop("about")))
        if (about["format"], about["version"]) != (FORMAT, VERSION):
            raise ValueError(f"{about['format']!r}, version {about['version']!r}")
        return Settings.from_dict(about["settings"]), arrays
    except (ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile) as error:
        raise ValueError(
            f"{path} is not the file of a trained policy, version {VERSION}: {error}"
        ) from error
