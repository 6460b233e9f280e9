"""The tables and columns that a player can read; the list itself is `tables.csv`."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

SCHEMA_TABLE = "schema_columns"  # describes the others (tables.md, decision D5)
SCHEMA_FIELDS = ("table", "column", "type", "unit", "values", "meaning")

# A whole-number key that counts the rows is SQLite's own row number, so that rows come back in the
# order in which they were written.
_KEYS = {
    "ads_revenue": "day, customer_id",
    "daily_usage": "day, customer_id",
    "group_info_levels": "group_id",
    "predictions": "submit_day, horizon_days, metric",
    "research_projects": "project_id",
}
_SORTED_BY_KEY = ("ads_revenue", "daily_usage")  # stored in the order of their key

_INDEXES = {
    "ad_channel_leads": ("day",),
    "customers": ("group_id",),
    "enterprise_turns": ("thread_id, turn_number", "customer_id"),
    "issues": ("customer_id", "status, group_id"),
    "ledger": ("category, day", "day"),
    "notifications": ("day",),
    "social_media_posts": ("day",),
    "subscriptions": ("customer_id", "status"),
}


class Column(NamedTuple):
    """One column; `values` are its labels, empty if it has none."""

    table: str
    name: str
    type: str
    unit: str
    values: tuple[str, ...]
    meaning: str


@cache
def columns(groups: tuple[str, ...] = ()) -> dict[str, tuple[Column, ...]]:
    """Table -> its columns, in order.

    Args:
        groups: ids of the customer groups, the labels of columns that name one.
    """
    text = files(__package__).joinpath("tables.csv").read_text(encoding="utf-8")
    found: dict[str, list[Column]] = {}
    for row in csv.DictReader(text.splitlines()):
        labels = (
            groups if row["values"] == "@groups" else tuple(filter(None, row["values"].split("|")))
        )
        found.setdefault(row["table"], []).append(
            Column(row["table"], row["column"], row["type"], row["unit"], labels, row["meaning"])
        )
    return {table: tuple(of_table) for table, of_table in found.items()}


@cache
def table_names() -> tuple[str, ...]:
    """The 19 tables."""
    return tuple(columns())


@cache
def names(table: str) -> tuple[str, ...]:
    """The column names of a table, in order."""
    return tuple(column.name for column in columns()[table])


def create_table(table: str) -> str:
    """The SQL that makes an empty table."""
    of_table = columns()[table]
    parts = [f"{column.name} {column.type}" for column in of_table]
    if table in _KEYS:
        parts.append(f"PRIMARY KEY ({_KEYS[table]})")
    else:
        parts[0] += " PRIMARY KEY"
    suffix = " WITHOUT ROWID" if table in _SORTED_BY_KEY else ""
    return f"CREATE TABLE {table} ({', '.join(parts)}){suffix}"


def create_indexes(table: str) -> list[str]:
    """The SQL that makes the indexes of a table, faster after its first filling than before."""
    return [
        f"CREATE INDEX IF NOT EXISTS {table}_{number} ON {table} ({index})"
        for number, index in enumerate(_INDEXES.get(table, ()))
    ]


def create_schema_table() -> str:
    """The SQL that makes the table about the tables."""
    fields = ", ".join(f'"{field}" TEXT' for field in SCHEMA_FIELDS)
    return f"CREATE TABLE {SCHEMA_TABLE} ({fields})"
