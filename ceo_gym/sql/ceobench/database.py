"""The business database: one SQL text in, one result out (tables.md 4)."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from ceo_gym.simulators.ceobench import World
from ceo_gym.sql.ceobench import schema
from ceo_gym.sql.ceobench.errors import READ_ONLY, QueryError, explain
from ceo_gym.sql.ceobench.guard import RESULT_BYTES, Guard
from ceo_gym.sql.ceobench.hints import finds_nothing, label_hint
from ceo_gym.sql.ceobench.sources import Source, all_sources

if TYPE_CHECKING:
    import pandas as pd

DEFAULT_ROW_CAP = 5_000
DEFAULT_TIME_LIMIT_S = 10.0
_FETCH = 200  # rows between two looks at the size of a result


class BusinessDatabase:
    """The 19 tables of a company's books, read with SQL (the dialect of SQLite).

    The tables live in memory. They are made with the first query, and a table is filled up to the
    present when a query reads it; the world is never changed. ``SELECT * FROM schema_columns``
    lists all columns. Not for several threads at once.

    Args:
        world: the world, with ``record="business"`` or ``"full"``. The attribute may be set to
            another world, a restored one for instance; the tables are then made anew.
        row_cap: largest number of rows of a result.
        time_limit_s: longest time a query may run, seconds; filling the tables does not count.

    Raises:
        ValueError: if a limit is not above 0.
    """

    def __init__(
        self,
        world: World,
        row_cap: int = DEFAULT_ROW_CAP,
        time_limit_s: float = DEFAULT_TIME_LIMIT_S,
    ) -> None:
        if row_cap < 1 or not time_limit_s > 0.0:
            raise ValueError("row_cap must be at least 1 and time_limit_s above 0")
        self.world = world
        self.row_cap, self.time_limit_s = row_cap, time_limit_s
        self._filled_from: World | None = None
        self._connection: sqlite3.Connection | None = None
        self._guard: Guard | None = None
        self._sources: dict[str, Source] = {}
        self._described: dict[str, int] = {}  # table -> day of its last statistics

    def query(self, sql: str) -> dict[str, Any]:
        """Answer one query.

        Args:
            sql: one SELECT, common table expressions and window functions included.

        Returns:
            ``success`` (True), ``columns`` (names), ``rows`` (one dict a row), ``row_count``; if
            rows were cut ``truncated`` (True); ``warning`` and ``hint`` where there is one. A
            second column of the same name gets the suffix ``_2``, and so on.

        Raises:
            QueryError: if there is no answer; see its codes.
        """
        if not isinstance(sql, str):
            raise QueryError("wrong_type", f"a query is a text, not {type(sql).__name__}")
        if not sql.strip(" \t\r\n;"):
            raise QueryError("missing_argument", "the query is empty; write a SELECT")
        connection, guard = self._open()
        guard.close()
        try:
            tables = self._compile(connection, guard, sql)
            guard.open()
            self._refresh(connection, tables)
            guard.close()
            result = self._run(connection, guard, sql)
        finally:
            guard.open()
        if finds_nothing(result["rows"]):
            hint = label_hint(sql, tuple(self.world.params.groups.ids))
            if hint:
                result["hint"] = hint
        return result

    def frame(self, sql: str) -> pd.DataFrame:
        """The result of a query as a data frame; arguments and errors are those of `query`."""
        import pandas as pd

        result = self.query(sql)
        return pd.DataFrame(result["rows"], columns=result["columns"])

    def close(self) -> None:
        """Free the memory of the tables; the next query makes them anew."""
        if self._connection is not None:
            self._connection.close()
        self._connection = self._guard = self._filled_from = None
        self._sources = {}

    # --- steps of a query ---

    def _open(self) -> tuple[sqlite3.Connection, Guard]:
        """The connection, with empty tables if the world is not the one they were filled from."""
        if not self.world.history.business:
            raise QueryError(
                "not_recorded",
                'this world keeps no books (record="none"); make it with record="business" to '
                "query its tables",
            )
        if self._filled_from is not self.world:
            self.close()
        if self._connection is None or self._guard is None:
            # no transaction of the module's own, and no statement that outlives its permission
            connection = sqlite3.connect(
                ":memory:", isolation_level=None, cached_statements=0, check_same_thread=False
            )
            connection.execute("PRAGMA temp_store = FILE")  # large sorts spill to disk
            connection.execute("PRAGMA journal_mode = OFF")
            connection.execute("PRAGMA secure_delete = OFF")  # some builds wipe what they free
            connection.execute("PRAGMA analysis_limit = 1000")
            for function in ("json_each", "json_tree"):  # the first use would count as a write
                connection.execute(f"SELECT * FROM {function}('[]')").close()
            for table in schema.table_names():
                for statement in schema.create(table):
                    connection.execute(statement)
            connection.execute(schema.create_schema_table())
            groups = tuple(self.world.params.groups.ids)
            connection.executemany(
                f"INSERT INTO {schema.SCHEMA_TABLE} VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (c.table, c.name, c.type, c.unit, "|".join(c.values), c.meaning)
                    for of_table in schema.columns(groups).values()
                    for c in of_table
                ],
            )
            self._connection, self._guard = connection, Guard(connection)
            self._sources, self._described = all_sources(), {}
            self._filled_from = self.world
        return self._connection, self._guard

    def _compile(self, connection: sqlite3.Connection, guard: Guard, sql: str) -> set[str]:
        """The tables a query reads; the query is checked but not run."""
        guard.stop_at_once()
        try:
            connection.execute(sql).close()
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            if getattr(error, "sqlite_errorname", "") != "SQLITE_INTERRUPT":
                raise self._complaint(error, guard, sql) from error
        if guard.refused or not guard.selects:
            raise QueryError("forbidden", READ_ONLY)
        return guard.tables

    def _refresh(self, connection: sqlite3.Connection, tables: set[str]) -> None:
        """Bring the tables up to the present."""
        try:
            connection.execute("BEGIN")
            for table in sorted(tables & self._sources.keys()):
                self._sources[table].refresh(connection, self.world)
                if self._described.get(table) != self.world.day:
                    for statement in schema.create_indexes(table):
                        connection.execute(statement)
                    # sizes for the query planner, or it may scan a large table for every row
                    for stored in schema.stored(table):
                        connection.execute(f"ANALYZE {stored}")
                    self._described[table] = self.world.day
            connection.execute("COMMIT")
        except BaseException:
            self._filled_from = None  # half-filled tables are of no use: make them anew
            raise

    def _run(self, connection: sqlite3.Connection, guard: Guard, sql: str) -> dict[str, Any]:
        guard.allow_seconds(self.time_limit_s)
        cursor = connection.cursor()
        try:
            cursor.execute(sql)
            columns, repeated = _distinct([field[0] for field in cursor.description or ()])
            found = self._fetch(cursor)
        except QueryError:
            raise
        except (sqlite3.Error, sqlite3.Warning, ValueError) as error:
            raise self._complaint(error, guard, sql) from error
        finally:
            cursor.close()
        rows = [dict(zip(columns, row)) for row in found[: self.row_cap]]
        result: dict[str, Any] = {
            "success": True,
            "columns": columns,
            "rows": rows,
            "row_count": len(rows),
        }
        warnings = []
        if len(found) > self.row_cap:
            result["truncated"] = True
            warnings.append(
                f"only the first {self.row_cap} rows are shown; use WHERE, LIMIT or an aggregate"
            )
        if repeated:
            warnings.append(
                f"repeated column names got a number: {', '.join(repeated)}; name them with AS"
            )
        if warnings:
            result["warning"] = ". ".join(warnings)
        return result

    def _fetch(self, cursor: sqlite3.Cursor) -> list[tuple[Any, ...]]:
        """Up to one row more than the cap; bytes become hexadecimal text."""
        found: list[tuple[Any, ...]] = []
        size = 0
        while len(found) <= self.row_cap:
            some = cursor.fetchmany(min(_FETCH, self.row_cap + 1 - len(found)))
            if not some:
                break
            for row in some:
                size += sum(len(v) for v in row if isinstance(v, (str, bytes)))
                found.append(tuple(v.hex() if isinstance(v, bytes) else v for v in row))
            if size > RESULT_BYTES:
                raise QueryError(
                    "limit_reached", f"the result has more than {RESULT_BYTES:,} characters"
                )
        return found

    def _complaint(self, error: Exception, guard: Guard, sql: str) -> QueryError:
        if guard.refused:
            return QueryError("forbidden", READ_ONLY)
        if guard.timed_out:
            return QueryError(
                "limit_reached",
                f"the query ran longer than {self.time_limit_s:g} s and was stopped; narrow it "
                "down by day or customer",
            )
        return explain(error, sql)


def _distinct(names: list[str]) -> tuple[list[str], list[str]]:
    """Names with numbers where they repeat, and those that got one."""
    result: list[str] = []
    numbered: list[str] = []
    for name in names:
        unique, count = name, 1
        while unique in result or (count > 1 and unique in names):
            count += 1
            unique = f"{name}_{count}"
        if count > 1:
            numbered.append(unique)
        result.append(unique)
    return result, numbered
