"""GrowthReward: the sum over an episode depends on the final cash alone."""

import math
from typing import Any

import gymnasium as gym
import pytest

from ceo_gym.wrappers import GrowthReward


def played(months: float, seed: int = 1, **arguments: Any) -> tuple[list[float], dict[str, Any]]:
    made: Any = gym.make("ceo_gym:CEOBench-v0", record="none", start="configured", **arguments)
    env = GrowthReward(made, months=months)
    env.reset(seed=seed)
    rewards, over, info = [], False, {}
    while not over:
        _, reward, over, _, info = env.step(made.unwrapped.noop_action())
        rewards.append(reward)
    return rewards, info


@pytest.mark.parametrize("months", [0.0, 3.0])
def test_the_sum_is_of_the_final_cash(months: float) -> None:
    rewards, info = played(months, params={"clock.horizon_days": 100})
    assert not info["bankrupt"]
    assert sum(rewards) == pytest.approx(math.log((1 + info["cash_usd"] / 1e6) / 2.0))


def test_growth_is_rewarded_when_customers_sign_up() -> None:
    made: Any = gym.make("ceo_gym:CEOBench-v0", record="none", start="configured")
    env, world = GrowthReward(made), lambda: made.unwrapped.world
    env.reset(seed=1)
    for _ in range(3):
        mrr = world().history.weeks[-1].mrr_usd if world().history.weeks else 0.0
        before = math.log1p((world().company.cash_usd + 3.0 * mrr) / 1e6)
        _, reward, *_ = env.step(made.unwrapped.noop_action())
        worth = world().company.cash_usd + 3.0 * world().history.weeks[-1].mrr_usd
        assert reward == pytest.approx(math.log1p(worth / 1e6) - before)
        assert world().history.weeks[-1].mrr_usd > mrr


def test_ruin_is_worth_nothing() -> None:
    rewards, info = played(3.0, params={"company.initial_cash_usd": 2e4})
    assert info["bankrupt"]
    assert sum(rewards) == pytest.approx(-math.log1p(0.02))


@pytest.mark.parametrize("wrong", [{"months": -1.0}, {"months": math.nan}, {"unit_usd": 0.0}])
def test_what_it_refuses(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="finite number"):
        GrowthReward(gym.make("ceo_gym:CEOBench-v0"), **wrong)
    with pytest.raises(TypeError, match="ceo-gym environment"):
        GrowthReward(gym.make("CartPole-v1"))
