"""Asking and acting by name within the week."""

import copy
import pickle
import sys
from typing import Any

import gymnasium as gym
import pandas as pd
import pytest

from ceo_gym.simulators.ceobench import InvalidDecision
from tests.envs.companies import grown, make
from tests.envs.test_env import equal

CUSTOMERS = "SELECT customer_id, group_id FROM customers ORDER BY customer_id"


def test_a_frame_is_what_the_query_finds() -> None:
    env = grown(weeks=3, record="business")
    frame, result = env.query_frame(CUSTOMERS), env.query(CUSTOMERS)
    assert isinstance(frame, pd.DataFrame)
    assert list(frame) == result["columns"] == ["customer_id", "group_id"]
    assert frame.to_dict("records") == result["rows"]
    empty = env.query_frame("SELECT day FROM ledger WHERE day < 0")
    assert list(empty) == ["day"]
    assert empty.empty
    env.step(env.noop_action())
    assert len(env.query_frame(CUSTOMERS)) > len(frame)
    with pytest.raises(ValueError, match="no such table"):
        env.query_frame("SELECT * FROM client")


def test_limits_of_queries() -> None:
    env = grown(weeks=3, record="business", sql_limits={"row_cap": 4})
    result = env.query(CUSTOMERS)
    assert result["truncated"]
    assert result["row_count"] == 4
    env.reset(seed=1)
    assert env.query("SELECT * FROM schema_columns")["row_count"] == 4
    endless = "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n) SELECT SUM(k) FROM n"
    env = make(sql_limits={"time_limit_s": 0.05})
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"longer than 0\.05 s"):
        env.query(endless)


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"rows": 3}, "unknown sql_limits 'rows'"),
        ({"row_cap": 0}, "whole number of rows from 1"),
        ({"row_cap": 2.5}, "whole number of rows from 1"),
        ({"time_limit_s": 0}, "seconds above 0"),
        ({"time_limit_s": float("nan")}, "seconds above 0"),
        ({"time_limit_s": "10"}, "seconds above 0"),
        (5, "row_cap, time_limit_s"),
    ],
)
def test_wrong_limits_are_told(limits: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gym.make("ceo_gym:CEOBench-v0", sql_limits=limits)


def test_what_needs_records_says_so() -> None:
    for argument in ({"texts": True}, {"sql_limits": {"row_cap": 3}}):
        with pytest.raises(ValueError, match='record="business" or "full"'):
            gym.make("ceo_gym:CEOBench-v0", record="none", **argument)


def test_limits_alone_import_no_database() -> None:
    import subprocess

    code = (
        "import gymnasium as gym, sys; "
        "gym.make('ceo_gym:CEOBench-v0', sql_limits={'row_cap': 3}, texts=True); "
        "print('sqlite3' in sys.modules, 'pandas' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ["False", "False"]


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_their_own_way(twin: Any) -> None:
    env = grown(weeks=8, record="business")
    before = env.query(CUSTOMERS)  # an open database must not be in the way
    other = twin(env)
    assert other.query(CUSTOMERS) == before
    saved = env.save_state()
    a = other.step(other.action(price={"A": 25}))
    assert env.save_state() == saved
    b = env.step(env.action(price={"A": 25}))
    assert equal(a[0], b[0])
    for _ in range(5):
        env.step(env.noop_action())
        other.step(other.noop_action())
    assert env.save_state() == other.save_state()


def test_closing_frees_the_tables_and_nothing_else() -> None:
    env = grown(weeks=2, record="business")
    before = env.query(CUSTOMERS)
    env.close()
    env.close()
    assert env.query(CUSTOMERS) == before


def test_nothing_is_done_before_the_first_reset() -> None:
    env = make()
    with pytest.raises(RuntimeError, match="reset"):
        env.call("set_prices", {"A": 40})
    with pytest.raises(RuntimeError, match="reset"):
        env.hand_in([[1.0, 1.0, 1.0]] * 4)
    assert len(env.report()) > 100


def test_a_look_at_the_present() -> None:
    env = grown(weeks=6)
    seen, *_ = env.step(env.noop_action())
    assert equal(env.observe(), seen)
    other = make(record="none", params=dict(env.world.params.overrides))
    other.restore_state(env.save_state())
    assert equal(other.observe(), seen)
    env.call("set_prices", {"A": 21})
    assert env.observe()["plan_config"][0, 0] == 21
    assert other.observe()["plan_config"][0, 0] == 20


def test_masks_know_what_calls_have_done() -> None:
    env = grown(weeks=6)
    first, second = (int(who) for who in env._observer.slots.inbox[:2])
    env.call("reject_enterprise_deal", {"deals": [first]})
    env.call("send_enterprise_deal", {"deals": [[second, [["C", 30]]]]})
    mask = env.action_mask()
    assert [row.tolist() for row in mask["inbox_op"][:3]] == [[1, 0, 0], [1, 0, 0], [1, 1, 1]]
    action = env.action(inbox_op={0: "reject", 1: "reject", 2: "reject"})
    *_, info = env.step(action)
    assert [(entry["cell"], entry["code"]) for entry in info["rejected"]] == [
        ("0", "not_found"),
        ("1", "not_found"),
    ]


def test_resets_begin_as_the_env_says() -> None:
    env = make(record="none", start="configured")
    assert env.reset(seed=1)[1]["start"] == "configured"
    assert env.world.company.price_usd.all()
    assert env.reset(seed=1, options={"start": "empty"})[1]["start"] == "empty"
    assert env.reset(seed=1)[1]["start"] == "configured"
    with pytest.raises(ValueError, match="start must be one of empty, configured"):
        make(start="rich")


def test_a_vector_env_begins_every_episode_as_told() -> None:
    vector = gym.make_vec(
        "CEOBench-Short-v0", 2, "sync", actions="manager", record="none", start="configured"
    )
    _, info = vector.reset(seed=1)
    idle = {name: part * 0 for name, part in vector.action_space.sample().items()}
    starts = [info["start"].tolist()]
    for _ in range(11):
        *_, info = vector.step(idle)
        starts.append(info["start"].tolist())
    assert starts == [["configured"] * 2] * 12
    assert info["week"].tolist() == [2, 2]  # of the second episode


def test_a_tool_for_the_week_points_to_step() -> None:
    env = make()
    env.reset(seed=1)
    with pytest.raises(InvalidDecision, match="step") as error:
        env.call("next_week")
    assert error.value.code == "not_found"
