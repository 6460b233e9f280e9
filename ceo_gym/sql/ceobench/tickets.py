"""Support tickets (customers.md 11)."""

from __future__ import annotations

import sqlite3

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.common.rows import Bools, Ints
from ceo_gym.sql.ceobench.source import Tail, insert, labels, room_for

BY_SUPPORT = "ops_resolved"


class Issues:
    """Source of ``issues``.

    An account has one open ticket at most, so a closing belongs to its last opening. All open
    tickets age together, on days on which some active account has one in the morning.
    """

    def __init__(self) -> None:
        self._events, self._departures = Tail(), Tail()
        self._day = 0
        self._count = 0  # tickets so far
        self._live = 0  # open tickets of active accounts
        self._ages = np.zeros(1, np.int64)  # [day] ageing days up to it
        self._open = np.zeros(0, np.int64)  # open ticket of a customer, 0 = none

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Age what is open, then write what was opened and closed since."""
        issues = world.history.issues
        part = self._events.take(issues)
        self._open = room_for(self._open, world.company.next_customer_id)
        customer, day = issues.customer_id[part], issues.day[part].astype(np.int64)
        closed = issues.closed[part]
        ticket = self._match(customer, closed)
        self._age(world, customer, day, closed)
        aged = int(self._ages[world.day] - self._ages[self._day])
        if aged:
            db.execute("UPDATE issues SET days_open = days_open + ? WHERE status = 'open'", (aged,))
        opened = ~closed
        insert(
            db,
            "issues",
            int(opened.sum()),
            ticket[opened],
            customer[opened],
            labels(world.params.groups.ids, issues.group[part][opened]),
            day[opened],
            self._ages[world.day] - self._ages[day[opened]],
            "open",
            None,
            None,
        )
        self._close(db, ticket[closed], day[closed], issues.left[part][closed])
        self._day = world.day

    def _match(self, customer: Ints, closed: Bools) -> Ints:
        """[n] the ticket that each event opens or closes."""
        ticket = np.zeros(len(customer), np.int64)
        opened = (~closed).nonzero()[0]
        ticket[opened] = self._count + 1 + np.arange(len(opened))
        self._count += len(opened)
        # by customer, events of one in their order: an opening stands before its closing
        order = customer.argsort(kind="stable")
        closing = closed[order].nonzero()[0]
        before = order[closing - 1]
        same = (closing > 0) & (customer[before] == customer[order[closing]])
        ticket[order[closing]] = np.where(
            same, ticket[before], self._open[customer[order[closing]]]
        )
        if len(order):
            last = order[np.append(customer[order[1:]] != customer[order[:-1]], True)]
            self._open[customer[last]] = np.where(closed[last], 0, ticket[last])
        return ticket

    def _age(self, world: World, customer: Ints, day: Ints, closed: Bools) -> None:
        """Count the ageing days since."""
        gone = world.history.departures
        part = self._departures.take(gone)
        left_open = self._open[gone.customer_id[part]] > 0  # such tickets age on but count no more
        change = np.zeros(world.day + 1, np.int64)
        np.add.at(change, day, np.where(closed, -1, 1))
        np.add.at(change, gone.day[part][left_open], -1)
        # the player's own decisions of the last day known so far come on top of its end
        live = self._live + change[self._day :].cumsum()
        ages = self._ages[self._day] + (live[:-1] > 0).cumsum()
        self._ages = np.concatenate([self._ages[: self._day + 1], ages])
        self._live = int(live[-1])

    def _close(self, db: sqlite3.Connection, ticket: Ints, day: Ints, left: Bools) -> None:
        how = labels((BY_SUPPORT, None), left.astype(int))
        # support works in the morning, before the tickets of the day age
        until = np.where(left, day, day - 1)
        db.executemany(
            "UPDATE issues SET status = 'resolved', resolved_day = ?, resolution_type = ?, "
            "days_open = max(0, ? - open_day) WHERE issue_id = ?",
            zip(day.tolist(), how, until.tolist(), ticket.tolist()),
        )
