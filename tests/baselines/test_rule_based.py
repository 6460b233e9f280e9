"""The rules of rule_based, each seen at work."""

from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.baselines import make_policy
from ceo_gym.baselines.rule_based import EARLY_REVENUE_USD, RATE, SCALE_USD, RuleBased
from ceo_gym.baselines.rule_settings import RuleSettings
from tests.baselines.games import grown


def test_it_opens_the_largest_reported_market_first_and_others_as_revenue_grows() -> None:
    company, policy, *_ = grown(2)
    groups = company.world.params.groups.ids
    assert [groups[g] for g in np.flatnonzero(policy._open)] == ["S2"]
    company, policy, *_ = grown(12)
    assert {groups[g] for g in np.flatnonzero(policy._open)} >= {"S1", "S2", "S3", "E1", "E2", "E3"}


def test_the_first_group_gets_its_quality_before_it_is_advertised_to() -> None:
    company, policy, observation, info = grown(1, first_development_usd=20_000.0)
    g = company.world.params.groups.index["S2"]
    assert company.world.company.development_group_usd[g] == 20_000.0
    assert company.world.company.ads_spend_usd.sum() == 0.0
    company, policy, observation, info = grown(5)
    view = policy.view(observation, info)
    assert view.quality[g] > policy.needed(view, info)[g] + policy.settings.ready_individuals
    assert company.world.company.ads_spend_usd[:, g].sum() > 0.0


def test_development_closes_the_gap_in_the_days_asked_for() -> None:
    _, policy, observation, info = grown(8)
    view = replace(policy.view(observation, info), revenue_usd=1e9)
    needed, none = policy.needed(view, info), np.zeros(len(view.known), bool)
    usd = policy._development(view, needed, none, day=56, growth_usd=1e9)
    margin = np.where(
        view.enterprise, policy.settings.margin_enterprises, policy.settings.margin_individuals
    )
    taken = np.clip(view.accounts / np.maximum(view.cap, 1.0), 0.0, 1.0)
    gap = needed + margin - policy.settings.relief * taken - view.quality
    closed = RATE * np.log1p(usd / SCALE_USD) * policy.settings.gap_days  # at model tier 4
    inside = policy._open & (gap > 0) & (usd < policy.settings.most_development_usd)
    assert inside.any()
    assert closed[inside] == pytest.approx(gap[inside])
    assert not usd[~policy._open].any()


def test_development_has_a_budget() -> None:
    _, policy, observation, info = grown(8)
    view = policy.view(observation, info)
    assert view.revenue_usd > EARLY_REVENUE_USD
    needed, none = policy.needed(view, info), np.zeros(len(view.known), bool)
    usd = policy._development(view, needed, none, day=56, growth_usd=1_000.0)
    assert usd.sum() == pytest.approx(1_000.0)


def test_advertising_goes_to_the_channel_that_brought_most() -> None:
    company, *_ = grown(6, focus=10.0)
    group = company.world.params.groups.index["S2"]
    best = int(np.argmax(company.world.market.effectiveness[:, group]))
    spend = company.world.company.ads_spend_usd[:, group]
    assert int(np.argmax(spend)) == best
    assert spend[best] > 0.5 * spend.sum()


def test_advertising_grows_while_customers_are_worth_it_and_shrinks_while_not() -> None:
    _, eager, *_ = grown(8, payback_months=4.0)
    _, careful, *_ = grown(8, payback_months=0.001)
    first = np.flatnonzero(eager._open)[0]
    assert eager._advertising.spend_usd.sum() > 10 * careful._advertising.spend_usd[first]


def test_the_reserve_keeps_a_company_alive_whose_sign_ups_dry_up() -> None:
    """The revenue of a first wave of sign-ups is not that of the weeks after it."""
    ended = []
    for seed in range(1, 5):
        env = gym.make("ceo_gym:CEOBench-Repaired-v0", record="none", max_agents=2_000)
        policy = make_policy("rule_based", env)
        observation, info = env.reset(seed=seed)
        policy.reset(seed)
        for _ in range(16):
            observation, _, over, _, info = env.step(policy.act(observation, info))
            if over:
                break
        ended.append(bool(over))
    assert not any(ended)


def test_nothing_is_invested_towards_the_end() -> None:
    company, *_ = grown(12, last_development_day=70.0, last_ads_day=70.0)
    assert company.world.company.development_group_usd.sum() == 0.0
    assert company.world.company.ads_spend_usd.sum() == 0.0


def test_unknown_groups_are_searched_for_once_there_is_cash() -> None:
    company, *_ = grown(6, searches=4.0, search_cash_usd=100_000.0)
    assert company.world.market.discovered.sum() > 6
    company, *_ = grown(6, searches=0.0, search_cash_usd=100_000.0)
    assert company.world.market.discovered.sum() == 6


def test_reports_are_ordered_for_the_largest_markets_first() -> None:
    _, policy, observation, info = grown(8)
    view = policy.view(observation, info)
    view = replace(view, cash_usd=1e9)
    none = np.zeros(len(view.known), bool)
    ordered = policy._reports(view, none, day=56)
    open_ = np.flatnonzero(policy._open & (view.report_level < 3) & ~view.reporting)
    largest = open_[np.argsort(-view.worth_usd[open_])][:3]
    assert list(ordered) == [policy._read.groups[g] for g in largest]
    assert set(ordered.values()) == {"level_3"}
    assert policy._reports(replace(view, cash_usd=0.0), none, day=56) == {}


def test_groups_of_which_nobody_signs_are_given_up() -> None:
    _, policy, observation, info = grown(8)
    view = policy.view(observation, info)
    g = int(np.flatnonzero(view.enterprise & view.known)[0])
    policy._open[g], policy._weeks_ready[g] = True, 20
    policy._advertising.conversion = np.zeros(len(view.known))
    hopeless = policy._hopeless(view, np.full(len(view.known), -10.0))
    assert hopeless[g]
    assert not hopeless[~view.enterprise].any()
    named = policy._offers(observation, ignore=hopeless)
    firm = policy._offers._enterprises.index(g)
    assert not named["bulk_price"][firm].any()


def test_settings_by_name_and_their_errors() -> None:
    env = gym.make("ceo_gym:CEOBench-v0", record="none")
    policy = make_policy("rule_based", env, settings={"price_a_usd": 33.0})
    assert policy.settings == RuleSettings(price_a_usd=33.0)
    assert RuleBased(env, RuleSettings(risk=0.4)).settings.risk == 0.4
    with pytest.raises(ValueError, match="did you mean price_a_usd"):
        RuleBased(env, {"price_a": 3.0})
    with pytest.raises(ValueError, match="risk is a finite number"):
        RuleBased(env, {"risk": float("nan")})


def test_every_setting_has_a_range_around_its_default() -> None:
    for name, each in RuleSettings.describe().items():
        assert each["low"] <= each["default"] <= each["high"], name
        assert each["meaning"], name
        assert each["low"] > 0.0 or not each["log"], name
