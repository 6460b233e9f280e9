"""Daily usage, which is not stored but follows from the records (customers.md 10)."""

from __future__ import annotations

import sqlite3
from typing import Any

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.sections import WEEK_DAYS
from ceo_gym.simulators.ceobench.service import served_units
from ceo_gym.simulators.common.rows import Floats
from ceo_gym.sql.ceobench.roll import Roll
from ceo_gym.sql.ceobench.source import insert
from ceo_gym.sql.ceobench.spells import SpellRows, Spells

PRUNED_EVERY_DAYS = 10
KEPT_DAYS = 30  # before the last pruning


class DailyUsage:
    """Source of ``daily_usage``: the days of a rolling window.

    Usage is served early in the day, to the accounts of the evening before. A spell has the units
    of each weekday, those of a weekday it has not seen yet left out.
    """

    def __init__(self) -> None:
        self._roll, self._spells, self._day = Roll(), Spells(WEEK_DAYS), 0
        self._quota: Floats | None = None

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the days played since, as far as they are still in the window; drop older ones."""
        if self._day == world.day:
            return
        first = max(1, world.day // PRUNED_EVERY_DAYS * PRUNED_EVERY_DAYS - KEPT_DAYS)
        db.execute("DELETE FROM usage_days WHERE day < ?", (first,))
        db.execute("DELETE FROM usage_spells WHERE last_day < ?", (first,))
        start = max(first, self._day + 1)
        if start > self._day + 1:
            self._roll.advance(world, start - 2)
            self._quota = None  # anybody may have changed in the days left out
        self._spells.grow(world.company.next_customer_id)
        for day in range(start, world.day + 1):
            self._follow(world, day)
        days = np.arange(start, world.day + 1)
        insert(db, "usage_days", len(days), days)
        # a spell that is younger than a week may have seen weekdays that it had not before
        rows = self._spells.take(self._day - WEEK_DAYS + 1)
        insert(
            db,
            "usage_spells",
            len(rows.customer_id),
            rows.customer_id,
            rows.first_day,
            rows.last_day,
            *_seen(rows, world.day),
            replace=True,
        )
        self._day = world.day

    def _follow(self, world: World, day: int) -> None:
        roll, settings = self._roll, world.history.settings
        ids = roll.advance(world, day - 1)
        quota = settings.quota_units[int(np.searchsorted(settings.day, day)) - 1]
        if self._quota is None or (quota != self._quota).any():
            ids, self._quota = np.arange(len(roll.plan)), quota  # it concerns everybody
        real = world.population.real  # reckon as the world does, or a unit may round otherwise
        of_account = quota.astype(real)[roll.plan[ids]]
        if not world.rules.quota_per_account:
            of_account = of_account * roll.seats[ids].astype(real)
        weekday = world.params.clock.weekday_multiplier.astype(real)
        demand = np.multiply.outer(roll.rate[ids].astype(real), weekday)
        units = served_units(demand, of_account[:, None])
        self._spells.follow(day, ids, units, roll.subscribed[ids])


def _seen(rows: SpellRows, today: int) -> list[list[Any]]:
    """By weekday, [n] whole units; None where a spell has no such day up to today."""
    days = np.minimum(rows.last_day, today) - rows.first_day
    columns = []
    for weekday, units in enumerate(rows.values.T):
        column = units.astype(np.int64).astype(object)
        column[(weekday - rows.first_day) % WEEK_DAYS > days] = None
        columns.append(column.tolist())
    return columns
