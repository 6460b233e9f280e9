"""Growing tables held as arrays: one NumPy array a column, live rows packed at the front.

A subclass declares its columns as annotations and gets them as attributes, which are views of the
first ``size`` rows::

    class Accounts(Rows):
        budget: Annotated[Floats, np.float64]   # dollars a month
        plan: Annotated[Ints, np.int8]

    accounts = Accounts()
    accounts.append(2, budget=[40.0, 55.0], plan=0)
    accounts.budget *= 1.1                      # in place, on live rows only

The attributes are rebound whenever the number of rows changes, so fetch them anew after
`append` or `remove` instead of keeping them.
"""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, TypeAlias, get_type_hints

import numpy as np
from numpy.typing import DTypeLike, NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.integer[Any]]
Bools: TypeAlias = NDArray[np.bool_]


def sums_by(label: Ints, weight: Floats | Ints, count: int) -> Floats:
    """[count] sum of the weights of each label 0 to count - 1."""
    return np.bincount(label, weights=weight, minlength=count).astype(np.float64, copy=False)


TOGETHER = "together"  # marks columns whose values of a row lie side by side


def counts_by(label: Ints, weight: Floats | None, count: int) -> Ints:
    """[count] how many have each label 0 to count - 1; each counts `weight` times."""
    if weight is None:
        return np.bincount(label, minlength=count)
    return np.rint(np.bincount(label, weight, count)).astype(np.int64)


def portions(rows: Ints, size: int = 4096) -> list[Ints]:
    """Rows in parts, at least one, small enough for what is made of them to stay in cache."""
    return [rows[start : start + size] for start in range(0, max(len(rows), 1), size)]


@cache
def _columns(cls: Any) -> dict[str, tuple[np.dtype[Any], tuple[int, ...], bool]]:
    """Name -> (dtype, shape of one cell, whether kept together) of every column, in order."""
    found = {}
    for name, hint in get_type_hints(cls, include_extras=True).items():
        metadata = getattr(hint, "__metadata__", ())
        if metadata:
            dtype = np.dtype(metadata[0])
            found[name] = (dtype.base, dtype.shape, TOGETHER in metadata)
    return found


class Rows:
    """A table of arrays that grows by some share when it is full.

    Columns of one item size lie in one block of memory, so that moving table rows takes one
    operation a size instead of one a column. Within a block each column is contiguous, for work on
    all rows at once. Columns marked `TOGETHER` lie row by row instead, for work on a few scattered
    rows: the first value that is fetched brings the others of its row along. Index these with
    ``[rows]``; ``take`` would copy the whole column.
    """

    growth: ClassVar[float] = 2.0  # of the capacity of a table that is full

    def __init__(self, capacity: int = 16, *, real: DTypeLike = np.float32) -> None:
        """Make an empty table.

        Args:
            capacity: rows it can hold before it grows for the first time.
            real: the type that stands in for float32 columns.
        """
        self.size = 0
        self.real = np.dtype(real)
        self._allocate(capacity)

    def _allocate(self, capacity: int) -> None:
        columns = _columns(self._own_class())
        types = {n: self.real if d == np.float32 else d for n, (d, _, _) in columns.items()}
        names: dict[tuple[int, tuple[int, ...], bool], list[str]] = {}
        for name, (_, shape, together) in columns.items():
            names.setdefault((types[name].itemsize, shape, together), []).append(name)
        self._capacity = capacity
        self._blocks: list[NDArray[Any]] = []  # [columns, capacity, *cell], as bits
        self._store: dict[str, NDArray[Any]] = {}
        for (size, shape, together), members in names.items():
            if together:
                block = np.empty((capacity, len(members), *shape), f"u{size}").swapaxes(0, 1)
            else:
                block = np.empty((len(members), capacity, *shape), f"u{size}")
            self._blocks.append(block)
            for name, column in zip(members, block):
                self._store[name] = column.view(types[name])
        self._store = {name: self._store[name] for name in columns}
        self._bind()

    def __len__(self) -> int:
        return self.size

    @classmethod
    def column_names(cls) -> tuple[str, ...]:
        """The columns in the order of their declaration."""
        return tuple(_columns(cls._own_class()))

    @classmethod
    def _own_class(cls) -> Any:
        return cls

    @property
    def nbytes(self) -> int:
        """Bytes held by all columns, spare capacity included."""
        return sum(block.nbytes for block in self._blocks)

    def _bind(self) -> None:
        live = slice(0, self.size)
        self.__dict__.update({name: column[live] for name, column in self._store.items()})

    def append(self, count: int, /, **columns: Any) -> slice:
        """Add `count` rows; every column must be given, as an array of that length or a scalar.

        Returns:
            The slice of the new rows.
        """
        if columns.keys() != self._store.keys():
            wrong = sorted(columns.keys() ^ self._store.keys())
            raise TypeError(f"{type(self).__name__}: columns missing or unknown: {wrong}")
        start, end = self.size, self.size + count
        if end > self._capacity:
            old = self._blocks
            self._allocate(max(int(self.growth * self._capacity), end))
            for block, before in zip(self._blocks, old):
                block[:, :start] = before[:, :start]
        for name, value in columns.items():
            self._store[name][start:end] = value
        self.size = end
        self._bind()
        return slice(start, end)

    def remove(self, rows: Ints) -> tuple[Ints, Ints]:
        """Drop `rows` (distinct) by moving rows from the end into the holes.

        Returns:
            ``(old, new)``: the former and present row numbers of the rows that moved.
        """
        size = self.size - len(rows)
        holes = np.sort(rows[rows < size])
        stays = np.ones(self.size - size, np.bool_)
        stays[rows[rows >= size] - size] = False
        movers = stays.nonzero()[0] + size
        if len(holes):
            for block in self._blocks:
                block[:, holes] = block[:, movers]
        self.size = size
        self._bind()
        return movers, holes

    def __getstate__(self) -> dict[str, Any]:
        """For copies and pickles: columns are views of blocks, and would each become an array."""
        views = {"size", "_capacity", "_blocks", "_store", *self._store}
        others = {name: value for name, value in self.__dict__.items() if name not in views}
        return {"rows": self.columns(), "others": others}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state["others"])
        self.size, count = 0, len(next(iter(state["rows"].values())))
        self._allocate(max(count, 16))
        self.append(count, **state["rows"])

    def columns(self) -> dict[str, NDArray[Any]]:
        """Views of the live rows of every column."""
        return {name: column[: self.size] for name, column in self._store.items()}

    def get_state(self) -> dict[str, NDArray[Any]]:
        """The live rows, as plain data."""
        return self.columns()

    def set_state(self, state: dict[str, NDArray[Any]]) -> None:
        """Replace all rows by those of `get_state`."""
        lengths = {len(column) for column in state.values()} or {0}
        if state.keys() != self._store.keys() or len(lengths) != 1:
            raise ValueError(f"{type(self).__name__}: not a state of this table")
        self.size = 0
        self._bind()
        self.append(lengths.pop(), **state)
