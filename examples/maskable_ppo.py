"""MaskablePPO of sb3-contrib: choices that cannot be carried out are never drawn.

pip install "ceo-gym[sb3]"
python examples/maskable_ppo.py
"""

import argparse

import gymnasium as gym
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import FlattenObservation
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from ceo_gym.training.bridge import GymnasiumVecEnv
from ceo_gym.wrappers import FlattenActionDiscrete, GrowthReward, SymlogObservation


def make_env(days):
    """A company steered by a list of small choices."""
    env = gym.make(
        "ceo_gym:CEOBench-Repaired-v0",
        actions="manager",
        obs="compact",
        record="none",
        start="configured",
        max_agents=1_000,
        params={"clock.horizon_days": days},
    )
    return FlattenObservation(SymlogObservation(FlattenActionDiscrete(GrowthReward(env))))


def main():
    """Train for a number of weeks."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--steps", type=int, default=100_000)
    parser.add_argument("--days", type=int, default=500)
    parser.add_argument("--envs", type=int, default=8)
    args = parser.parse_args()
    vector = gym.vector.AsyncVectorEnv(
        [lambda: make_env(args.days)] * args.envs, autoreset_mode=AutoresetMode.SAME_STEP
    )
    env = VecNormalize(VecMonitor(GymnasiumVecEnv(vector)), gamma=1.0)
    weeks = -(-args.days // 7)
    model = MaskablePPO(
        "MlpPolicy",
        env,
        n_steps=weeks,
        batch_size=args.envs * weeks,
        gamma=1.0,
        seed=0,
        verbose=1,
        device="cpu",
    )
    model.learn(args.steps)
    env.close()


if __name__ == "__main__":
    main()
