"""Learning to run a company: PPO of stable-baselines3, checkpoints, learning curves.

Nothing here imports torch until a run begins; playing a trained policy never does.
"""

from ceo_gym.training.policy import Trained
from ceo_gym.training.ppo import State, train
from ceo_gym.training.settings import Settings

__all__ = ["Settings", "State", "Trained", "train"]
