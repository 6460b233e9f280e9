"""Values that a journal tells: taken only where they are what they should be."""

from __future__ import annotations

import math
from typing import Any

LARGEST = 2**53  # whole numbers up to here are exact in every reader of JSON
NAME_CHARACTERS = 80


def real(value: Any) -> float | None:
    """A finite number, None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def whole(value: Any) -> int | None:
    """A whole number of a sensible size, None for anything else."""
    fine = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST
    return value if fine else None


def mark(value: Any) -> int | str | None:
    """A number or a short text that names something; None for anything else."""
    return value[:NAME_CHARACTERS] if isinstance(value, str) else whole(value)
