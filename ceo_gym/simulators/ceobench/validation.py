"""Checking what a player hands in: one clear error, and nothing is changed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any

import numpy as np

from ceo_gym.simulators.common.parameters import nearest, range_text

CODES = (
    "missing_argument",
    "unknown_key",
    "out_of_range",
    "wrong_type",
    "not_discovered",
    "insufficient_funds",
    "busy",
    "limit_reached",
    "not_found",
)
SHOWN_CHARACTERS = 60


class InvalidDecision(ValueError):
    """A decision that cannot be carried out; the world is as it was.

    Attributes:
        code: one of `CODES`, for programs.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


def shown(value: Any) -> str:
    """What was given, short enough to stand in a sentence."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # whole numbers of thousands of digits, endless nesting
        return f"a {type(value).__name__} too large to show"
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def number(
    name: str,
    value: Any,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    above: float = -math.inf,
    unit: str = "",
) -> float:
    """A finite real number in a range.

    Raises:
        InvalidDecision: `wrong_type` or `out_of_range`.
    """
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, Real):
        raise InvalidDecision("wrong_type", f"{name} must be a number, not {shown(value)}")
    try:
        result = float(value)
    except OverflowError:  # whole numbers have no limit of their own
        result = math.inf
    if not math.isfinite(result):
        raise InvalidDecision("wrong_type", f"{name} must be a finite number, not {shown(value)}")
    if not (low <= result <= high and result > above):
        text = range_text(low, high, above) + (f" {unit}" if unit else "")
        raise InvalidDecision("out_of_range", f"{name} must be {text}, not {shown(value)}")
    return result


def whole(name: str, value: Any, low: int, high: int, *, true_counts: bool) -> int:
    """A whole number in a range; 3.0 counts as 3.

    Raises:
        InvalidDecision: `wrong_type` or `out_of_range`.
    """
    if isinstance(value, (bool, np.bool_)):
        if not true_counts:
            raise InvalidDecision(
                "wrong_type", f"{name} must be a whole number, not {shown(value)}"
            )
        value = int(value)
    if not isinstance(value, Real) or not number(name, value).is_integer():
        raise InvalidDecision(
            "wrong_type", f"{name} must be a whole number from {low} to {high}, not {shown(value)}"
        )
    result = int(float(value))
    if not low <= result <= high:
        raise InvalidDecision(
            "out_of_range", f"{name} must be from {low} to {high}, not {shown(value)}"
        )
    return result


def mapping(name: str, value: Any, what: str) -> Mapping[Any, Any]:
    """A map.

    Raises:
        InvalidDecision: `wrong_type`.
    """
    if not isinstance(value, Mapping):
        raise InvalidDecision("wrong_type", f"{name} must be a map {what}, not {shown(value)}")
    return value


def member(name: str, value: Any, allowed: Iterable[str]) -> str:
    """One of some names.

    Raises:
        InvalidDecision: `unknown_key`, naming the nearest.
    """
    allowed = tuple(allowed)
    if value not in allowed:
        raise InvalidDecision(
            "unknown_key",
            f"unknown {name} {shown(value)}; {nearest(str(value)[:SHOWN_CHARACTERS], allowed)}",
        )
    return str(value)


def customer_id(value: Any, *, what: str = "a customer id") -> int:
    """The number of a customer (or of `what`), as a number or a text of digits.

    Raises:
        InvalidDecision: `wrong_type`.
    """
    digits = isinstance(value, str) and len(value) < 20 and value.strip().isdecimal()
    if isinstance(value, (bool, np.bool_)) or not (digits or isinstance(value, Integral)):
        raise InvalidDecision("wrong_type", f"{what} is a whole number, not {shown(value)}")
    if abs(int(value)) >= 2**62:
        raise InvalidDecision("not_found", f"{what} is never so large")
    return int(value)
