"""What the observation says, computed another way, and what it must not say."""

from typing import Any

import numpy as np
import pytest

from ceo_gym.envs.ceobench.action_decode import carry_out
from ceo_gym.simulators.ceobench.finance import CATEGORIES
from tests.envs.companies import RICH, grown, make
from tests.envs.test_env import equal


def look(env: Any) -> dict[str, Any]:
    return env._observer.observe(env.world, new_week=False)


def test_reset_starts_with_empty_memory() -> None:
    env = make(record="none")
    grown_weeks, _ = env.reset(seed=1), [env.step(env.noop_action()) for _ in range(3)]
    del grown_weeks
    observation, _ = env.reset(seed=1)
    for key in ("week", "service", "history"):
        assert not observation[key].any()
    assert observation["company"][0] == 1e6
    assert observation["group_status"][:, 0].sum() == 6


def test_unknown_groups_are_rows_of_zeros() -> None:
    env = grown(weeks=10)
    observation = look(env)
    unknown = ~env.world.market.discovered
    assert unknown.any()
    for key in ("group_status", "group_stats", "group_quality", "group_settings", "insight"):
        assert not observation[key][unknown].any(), key


def test_counts_agree_with_the_records() -> None:
    env = grown(weeks=9, record="business")
    observation, *_ = env.step(env.noop_action())
    world, history = env.world, env.world.history
    first, stats = world.day - 7, observation["group_stats"]
    arrivals = history.arrivals
    recent = arrivals.day > first
    assert stats[:, 3].tolist() == np.bincount(arrivals.group[recent], minlength=26).tolist()
    started = history.terms.starts & (history.terms.day > first)
    group_of = np.zeros(world.company.next_customer_id, int)
    group_of[arrivals.customer_id] = arrivals.group
    groups = group_of[history.terms.customer_id[started]]
    assert stats[:, 4].tolist() == np.bincount(groups, minlength=26).tolist()
    gone = history.departures.day > first
    groups = group_of[history.departures.customer_id[gone]]
    assert stats[:, 6].tolist() == np.bincount(groups, minlength=26).tolist()
    plans = np.bincount(history.departures.plan[gone], minlength=3)
    assert observation["plan_stats"][:, 4].tolist() == plans.tolist()

    leads = history.channel_leads
    last = leads.day > first
    credited = np.zeros((5, 26))
    np.add.at(credited, (leads.channel[last], leads.group[last]), leads.prospects[last])
    assert (observation["channel_group"][1] == credited).all()
    eight = leads.day > world.day - 56
    prospects, spend = np.zeros((5, 26)), np.zeros((5, 26))
    np.add.at(prospects, (leads.channel[eight], leads.group[eight]), leads.prospects[eight])
    np.add.at(spend, (leads.channel[eight], leads.group[eight]), leads.spend_usd[eight])
    rate = np.divide(1000 * prospects, spend, out=np.zeros((5, 26)), where=spend > 0)
    assert observation["channel_group"][2] == pytest.approx(rate, rel=1e-5)

    population = world.population
    assert stats[:, 0].tolist() == np.bincount(population.group, minlength=26).tolist()
    assert observation["company"][7] == np.count_nonzero(population.issue_days)
    assert observation["company"][2:4].sum() == pytest.approx(
        (population.effective_usd * population.billed_seats).sum(), rel=1e-5
    )
    ads = history.ledger_usd[first + 1 : world.day + 1, CATEGORIES.index("ad_revenue")].sum()
    assert ads > 0
    assert stats[:, 10].sum() == pytest.approx(ads, rel=1e-5)


def test_a_reading_of_the_history_block() -> None:
    env = grown(weeks=2)
    cash = []
    for _ in range(3):
        observation, *_ = env.step(env.noop_action())
        cash.insert(0, observation["company"][0])
    assert observation["history"][:3, 0].tolist() == cash
    assert not observation["history"][5:].any()
    ledger = observation["ledger_week"]
    assert observation["company"][1] == pytest.approx(ledger.sum(), rel=1e-4)


def test_purchases_count_to_the_week_they_open() -> None:
    env = make(record="none")
    env.reset(seed=1)
    observation, *_ = env.step(env.action(market_research=2))
    assert observation["ledger_week"][CATEGORIES.index("market_research")] == -50_000
    observation, *_ = env.step(env.noop_action())
    assert observation["ledger_week"][CATEGORIES.index("market_research")] == 0


def test_another_seed_looks_the_same_on_day_zero() -> None:
    assert equal(make().reset(seed=1)[0], make().reset(seed=2)[0])


def test_record_levels_give_equal_observations() -> None:
    a, b = grown(record="none"), grown(record="full")
    assert equal(look(a), look(b))


def test_optional_blocks() -> None:
    keys = ("influence", "channel_group_lead_promotion", "reply_slots", "forecast")
    env = grown(weeks=8, blocks=keys)
    env.world.set_lead_promotion(
        by_channel={"linkedin": 3}, by_channel_group={"linkedin": {"S1": 2}}
    )
    observation, *_ = env.step(env.noop_action())
    assert env.observation_space.contains(observation)
    assert observation["channel_group_lead_promotion"][2, :2].tolist() == [3, 2]
    assert observation["forecast"][0, 0] == 1
    assert observation["reply_slots"].any()
    report = env.world.group_insights("S1")
    for other, value in report["network_influence"]["outgoing"].items():
        g = env.world.params.groups.index[other]
        assert observation["influence"][0, 0, g] == pytest.approx(value)


def test_insight_is_the_report() -> None:
    env = grown(params=RICH)
    observation, *_ = env.step(env.action(group_research={"E1": "level_4"}))
    report = env.world.group_insights("E1")
    row = observation["insight"][3]
    assert row[0] == pytest.approx(report["estimates"]["willingness_to_pay"])
    assert row[7] == report["estimates"]["seat_range"][1]
    assert row[10] == pytest.approx(report["noise"])
    assert observation["group_status"][3, 1] == 4


def test_the_inbox_order() -> None:
    env = grown(weeks=10)
    observation, used = look(env), 0
    used = int(observation["inbox_mask"].sum())
    assert used > 1
    urgency = {3: 0, 4: 1, 5: 2, 2: 3, 1: 4}
    keys = [
        (urgency[int(t)], -row[0])
        for t, row in zip(observation["inbox_type"][:used], observation["inbox"][:used])
    ]
    assert keys == sorted(keys)
    assert not observation["inbox"][used:].any()


def test_posts_are_judged_and_reported() -> None:
    env = grown(weeks=8)
    topics = env.world.params.posts.topics
    for topic in topics:
        action = env.action(post_op="post", post_group="S1", post_topic=topic)
        observation, _, _, _, info = env.step(action)
        assert info["rejected"] == []
        assert observation["posts"][0] > 0
        assert observation["posts"][2] == 1
        assert observation["post_effect"][:, 1].sum() == 3
    efforts = [post.score.max() for post in env.world.market.own_posts]
    assert np.mean(efforts) > 0.4
    assert all(len(post.content) <= 280 for post in env.world.market.own_posts)
    action = env.action(post_op="reply", post_reply=0, post_topic="support")
    assert carry_out(env.world, action, env._observer.slots) == []
    assert env.world.market.own_posts[-1].reply_to_post_id > 0
