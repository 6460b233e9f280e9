"""TargetAction: where settings should be, turned into moves of the profile manager."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.wrappers import FlattenActionBox, TargetAction

WEEKS = 14


def company(**arguments: Any) -> TargetAction:
    made = {"actions": "manager", "record": "none", "start": "configured"} | arguments
    return TargetAction(gym.make("ceo_gym:CEOBench-v0", **made))


def vector(env: TargetAction, **targets: Any) -> np.ndarray:
    z = np.full(env.action_space.shape, -1.0, np.float32)  # type: ignore[arg-type]
    cells = np.array(env.cells)
    for key, value in targets.items():
        z[cells == key] = value
    return z


def world(env: TargetAction) -> Any:
    base: Any = env.unwrapped
    return base.world


def test_every_vector_is_an_action() -> None:
    env = company()
    env.reset(seed=1)
    env.action_space.seed(1)
    base: Any = env.unwrapped
    for _ in range(5):
        z = env.action_space.sample()
        assert base.action_space.contains(env.action(z))
        _, _, over, _, _ = env.step(z)
        assert not over


def test_settings_arrive_and_stay() -> None:
    env = company()
    env.reset(seed=1)
    z = vector(env, price=[0.5, 0.0, -0.25], quota=[0.5, 0, -0.5], tier=[1, 0, -1], strength=0.0)
    z[np.array(env.cells) == "promotion"] = 0.5
    for _ in range(WEEKS):
        env.step(z)
    company_now = world(env).company
    np.testing.assert_allclose(company_now.price_usd, [60, 80, 150 / 4**0.25], rtol=1e-3)
    np.testing.assert_allclose(company_now.quota_units, [949, 1_000, 63_246], rtol=1e-3)
    assert company_now.model_tier.tolist() == [5, 3, 1]
    assert company_now.ads_strength_global == pytest.approx(0.5, abs=1e-5)
    assert company_now.promotion_global == pytest.approx(25.0, abs=1e-3)


def test_spends_are_shares_of_the_means() -> None:
    env = company()
    env.reset(seed=1)
    low = vector(env, support=0.0, development=-0.5, ads=[0.2, -1], targeted=[0.1, -1])
    for _ in range(10):
        cash = world(env).company.cash_usd
        weeks = world(env).history.weeks
        revenue = weeks[-1].mrr_usd / 30 if weeks else 0.0
        means = min(max(revenue, 20_000.0), 0.1 * cash)
        env.step(low)
    now = world(env).company
    firms = world(env).params.groups.is_enterprise
    assert now.operations_usd == pytest.approx(means * 0.1, rel=1e-3)
    assert now.development_usd == pytest.approx(means * 10**-1.5, rel=1e-3)
    assert now.ads_spend_usd[:, ~firms].sum() == pytest.approx(means * 10**-0.8, rel=1e-3)
    assert now.ads_spend_usd[:, firms].sum() == pytest.approx(means * 10**-2, rel=1e-3)
    assert now.development_group_usd[~firms].sum() == pytest.approx(means * 10**-0.9, rel=1e-3)


def test_purchases_beyond_two_per_cent_of_the_cash_are_left_alone() -> None:
    buy = {"market_research": 1.0, "group_research": 1.0, "rnd": 1.0}
    for cash, bought in ((1e6, (0, 0, 0)), (3e6, (2, 2, 0)), (3e9, (3, 2, 2))):
        env = company(params={"company.initial_cash_usd": cash})
        env.reset(seed=1)
        action = env.action(vector(env, **buy))
        assert tuple(int(action[key]) for key in buy) == bought, cash


def test_choices_are_those_of_the_flat_box() -> None:
    env = company()
    env.reset(seed=1)
    z = vector(env, capacity=0.9, offers=0.62, post=0.1)
    z[np.array(env.cells) == "offer_level"] = -0.4
    theirs = FlattenActionBox(env.env).action(z)
    ours = env.action(z)
    for key in ("capacity", "offers", "offer_level", "post"):
        np.testing.assert_array_equal(ours[key], theirs[key])
    assert ours["capacity"] == 3
    assert ours["offers"] == 3


def test_what_it_refuses() -> None:
    with pytest.raises(ValueError, match='actions="manager"'):
        company(actions="core")
    env = company()
    env.reset(seed=1)
    for wrong in (np.zeros(3), np.full(25, 1.5), np.full(25, np.nan)):
        with pytest.raises(ValueError, match=r"numbers in \[-1, 1\]"):
            env.action(wrong)
