"""The profile for learning moves what is in force."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from tests.envs.companies import grown, make


def manager(**arguments: Any) -> Any:
    env = make(actions="manager", record="none", **arguments)
    env.reset(seed=1)
    return env


def test_a_company_can_be_built_from_nothing() -> None:
    env = manager(params={"company.initial_cash_usd": 5e6})
    action = env.action(
        price=np.ones(3),
        quota=np.ones(3),
        tier={"A": "up", "B": "up", "C": "up"},
        capacity="up",
        support={"all": 1},
        development={"all": 1},
        targeted={"individuals": 1},
        ads={"individuals": 1},
    )
    env.step(action)
    company = env.world.company
    assert company.price_usd.tolist() == [30, 80, 150]
    assert company.quota_units.tolist() == [300, 1000, 200_000]
    assert company.model_tier.tolist() == [2, 2, 2]
    assert company.capacity_tier == 1
    assert company.ads_spend_usd.sum() == pytest.approx(100)
    for _ in range(8):
        action = env.action(
            targeted={"individuals": 1},
            ads={"individuals": 0.5},
            tier={"A": "up"},
            capacity="by_rule",
            offers="report",
        )
        observation, *_ = env.step(action)
    assert env.world.company.model_tier[0] == 5
    assert observation["company"][4] > 0
    # every channel was tried, so all goes to the best of each group
    used = (env.world.company.ads_spend_usd[:, :3] > 0).sum(axis=0)
    assert used.tolist() == [1, 1, 1]


def test_moves_are_relative_and_spends_stop() -> None:
    env = manager(params={"company.initial_cash_usd": 5e6})
    env.world.set_prices(A=50)
    env.world.set_daily_spend(operations=1_000, development=15)
    env.step(env.action(price={"A": -1}, support={"all": 1}, development={"all": -1}))
    company = env.world.company
    assert company.price_usd[0] == pytest.approx(50 * np.exp(-0.2))
    assert company.operations_usd == pytest.approx(2_000)
    assert company.development_usd == 0


def test_enterprises_are_answered() -> None:
    env = grown(actions="manager", weeks=5)
    for rule in ("list_price", "asked", "report", "reject"):
        _, _, _, _, info = env.step(env.action(offers=rule, offer_level={"all": -0.5}))
        assert info["rejected"] == []
    assert (env.world.negotiations.threads.turn > 0).any()


def test_research_moves() -> None:
    env = manager(params={"company.initial_cash_usd": 5e6})
    _, _, _, _, info = env.step(
        env.action(market_research=3, group_research="least_known", rnd="cheapest", post="price")
    )
    assert info["rejected"] == []
    market = env.world.market
    assert market.discovery_attempts == 3
    assert len(market.studies) == 1
    assert market.projects.tier.tolist() == [1]
    assert len(market.own_posts) == 1
    env.step(env.action(group_research="best_paying", rnd="dearest"))
    assert len(market.studies) == 2
    assert len(market.projects) == 2


@pytest.mark.parametrize("start", ["empty", "configured"])
def test_random_managers_survive(start: str) -> None:
    env = gym.make("ceo_gym:CEOBench-Repaired-v0", actions="manager", record="none")
    steps = 0
    for seed in range(4):
        env.reset(seed=seed, options={"start": start})
        env.action_space.seed(seed)
        terminated = False
        while not terminated:
            observation, reward, terminated, _, _ = env.step(env.action_space.sample())
            assert env.observation_space.contains(observation)
            assert np.isfinite(reward)
            steps += 1
    assert steps > 4
