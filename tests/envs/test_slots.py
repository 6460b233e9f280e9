"""Other numbers of slots reach spaces, decoding, masks, descriptions and snapshots."""

from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.simulators.ceobench import SnapshotError
from tests.envs.companies import grown, make
from tests.envs.test_env import equal

FEW = {"inbox": 3, "accounts": 2, "history_weeks": 5, "replies": 4}
SHAPES = {  # key -> first axis with the few slots
    "inbox_mask": 3,
    "inbox_group": 3,
    "inbox_type": 3,
    "inbox": 3,
    "account_mask": 2,
    "account_group": 2,
    "account": 2,
    "history": 5,
    "reply_slots": 4,
    "inbox_op": 3,
    "inbox_price": 3,
    "inbox_plan": 9,
    "account_op": 2,
    "account_offer": 2,
    "account_promotion": 2,
    "account_strength": 2,
    "account_set": 4,
}


def test_spaces_and_descriptions_have_them() -> None:
    env = make(slots=FEW, blocks=["reply_slots"], record="none")
    spaces = {**env.observation_space.spaces, **env.action_space.spaces}
    for key, first in SHAPES.items():
        assert spaces[key].shape[0] == first, key
    assert env.action_space["post_reply"].n == 4
    described = env.describe()
    assert len(described["observation"]["history"]["cells"]) == 5 * 16
    assert described["action"]["inbox_price"]["shape"] == (3, 3)
    assert "2.A" in described["action"]["inbox_price"]["cells"]
    with pytest.raises(KeyError, match="no cell 3 in inbox_op"):
        env.action(inbox_op={3: "reject"})
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert env.action_space.contains(env.action_space.sample(mask=env.action_mask()))


def test_unnamed_slots_keep_their_number() -> None:
    env = make(slots={"inbox": 100}, record="none")
    assert env.action_space["inbox_op"].shape == (100,)
    assert env.action_space["account_op"].shape == (32,)
    assert make(slots={}, record="none").action_space == make(record="none").action_space


@pytest.mark.parametrize("few", [FEW, {"inbox": 1, "accounts": 1}])
def test_few_slots_show_the_first_of_many(few: dict[str, int]) -> None:
    env = grown(weeks=9, blocks=["reply_slots"])
    small = grown(weeks=9, blocks=["reply_slots"], slots=few)
    assert env.world.save() == small.world.save()
    whole, part = env.observe(), small.observe()
    assert small.observation_space.contains(part)
    assert whole["inbox_mask"].sum() > 3
    for key, value in part.items():
        if key != "inbox_overflow":
            first = tuple(slice(n) for n in value.shape)
            assert (value == whole[key][first]).all(), key
    waiting = len(env.world.observe().waiting.customer_id)
    assert part["inbox_overflow"][:, 0].sum() == waiting - few["inbox"]
    assert part["inbox_overflow"][:, 1].sum() == (
        whole["inbox_overflow"][:, 1].sum() + whole["inbox"][few["inbox"] :, 0].sum()
    )


def test_actions_in_few_slots_equal_those_in_many() -> None:
    named: dict[str, Any] = {
        "inbox_op": {0: "offer", 1: "reject"},
        "inbox_price": {0: {"C": 35}},
        "bulk_op": {"new_lead": "list_price"},
        "account_promotion": {1: 2.5},
        "account_op": {0: "offer"},
        "account_offer": {(0, "B"): 30},
        "post_op": "reply",
        "post_reply": 3,
    }
    env, small = grown(weeks=14), grown(weeks=14, slots=FEW)
    assert env.observe()["account_mask"].sum() > 2
    for one in (env, small):
        mask = one.action_mask()
        assert mask["account_op"][1].all()
        assert mask["inbox_op"][1].all()
        *_, info = one.step(one.action(**named))
        assert info["rejected"] == []
    assert env.world.save() == small.world.save()


def test_masks_close_empty_slots() -> None:
    env = make(slots={"inbox": 2, "accounts": 1, "replies": 2}, record="none")
    env.reset(seed=1)
    mask = env.action_mask()
    assert [row.tolist() for row in mask["inbox_op"]] == [[1, 0, 0]] * 2
    assert mask["account_op"][0].tolist() == [1, 0]
    assert mask["post_reply"].tolist() == [0, 0]


def test_states_belong_to_their_slots() -> None:
    env = grown(weeks=8, slots=FEW)
    saved = env.save_state()
    other = make(slots=FEW, record="none", params=dict(env.world.params.overrides))
    other.restore_state(saved)
    a, b = env.step(env.noop_action()), other.step(other.noop_action())
    assert equal(a[0], b[0])
    assert env.save_state() == other.save_state()
    usual = make(record="none", params=dict(env.world.params.overrides))
    usual.reset(seed=4)
    before = usual.save_state()
    with pytest.raises(SnapshotError, match=r"slots=.*'inbox': 3.*'inbox': 64"):
        usual.restore_state(saved)
    assert usual.save_state() == before


def test_the_history_has_as_many_weeks() -> None:
    env = make(slots={"history_weeks": 3}, record="none")
    env.reset(seed=1)
    for _ in range(5):
        observation, *_ = env.step(env.noop_action())
    assert (observation["history"][:, 0] > 0).all()
    assert (np.diff(observation["history"][:, 0]) > 0).all()  # newest first, and it costs daily


@pytest.mark.parametrize(
    ("slots", "message"),
    [
        ({"inboxes": 3}, "unknown slots 'inboxes'; did you mean inbox"),
        ({"inbox": 0}, "whole number from 1 to 10,000"),
        ({"inbox": 10_001}, "whole number from 1 to 10,000"),
        ({"replies": 2.0}, "whole number"),
        ({"replies": True}, "whole number"),
        ({"accounts": "3"}, "whole number"),
        (64, "inbox, accounts, history_weeks, replies"),
        ([64, 32, 12, 16], "inbox, accounts, history_weeks, replies"),
    ],
)
def test_wrong_numbers_are_told(slots: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gym.make("ceo_gym:CEOBench-v0", slots=slots, record="none")
