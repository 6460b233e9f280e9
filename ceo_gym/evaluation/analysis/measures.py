"""What a measure of a run is: a number with its unit, or the reason why there is none."""

from __future__ import annotations

import math
from dataclasses import dataclass

USD, DAYS, WEEKS, COUNT, SHARE = "USD", "days", "weeks", "count", "share"


@dataclass(frozen=True)
class Measure:
    """One number about a run.

    Attributes:
        value: the number; None where the record does not say it.
        unit: its unit; a share is from 0 to 1.
        reason: why there is no number; empty if there is one.
    """

    value: float | None
    unit: str
    reason: str = ""


def known(value: float, unit: str) -> Measure:
    """A number."""
    return Measure(float(value), unit)


def unknown(unit: str, reason: str) -> Measure:
    """No number, with the reason."""
    return Measure(None, unit, reason)


def ratio(part: float, whole: float, unit: str, reason: str) -> Measure:
    """Part / whole; no number, for the reason, if the whole is 0."""
    if whole == 0.0 or not math.isfinite(whole):
        return unknown(unit, reason)
    return known(part / whole, unit)
