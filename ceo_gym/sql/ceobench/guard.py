"""What a query may touch and how much of the machine it may use."""

from __future__ import annotations

import sqlite3
import time

from ceo_gym.sql.ceobench.schema import SCHEMA_TABLE, stored, table_names

VALUE_BYTES = 1_000_000  # longest text or blob, also of intermediate results
QUERY_CHARACTERS = 200_000
RESULT_BYTES = 50_000_000  # texts of a whole result
_STEPS_BETWEEN_LOOKS = 20_000  # of SQLite's machine, a fraction of a millisecond

_READABLE = frozenset({*table_names(), SCHEMA_TABLE, "json_each", "json_tree"})
# table -> the view through which it may be read; without it, no column of the table
_BEHIND = {table: view for view in table_names() for table in stored(view) if table != view}
_INTERNAL = ("sqlite_", "pragma_")
_REFUSED_FUNCTIONS = frozenset({"load_extension", "fts3_tokenizer"})


class Guard:
    """Watches over one connection: reading only, of listed tables, for a limited time.

    Attributes:
        tables: business tables that the query under way reads.
        selects: whether it is a SELECT at all.
        refused: whether something was forbidden.
        timed_out: whether it ran too long.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.tables: set[str] = set()
        self.selects = self.refused = self.timed_out = False
        self._deadline = 0.0
        modules = connection.execute("SELECT name FROM pragma_module_list").fetchall()
        self._modules = {name for (name,) in modules} - _READABLE
        for limit, value in (
            (sqlite3.SQLITE_LIMIT_LENGTH, VALUE_BYTES),
            (sqlite3.SQLITE_LIMIT_SQL_LENGTH, QUERY_CHARACTERS),
            (sqlite3.SQLITE_LIMIT_ATTACHED, 0),
            (sqlite3.SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1_000),
            (sqlite3.SQLITE_LIMIT_WORKER_THREADS, 0),
        ):
            connection.setlimit(limit, value)

    def close(self) -> None:
        """From now on nothing but reading is possible."""
        self.tables = set()
        self.selects = self.refused = self.timed_out = False
        self._connection.set_authorizer(self._authorize)

    def open(self) -> None:
        """From now on everything is possible again."""
        self._connection.set_authorizer(None)
        self._connection.set_progress_handler(None, 0)

    def stop_at_once(self) -> None:
        """Let the next query be compiled but not run."""
        self._connection.set_progress_handler(lambda: 1, 1)

    def allow_seconds(self, seconds: float) -> None:
        """Let the next query run for some time."""
        self._deadline = time.monotonic() + seconds
        self._connection.set_progress_handler(self._look_at_clock, _STEPS_BETWEEN_LOOKS)

    def _look_at_clock(self) -> int:
        self.timed_out = time.monotonic() > self._deadline
        return int(self.timed_out)

    def _authorize(
        self, action: int, first: str | None, second: str | None, _: str | None, view: str | None
    ) -> int:
        if action == sqlite3.SQLITE_SELECT:
            self.selects = True
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_RECURSIVE:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_FUNCTION and (second or "").lower() not in _REFUSED_FUNCTIONS:
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_READ:
            table = (first or "").lower()
            behind = _BEHIND.get(table)
            if table in _READABLE:
                self.tables.add(table)
                return sqlite3.SQLITE_OK
            if behind and (view == behind or not second):
                self.tables.add(behind)
                return sqlite3.SQLITE_OK
            if not second and not table.startswith(_INTERNAL) and table not in self._modules:
                return sqlite3.SQLITE_OK  # a subquery of which only the rows count
        self.refused = True
        return sqlite3.SQLITE_DENY
