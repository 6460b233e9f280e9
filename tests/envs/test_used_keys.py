"""Which keys of an action ask for something."""

from typing import Any

import gymnasium as gym
import pytest

from ceo_gym.envs.ceobench.keys import used


def company(profile: str) -> Any:
    return gym.make("CEOBench-v0", actions=profile, record="none").unwrapped


def used_by(env: Any, **named: Any) -> list[str]:
    return used({key.key: key for key in env.action_keys}, env.action(**named))


@pytest.mark.parametrize("profile", ["full", "core", "manager"])
def test_a_no_op_uses_none_and_a_full_action_all_that_are_no_details(profile: str) -> None:
    env = company(profile)
    keys = {key.key: key for key in env.action_keys}
    assert used(keys, env.noop_action()) == []
    aside = {key.companion for key in keys.values()}
    everything = {name: env.action_space[name].sample() * 0 + 1 for name in keys}
    expected = [name for name, key in keys.items() if name not in aside and not key.detail_of]
    assert used(keys, everything) == expected
    for key in keys.values():
        assert not key.detail_of or key.detail_of in expected


def test_a_setting_counts_by_its_switches() -> None:
    env = company("full")
    assert used_by(env, ads={("search_ads", "S1"): 0.0}) == ["ads"]
    assert used_by(env, account_strength={"0": 0.5}) == ["account_strength"]
    assert used_by(env, account_promotion={"0": 5.0}) == ["account_promotion"]
    assert used_by(env, forecast_set=1) == ["forecast"]
    unwritten = env.action(price={"A": 45.0}) | {"price_set": env.noop_action()["price_set"]}
    assert used({key.key: key for key in env.action_keys}, unwritten) == []


def test_details_count_with_what_they_belong_to() -> None:
    env = company("full")
    assert used_by(env, post_topic=2, post_group=1, bulk_price=5.0) == []
    assert used_by(env, post_op="post", post_topic=2) == ["post_op"]
    assert used_by(env, inbox_op={"0": "offer"}, inbox_price={("0", "C"): 9.0}) == ["inbox_op"]
    assert used_by(company("manager"), offer_level=0.5) == []
