"""What is hidden stays hidden, nothing can be written, and nothing runs for ever."""

import time
from pathlib import Path

import pytest

from ceo_gym.simulators.ceobench import World
from ceo_gym.sql.ceobench import BusinessDatabase, QueryError
from tests.sql.ceobench.companies import played
from tests.sql.ceobench.test_schema import HIDDEN_CELLS


@pytest.fixture(scope="module")
def books() -> BusinessDatabase:
    return BusinessDatabase(played("published"))


def refusal(books: BusinessDatabase, sql: str) -> QueryError:
    with pytest.raises(QueryError) as caught:
        books.query(sql)
    assert caught.value.message
    return caught.value


@pytest.mark.parametrize(("table", "column"), HIDDEN_CELLS)
@pytest.mark.parametrize(
    "form",
    [
        "SELECT {column} FROM {table}",
        "SELECT {column} AS harmless FROM {table}",
        "SELECT MAX({column}) + 1 FROM {table}",
        "SELECT 1 FROM {table} WHERE {column} IS NOT NULL",
        "SELECT 1 FROM {table} ORDER BY {column} + 0",
        "SELECT a.{column} FROM {table} a JOIN ledger b ON a.{column} = b.amount",
        "SELECT x FROM (SELECT {column} AS x FROM {table})",
        "SELECT json_object('x', {column}) FROM {table}",
        "SELECT json_extract({table}.{column}, '$') FROM {table}",
    ],
)
def test_hidden_columns_do_not_exist(
    books: BusinessDatabase, table: str, column: str, form: str
) -> None:
    """Check 2."""
    error = refusal(books, form.format(table=table, column=column))
    assert error.code == "unknown_key"
    assert "no such column" in error.message


@pytest.mark.parametrize(
    "table", ["customer_state", "group_parameters", "events", "_rng_states", "passing"]
)
def test_hidden_tables_do_not_exist(books: BusinessDatabase, table: str) -> None:
    books.query("SELECT COUNT(*) FROM daily_usage")
    error = refusal(books, f"SELECT * FROM {table}")
    assert error.code == "unknown_key"
    assert "ledger" in error.message


@pytest.mark.parametrize(
    "sql",
    [
        "insert into ledger values (999999, 1, 'x', 1e9, '')",
        "DELETE FROM ledger",
        "/* a note */ -- and another\n UPDATE ledger SET amount = 0",
        "REPLACE INTO ledger VALUES (1, 1, 'x', 1e9, '')",
        "WITH a AS (SELECT 1) UPDATE ledger SET amount = 0 WHERE 1 IN a",
        "WITH a AS (SELECT 1) DELETE FROM ledger WHERE 1 IN a",
        "ATTACH ':memory:' AS other",
        "VACUUM",
        "VACUUM INTO 'stolen.db'",
        "PRAGMA query_only = 0",
        "CREATE TEMP TABLE t AS SELECT 1",
        "CREATE VIEW v AS SELECT 1",
        "DROP TABLE ledger",
        "ALTER TABLE ledger ADD COLUMN x",
        "COMMIT",
        "BEGIN",
        "SAVEPOINT x",
        "ANALYZE",
        "REINDEX",
        "SELECT load_extension('x')",
        "SELECT * FROM sqlite_master",
        "SELECT * FROM sqlite_schema",
        "SELECT * FROM sqlite_temp_master",
        "SELECT * FROM pragma_table_info('ledger')",
        "SELECT COUNT(*) FROM sqlite_master",  # no column is read here
        "SELECT 1 FROM SQLITE_SCHEMA",
        "SELECT COUNT(*) FROM (SELECT name FROM sqlite_master)",
        "SELECT EXISTS (SELECT 1 FROM temp.sqlite_master)",
        "SELECT COUNT(*) FROM pragma_table_list",
        "SELECT COUNT(*) FROM sqlite_stat1",
        "EXPLAIN DELETE FROM ledger",
        "EXPLAIN VACUUM",
    ],
)
def test_writes_and_looks_behind_fail(
    books: BusinessDatabase, sql: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Check 3, with some more disguises; none leaves a file behind."""
    monkeypatch.chdir(tmp_path)
    before = books.query("SELECT COUNT(*) AS n, SUM(amount) AS cash FROM ledger")["rows"]
    error = refusal(books, sql)
    assert error.code == "forbidden"
    assert "schema_columns" in error.message
    assert books.query("SELECT COUNT(*) AS n, SUM(amount) AS cash FROM ledger")["rows"] == before
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("", "missing_argument"),
        (" ;\n", "missing_argument"),
        ("-- nothing", "forbidden"),
        ("SELECT 1; DELETE FROM ledger", "sql_error"),
        ("SELECT 1; SELECT 2", "sql_error"),
        ("SELECT FROM", "sql_error"),
        ("SELECT 'x\0y'", "sql_error"),
        ("SELECT '\ud800'", "sql_error"),
        ("SELECT ?", "sql_error"),
        ("SELECT zeroblob(999999999)", "limit_reached"),
        ("SELECT group_concat(a.note || b.note) FROM ledger a, ledger b", "limit_reached"),
    ],
)
def test_other_failures(books: BusinessDatabase, sql: str, code: str) -> None:
    assert refusal(books, sql).code == code


def test_only_texts_are_queries(books: BusinessDatabase) -> None:
    with pytest.raises(QueryError, match="text") as caught:
        books.query(None)  # type: ignore[arg-type]
    assert caught.value.code == "wrong_type"


def test_an_endless_query_ends(books: BusinessDatabase) -> None:
    """Check 4, second half."""
    hurried = BusinessDatabase(books.world, time_limit_s=0.2)
    start = time.monotonic()
    error = refusal(
        hurried,
        "WITH RECURSIVE a(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM a) SELECT SUM(x) FROM a",
    )
    assert error.code == "limit_reached"
    assert time.monotonic() - start < 5.0
    assert hurried.query("SELECT 1 AS one")["rows"] == [{"one": 1}]


def test_a_huge_result_is_refused(books: BusinessDatabase) -> None:
    assert refusal(books, "SELECT zeroblob(900000) FROM customers").code == "limit_reached"


def test_a_world_without_books_says_so() -> None:
    error = refusal(BusinessDatabase(World(record="none")), "SELECT * FROM ledger")
    assert error.code == "not_recorded"
    assert 'record="business"' in error.message


@pytest.mark.parametrize("limits", [{"row_cap": 0}, {"time_limit_s": 0.0}])
def test_limits_are_above_zero(limits: dict) -> None:
    with pytest.raises(ValueError, match="must be"):
        BusinessDatabase(World(), **limits)
