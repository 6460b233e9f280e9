"""The tables and columns that a player can read; the list itself is `tables.csv`."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from ceo_gym.simulators.ceobench.sections import WEEK_DAYS

SCHEMA_TABLE = "schema_columns"  # describes the others (tables.md, decision D5)
SCHEMA_FIELDS = ("table", "column", "type", "unit", "values", "meaning")

# A whole-number key that counts the rows is SQLite's own row number, so that rows come back in the
# order in which they were written.
_KEYS = {
    "group_info_levels": "group_id",
    "predictions": "submit_day, horizon_days, metric",
    "research_projects": "project_id",
}

# Tables whose rows follow from others, which can be read through them only.
_UNITS = " ".join(f"WHEN {k} THEN units_{k}" for k in range(WEEK_DAYS))
_VIEWS = {
    "ads_revenue": "SELECT day, customer_id, group_id, ads_strength, revenue "
    "FROM ads_spells JOIN ads_days ON day BETWEEN first_day AND last_day",
    "daily_usage": f"SELECT day, customer_id, CASE day % {WEEK_DAYS} {_UNITS} END AS usage_units "
    "FROM usage_spells JOIN usage_days ON day BETWEEN first_day AND last_day",
}
_KEY_OF_SPELLS = "PRIMARY KEY (customer_id, first_day)"
_BEHIND_VIEWS = {
    "ads_revenue": {
        "ads_days": ("day INTEGER PRIMARY KEY",),
        "ads_spells": (
            "customer_id INTEGER",
            "group_id TEXT",
            "first_day INTEGER",
            "last_day INTEGER",
            "ads_strength REAL",
            "revenue REAL",
            _KEY_OF_SPELLS,
        ),
    },
    "daily_usage": {
        "usage_days": ("day INTEGER PRIMARY KEY",),
        "usage_spells": (
            "customer_id INTEGER",
            "first_day INTEGER",
            "last_day INTEGER",
            *(f"units_{k} INTEGER" for k in range(WEEK_DAYS)),
            _KEY_OF_SPELLS,
        ),
    },
}

_INDEXES = {
    "ad_channel_leads": ("day",),
    "customers": ("group_id",),
    "enterprise_turns": ("thread_id, turn_number", "customer_id"),
    "issues": ("customer_id",),
    "ledger": ("category, day",),
    "notifications": ("day",),
    "social_media_posts": ("day",),
    "subscriptions": ("customer_id",),
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


@cache
def stored(table: str) -> tuple[str, ...]:
    """The tables that hold the rows of a business table: itself, or those behind a view."""
    return tuple(_BEHIND_VIEWS.get(table, (table,)))


@cache
def width(name: str) -> int:
    """The number of columns of a stored table."""
    for behind in _BEHIND_VIEWS.values():
        if name in behind:
            return sum(not field.startswith("PRIMARY KEY") for field in behind[name])
    return len(names(name))


def create(table: str) -> list[str]:
    """The SQL that makes an empty business table."""
    if table in _VIEWS:
        behind = [
            f"CREATE TABLE {name} ({', '.join(fields)})"
            + (" WITHOUT ROWID" if _KEY_OF_SPELLS in fields else "")
            for name, fields in _BEHIND_VIEWS[table].items()
        ]
        return [*behind, f"CREATE VIEW {table} AS {_VIEWS[table]}"]
    of_table = columns()[table]
    fields = [f"{column.name} {column.type}" for column in of_table]
    if table in _KEYS:
        fields.append(f"PRIMARY KEY ({_KEYS[table]})")
    else:
        fields[0] += " PRIMARY KEY"
    return [f"CREATE TABLE {table} ({', '.join(fields)})"]


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
