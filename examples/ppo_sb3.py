"""PPO of stable-baselines3 on CEO-Bench, in one page.

    pip install "ceo-gym[sb3]"
    python examples/ppo_sb3.py --minutes 20

`ceo-gym train` does the same with checkpoints, resuming and a learning curve.
"""

import argparse
import time

import gymnasium as gym
import numpy as np
import torch
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers import FilterObservation, FlattenObservation
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecMonitor, VecNormalize

from ceo_gym.training.bridge import GymnasiumVecEnv
from ceo_gym.training.prior import Around
from ceo_gym.wrappers import GrowthReward, SymlogObservation, TargetAction

SEEN = ["time", "company", "week", "ledger_week", "plan_config", "plan_stats", "capacity", "spend"]


def make_env(env_id, days):
    """A company that begins configured; numbers in, numbers out."""
    env = gym.make(
        f"ceo_gym:{env_id}",
        actions="manager",
        record="none",
        start="configured",
        max_agents=1_000,
        params={"clock.horizon_days": days},
    )
    env = GrowthReward(env)  # growth is rewarded before it is paid
    env = Around(TargetAction(env))  # settings to aim for, around a sensible beginning
    return FlattenObservation(FilterObservation(SymlogObservation(env), SEEN))


class Budget(BaseCallback):
    """Ends the training when its time is up, and tells how the companies end."""

    def __init__(self, minutes):
        super().__init__()
        self.end, self.cash = time.monotonic() + 60 * minutes, []

    def _on_step(self):
        ended = zip(self.locals["dones"], self.locals["infos"])
        self.cash += [info["cash_usd"] / 1e6 for over, info in ended if over]
        return time.monotonic() < self.end

    def _on_rollout_end(self):
        if self.cash:
            print(f"{self.num_timesteps:>9,} weeks: mean ${np.mean(self.cash):,.2f} million")
        self.cash = []


def evaluate(model, norm, env_id, days, seeds):
    """Mean final cash in USD by the most probable actions."""
    cash = []
    for seed in seeds:
        env = make_env(env_id, days)
        observation, info = env.reset(seed=seed)
        over = False
        while not over:
            action, _ = model.predict(norm.normalize_obs(observation), deterministic=True)
            observation, _, over, _, info = env.step(action)
        cash.append(info["cash_usd"])
    return float(np.mean(cash))


def main():
    """Train, then play the evaluation seeds."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--env", default="CEOBench-Repaired-v0")
    parser.add_argument("--minutes", type=float, default=20.0)
    parser.add_argument("--steps", type=int, default=10**9)
    parser.add_argument("--envs", type=int, default=16)
    parser.add_argument("--seeds", type=int, default=32, help="evaluation seeds to play")
    parser.add_argument("--days", type=int, default=500)
    args = parser.parse_args()

    torch.set_num_threads(1)  # leaves the cores to the companies
    weeks = -(-args.days // 7)
    vector = gym.vector.AsyncVectorEnv(
        [lambda: make_env(args.env, args.days)] * args.envs, autoreset_mode=AutoresetMode.SAME_STEP
    )
    env = VecNormalize(VecMonitor(GymnasiumVecEnv(vector)), gamma=1.0)
    env.seed(100_000)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=weeks,
        batch_size=args.envs * weeks // 4,
        learning_rate=3e-4,
        gamma=1.0,
        target_kl=0.02,
        seed=0,
        device="cpu",
    )
    model.learn(args.steps, callback=Budget(args.minutes))
    seeds = range(1001, 1001 + args.seeds)
    mean = evaluate(model, env, args.env, args.days, seeds)
    print(f"{args.env}, start configured, {len(seeds)} evaluation seeds: mean ${mean:,.0f}")
    env.close()


if __name__ == "__main__":
    main()
