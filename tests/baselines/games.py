"""Companies that the tests of the rules share."""

from typing import Any

import gymnasium as gym

from ceo_gym.baselines.rule_based import RuleBased


def grown(
    weeks: int, policy: type[RuleBased] = RuleBased, env_id: str = "CEOBench-v0", **settings: float
) -> tuple[Any, Any, Any, dict[str, Any]]:
    """Company, policy, observation and info after some weeks of seed 1."""
    needed = policy.env_args()
    env = gym.make(f"ceo_gym:{env_id}", record="none", max_agents=3_000, **needed)
    player = policy(env, settings)
    observation, info = env.reset(seed=1)
    for _ in range(weeks):
        observation, _, _, _, info = env.step(player.act(observation, info))
    return env.unwrapped, player, observation, info
