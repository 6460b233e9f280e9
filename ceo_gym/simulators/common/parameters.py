"""Parameter files (TOML, CSV) to frozen dataclasses, and changes to them by name."""

from __future__ import annotations

import csv
import dataclasses
import difflib
import math
import tomllib
from collections.abc import Iterable, Mapping
from importlib.resources import files
from typing import Any, TypeVar, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")


class ParameterError(ValueError):
    """A parameter is unknown, of the wrong type or out of its range."""


def par(
    unit: str = "",
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
) -> Any:
    """A dataclass field with a unit and a legal range: low <= value <= high, value > above."""
    return dataclasses.field(metadata={"unit": unit, "low": low, "high": high, "above": above})


def nearest(name: str, known: Iterable[str]) -> str:
    """A sentence naming the closest known names, for error messages."""
    known = list(known)
    close = difflib.get_close_matches(name, known, n=3, cutoff=0.4)
    if close:
        return f"did you mean {' or '.join(close)}?"
    if len(known) <= 30:
        return f"known: {', '.join(sorted(known))}"
    return f"nearest: {', '.join(difflib.get_close_matches(name, known, n=3, cutoff=0.0))}"


def read_toml(package: str, name: str) -> dict[str, Any]:
    """A TOML file that is shipped inside `package`."""
    return tomllib.loads(files(package).joinpath(name).read_text(encoding="utf-8"))


def read_csv(package: str, name: str) -> list[dict[str, str]]:
    """The rows of a CSV file that is shipped inside `package`."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def read_matrix(rows: list[dict[str, str]], columns: Iterable[str]) -> NDArray[np.float64]:
    """The named columns of a CSV table as a read-only array, one row a line."""
    return freeze(np.array([[float(row[column]) for column in columns] for row in rows]))


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, made read-only."""
    array.setflags(write=False)
    return array


def build(cls: type[T], values: Mapping[str, Any], where: str) -> T:
    """Make a frozen dataclass from a mapping that must name exactly its fields.

    Raises:
        ParameterError: naming the field, what was given and what is allowed.
    """
    fields = {field.name: field for field in dataclasses.fields(cls)}  # type: ignore[arg-type]
    for name in values:
        if name not in fields:
            raise ParameterError(f"unknown parameter {where}.{name}; {nearest(name, fields)}")
    missing = [name for name in fields if name not in values]
    if missing:
        raise ParameterError(f"{where}: missing {', '.join(missing)}")
    hints = get_type_hints(cls)
    return cls(
        **{
            name: coerce(values[name], hints[name], field, f"{where}.{name}")
            for name, field in fields.items()
        }
    )


def coerce(value: Any, kind: Any, field: dataclasses.Field[Any], name: str) -> Any:
    """Check one value against the type and range of its field.

    Raises:
        ParameterError: naming the parameter, what was given and what is allowed.
    """
    if kind is bool:
        if not isinstance(value, (bool, np.bool_)):
            raise ParameterError(f"{name} must be true or false, not {value!r}")
        return bool(value)
    if get_origin(kind) is tuple:  # names and word lists
        return value
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(f"{name} must be a number, not {value!r}") from error
    meta = field.metadata
    low, high, above = (meta.get(k, d) for k, d in zip(("low", "high", "above"), _NO_LIMITS))
    if not (np.isfinite(array) & (array >= low) & (array <= high) & (array > above)).all():
        allowed = f"a finite number {range_text(low, high, above)}".rstrip()
        raise ParameterError(f"{name} must be {allowed}, not {value!r}")
    if kind in (int, float):
        if array.ndim:
            raise ParameterError(f"{name} must be one number, not {value!r}")
        if kind is int and array != np.floor(array):
            raise ParameterError(f"{name} must be a whole number, not {value!r}")
        return kind(array)
    return freeze(array)


_NO_LIMITS = (-math.inf, math.inf, -math.inf)


def range_text(low: float, high: float, above: float) -> str:
    """A legal range in words, such as "at least 1 and at most 7"; empty if there is none."""
    parts = []
    if above > -math.inf:
        parts.append(f"above {above:g}")
    if low > -math.inf:
        parts.append(f"at least {low:g}")
    if high < math.inf:
        parts.append(f"at most {high:g}")
    return " and ".join(parts)
