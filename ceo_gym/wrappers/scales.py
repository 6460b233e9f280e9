"""How a number in [-1, 1] becomes an amount: logarithmic, with zero for "leave it".

Uniform numbers are useless for amounts that span many orders of magnitude, so the upper half of
the interval runs through them on a logarithmic scale.
"""

from __future__ import annotations

import numpy as np

from ceo_gym.simulators.common.rows import Bools, Floats

DEAD_ZONE = 0.1  # |z| up to which a cell is left alone
START = {"USD/month": 1.0, "USD/day": 10.0, "USD": 1.0, "units/day": 100.0, "share": 0.1}


def amount(z: Floats, high: Floats, unit: str) -> Floats:
    """Amounts for z in (0, 1]: from 0 just above the dead zone to `high` at 1; 0 for z below 0."""
    start = START.get(unit, 1.0)
    share = np.clip((z - DEAD_ZONE) / (1.0 - DEAD_ZONE), 0.0, 1.0)
    return np.minimum(start * np.expm1(share * np.log1p(high / start)), high)


def written(z: Floats, positive: bool = False) -> Bools:
    """Which cells are written at all; where 0 is no amount (`positive`), only those above it."""
    return z > DEAD_ZONE if positive else np.abs(z) > DEAD_ZONE
