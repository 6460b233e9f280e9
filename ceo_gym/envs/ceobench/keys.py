"""How a key of the action is declared, checked and written by name."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ceo_gym.simulators.common.parameters import nearest

Action = dict[str, Any]
BOX, CHOICE, CHOICES = "Box", "Discrete", "MultiDiscrete"


@dataclass(frozen=True)
class Key:
    """One key of the action.

    Attributes:
        key: its name.
        kind: `BOX` (reals), `CHOICE` (one whole number) or `CHOICES` (a flat list of them).
        meaning: what it does.
        axes: labels of the cells, one tuple an axis; none for `CHOICE`. Lists of choices with two
            axes are flattened row by row.
        unit: of a real, or what a choice counts.
        low: smallest real; a number or one for each label of the last axis.
        high: largest real, likewise.
        options: names of the choices 0, 1, …
        companion: key of the switches that say which cells of this one count.
        tool: the tool or tools it stands for.
        core: whether the profile ``core`` has it.
        positive: whether an amount of 0 is no amount at all, as of a price.
        detail_of: key without which this one says nothing, as the topic of a post.
    """

    key: str
    kind: str
    meaning: str
    axes: tuple[tuple[str, ...], ...] = ()
    unit: str = ""
    low: float | tuple[float, ...] = 0.0
    high: float | tuple[float, ...] = 1.0
    options: tuple[str, ...] = ()
    companion: str = ""
    tool: str = ""
    core: bool = True
    positive: bool = False
    detail_of: str = ""

    @cached_property
    def shape(self) -> tuple[int, ...]:
        """Shape of the value; () for a single choice."""
        lengths = tuple(map(len, self.axes))
        return (math.prod(lengths),) if self.kind == CHOICES else lengths

    def space(self) -> spaces.Space[Any]:
        """The Gymnasium space of the key."""
        if self.kind == CHOICE:
            return spaces.Discrete(len(self.options))
        if self.kind == CHOICES:
            return spaces.MultiDiscrete(np.full(self.shape, len(self.options)))
        low, high = (
            np.broadcast_to(np.asarray(bound, np.float32), self.shape).copy()
            for bound in (self.low, self.high)
        )
        return spaces.Box(low, high, dtype=np.float32)

    def nothing(self) -> Any:
        """The value that changes nothing."""
        if self.kind == CHOICE:
            return np.int64(0)
        return np.zeros(self.shape, np.int64 if self.kind == CHOICES else np.float32)

    def checked(self, value: Any, space: spaces.Space[Any]) -> Any:
        """The value as an array of the right type.

        Raises:
            ValueError: if it is not in the space of the key.
        """

        def wanted() -> str:
            return f"action[{self.key!r}] must be in {_short(space)}"

        def refuse(right: NDArray[np.bool_]) -> None:
            cell = int(np.argmin(right))
            name = f"cell {self.label(cell)}" if self.axes else "it"
            raise ValueError(f"{wanted()}; {name} is {array.ravel()[cell]:g}")

        try:
            array = np.asarray(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{wanted()}, not {str(value)[:60]!r}") from error
        if array.dtype.kind not in "iufb" or array.shape != self.shape:
            raise ValueError(f"{wanted()}; it has type {array.dtype} and shape {array.shape}")
        if self.kind == BOX:
            assert isinstance(space, spaces.Box)
            right = (array >= space.low) & (array <= space.high)
            if not right.all():
                refuse(right)
            return array.astype(np.float32)
        if array.dtype.kind == "f":
            raise ValueError(f"{wanted()}; it needs whole numbers, not {array.dtype}")
        right = (array >= 0) & (array < len(self.options))
        if not right.all():
            refuse(right)
        return array.astype(np.int64) if self.shape else np.int64(array)

    def position(self, label: Any) -> int | tuple[int, ...]:
        """Index of a cell by its label, or labels of each axis.

        Raises:
            KeyError: if there is none, with the nearest.
        """
        labels = label if isinstance(label, tuple) else (label,)
        if len(labels) != len(self.axes):
            form = ", ".join(f"{axis[0]}…{axis[-1]}" for axis in self.axes)
            form = f"({form})" if len(self.axes) > 1 else form
            raise KeyError(f"a cell of {self.key} is named by {form}, not {label!r}")
        index = []
        for axis, one in zip(self.axes, labels):
            if str(one) not in axis:
                raise KeyError(f"no cell {one!r} in {self.key}; {nearest(str(one), axis)}")
            index.append(axis.index(str(one)))
        if self.kind == CHOICES:
            lengths = tuple(map(len, self.axes))
            return int(np.ravel_multi_index(tuple(index), lengths))
        return tuple(index)

    def label(self, cell: object) -> object:
        """The name of a cell from its position in the flattened value; other things as they are."""
        if not isinstance(cell, int):
            return cell
        if not self.axes:
            return self.options[cell]
        where = np.unravel_index(cell, tuple(map(len, self.axes)))
        return ".".join(axis[int(i)] for axis, i in zip(self.axes, where))

    def number(self, value: Any) -> float | int:
        """A cell's number; choices may be given by name.

        Raises:
            KeyError: if no choice has that name.
            ValueError: if it is no number, or no whole one where one chooses.
        """
        if isinstance(value, str) and self.options:
            if value not in self.options:
                raise KeyError(f"no choice {value!r} of {self.key}; {nearest(value, self.options)}")
            return self.options.index(value)
        if isinstance(value, (Real, np.bool_)):
            amount = float(value)
            if self.kind == BOX:
                return amount
            if amount in range(len(self.options)):
                return int(amount)
        wanted = "a number"
        if self.options:
            wanted = f"a choice from 0 to {len(self.options) - 1} or its name"
        raise ValueError(f"a cell of {self.key} is {wanted}, not {str(value)[:60]!r}")

    def takes(self, numbers: NDArray[Any]) -> bool:
        """Whether `number` would give each of these numbers back."""
        if self.kind == BOX:
            return True
        whole = numbers == np.round(numbers)
        return bool((whole & (numbers >= 0) & (numbers < len(self.options))).all())

    def cells(self) -> dict[str, dict[str, Any]]:
        """Cell name -> index, unit, bounds or choices, and meaning."""
        described: dict[str, dict[str, Any]] = {}
        positions = itertools.product(*(range(len(axis)) for axis in self.axes))
        for at, where in enumerate(positions):
            labels = [axis[i] for axis, i in zip(self.axes, where)]
            cell: dict[str, Any] = {"unit": self.unit or "choice", "meaning": self.meaning}
            # as `position` gives it: cells of choices lie in one row, in this order
            cell["index"] = at if self.kind == CHOICES else where
            if self.kind == BOX:
                last = where[-1]
                cell["low"] = self.low[last] if isinstance(self.low, tuple) else self.low
                cell["high"] = self.high[last] if isinstance(self.high, tuple) else self.high
            else:
                cell["choices"] = self.options
            described[".".join(labels) or self.key] = cell
        return described


def write(keys: Mapping[str, Key], action: Action, name: str, value: Any) -> None:
    """Write one named part of an action; the switches of written cells are set as well.

    Args:
        keys: declarations by name.
        action: a whole action, changed in place.
        name: key.
        value: ``{label: number}`` for some cells, an array, list or number for all, or one choice.

    Raises:
        KeyError: for an unknown key, cell or choice.
        ValueError: for an array of the wrong shape, or what is no number.
    """
    if name not in keys:
        raise KeyError(f"no action {name!r}; {nearest(name, keys)}")
    key = keys[name]
    if not key.shape:
        action[name] = np.int64(key.number(value))
        return
    touched = np.zeros(key.shape, bool)
    if isinstance(value, Mapping):
        for label, number in _flat(value):
            at = key.position(label)
            action[name][at] = key.number(number)
            touched[at] = True
    else:
        given = np.asarray(value)
        plain = given.dtype.kind in "iufb"
        cells = given if plain else np.asarray(value, object)
        if cells.shape not in ((), key.shape, tuple(map(len, key.axes))):
            raise ValueError(f"{name} has shape {key.shape}, not {cells.shape}")
        if not plain or not key.takes(cells):
            cells = np.array([key.number(cell) for cell in cells.ravel()])
        action[name][...] = np.reshape(cells, key.shape if given.shape else ())
        touched[...] = True
    if key.companion:
        switch_on(keys, action, key, touched)


def switch_on(keys: Mapping[str, Key], action: Action, key: Key, cells: NDArray[np.bool_]) -> None:
    """Set the switches of some cells, so that they are written.

    Args:
        keys: declarations by name.
        action: a whole action, changed in place.
        key: the key with the values.
        cells: which of its cells.
    """
    companion = keys[key.companion]
    if companion.kind == CHOICE:
        if cells.any():
            action[companion.key] = np.int64(1)
        return
    action[companion.key][switches(key, companion)[cells.ravel()]] = 1


def used(keys: Mapping[str, Key], action: Action) -> list[str]:
    """Names of the keys by which an action asks for something.

    A setting counts by its switches, whatever the numbers; switches and details do not count for
    themselves.

    Args:
        keys: declarations by name.
        action: a whole action.
    """
    aside = {key.companion for key in keys.values()}
    found = []
    for name, key in keys.items():
        if name in aside or key.detail_of:
            continue
        if key.companion:
            companion = keys[key.companion]
            cells = np.ravel(action[key.companion])[switches(key, companion)]
        else:
            cells = np.asarray(action[name])
        if cells.any():
            found.append(name)
    return found


def switches(key: Key, companion: Key) -> NDArray[np.int64]:
    """[cells] where in the flat companion each cell of a key has its switch."""
    cells = np.arange(math.prod(key.shape))
    if companion.kind == CHOICE:
        return np.zeros_like(cells)
    if len(companion.axes) > len(key.axes):  # (slot, name of the key without "account_")
        names = companion.axes[-1]
        return cells * len(names) + names.index(key.key.split("_", 1)[1])
    return cells


def _flat(named: Mapping[Any, Any]) -> Iterator[tuple[Any, Any]]:
    """Label and value of each cell; a map of maps names two axes."""
    for label, value in named.items():
        if isinstance(value, Mapping):
            yield from (((label, inner), number) for inner, number in value.items())
        else:
            yield label, value


def _short(space: spaces.Space[Any]) -> str:
    if isinstance(space, spaces.Box):
        return f"Box of shape {space.shape} from {space.low.min():g} to {space.high.max():g}"
    if isinstance(space, spaces.MultiDiscrete):
        return f"MultiDiscrete of {space.shape[0]} numbers below {space.nvec.max()}"
    return str(space)
