"""Daily tables that are not stored but follow from the records: usage and in-app ads revenue.

Both replay who is subscribed, on which plan, with which usage rate and how many seats, day by day
(`Roll`). Usage is served early in the day, to the accounts of the evening before; ads are shown to
those of the evening, before the player acts.
"""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import REASON_REJECTED
from ceo_gym.simulators.ceobench.customers import ads_load
from ceo_gym.simulators.ceobench.history import History
from ceo_gym.simulators.ceobench.records import Departures
from ceo_gym.simulators.ceobench.sections import WEEK_DAYS
from ceo_gym.simulators.ceobench.service import served_units
from ceo_gym.simulators.ceobench.state import truncated
from ceo_gym.simulators.common.rows import Floats, Ints
from ceo_gym.sql.ceobench.source import Tail, insert, labels

PRUNED_EVERY_DAYS = 10
KEPT_DAYS = 30  # before the last pruning
MAX_AD_ROWS = 10_000_000  # beyond it the oldest days of in-app ads revenue are dropped


class Roll:
    """The subscribed accounts and their terms, brought forward one day at a time."""

    def __init__(self) -> None:
        self._terms, self._departures, self._bills, self._seats = Tail(), Tail(), Tail(), Tail()
        # by customer id
        self.subscribed = np.zeros(0, np.bool_)
        self.plan = np.zeros(0, np.int8)
        self.rate = np.zeros(0)  # units/day
        self.seats = np.zeros(0)

    def advance(self, world: World, day: int, *, evening: bool) -> None:
        """Take in what happened up to a day, and unless `evening` what the player did after it."""
        history = world.history
        self._grow(world.company.next_customer_id)
        drifted = history.seats
        part = self._seats.until(_end(drifted.day, day))
        self.seats[drifted.customer_id[part]] = truncated(drifted.seats[part])
        terms = history.terms
        part = self._terms.until(_end(terms.day, day))
        ids = terms.customer_id[part]
        self.plan[ids], self.rate[ids] = terms.plan[part], terms.rate[part]
        self.seats[ids] = terms.seats[part]
        self.subscribed[ids] = True
        gone = history.departures
        stop = _end(gone.day, day)
        if evening:
            stop -= _by_player(gone, day)
        part = self._departures.until(stop)
        self.subscribed[gone.customer_id[part]] = False
        bills = history.bills
        part = self._bills.until(_end(bills.day, day))
        self.rate[bills.customer_id[part]] = bills.rate[part]

    def _grow(self, size: int) -> None:
        more = size - len(self.plan)
        for name in ("subscribed", "plan", "rate", "seats"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros(more, column.dtype)]))


class DailyUsage:
    """Source of ``daily_usage``: the days of a rolling window."""

    def __init__(self) -> None:
        self._roll, self._day = Roll(), 0

    def refresh(self, db: sqlite3.Connection, world: World) -> str | None:
        """Write the days played since, as far as they are still in the window; drop older ones."""
        first = max(1, world.day // PRUNED_EVERY_DAYS * PRUNED_EVERY_DAYS - KEPT_DAYS)
        db.execute("DELETE FROM daily_usage WHERE day < ?", (first,))
        for day in range(self._day + 1, world.day + 1):
            self._roll.advance(world, day - 1, evening=False)
            if day >= first:
                ids = self._roll.subscribed.nonzero()[0]
                units = self._units(world, day, ids)
                insert(db, "daily_usage", len(ids), day, ids, units)
        self._day = world.day
        return None

    def _units(self, world: World, day: int, ids: Ints) -> Ints:
        """[n] units served to accounts on a day (customers.md 10)."""
        settings = world.history.settings
        quota = settings.quota_units[int(np.searchsorted(settings.day, day)) - 1]
        limit = quota[self._roll.plan[ids]]
        if not world.rules.quota_per_account:
            limit = limit * self._roll.seats[ids]
        weekday = world.params.clock.weekday_multiplier[day % WEEK_DAYS]
        return served_units(self._roll.rate[ids] * weekday, limit).astype(np.int64)


class AdsRevenue:
    """Source of ``ads_revenue``: one row an account and day with in-app ads."""

    def __init__(self, max_rows: int = MAX_AD_ROWS) -> None:
        self._roll, self._day, self._max_rows = Roll(), 0, max_rows
        self._arrivals = Tail()
        self._rows_by_day: dict[int, int] = {}
        self._dropped_day: int | None = None
        # by customer id
        self._yield = np.zeros(0)  # USD/day per seat and load
        self._group = np.zeros(0, np.int8)

    def refresh(self, db: sqlite3.Connection, world: World) -> str | None:
        """Write the days played since; if there are too many rows, drop the oldest days."""
        self._meet(world)
        for day in range(self._day + 1, world.day + 1):
            self._roll.advance(world, day - 1, evening=False)
            self._roll.advance(world, day, evening=True)
            self._write(db, world, day)
        self._day = world.day
        while sum(self._rows_by_day.values()) > self._max_rows and len(self._rows_by_day) > 1:
            self._dropped_day = min(self._rows_by_day)
            del self._rows_by_day[self._dropped_day]
            db.execute("DELETE FROM ads_revenue WHERE day <= ?", (self._dropped_day,))
        if self._dropped_day is None:
            return None
        return (
            f"ads_revenue holds no rows up to day {self._dropped_day}: they were dropped to save "
            "memory; the ledger has the daily sums"
        )

    def _meet(self, world: World) -> None:
        arrivals = world.history.arrivals
        part = self._arrivals.take(arrivals)
        more = world.company.next_customer_id - len(self._yield)
        self._yield = np.concatenate([self._yield, np.zeros(more)])
        self._group = np.concatenate([self._group, np.zeros(more, np.int8)])
        ids = arrivals.customer_id[part]
        self._yield[ids], self._group[ids] = arrivals.ads_yield[part], arrivals.group[part]

    def _write(self, db: sqlite3.Connection, world: World, day: int) -> None:
        setting = _ads_setting(world.history, day)
        if setting is None:
            return
        groups = world.params.groups.ids
        strength = np.array([setting["by_group"].get(g, 0.0) for g in groups])
        strength = strength + setting["global"]
        own = np.zeros(len(self._yield))
        for customer, value in setting["by_customer"].items():
            if int(customer) < len(own):
                own[int(customer)] = value
        ids = self._roll.subscribed.nonzero()[0]
        load = ads_load(strength[self._group[ids]] + own[ids], world.params.perceived)
        ids, load = ids[load > 0.0], load[load > 0.0]
        if not len(ids):
            return
        revenue: Floats = self._yield[ids] * load * self._roll.seats[ids]
        insert(
            db, "ads_revenue", len(ids), day, ids, labels(groups, self._group[ids]), load, revenue
        )
        self._rows_by_day[day] = len(ids)


def _ads_setting(history: History, day: int) -> dict[str, Any] | None:
    """The in-app ads of a day: the last change before it; None without any."""
    for changed, setting, text in reversed(history.overrides):
        if setting == "ads_strength" and changed < day:
            return json.loads(text)
    return None


def _end(days: Ints, day: int) -> int:
    """The number of rows up to and with a day."""
    return int(np.searchsorted(days, day, side="right"))


def _by_player(gone: Departures, day: int) -> int:
    """Departures of a day that the player caused after it, the last ones of the day."""
    first, last = np.searchsorted(gone.day, (day, day + 1))
    return int(np.count_nonzero(gone.reason[first:last] == REASON_REJECTED))
