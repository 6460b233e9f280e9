"""How a key of the action is declared, checked and written by name."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
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

        try:
            array = np.asarray(value)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{wanted()}, not {str(value)[:60]!r}") from error
        if array.dtype.kind not in "iufb" or array.shape != self.shape:
            raise ValueError(f"{wanted()}; it has type {array.dtype} and shape {array.shape}")
        if self.kind == BOX:
            assert isinstance(space, spaces.Box)
            if not ((array >= space.low) & (array <= space.high)).all():
                raise ValueError(f"{wanted()}; a value is out of bounds or not a number")
            return array.astype(np.float32)
        if array.dtype.kind == "f" or not 0 <= array.min() <= array.max() < len(self.options):
            last = len(self.options) - 1
            raise ValueError(f"{wanted()}; it needs whole numbers from 0 to {last}")
        return array.astype(np.int64) if self.shape else np.int64(array)

    def position(self, label: Any) -> int | tuple[int, ...]:
        """Index of a cell by its label, or labels of each axis.

        Raises:
            KeyError: if there is none, with the nearest.
        """
        labels = label if isinstance(label, tuple) else (label,)
        if len(labels) != len(self.axes):
            form = " and ".join(f"{axis[0]}…{axis[-1]}" for axis in self.axes)
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
        """
        if isinstance(value, str):
            if value not in self.options:
                raise KeyError(f"no choice {value!r} of {self.key}; {nearest(value, self.options)}")
            return self.options.index(value)
        return value

    def cells(self) -> dict[str, dict[str, Any]]:
        """Cell name -> index, unit, bounds or choices, and meaning."""
        described: dict[str, dict[str, Any]] = {}
        for where in itertools.product(*(range(len(axis)) for axis in self.axes)):
            labels = [axis[i] for axis, i in zip(self.axes, where)]
            cell: dict[str, Any] = {"unit": self.unit or "choice", "meaning": self.meaning}
            cell["index"] = self.position(tuple(labels)) if labels else ()
            if self.kind == BOX:
                last = where[-1]
                cell["low"] = self.low[last] if isinstance(self.low, tuple) else self.low
                cell["high"] = self.high[last] if isinstance(self.high, tuple) else self.high
            else:
                cell["choices"] = self.options
            described[".".join(labels) or self.key] = cell
        return described


def write(
    keys: Mapping[str, Key], action: Action, name: str, value: Any, *, switch: bool = True
) -> None:
    """Write one named part of an action; the switches of written cells are set as well.

    Args:
        keys: declarations by name.
        action: a whole action, changed in place.
        name: key.
        value: ``{label: number}`` for some cells, an array or list for all, or one choice.
        switch: whether to set the companion switches.

    Raises:
        KeyError: for an unknown key, cell or choice.
        ValueError: for an array of the wrong shape.
    """
    if name not in keys:
        raise KeyError(f"no action {name!r}; {nearest(name, keys)}")
    key = keys[name]
    if not key.shape:
        action[name] = np.int64(key.number(value))
        return
    touched = np.zeros(key.shape, bool)
    if isinstance(value, Mapping):
        for label, number in value.items():
            at = key.position(label)
            action[name][at] = key.number(number)
            touched[at] = True
    else:
        if isinstance(value, Sequence) and not isinstance(value, str):
            value = np.array(value)
        array = np.asarray(value)
        if array.shape not in ((), key.shape):
            raise ValueError(f"{name} has shape {key.shape}, not {array.shape}")
        action[name][...] = array
        touched[...] = True
    if switch and key.companion:
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
    if len(companion.axes) > len(key.axes):  # (slot, name of the key without "account_")
        for where in np.argwhere(cells):
            label = key.axes[0][int(where[0])]
            action[companion.key][companion.position((label, key.key.split("_", 1)[1]))] = 1
    else:
        action[companion.key][cells.ravel()] = 1


def _short(space: spaces.Space[Any]) -> str:
    if isinstance(space, spaces.Box):
        return f"Box of shape {space.shape} from {space.low.min():g} to {space.high.max():g}"
    if isinstance(space, spaces.MultiDiscrete):
        return f"MultiDiscrete of {space.shape[0]} numbers below {space.nvec.max()}"
    return str(space)
