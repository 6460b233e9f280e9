"""The built-in policies, through the env."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.baselines import POLICIES, make_policy, needed_env_args

WEEKS, MAX_AGENTS = 14, 2_000


def play(name: str, env_id: str = "ceo_gym:CEOBench-v0", weeks: int = WEEKS) -> tuple[Any, list]:
    env = gym.make(env_id, record="business", max_agents=MAX_AGENTS, **needed_env_args(name))
    policy = make_policy(name, env)
    observation, info = env.reset(seed=5)
    policy.reset(5)
    rejected = []
    for _ in range(weeks):
        observation, _, ended, _, info = env.step(policy.act(observation, info))
        rejected += info["rejected"]
        if ended:
            break
    return env.unwrapped, rejected


@pytest.mark.parametrize("env_id", ["ceo_gym:CEOBench-v0", "ceo_gym:CEOBench-Repaired-v0"])
@pytest.mark.parametrize("name", sorted(POLICIES))
def test_nothing_that_a_policy_decides_is_refused(name: str, env_id: str) -> None:
    _, rejected = play(name, env_id)
    assert rejected == []


def test_passive_pays_for_the_smallest_platform() -> None:
    company, _ = play("passive")
    assert company.world.company.cash_usd == 1_000_000 - 85 * company.world.day


@pytest.mark.parametrize("name", ["steady", "rule_based", "tuned", "oracle"])
def test_offers_are_never_above_the_reported_willingness_to_pay(name: str) -> None:
    env = gym.make(
        "ceo_gym:CEOBench-v0", record="business", max_agents=MAX_AGENTS, **needed_env_args(name)
    )
    policy, company = make_policy(name, env), env.unwrapped
    observation, info = env.reset(seed=5)
    groups = [group for group in company.world.params.groups.ids if "E" in group]
    told = []  # at the beginning of each week
    for _ in range(WEEKS):
        told.append(
            {
                group: company.call("get_group_insights", {"group_id": group})["estimates"]
                for group in groups
                if company.world.market.discovered[company.world.params.groups.index[group]]
            }
        )
        observation, _, _, _, info = env.step(policy.act(observation, info))
    offers = company.query(
        "SELECT c.group_id, e.day, json_extract(o.value, '$.price_per_seat') AS usd "
        "FROM enterprise_turns e JOIN customers c USING (customer_id), json_each(e.offer_json) o "
        "WHERE e.sender = 'agent' ORDER BY e.day DESC LIMIT 5000"
    )["rows"]
    assert len(offers) > 20
    for offer in offers:
        report = told[offer["day"] // 7][offer["group_id"]]
        assert offer["usd"] <= report["willingness_to_pay"]


def test_steady_accepts_counters_that_are_not_above_it() -> None:
    env = gym.make("ceo_gym:CEOBench-v0", record="none")
    policy, company = make_policy("steady", env), env.unwrapped
    observation, info = env.reset(seed=5)
    columns = company.describe()["observation"]["inbox"]["cells"]
    asked_price = columns["0.asked_price"]["index"][1]
    seen = 0
    for _ in range(30):
        action = policy.act(observation, info)
        budget = observation["insight"][observation["inbox_group"] - 1, 0]
        asked = observation["inbox"][:, asked_price]
        offered = action["inbox_price"].max(axis=1)
        used = observation["inbox_mask"] == 1
        assert (offered[used] <= budget[used] * (1 + 1e-6)).all()
        counter = used & (observation["inbox_type"] > 1) & (asked > 0)
        seen += np.count_nonzero(counter)
        assert offered[counter] == pytest.approx(np.minimum(asked, budget)[counter], abs=0.011)
        observation, _, _, _, info = env.step(action)
    assert seen > 20


def test_unknown_policy_and_unfit_env_are_refused() -> None:
    env = gym.make("ceo_gym:CEOBench-v0", record="none")
    with pytest.raises(ValueError, match="did you mean steady"):
        make_policy("stedy", env)
    with pytest.raises(ValueError, match='obs="full"'):
        make_policy("steady", gym.make("ceo_gym:CEOBench-v0", obs="compact", record="none"))


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_a_policy_plays_the_same_game_again(name: str) -> None:
    cash = []
    needed, short = needed_env_args(name), {"clock.horizon_days": 70}
    env = gym.make(
        "ceo_gym:CEOBench-v0", record="none", params=short, max_agents=MAX_AGENTS, **needed
    )
    policy = make_policy(name, env)
    for _ in range(2):  # with the same policy, which must forget the first game
        observation, info = env.reset(seed=3)
        policy.reset(3)
        ended = False
        while not ended:
            observation, _, ended, _, info = env.step(policy.act(observation, info))
        cash.append(info["cash_usd"])
    assert cash[0] == cash[1]


def test_random_depends_on_its_seed() -> None:
    env = gym.make("ceo_gym:CEOBench-v0", record="none")
    policy = make_policy("random", env)
    observation, info = env.reset(seed=3)
    prices = []
    for seed in (1, 1, 2):
        policy.reset(seed)
        prices.append(policy.act(observation, info)["price"].tolist())
    assert prices[0] == prices[1] != prices[2]
