"""The built-in policies, through the env."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.baselines import POLICIES, make_policy
from ceo_gym.baselines.rule_based import RuleBased, RuleSettings

WEEKS = 30


def play(name: str, env_id: str = "ceo_gym:CEOBench-v0", weeks: int = WEEKS) -> tuple[Any, list]:
    env = gym.make(env_id, record="business")
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


@pytest.mark.parametrize("name", ["steady", "rule_based"])
def test_offers_are_never_above_the_reported_willingness_to_pay(name: str) -> None:
    company, _ = play(name)
    offers = company.query(
        "SELECT c.group_id, e.offer_json, json_extract(o.value, '$.price_per_seat') AS usd "
        "FROM enterprise_turns e JOIN customers c USING (customer_id), json_each(e.offer_json) o "
        "WHERE e.sender = 'agent'"
    )["rows"]
    assert len(offers) > 20
    told = {
        group: company.call("get_group_insights", {"group_id": group})["estimates"]
        for group in {offer["group_id"] for offer in offers}
    }
    for offer in offers:
        assert offer["usd"] <= told[offer["group_id"]]["willingness_to_pay"]


def test_steady_accepts_counters_that_are_not_above_it() -> None:
    env = gym.make("ceo_gym:CEOBench-v0", record="none")
    policy, company = make_policy("steady", env), env.unwrapped
    observation, info = env.reset(seed=5)
    columns = company.describe()["observation"]["inbox"]["cells"]
    asked_price = columns["0.asked_price"]["index"][1]
    seen = 0
    for _ in range(WEEKS):
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
    env = gym.make("ceo_gym:CEOBench-v0", record="none", params={"clock.horizon_days": 70})
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


def grown(weeks: int, **settings: float) -> tuple[Any, RuleBased]:
    env = gym.make("ceo_gym:CEOBench-v0", record="none", max_agents=5_000)
    policy = RuleBased(env, RuleSettings(**settings))
    observation, info = env.reset(seed=1)
    for _ in range(weeks):
        observation, _, _, _, info = env.step(policy.act(observation, info))
    return env.unwrapped, policy


def test_rule_based_opens_the_largest_market_first_and_others_as_revenue_grows() -> None:
    company, policy = grown(2)
    groups = company.world.params.groups.ids
    assert [groups[g] for g in policy._served] == ["S2"]
    company, policy = grown(16)
    assert {groups[g] for g in policy._served} >= {"S1", "S2", "S3"}
    assert not company.world.params.groups.is_enterprise[policy._served].any()


def test_rule_based_advertises_on_the_channel_that_brought_most() -> None:
    company, policy = grown(4)
    group = company.world.params.groups.index["S2"]
    best = int(np.argmax(company.world.params.influence.effectiveness[:, group]))
    assert policy._channel[group] == best
    spend = company.world.company.ads_spend_usd[:, group]
    assert np.flatnonzero(spend).tolist() == [best]


def test_rule_based_advertises_more_while_customers_are_worth_it_and_less_while_not() -> None:
    _, eager = grown(10, payback_months=100.0)
    _, careful = grown(10, payback_months=0.001)
    first = eager._served[0]
    assert eager._advertising[first] > careful._advertising[first]
    assert careful._advertising[first] == pytest.approx(careful.settings.probe_usd)


def test_rule_based_invests_nothing_towards_the_end() -> None:
    company, _ = grown(12, last_development_day=70.0, last_advertising_day=70.0)
    assert company.world.company.development_group_usd.sum() == 0.0
    assert company.world.company.ads_spend_usd.sum() == 0.0


def test_rule_based_searches_for_groups_once_there_is_cash() -> None:
    company, _ = grown(6, searches=4.0, search_cash_usd=100_000.0)
    assert company.world.market.discovered.sum() > 6
    company, _ = grown(6, searches=0.0, search_cash_usd=100_000.0)
    assert company.world.market.discovered.sum() == 6
