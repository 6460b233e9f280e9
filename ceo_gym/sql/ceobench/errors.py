"""What can be wrong with a query, in words that help to write a better one."""

from __future__ import annotations

import difflib
import re

from ceo_gym.sql.ceobench.schema import SCHEMA_TABLE, names, table_names

READ_ONLY = (
    "only SELECT queries on the business tables are allowed; change the company with its tools, "
    f"and read the columns of all tables with SELECT * FROM {SCHEMA_TABLE}"
)


class QueryError(ValueError):
    """A query that could not be answered.

    Attributes:
        code: ``missing_argument``, ``wrong_type``, ``unknown_key`` (table or column), ``forbidden``
            (anything but a SELECT on the business tables), ``limit_reached`` (time or size),
            ``not_recorded`` (the world keeps no books) or ``sql_error``.
        message: what is wrong and what would be right.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code, self.message = code, message


def explain(error: Exception, sql: str) -> QueryError:
    """The database's complaint about a query, with what helps to mend it."""
    text = str(error)
    if match := re.search(r"no such table: (?:main\.|temp\.)?(.+)", text):
        return QueryError("unknown_key", f"{text}. {_tables_like(match[1])}")
    if match := re.search(r"(?:no such column: |has no column named )(.+)", text):
        return QueryError("unknown_key", f"{text}. {_columns_like(match[1], sql)}")
    if match := re.search(r"ambiguous column name: (.+)", text):
        column = match[1].split(".")[-1]
        owners = [t for t in mentioned(sql) if column in names(t)]
        return QueryError("sql_error", f"{text}. It is in: {', '.join(owners)}")
    if "too big" in text or "too large" in text or "too complex" in text or "too long" in text:
        return QueryError("limit_reached", f"{text}: values and queries have a size limit")
    return QueryError("sql_error", text)


def mentioned(sql: str) -> list[str]:
    """The business tables whose names are in a text, in the order of the list of tables."""
    words = set(re.findall(r"\w+", sql.lower()))
    return [table for table in table_names() if table in words]


def _tables_like(name: str) -> str:
    near = difflib.get_close_matches(name.lower(), table_names(), 1, 0.5)
    parts = [part for part in table_names() if set(part.split("_")) & set(name.lower().split("_"))]
    guesses = near or parts
    hint = f"Did you mean {guesses[0]}? " if guesses else ""
    return f"{hint}The tables are: {', '.join(table_names())}"


def _columns_like(name: str, sql: str) -> str:
    tables = mentioned(sql)
    if not tables:
        return f"See SELECT * FROM {SCHEMA_TABLE}"
    wanted = name.split(".")[-1].strip('"').lower()
    all_names = sorted({column for table in tables for column in names(table)})
    near = difflib.get_close_matches(wanted, all_names, 1, 0.6)
    hint = f"Did you mean {near[0]}? " if near else ""
    listed = "; ".join(f"{table}: {', '.join(names(table))}" for table in tables)
    return f"{hint}The columns are: {listed}"
