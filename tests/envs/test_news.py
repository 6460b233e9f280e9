"""The words of a week are those of the tables, and are told once."""

from typing import Any

import pytest

from ceo_gym.simulators.ceobench import SnapshotError
from tests.envs.companies import RICH, grown, make


def rows(env: Any, table: str, first: int, last: int) -> list[dict[str, Any]]:
    sql = f"SELECT * FROM {table} WHERE day > {first} AND day <= {last}"
    return env.query(sql)["rows"]


@pytest.mark.parametrize("record", ["business", "full"])
def test_notices_and_posts_equal_the_rows_of_the_week(record: str) -> None:
    env = grown(weeks=5, record=record, texts=True, sql_limits={"row_cap": 1_000_000})
    told: set[str] = set()
    for _ in range(6):
        day = env.world.day
        *_, info = env.step(env.action(bulk_op={"new_lead": "list_price"}))
        notices = rows(env, "notifications", day, info["day"])
        assert info["notices"] == notices
        assert info["posts"] == rows(env, "social_media_posts", day, info["day"])
        assert info["report"] == env.report()
        told |= {notice["type"] for notice in notices}
        told |= {"a post" for _ in info["posts"]}
    assert {"large_customer_message", "macro_economic_update", "a post"} <= told


def test_all_that_was_ever_told_is_the_table() -> None:
    env = make(params=RICH, texts=True)
    _, info = env.reset(seed=3, options={"start": "configured"})
    assert info["notices"] == info["posts"] == []
    assert "DAY 0" in info["report"]
    notices: list[Any] = []
    posts: list[Any] = []
    for week in range(12):
        named: dict[str, Any] = {"market_research": 5, "bulk_op": {"new_lead": "list_price"}}
        if week == 1:
            named |= {"rnd": {1: "start"}, "post_op": "post", "group_research": {"S1": "default"}}
        *_, info = env.step(env.action(**named))
        if week == 6:
            env.call("research_market")  # told with the week that follows
        notices += info["notices"]
        posts += info["posts"]
        if week == 8:  # neither lost nor told twice by a fork
            other = make(params=RICH, texts=True)
            other.restore_state(env.save_state())
            env = other
    assert notices == env.query("SELECT * FROM notifications")["rows"]
    assert posts == env.query("SELECT * FROM social_media_posts")["rows"]
    discovered = [notice for notice in notices if notice["type"] == "market_discovery"]
    assert discovered
    assert {"research_complete", "social_media", "group_research_complete"} <= {
        notice["type"] for notice in notices
    }


def test_words_are_asked_for() -> None:
    env = make()
    env.reset(seed=1)
    *_, info = env.step(env.noop_action())
    assert not {"notices", "posts", "report"} & info.keys()


def test_a_state_without_records_has_no_words() -> None:
    silent = make(record="none")
    silent.reset(seed=1)
    env = make(texts=True)
    with pytest.raises(SnapshotError, match="keeps no records"):
        env.restore_state(silent.save_state())


def test_a_state_of_an_env_without_words_is_told_on() -> None:
    env = grown(weeks=5, record="business")
    twin = make(texts=True, params=dict(env.world.params.overrides))
    twin.restore_state(env.save_state())
    day = env.world.day
    *_, info = twin.step(twin.noop_action())
    assert info["notices"] == rows(twin, "notifications", day, info["day"])
