"""What customers expect, estimated and true."""

from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.baselines.oracle import Oracle
from ceo_gym.baselines.rule_based import RuleBased
from tests.baselines.games import grown


@pytest.mark.parametrize("env_id", ["CEOBench-v0", "CEOBench-Repaired-v0"])
def test_the_estimated_rise_is_near_the_true_one(env_id: str) -> None:
    company, policy, *_ = grown(30, env_id=env_id)
    true = company.world.market.quality_shift
    served = company.world.population.accounts > 50
    assert served.sum() > 8
    error = policy._expectations.rise[served] / true[served] - 1.0
    assert np.median(np.abs(error)) < 0.3  # 0.04 and 0.12 when written


def test_oracle_knows_what_rule_based_estimates() -> None:
    company, policy, observation, info = grown(20, policy=Oracle, env_id="CEOBench-v0")
    view = policy.view(observation, info)
    groups = company.world.params.groups
    assert view.willingness_usd == pytest.approx(
        groups.budget_mean_usd + company.world.market.budget_shift
    )
    rise = policy.needed(view, info) - groups.q_floor_mean
    weight = policy._expectations.weight(view)
    assert rise == pytest.approx(weight * info["privileged"]["quality_shift"])
    channels = policy.channels(view)
    assert channels.sum(axis=0) == pytest.approx(np.ones(26))
    assert (channels.argmax(axis=0) == company.world.market.effectiveness.argmax(axis=0)).all()


def test_oracle_refuses_an_env_without_hidden_state() -> None:
    env = gym.make("ceo_gym:CEOBench-v0", record="none")
    policy = Oracle(env)
    observation, info = env.reset(seed=1)
    with pytest.raises(ValueError, match="privileged=True"):
        policy.act(observation, info)


def test_a_new_report_tells_the_floor_without_the_rise() -> None:
    _, policy, observation, info = grown(1, policy=RuleBased)
    view, expectations = policy.view(observation, info), policy._expectations
    g = int(np.flatnonzero(view.known)[0])
    expectations.rise[:] = 0.5
    floor = view.floor.copy()
    floor[g] = 0.8
    later = replace(view, floor=floor, report_days=np.zeros(26), report_level=view.report_level + 1)
    expectations.update(later)
    weight = policy.settings.rise_individuals
    assert expectations.needed(later)[g] == pytest.approx(0.3 + weight * 0.5)
    # a report that is only older changes nothing
    expectations.update(replace(later, floor=floor + 1.0, report_days=np.full(26, 7.0)))
    assert expectations.needed(later)[g] == pytest.approx(0.3 + weight * 0.5)
