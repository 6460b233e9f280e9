"""The Gymnasium environment of the company world (`env.CEOBenchEnv`)."""

from ceo_gym.envs.ceobench.env import CEOBenchEnv

__all__ = ["CEOBenchEnv"]
