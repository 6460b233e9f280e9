"""The text door: what a language model may send, and what comes back."""

import json

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from ceo_gym.wrappers import ToolAction
from tests.wrappers.test_wrappers import make


def calls(*named: tuple[str, dict]) -> str:
    return json.dumps([{"tool": name, "args": args} for name, args in named])


def test_tool_action_needs_a_reset() -> None:
    env = ToolAction(make())
    with pytest.raises(gym.error.ResetNeeded):
        env.step('{"tool": "set_prices", "args": {"A": 40}}')


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version:UserWarning")
def test_the_checker_of_gymnasium_passes() -> None:
    env = ToolAction(make(record="business"))
    check_env(env, skip_render_check=True)


def test_it_can_be_made_again_from_its_spec() -> None:
    env = ToolAction(make(record="business"), needs_forecast=True, extended=True)
    again = gym.make(env.spec)
    assert isinstance(again, ToolAction)
    assert (again.needs_forecast, again.extended) == (True, True)
    assert again.reset(seed=3)[0] == env.reset(seed=3)[0]


def test_a_new_game_tells_how_to_act_and_what_there_is() -> None:
    env = ToolAction(make(rules="repaired"))
    text, _ = env.reset(seed=1)
    assert '{"tool": "set_prices", "args": {"A": 40}}' in text
    assert "get_tool_documentation" in text
    names = [schema["function"]["name"] for schema in env.schemas()]
    assert "query" in names
    assert "python_exec" not in names
    guide = env.guide()
    assert "holds per seat" in guide  # of this company's rules
    assert all(f"`{name}`" in guide for name in names)


@pytest.mark.parametrize("needed", [False, True])
def test_schema_of_next_week_says_what_is_needed(needed: bool) -> None:
    env = ToolAction(make(), needs_forecast=needed)
    (schema,) = [s for s in env.schemas() if s["function"]["name"] == "next_week"]
    required = schema["function"]["parameters"]["required"]
    assert required == (["predictions", "rationale"] if needed else [])
    env.reset(seed=1)
    *_, info = env.step(calls(("next_week", {"rationale": "hold"})))
    assert info["weeks"] == (0 if needed else 1)
    *_, info = env.step(calls(("next_week", {"reason": "hold"})))
    assert info["results"][0]["code"] == "unknown_key"
    bad = {"predictions": {"cash_1wk": 5}, "rationale": "x"}
    *_, info = env.step(calls(("next_week", bad)))
    assert not info["results"][0]["ok"]
    assert info["weeks"] == 0


def test_the_result_of_a_week_has_the_listed_fields() -> None:
    env = ToolAction(make())
    env.reset(seed=1)
    text, *_, info = env.step(calls(("next_week", {})))
    result = info["results"][0]["result"]
    assert list(result) == ["success", "day", "dashboard"]
    assert (result["day"], result["dashboard"]) == (7, text)


def test_calls_after_a_week_belong_to_the_next_one() -> None:
    env = ToolAction(make())
    env.reset(seed=1)
    week = ("next_week", {})
    text, reward, *_, info = env.step(
        calls(("set_capacity_tier", {"tier": 1}), week, ("set_capacity_tier", {"tier": 2}), week)
    )
    assert info["weeks"] == 2
    assert reward == pytest.approx(-(215 + 530) * 7 / 1e6)
    assert text.index("DAY 7") < text.index('"tier": 2') < text.index("DAY 14")


def test_an_unreadable_call_in_a_list_leaves_the_others() -> None:
    env = ToolAction(make())
    env.reset(seed=1)
    text, *_, info = env.step('[{"tol": "x"}, {"tool": "set_capacity_tier", "args": {"tier": 1}}]')
    assert [entry["ok"] for entry in info["results"]] == [False, True]
    assert text.startswith("unknown tool: error (wrong_type): a call names its tool")


def test_texts_may_have_any_characters() -> None:
    env = ToolAction(make(record="business"))
    env.reset(seed=1)
    post = "Grüße ☕ 日本 \U0001f600"
    ask = ("query", {"sql": "SELECT content FROM agent_social_media_posts"})
    action = calls(("post_social_media", {"content": post}), ask)
    assert action in env.action_space
    text, *_, info = env.step(action)
    assert text in env.observation_space
    assert text.count(post) == 2
    assert info["results"][1]["result"]["rows"] == [{"content": post}]
    text, *_ = env.step(calls(("get_group_insights", {"group_id": "S1"})))
    assert "±65%" in text


def test_long_answers_are_cut_in_the_text_only() -> None:
    env = ToolAction(make(record="business"))
    env.reset(seed=1)
    sql = (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 4000) "
        "SELECT i, 'abcdefghij' AS a FROM n"
    )
    text, *_, info = env.step(calls(("query", {"sql": sql})))
    assert len(text) < 51_000
    assert "ask for less" in text
    assert len(info["results"][0]["result"]["rows"]) == 4000
    *_, info = env.step(
        calls(("query", {"sql": "SELECT 9e999 AS x"}), ("query", {"q": "SELECT 1"}))
    )
    assert info["results"][0]["result"]["rows"] == [{"x": None}]
    assert (
        "It takes sql" in info["results"][1]["error"] or "takes sql" in info["results"][1]["error"]
    )


def test_the_extended_report_counts_notices() -> None:
    env = ToolAction(make(record="business"), extended=True)
    text, _ = env.reset(seed=1)
    assert "OTHER SETTINGS IN FORCE" in text
    text, *_ = env.step(calls(("next_week", {})))
    assert "Notices this week: 0" in text


def test_after_the_end_one_can_ask_but_not_act_until_a_reset() -> None:
    env = ToolAction(gym.make("CEOBench-Short-v0"))
    env.reset(seed=1)
    ask, act = ("get_week_summary", {}), ("set_prices", {"A": 1})
    weeks = [("next_week", {})] * 8
    *_, info = env.step(calls(*weeks, ask, act, ("next_week", {})))
    assert [entry["ok"] for entry in info["results"][-3:]] == [True, False, False]
    cash = info["cash_usd"]
    for _ in range(2):
        _, reward, terminated, truncated, info = env.step(calls(("next_week", {}), ask))
        assert (reward, terminated, truncated, info["weeks"]) == (0.0, True, False, 0)
        assert "reset begins a new one" in info["results"][0]["error"]
        assert info["results"][1]["ok"]
        assert info["cash_usd"] == cash
    env.reset(seed=2)
    _, _, terminated, _, info = env.step(calls(act, ("next_week", {})))
    assert not terminated
    assert info["day"] == 7


def test_an_outside_limit_ends_the_text_game_too() -> None:
    limited = gym.wrappers.TimeLimit(gym.make("CEOBench-v0"), max_episode_steps=2)
    env = ToolAction(limited)
    env.reset(seed=1)
    week = ("next_week", {})
    _, _, terminated, truncated, info = env.step(calls(week, week, week))
    assert (terminated, truncated, info["weeks"]) == (False, True, 2)
    assert info["results"][2]["code"] == "limit_reached"


def test_mistakes_of_any_kind_leave_the_company_as_it_was() -> None:
    env = ToolAction(make(record="business"))
    env.reset(seed=1)
    before = env.unwrapped.save_state()
    for action in (
        "",
        "think",
        "[" * 5000,
        '{"tool": "set_prices", "args": {"A": ' + "9" * 5000 + "}}",
        '{"tool": "set_prices", "A": 4}',
        '{"tool": "set_prices", "args": {"A": 4, "A": 5}}',
        '{"tool": "set_prices", "args": {"A": NaN}}',
        calls(("post_social_media", {"content": "\ud800"})),
        calls(("next_week", {"predictions": {}})),
        calls(("query", {"sql": "DELETE FROM ledger"})),
    ):
        _, reward, terminated, truncated, info = env.step(action)
        assert (reward, terminated, truncated) == (0.0, False, False)
        assert not any(entry["ok"] for entry in info["results"])
        assert env.unwrapped.save_state() == before
