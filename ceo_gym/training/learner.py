"""The learner of stable-baselines3 and the companies that it plays."""

from __future__ import annotations

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.logger import Logger, TensorBoardOutputFormat
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from ceo_gym.training import checkpoints, curve, prior
from ceo_gym.training.bridge import GymnasiumVecEnv
from ceo_gym.training.envs import make_vector
from ceo_gym.training.settings import FIRST_TRAINING_SEED, Settings

CLASSES: dict[str, Any] = {"ppo": PPO, "maskable_ppo": MaskablePPO}


class Learner:
    """Owns model, training companies and evaluation companies.

    Args:
        settings: of the run.
        out: directory of the run.
        parallel: whether every company has a process of its own.
    """

    def __init__(self, settings: Settings, out: Path, *, parallel: bool) -> None:
        # networks this small are slower in several threads, and the companies need the cores
        torch.set_num_threads(1)
        self._settings, self._out = settings, out
        self._env = self._companies(settings.envs, parallel)
        self._trial = self._companies(settings.eval_seeds, parallel)
        self._ended = _Ended()
        self.model: Any = None

    def begin(self) -> None:
        """A new learner, with the prior of `prior.begin`, and new companies."""
        s = self._settings
        self._env.seed(FIRST_TRAINING_SEED + 1_000 * s.seed)
        explore: dict[str, Any] = {}
        noise: dict[str, Any] = {}
        if s.algorithm == "ppo":
            # Noise that is drawn anew every week averages out over a game, so that games hardly
            # tell what was good about it. This kind is a function of the state that stays the same
            # from one update to the next: a game is played by a changed policy throughout.
            explore = {"use_sde": True, "sde_sample_freq": -1}
            # a layer of tanh units of a fresh network has about this length
            noise = {"log_std_init": math.log(s.noise / (0.62 * math.sqrt(s.hidden)))}
        self.model = CLASSES[s.algorithm](
            "MlpPolicy",
            self._env,
            n_steps=s.weeks,
            batch_size=s.batch,
            n_epochs=s.epochs,
            learning_rate=s.learning_rate,
            gamma=s.discount,
            gae_lambda=s.gae_lambda,
            target_kl=s.target_kl,
            policy_kwargs={"net_arch": [s.hidden, s.hidden], **noise},
            seed=s.seed,
            device="cpu",
            **explore,
        )
        prior.begin(self.model, list(self._env.get_attr("cells")[0]))
        self._log()

    def resume(self, checkpoint: Path) -> None:
        """The learner of a checkpoint, and its companies where they stood."""
        algorithm = CLASSES[self._settings.algorithm]
        self.model = checkpoints.restore(checkpoint, self._env, algorithm)
        self._log()

    @property
    def steps(self) -> int:
        """Weeks played for training."""
        return int(self.model.num_timesteps)

    def update(self, learning_rate: float) -> list[float]:
        """Play and learn once; returns the final cash, USD, of the companies that ended."""
        model = self.model
        model.learning_rate = learning_rate
        model._setup_lr_schedule()
        self._ended.cash_usd = []
        model.learn(self._settings.decisions, callback=self._ended, reset_num_timesteps=False)
        ended = self._ended.cash_usd
        if ended:
            model.logger.record("company/training_final_cash_usd", float(np.mean(ended)))
        model.logger.dump(model.num_timesteps)
        return ended

    def evaluate(self) -> tuple[Any, int]:
        """[seeds] final cash in USD on tuning seeds, and how many went bankrupt."""
        cash, bankrupt = curve.final_cash(self.model, self._trial, self._settings.eval_seeds)
        self.model.logger.record("company/evaluation_final_cash_usd", float(cash.mean()))
        self.model.logger.dump(self.model.num_timesteps)
        return cash, bankrupt

    def close(self) -> None:
        """End the companies and their processes."""
        self._env.close()
        self._trial.close()
        if self.model is not None:
            self.model.logger.close()

    def _companies(self, number: int, parallel: bool) -> VecNormalize:
        bridge = GymnasiumVecEnv(make_vector(self._settings, number, parallel=parallel))
        # rewards are of the order of 1 already
        return VecNormalize(VecMonitor(bridge), norm_reward=False, gamma=self._settings.discount)

    def _log(self) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of what tensorboard imports
            board = TensorBoardOutputFormat(str(self._out / "tensorboard"))
        self.model.set_logger(Logger(str(self._out / "tensorboard"), [board]))


class _Ended(BaseCallback):
    """Notes the final cash of companies that end."""

    def __init__(self) -> None:
        super().__init__()
        self.cash_usd: list[float] = []

    def _on_step(self) -> bool:
        for over, info in zip(self.locals["dones"], self.locals["infos"]):
            if over:
                self.cash_usd.append(float(info["cash_usd"]))
        return True


__all__ = ["CLASSES", "Learner"]
