"""The shape of results, warnings, hints and helpful errors (tables.md 4)."""

import subprocess
import sys

import pytest

from ceo_gym.sql.ceobench import BusinessDatabase, QueryError, schema
from tests.sql.ceobench.companies import played


@pytest.fixture(scope="module")
def books() -> BusinessDatabase:
    return BusinessDatabase(played("published"))


def test_shape_of_a_result(books: BusinessDatabase) -> None:
    result = books.query("SELECT day, category FROM ledger ORDER BY id LIMIT 1;")
    assert result == {
        "success": True,
        "columns": ["day", "category"],
        "rows": [{"day": 0, "category": "initial_funding"}],
        "row_count": 1,
    }


def test_row_cap(books: BusinessDatabase) -> None:
    """Check 4, first half."""
    count = "SELECT 1 UNION ALL SELECT x + 1 FROM a WHERE x < {}"
    many = f"WITH RECURSIVE a(x) AS ({count}) SELECT * FROM a"
    full = books.query(many.format(5_000))
    assert full["row_count"] == 5_000
    assert "truncated" not in full
    cut = books.query(many.format(5_001))
    assert cut["row_count"] == len(cut["rows"]) == 5_000
    assert cut["truncated"] is True
    assert "5000" in cut["warning"]
    small = BusinessDatabase(books.world, row_cap=2).query("SELECT * FROM ledger")
    assert small["row_count"] == 2


def test_repeated_names_keep_their_values(books: BusinessDatabase) -> None:
    result = books.query("SELECT 1 AS a, 2 AS a, 3 AS a, 4 AS a_2")
    assert len(set(result["columns"])) == 4
    assert list(result["rows"][0].values()) == [1, 2, 3, 4]
    assert result["columns"][0] == "a"
    assert "a_3" in result["warning"]
    joined = books.query("SELECT * FROM customers JOIN subscriptions USING (customer_id) LIMIT 1")
    assert "warning" not in joined
    joined = books.query("SELECT c.day, s.day FROM ledger c, service_day s LIMIT 1")
    assert joined["columns"] == ["day", "day_2"]


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT * FROM subscriptions WHERE status='active'", "lead, subscribed, cancelled, lost"),
        ('SELECT COUNT(*) FROM subscriptions s WHERE s.status = "active"', "subscribed"),
        ("SELECT SUM(amount) FROM ledger WHERE category IN ('revenue', 'costs')", "ad_revenue"),
        ("SELECT * FROM customers WHERE group_id = 'S9'", "D_E10"),
        ("SELECT * FROM subscriptions WHERE status='lost' AND plan='A' AND start_day > 9999", None),
        ("SELECT * FROM notifications WHERE message = 'x'", None),
    ],
)
def test_hints(books: BusinessDatabase, sql: str, told: str | None) -> None:
    """Check 6."""
    hint = books.query(sql).get("hint")
    assert (hint is None) if told is None else (told in hint)


def test_no_hint_for_a_query_that_finds_something(books: BusinessDatabase) -> None:
    found = books.query("SELECT * FROM subscriptions WHERE status IN ('active', 'subscribed')")
    assert found["row_count"] > 0
    assert "hint" not in found


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT plan_id FROM subscriptions", ("no such column", "Did you mean", "seat_count")),
        ("SELECT s.group_id FROM subscriptions s", ("effective_price",)),
        ("SELECT * FROM customer_issues", ("no such table", "Did you mean", "predictions")),
        ("SELECT * FROM whatever", ("no such table", "group_info_levels")),
        ("SELECT day FROM ledger, issues, service_day", ("ambiguous", "ledger, service_day")),
    ],
)
def test_errors_help(books: BusinessDatabase, sql: str, told: tuple[str, ...]) -> None:
    with pytest.raises(QueryError) as caught:
        books.query(sql)
    for part in told:
        assert part in caught.value.message


@pytest.mark.parametrize(
    "sql",
    [
        "WITH a AS (SELECT day, SUM(amount) AS x FROM ledger GROUP BY day) "
        "SELECT day, SUM(x) OVER (ORDER BY day) AS cash FROM a",
        "SELECT j.value FROM agent_social_media_posts, json_each(comment_post_ids) j",
        "SELECT json_extract(settings_json, '$.global') FROM config_overrides",
        "SELECT 'sqlite_master', 'customer_state'",  # innocent texts (decision D4)
        "VALUES (1), (2)",
        "WITH a AS (SELECT day FROM ledger GROUP BY day) SELECT COUNT(*) FROM a",  # rows alone
        "WITH RECURSIVE n(k) AS (SELECT 1 UNION ALL SELECT k + 1 FROM n LIMIT 9) SELECT 5 FROM n",
        "SELECT c.customer_id FROM social_media_posts p, customers c LIMIT 1",  # decision D8
        "EXPLAIN QUERY PLAN SELECT * FROM ledger",
        "SELECT ROUND(SQRT(2), 2), random(), CURRENT_DATE",
    ],
)
def test_the_dialect(books: BusinessDatabase, sql: str) -> None:
    assert books.query(sql)["success"]


def test_frame(books: BusinessDatabase) -> None:
    frame = books.frame("SELECT day, SUM(amount) AS net FROM ledger GROUP BY day")
    assert list(frame.columns) == ["day", "net"]
    assert len(frame) == books.world.day + 1
    assert list(books.frame("SELECT day FROM ledger WHERE day < 0").columns) == ["day"]


def test_row_order_is_that_of_insertion(books: BusinessDatabase) -> None:
    for table in ("ledger", "customers", "issues", "notifications", "enterprise_turns"):
        key = schema.names(table)[0]
        keys = [row[key] for row in books.query(f"SELECT * FROM {table}")["rows"]]
        assert keys == sorted(keys)


def test_import_needs_no_pandas() -> None:
    code = "import ceo_gym.sql.ceobench, sys; print('pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
