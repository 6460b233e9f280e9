"""How tables are filled: what a source of rows is, and the tools that all of them use."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.common.rows import Rows
from ceo_gym.sql.ceobench.schema import names, width

Values = NDArray[Any] | Sequence[Any]
_SINGLE = (int, float, str, type(None))  # one value for all rows

PARAMETERS = 120  # of one statement; more of them take longer


class Source(Protocol):
    """Fills one or more tables and remembers what of the world's records it has used."""

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Bring the tables up to the present of the world."""


class Tail:
    """The rows of a growing table that were not there the last time."""

    def __init__(self) -> None:
        self._seen = 0

    def take(self, rows: Rows) -> slice:
        """The new rows."""
        return self.until(len(rows))

    def until(self, stop: int) -> slice:
        """The rows not taken yet that lie before `stop`."""
        start, self._seen = self._seen, max(self._seen, stop)
        return slice(start, self._seen)


def room_for(column: NDArray[Any], size: int) -> NDArray[Any]:
    """A column by customer id with zeros for the ids that are new, all below `size`."""
    new = np.zeros((size - len(column), *column.shape[1:]), column.dtype)
    return np.concatenate([column, new])


def insert(
    db: sqlite3.Connection, table: str, count: int, *columns: Values | Any, replace: bool = False
) -> None:
    """Write rows given by columns, each an array or list of `count` values or one value for all."""
    assert len(columns) == width(table), table
    if count == 1:
        columns = tuple([c] if isinstance(c, _SINGLE) else c for c in columns)
    varied = [column for column in columns if not isinstance(column, _SINGLE)]
    cells: list[Any] = [None] * (count * len(varied))
    for k, column in enumerate(varied):
        cells[k :: len(varied)] = column.tolist() if isinstance(column, np.ndarray) else column
    verb = "INSERT OR REPLACE" if replace else "INSERT"
    marks = (_literal(c) if isinstance(c, _SINGLE) else "?" for c in columns)
    row = f"({', '.join(marks)})"
    # a statement costs more than a row of it, so most rows go by the block
    block = PARAMETERS // len(varied)
    whole = count // block * block * len(varied)
    for rows, part in ((block, cells[:whole]), (1, cells[whole:])):
        if part:
            db.executemany(
                f"{verb} INTO {table} VALUES {', '.join([row] * rows)}",
                zip(*[iter(part)] * (rows * len(varied))),
            )


def rewrite(db: sqlite3.Connection, table: str, rows: Iterable[Sequence[Any]]) -> None:
    """Replace all rows of a small table."""
    marks = ", ".join("?" * len(names(table)))
    db.execute(f"DELETE FROM {table}")
    db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)


def labels(vocabulary: Sequence[str | None], codes: NDArray[Any]) -> list[str | None]:
    """[n] the label of each code."""
    return np.array(vocabulary, object)[codes].tolist()


def known(values: NDArray[Any], missing: float = -1) -> list[Any]:
    """[n] values as plain numbers, None where they are `missing` or not a number."""
    unknown = np.isnan(values) if np.isnan(missing) else values == missing
    column = values.astype(object)
    column[unknown] = None
    return column.tolist()


def _literal(value: float | str | None) -> str:
    """A value as it is written in SQL."""
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    return repr(float(value) if isinstance(value, float) else value)
