"""Spells: stretches of days on which an account has the same row in a daily table.

The two tables with a row an account and day are views of spells. Millions of rows cost little
memory that way, and a week's news are its changes. A spell holds what its rows show and no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ceo_gym.simulators.common.rows import Bools, Floats, Ints
from ceo_gym.sql.ceobench.source import room_for

GOES_ON = 2**31 - 1  # last day of a spell that has not ended


class SpellRows(NamedTuple):
    """Spells as columns, by customer and first day."""

    customer_id: Ints  # [n]
    first_day: Ints  # [n]
    last_day: Ints  # [n], GOES_ON
    values: Floats  # [n, width]


class Spells:
    """The spells of all customers, brought forward day by day.

    Args:
        width: how many numbers a spell has.
    """

    def __init__(self, width: int) -> None:
        # by customer id
        self._first_day = np.zeros(0, np.int32)  # of the spell that goes on, 0 = none does
        self._values = np.zeros((0, width))
        self._ended: list[SpellRows] = []

    def grow(self, size: int) -> None:
        """Make room for customer ids below `size`."""
        self._first_day = room_for(self._first_day, size)
        self._values = room_for(self._values, size)

    def follow(self, day: int, ids: Ints, values: Floats, present: Bools) -> None:
        """What customers have from a day on; who is not named goes on as before.

        Args:
            day: first day on which it is so.
            ids: [n] different customers.
            values: [n, width] their numbers.
            present: [n] whether they have a row at all.
        """
        going = self._first_day[ids] > 0
        other = (self._values[ids] != values).any(axis=1)
        ends = ids[going & (other | ~present)]
        first = self._first_day[ends]
        self._ended.append(SpellRows(ends, first, np.full(len(ends), day - 1), self._values[ends]))
        self._first_day[ends] = 0
        begins = present & (other | ~going)
        self._first_day[ids[begins]] = day
        self._values[ids[begins]] = values[begins]

    def take(self, since: int) -> SpellRows:
        """The spells that ended since the last call, and those that began after day `since`."""
        going = (self._first_day > max(since, 0)).nonzero()[0]
        last = np.full(len(going), GOES_ON)
        parts = [*self._ended, SpellRows(going, self._first_day[going], last, self._values[going])]
        self._ended = []
        customer_id, first_day, last_day = (
            np.concatenate([part[k] for part in parts]) for k in range(3)
        )
        values = np.concatenate([part.values for part in parts])
        order = np.lexsort((first_day, customer_id))
        return SpellRows(customer_id[order], first_day[order], last_day[order], values[order])
