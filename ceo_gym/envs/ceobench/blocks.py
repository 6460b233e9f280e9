"""How a key of the observation is declared; its space, its cells and its docs come from that."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

Observation = dict[str, NDArray[Any]]

# Bounds wide enough for any run; larger values are cut to them.
USD = 1e15
COUNT = 1e12


@dataclass(frozen=True)
class Field:
    """One number: name, unit, bounds and meaning."""

    name: str
    unit: str
    low: float
    high: float
    meaning: str


def usd(name: str, meaning: str, unit: str = "USD", low: float = 0.0) -> Field:
    """An amount of money, at least 0 unless `low` says otherwise."""
    return Field(name, unit, low, USD, meaning)


def count(name: str, unit: str, meaning: str) -> Field:
    """A number of things, at least 0."""
    return Field(name, unit, 0.0, COUNT, meaning)


def share(name: str, meaning: str, unit: str = "share") -> Field:
    """A number from 0 to 1."""
    return Field(name, unit, 0.0, 1.0, meaning)


@dataclass(frozen=True)
class Block:
    """One key of the observation.

    Attributes:
        key: its name.
        meaning: what it tells.
        fields: the numbers of one entry.
        axes: labels of the entries, one tuple an axis; none for a plain list of fields.
        fields_first: whether the fields are the first axis instead of the last.
        choices: if not 0, cells are whole numbers below it (MultiDiscrete) instead of reals.
        optional: whether the key must be asked for.
    """

    key: str
    meaning: str
    fields: tuple[Field, ...]
    axes: tuple[tuple[str, ...], ...] = ()
    fields_first: bool = False
    choices: int = 0
    optional: bool = False

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array; a single field has no axis of its own."""
        outer = tuple(map(len, self.axes))
        if outer and len(self.fields) == 1:
            return outer
        own = (len(self.fields),)
        return own + outer if self.fields_first else outer + own

    @cached_property
    def size(self) -> int:
        """Number of cells."""
        return math.prod(self.shape)

    def bounds(self) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Arrays of the lowest and highest values, of the block's shape."""
        low = np.array([f.low for f in self.fields], np.float32)
        high = np.array([f.high for f in self.fields], np.float32)
        if self.axes and len(self.fields) > 1 and self.fields_first:
            extra = (1,) * len(self.axes)
            low, high = low.reshape(-1, *extra), high.reshape(-1, *extra)
        return (
            np.broadcast_to(low, self.shape).copy(),
            np.broadcast_to(high, self.shape).copy(),
        )

    def space(self) -> spaces.Space[Any]:
        """The Gymnasium space of the key."""
        if self.choices:
            return spaces.MultiDiscrete(np.full(self.size, self.choices))
        low, high = self.bounds()
        return spaces.Box(low, high, dtype=np.float32)

    def cells(self) -> dict[str, dict[str, Any]]:
        """Cell name -> index, unit, bounds and meaning."""
        return {
            name: {
                "index": index,
                "unit": field.unit,
                "low": field.low,
                "high": field.high,
                "meaning": field.meaning,
            }
            for name, index, field in self._walk()
        }

    def _walk(self) -> list[tuple[str, tuple[int, ...], Field]]:
        walked = []
        for where in itertools.product(*(range(len(axis)) for axis in self.axes)):
            labels = [axis[i] for axis, i in zip(self.axes, where)]
            for k, field in enumerate(self.fields):
                if self.axes and len(self.fields) == 1:
                    name, index = ".".join(labels), where
                else:
                    name = ".".join([*labels, field.name])
                    index = (k, *where) if self.fields_first else (*where, k)
                walked.append((name, index, field))
        return walked


def numbered(count_: int) -> tuple[str, ...]:
    """Labels 0, 1, … of slots."""
    return tuple(map(str, range(count_)))
