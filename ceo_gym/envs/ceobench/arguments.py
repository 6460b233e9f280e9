"""Checking the arguments of an environment: one clear error that says what is allowed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from numbers import Real
from typing import Any

import numpy as np

from ceo_gym.simulators.common.parameters import nearest

MAX_SLOTS = 10_000
SQL_LIMITS = ("row_cap", "time_limit_s")


@dataclass(frozen=True)
class SlotNumbers:
    """How many slots observation and action have (observation.md 4).

    Attributes:
        inbox: waiting enterprise threads that are shown and can be treated one by one.
        accounts: largest enterprise accounts, likewise.
        history_weeks: past weeks that an observation remembers.
        replies: newest customer posts that can be answered.
    """

    inbox: int = 64
    accounts: int = 32
    history_weeks: int = 12
    replies: int = 16

    @classmethod
    def of(cls, given: Mapping[str, int] | None) -> SlotNumbers:
        """The numbers of the argument ``slots``; names that are left out keep their default.

        Raises:
            ValueError: for an unknown name or a number outside 1 to `MAX_SLOTS`.
        """
        values = named("slots", given, [field.name for field in fields(cls)])
        for name, value in values.items():
            if not _whole(value, 1, MAX_SLOTS):
                raise ValueError(
                    f"slots[{name!r}] must be a whole number from 1 to {MAX_SLOTS:,}, not {value!r}"
                )
        return cls(**{name: int(value) for name, value in values.items()})


def checked_limits(given: Mapping[str, float] | None) -> dict[str, Any]:
    """The argument ``sql_limits`` as arguments of `BusinessDatabase`.

    Raises:
        ValueError: for an unknown name, or a limit that is not above 0.
    """
    values = named("sql_limits", given, SQL_LIMITS)
    if "row_cap" in values and not _whole(values["row_cap"], 1):
        raise ValueError(
            f"sql_limits['row_cap'] must be a whole number of rows from 1, "
            f"not {values['row_cap']!r}"
        )
    seconds = values.get("time_limit_s", 1.0)
    if isinstance(seconds, bool) or not isinstance(seconds, Real) or not float(seconds) > 0.0:
        raise ValueError(
            f"sql_limits['time_limit_s'] must be a number of seconds above 0, not {seconds!r}"
        )
    return values


def named(argument: str, given: Mapping[str, Any] | None, known: Iterable[str]) -> dict[str, Any]:
    """An argument that is a map of known names; None is an empty one.

    Raises:
        ValueError: for anything but a map, or for an unknown name, with the nearest.
    """
    known = tuple(known)
    if given is not None and not isinstance(given, Mapping):
        raise ValueError(
            f"{argument} is a map with some of the keys {', '.join(known)}, not {given!r}"
        )
    for name in given or ():
        if name not in known:
            raise ValueError(f"unknown {argument} {name!r}; {nearest(str(name), known)}")
    return dict(given or {})


def one_of(argument: str, value: Any, allowed: Iterable[str]) -> None:
    """Check a choice.

    Raises:
        ValueError: naming all that is allowed.
    """
    allowed = tuple(allowed)
    if value not in allowed:
        raise ValueError(f"{argument} must be one of {', '.join(allowed)}, not {value!r}")


def _whole(value: Any, low: int, high: float = math.inf) -> bool:
    whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    return whole and low <= value <= high
