"""Envs with companies that have customers of all kinds, and actions at random."""

from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.envs.ceobench import CEOBenchEnv

RICH = {"company.initial_cash_usd": 2e7}


def make(**arguments: Any) -> CEOBenchEnv:
    env = gym.make("ceo_gym:CEOBench-v0", **arguments).unwrapped
    assert isinstance(env, CEOBenchEnv)
    return env


def grown(weeks: int = 6, seed: int = 3, **arguments: Any) -> CEOBenchEnv:
    """A rich company with individuals, enterprises and waiting threads."""
    env = make(**({"params": RICH, "record": "none"} | arguments))
    env.reset(seed=seed)
    world = env.world
    world.set_prices(A=20, B=40, C=60)
    world.set_model_tiers(A=3, B=4, C=5)
    world.set_usage_quotas(A=5_000, B=100_000, C=400_000)
    world.set_capacity_tier(5)
    world.set_daily_spend(operations=300, development=500)
    world.set_targeted_dev_spend({"S1": 4_000, "S2": 4_000, "E1": 16_000, "E2": 9_000})
    world.set_targeted_ad_spend(
        {
            "content_marketing": {"S1": 400, "S2": 400, "E1": 60_000},
            "linkedin": {"E2": 20_000, "S3": 50},
        }
    )
    world.set_ads_strength(0.1)
    for _ in range(weeks):
        act = "manager" if "offers" in env.noop_action() else "bulk"
        if act == "manager":
            action = env.action(offers="list_price")
        else:
            action = env.action(bulk_op={"lead_counter": "accept"}, bulk_price={("E1", "C"): 30})
            if world.day > 21:
                action = env.action(bulk_op={"lead_counter": "accept", "new_lead": "list_price"})
        env.step(action)
    return env


def sparse(env: CEOBenchEnv, rng: np.random.Generator, density: float = 0.05) -> dict[str, Any]:
    """A random action that writes few cells and leaves the company alive for some weeks."""
    action = env.action_space.sample()
    action["forecast_set"] = np.int64(rng.integers(2))
    for name, value in action.items():
        if name.endswith("_set") and np.ndim(value):
            action[name] = (rng.random(value.shape) < density).astype(np.int64)
        elif np.asarray(value).dtype == np.float32:
            factor = 1e-3 if name in ("ads", "dev", "ops", "spend") else 0.05
            action[name] = (value * factor).astype(np.float32)
    for name in ("rnd", "group_research"):
        action[name] = np.where(rng.random(len(action[name])) < 0.1, action[name], 0)
    action["forecast"][:, 1:] = np.abs(action["forecast"][:, 1:])
    return action
