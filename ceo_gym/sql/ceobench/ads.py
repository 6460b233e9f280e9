"""In-app ads revenue, which is not stored but follows from the records (customers.md 12)."""

from __future__ import annotations

import json
import sqlite3
from typing import Any

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.customers import ads_load
from ceo_gym.simulators.ceobench.history import History
from ceo_gym.simulators.common.rows import Floats, Ints
from ceo_gym.sql.ceobench.roll import Roll
from ceo_gym.sql.ceobench.source import Tail, insert, labels, room_for
from ceo_gym.sql.ceobench.spells import Spells


class AdsRevenue:
    """Source of ``ads_revenue``.

    Ads are shown to the accounts of the evening, before the player acts.
    """

    def __init__(self) -> None:
        self._roll, self._spells, self._day = Roll(), Spells(2), 0
        self._arrivals = Tail()
        self._setting: dict[str, Any] | None = None
        # by customer id
        self._yield = np.zeros(0)  # USD/day per seat and load
        self._group = np.zeros(0, np.int8)

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the days since, and the spells that began and ended."""
        if self._day == world.day:
            return
        self._meet(world)
        days = np.arange(self._day + 1, world.day + 1)
        for day in days.tolist():
            self._follow(world, day)
        insert(db, "ads_days", len(days), days)
        rows = self._spells.take(self._day)
        insert(
            db,
            "ads_spells",
            len(rows.customer_id),
            rows.customer_id,
            labels(world.params.groups.ids, self._group[rows.customer_id]),
            rows.first_day,
            rows.last_day,
            *rows.values.T,
            replace=True,
        )
        self._day = world.day

    def _meet(self, world: World) -> None:
        """The ads yield and group of new customers."""
        arrivals = world.history.arrivals
        part = self._arrivals.take(arrivals)
        size = world.company.next_customer_id
        self._yield, self._group = room_for(self._yield, size), room_for(self._group, size)
        self._spells.grow(size)
        ids = arrivals.customer_id[part]
        self._yield[ids], self._group[ids] = arrivals.ads_yield[part], arrivals.group[part]

    def _follow(self, world: World, day: int) -> None:
        roll = self._roll
        touched = [roll.advance(world, day - 1), roll.advance(world, day, evening=True)]
        ids = np.unique(np.concatenate(touched))
        setting = _ads_setting(world.history, day)
        if setting != self._setting:
            ids, self._setting = np.arange(len(self._yield)), setting  # it concerns everybody
        if setting is None:
            return
        load = self._loads(world, setting, ids)
        revenue = self._yield[ids] * load * roll.seats[ids]
        present = roll.subscribed[ids] & (load > 0.0)
        self._spells.follow(day, ids, np.stack((load, revenue), axis=1), present)

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
