"""Closed choices of the manager are refused or change nothing; open ones are carried out."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ceo_gym.envs.ceobench import CEOBenchEnv
from ceo_gym.envs.ceobench.keys import BOX, CHOICE
from tests.envs.companies import RICH, grown, make


def manager(**arguments: Any) -> CEOBenchEnv:
    return make(**({"actions": "manager", "record": "none"} | arguments))


def founded(**arguments: Any) -> CEOBenchEnv:
    env = manager(**arguments)
    env.reset(seed=1)
    return env


def busy() -> CEOBenchEnv:
    """All known groups under research, all projects running, everything at its upper end."""
    env = founded(params={"company.initial_cash_usd": 1e12})
    world = env.world
    for group in np.array(world.params.groups.ids)[world.market.discovered]:
        world.research_group(str(group), 3)
    for tier in range(1, len(world.params.research_tiers.ids) + 1):
        world.start_research_project(tier)
    world.set_model_tiers(A=5, B=5, C=5)
    world.set_capacity_tier(7)
    world.post_social_media("We are open from today on.")
    return env


def poor(cash_usd: float) -> Callable[[], CEOBenchEnv]:
    def build() -> CEOBenchEnv:
        env = grown(actions="manager", weeks=4)
        env.world.company.cash_usd = cash_usd
        return env

    return build


STATES: dict[str, Callable[[], CEOBenchEnv]] = {
    "day 0": founded,
    "grown": lambda: grown(actions="manager", weeks=6, rules="repaired"),
    "busy": busy,
    "no attempt": poor(24_999.0),
    "one attempt": poor(49_999.0),
    "half pays none": poor(12_000.0),
    "known well": lambda: expert(),
}


def expert() -> CEOBenchEnv:
    env = founded(params=RICH)
    env.world.market.info_level[env.world.market.discovered] = 5
    return env


def tried(env: CEOBenchEnv, saved: bytes, action: dict[str, Any]) -> tuple[list[str], bytes]:
    env.restore_state(saved)
    *_, info = env.step(action)
    return [entry["key"] for entry in info["rejected"]], env.world.save()


@pytest.mark.parametrize("name", STATES)
def test_masks_are_honest(name: str) -> None:
    env = STATES[name]()
    mask, saved = env.action_mask(), env.save_state()
    assert env.action_space.contains(env.action_space.sample(mask=mask))
    idle = tried(env, saved, env.noop_action())[1]
    closed = 0
    for key in env.action_keys:
        if key.kind == BOX:
            assert mask[key.key] is None
            continue
        cells = [()] if key.kind == CHOICE else [(k,) for k in range(key.shape[0])]
        for cell in cells:
            allowed = mask[key.key][cell[0]] if cell else mask[key.key]
            assert allowed[0]  # nothing at all is always open
            for choice in range(1, len(key.options)):
                action = env.noop_action()
                if cell:
                    action[key.key][cell] = choice
                else:
                    action[key.key] = np.int64(choice)
                refused, after = tried(env, saved, action)
                what = f"{key.key} {cell} {key.options[choice]}"
                if allowed[choice]:
                    assert not refused, what
                else:
                    assert refused or after == idle, what
                    closed += 1
    assert closed or name in ("grown", "known well")


def test_a_group_found_in_the_step_is_no_target_yet() -> None:
    env = busy()
    assert env.action_mask()["group_research"].tolist() == [1, 0, 0]
    studies = len(env.world.market.studies)
    for _ in range(3):
        action = env.action(market_research=3, group_research="least_known")
        known = env.world.market.discovered.sum()
        *_, info = env.step(action)
        if env.world.market.discovered.sum() > known:
            break
    else:
        raise AssertionError("nine attempts found no group")
    assert [entry["code"] for entry in info["rejected"]] == ["busy"]
    assert len(env.world.market.studies) == studies


def test_the_dearest_project_is_one_that_half_of_the_cash_pays() -> None:
    env = founded()
    cost = env.world.params.research_tiers.cost_usd
    env.world.company.cash_usd = float(cost[0]) * 1.5
    assert env.action_mask()["rnd"].tolist() == [1, 1, 0]
    *_, info = env.step(env.action(rnd="dearest"))
    assert [entry["code"] for entry in info["rejected"]] == ["insufficient_funds"]
    assert len(env.world.market.projects) == 0
    env.step(env.action(rnd="cheapest"))
    assert env.world.market.projects.tier.tolist() == [1]


def test_masks_are_in_the_info_when_asked_for() -> None:
    env = manager(masks=True)
    _, info = env.reset(seed=1)
    assert info["action_mask"]["offers"].tolist() == [1, 0, 0, 0, 0]
    assert info["action_mask"]["capacity"].tolist() == [1, 1, 0, 0]
