"""Who is subscribed, on which terms: replayed from the records, for tables that follow from it."""

from __future__ import annotations

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import REASON_REJECTED
from ceo_gym.simulators.ceobench.records import Departures
from ceo_gym.simulators.ceobench.state import truncated
from ceo_gym.simulators.common.rows import Ints
from ceo_gym.sql.ceobench.source import Tail, room_for


class Roll:
    """The subscribed accounts and their terms, brought forward one day at a time."""

    def __init__(self) -> None:
        self._terms, self._departures, self._bills, self._seats = Tail(), Tail(), Tail(), Tail()
        # by customer id
        self.subscribed = np.zeros(0, np.bool_)
        self.plan = np.zeros(0, np.int8)
        self.rate = np.zeros(0)  # units/day
        self.seats = np.zeros(0)

    def advance(self, world: World, day: int, *, evening: bool = False) -> Ints:
        """Take in what happened up to a day, and unless `evening` what the player did after it.

        Returns:
            The customers whose row may have changed.
        """
        history = world.history
        self._grow(world.company.next_customer_id)
        drifted = history.seats
        part = self._seats.until(_end(drifted.day, day))
        touched = [drifted.customer_id[part]]
        self.seats[touched[0]] = truncated(drifted.seats[part])
        terms = history.terms
        part = self._terms.until(_end(terms.day, day))
        ids = terms.customer_id[part]
        self.plan[ids], self.rate[ids] = terms.plan[part], terms.rate[part]
        self.seats[ids] = terms.seats[part]
        self.subscribed[ids] = True
        touched.append(ids)
        gone = history.departures
        stop = _end(gone.day, day)
        if evening:
            stop -= _by_player(gone, day)
        part = self._departures.until(stop)
        self.subscribed[gone.customer_id[part]] = False
        touched.append(gone.customer_id[part])
        bills = history.bills
        part = self._bills.until(_end(bills.day, day))
        self.rate[bills.customer_id[part]] = bills.rate[part]
        touched.append(bills.customer_id[part])
        return np.unique(np.concatenate(touched))

    def _grow(self, size: int) -> None:
        for name in ("subscribed", "plan", "rate", "seats"):
            setattr(self, name, room_for(getattr(self, name), size))


def _end(days: Ints, day: int) -> int:
    """The number of rows up to and with a day."""
    return int(np.searchsorted(days, day, side="right"))


def _by_player(gone: Departures, day: int) -> int:
    """Departures of a day that the player caused after it, the last ones of the day."""
    first, last = np.searchsorted(gone.day, (day, day + 1))
    return int(np.count_nonzero(gone.reason[first:last] == REASON_REJECTED))
