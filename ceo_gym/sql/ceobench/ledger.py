"""The ledger: one row a cash movement, in the order of the day (day_loop.md 4, 6)."""

from __future__ import annotations

import sqlite3

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.finance import CATEGORIES, CATEGORY
from ceo_gym.simulators.ceobench.history import History
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.sql.ceobench.source import Tail, Values, insert, labels

_AFTER_BILLS = ("capacity", "compute", "operations", "development", "advertising", "ad_revenue")
_NOTES = {
    "capacity": "capacity tier in force",
    "compute": "usage served",
    "operations": "shared support",
    "development": "shared development",
    "advertising": "advertising on all channels",
    "ad_revenue": "in-app ads",
    "market_research": "search for a new group",
    "group_research": "research of a group",
    "research_project": "start of a research project",
}


class Ledger:
    """Source of ``ledger``."""

    def __init__(self) -> None:
        self._day = -1  # last day written
        self._entries = 0
        self._purchases = Tail()

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the days played since, and what was bought between them."""
        history = world.history
        for day in range(self._day + 1, world.day + 1):
            self._write_purchases(db, history, day - 1)
            self._write_day(db, history, day)
        self._write_purchases(db, history, world.day)
        self._day = world.day

    def _write_purchases(self, db: sqlite3.Connection, history: History, day: int) -> None:
        bought = history.purchases
        part = self._purchases.until(int(np.searchsorted(bought.day, day, side="right")))
        category = labels(CATEGORIES, bought.category[part])
        notes = [_NOTES[str(name)] for name in category]
        self._write(db, len(notes), bought.day[part], category, bought.amount_usd[part], notes)

    def _write_day(self, db: sqlite3.Connection, history: History, day: int) -> None:
        usd, count = history.ledger_usd[day], history.ledger_count[day]
        if day == 0:
            funding = float(usd[CATEGORY["initial_funding"]])
            self._write(db, 1, day, "initial_funding", funding, "starting capital")
            return
        column = CATEGORY["lead_acquisition_cost"]
        if leads := int(count[column]):
            self._write(
                db,
                leads,
                day,
                "lead_acquisition_cost",
                float(usd[column]) / leads,
                "new prospect",
            )
        self._write_bills(db, history, day)
        for category in _AFTER_BILLS:
            column = CATEGORY[category]
            amounts = [float(usd[column])] if count[column] else []
            notes = [_NOTES[category]] * len(amounts)
            if count[column] == 2:  # a shared budget and targeted ones
                shared = _shared_budget(history, category, day)
                amounts, notes = [-shared, amounts[0] + shared], [*notes, f"targeted {category}"]
            n = len(amounts)
            self._write(db, n, day, category, amounts, notes)

    def _write_bills(self, db: sqlite3.Connection, history: History, day: int) -> None:
        bills = history.bills
        first, last = np.searchsorted(bills.day, (day, day + 1))
        rows = first + (~bills.suspended[first:last]).nonzero()[0]
        if not len(rows):
            return
        notes = [
            f"customer {number}, plan {plan}"
            for number, plan in zip(
                bills.customer_id[rows].tolist(), labels(PLANS, bills.plan[rows])
            )
        ]
        paid = bills.payment_usd[rows]
        self._write(db, len(rows), day, "subscription_payment", paid, notes)

    def _write(
        self,
        db: sqlite3.Connection,
        count: int,
        day: Values | int,
        category: Values | str,
        usd: Values | float,
        note: Values | str,
    ) -> None:
        """Write rows; what is one value is that of all of them."""
        ids = np.arange(self._entries + 1, self._entries + count + 1)
        insert(db, "ledger", count, ids, day, category, usd, note)
        self._entries += count


def _shared_budget(history: History, category: str, day: int) -> float:
    """The shared support or development budget in force on a day."""
    settings = history.settings
    row = int(np.searchsorted(settings.day, day)) - 1
    budget = settings.operations_usd if category == "operations" else settings.development_usd
    return float(budget[row])
