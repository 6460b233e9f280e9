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
from ceo_gym.simulators.ceobench.state import truncated
from ceo_gym.simulators.common.rows import Floats, Ints
from ceo_gym.sql.ceobench.source import Tail, labels

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
        more = size - len(self.plan)
        for name in ("subscribed", "plan", "rate", "seats"):
            column = getattr(self, name)
            setattr(self, name, np.concatenate([column, np.zeros(more, column.dtype)]))


class Sheet:
    """A passing table of the subscribed accounts, from which a day is written inside SQLite.

    That is several times faster than handing over every row, since a day changes few accounts. It
    holds what the player must not see, so it is gone before a query runs.

    Args:
        db: the database.
        roll: the accounts.
        columns: names of its columns beside the customer id.
    """

    def __init__(self, db: sqlite3.Connection, roll: Roll, columns: tuple[str, ...]) -> None:
        self._db, self._roll = db, roll
        self._marks = ", ".join("?" * (len(columns) + 1))
        db.execute(f"CREATE TABLE passing (customer_id INTEGER PRIMARY KEY, {', '.join(columns)})")

    def write(self, ids: Ints, *values: list[Any]) -> None:
        """Write rows of customers; those who are not subscribed any more lose theirs."""
        stays = self._roll.subscribed[ids]
        self._db.executemany("DELETE FROM passing WHERE customer_id = ?", zip(ids[~stays].tolist()))
        rows = zip(ids.tolist(), *values)
        self._db.executemany(
            f"INSERT OR REPLACE INTO passing VALUES ({self._marks})",
            (row for row, yes in zip(rows, stays.tolist()) if yes),
        )

    def drop(self) -> None:
        """Remove the table."""
        self._db.execute("DROP TABLE passing")


class DailyUsage:
    """Source of ``daily_usage``: the days of a rolling window."""

    def __init__(self) -> None:
        self._roll, self._day = Roll(), 0

    def refresh(self, db: sqlite3.Connection, world: World) -> str | None:
        """Write the days played since, as far as they are still in the window; drop older ones."""
        if self._day == world.day:
            return None
        first = max(1, world.day // PRUNED_EVERY_DAYS * PRUNED_EVERY_DAYS - KEPT_DAYS)
        db.execute("DELETE FROM daily_usage WHERE day < ?", (first,))
        start = max(first, self._day + 1)
        for day in range(self._day, start):
            self._roll.advance(world, day)
        sheet = Sheet(db, self._roll, ("plan", "rate", "seats"))
        self._write(sheet, self._roll.subscribed.nonzero()[0])
        for day in range(start, world.day + 1):
            self._write(sheet, self._roll.advance(world, day - 1))
            self._serve(db, world, day)
        sheet.drop()
        self._day = world.day
        return None

    def _write(self, sheet: Sheet, ids: Ints) -> None:
        roll = self._roll
        sheet.write(ids, roll.plan[ids].tolist(), roll.rate[ids].tolist(), roll.seats[ids].tolist())

    def _serve(self, db: sqlite3.Connection, world: World, day: int) -> None:
        """Units served on a day, as in `service.served_units` (customers.md 10)."""
        settings = world.history.settings
        quota = settings.quota_units[int(np.searchsorted(settings.day, day)) - 1]
        seats = "1.0" if world.rules.quota_per_account else "seats"
        db.execute(
            "INSERT INTO daily_usage SELECT ?, customer_id, CAST("
            "MIN(rate * ?, CASE plan WHEN 0 THEN ? WHEN 1 THEN ? ELSE ? END * "
            f"{seats}) + 0.5 AS INTEGER) FROM passing ORDER BY customer_id",
            (day, float(world.params.clock.weekday_multiplier[day % WEEK_DAYS]), *quota.tolist()),
        )


class AdsRevenue:
    """Source of ``ads_revenue``: one row an account and day with in-app ads.

    Args:
        max_rows: beyond this many the oldest days are dropped.
    """

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
        if self._day < world.day:
            self._meet(world)
            self._write_days(db, world)
            self._day = world.day
        if self._dropped_day is None:
            return None
        return (
            f"ads_revenue holds no rows up to day {self._dropped_day}: they were dropped to save "
            "memory; the ledger has the daily sums"
        )

    def _meet(self, world: World) -> None:
        """The ads yield and group of new customers."""
        arrivals = world.history.arrivals
        part = self._arrivals.take(arrivals)
        more = world.company.next_customer_id - len(self._yield)
        self._yield = np.concatenate([self._yield, np.zeros(more)])
        self._group = np.concatenate([self._group, np.zeros(more, np.int8)])
        ids = arrivals.customer_id[part]
        self._yield[ids], self._group[ids] = arrivals.ads_yield[part], arrivals.group[part]

    def _write_days(self, db: sqlite3.Connection, world: World) -> None:
        roll, written = self._roll, None
        sheet = Sheet(db, roll, ("group_id", "load", "revenue"))
        for day in range(self._day + 1, world.day + 1):
            touched = [roll.advance(world, day - 1), roll.advance(world, day, evening=True)]
            setting = _ads_setting(world.history, day)
            if setting is None:
                continue
            # a new setting concerns everybody
            changed = setting is not written and setting != written
            ids = roll.subscribed.nonzero()[0] if changed else np.unique(np.concatenate(touched))
            if changed:
                db.execute("DELETE FROM passing")
            written = setting
            load = self._loads(world, setting, ids)
            revenue = self._yield[ids] * load * roll.seats[ids]
            names = labels(world.params.groups.ids, self._group[ids])
            sheet.write(ids, names, load.tolist(), revenue.tolist())
            cursor = db.execute(
                "INSERT INTO ads_revenue SELECT ?, customer_id, group_id, load, revenue "
                "FROM passing WHERE load > 0 ORDER BY customer_id",
                (day,),
            )
            self._rows_by_day[day] = cursor.rowcount
            self._drop_oldest(db)
        sheet.drop()

    def _drop_oldest(self, db: sqlite3.Connection) -> None:
        while sum(self._rows_by_day.values()) > self._max_rows and len(self._rows_by_day) > 1:
            self._dropped_day = min(self._rows_by_day)
            del self._rows_by_day[self._dropped_day]
            db.execute("DELETE FROM ads_revenue WHERE day <= ?", (self._dropped_day,))

    def _loads(self, world: World, setting: dict[str, Any], ids: Ints) -> Floats:
        """[n] ads load of accounts, their own setting included."""
        by_group = setting["by_group"]
        strength = np.array([by_group.get(g, 0.0) for g in world.params.groups.ids])
        own = np.zeros(len(self._yield))
        for customer, value in setting["by_customer"].items():
            if int(customer) < len(own):
                own[int(customer)] = value
        total = setting["global"] + strength[self._group[ids]] + own[ids]
        return ads_load(total, world.params.perceived)


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
