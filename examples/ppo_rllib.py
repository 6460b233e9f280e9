"""PPO of RLlib on CEO-Bench.

RLlib pins gymnasium 1.2.2, so give it an environment of its own:

python -m venv .venv-rllib
.venv-rllib/bin/pip install "ceo-gym[rllib]" torch gymnasium==1.2.2
.venv-rllib/bin/python examples/ppo_rllib.py --iterations 50 --runners 2
"""

import argparse

import gymnasium as gym
from gymnasium.wrappers import FilterObservation, FlattenObservation
from ray.rllib.algorithms.ppo import PPOConfig
from ray.tune.registry import register_env

from ceo_gym.training.prior import Around
from ceo_gym.wrappers import GrowthReward, SymlogObservation, TargetAction

SEEN = ["time", "company", "week", "ledger_week", "plan_config", "plan_stats", "capacity", "spend"]


def make_env(config):
    """A company that begins configured; numbers in, numbers out."""
    env = gym.make(
        "ceo_gym:CEOBench-Repaired-v0",
        actions="manager",
        record="none",
        start="configured",
        max_agents=1_000,
        params={"clock.horizon_days": config["days"]},
    )
    env = Around(TargetAction(GrowthReward(env)))
    return FlattenObservation(FilterObservation(SymlogObservation(env), SEEN))


def main():
    """Train for some iterations and print the mean return of each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--iterations", type=int, default=50)
    parser.add_argument("--runners", type=int, default=0, help="processes that play; 0 is this one")
    parser.add_argument("--days", type=int, default=500)
    parser.add_argument("--batch", type=int, default=1_152, help="weeks played in an iteration")
    args = parser.parse_args()
    register_env("company", make_env)
    config = (
        PPOConfig()
        .environment("company", env_config={"days": args.days})
        .env_runners(num_env_runners=args.runners, rollout_fragment_length="auto")
        .training(
            gamma=1.0,
            lr=3e-4,
            train_batch_size_per_learner=args.batch,
            minibatch_size=max(args.batch // 8, 1),
            num_epochs=10,
        )
        .debugging(seed=0)
    )
    algorithm = config.build_algo()
    for iteration in range(1, args.iterations + 1):
        result = algorithm.train()
        mean = result["env_runners"]["episode_return_mean"]
        print(f"iteration {iteration}: mean return {mean:.3f}", flush=True)
    algorithm.stop()


if __name__ == "__main__":
    main()
