"""Messages of enterprise negotiations, and notices (enterprise.md 12)."""

from __future__ import annotations

import sqlite3

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import (
    ACCEPTED,
    AGENT,
    CUSTOMER,
    KINDS,
    LOST,
    REJECTED,
)
from ceo_gym.simulators.common.rows import Ints
from ceo_gym.sql.ceobench.source import Tail, insert, labels
from ceo_gym.text.ceobench.messages import closing, messages
from ceo_gym.text.ceobench.news import notices
from ceo_gym.text.ceobench.personas import email

_SENDERS = ("system", "customer", "agent")
_REASONS = ("", "accepted", "agent_rejected", "lost")  # by state of the thread
_UPDATE = "UPDATE enterprise_turns SET closed = 1, close_reason = ? WHERE thread_id = ?"


class EnterpriseTurns:
    """Source of ``enterprise_turns``.

    A deal adds the system's confirmation. When a thread ends, all of its messages are closed; the
    published rules leave lost ones open (tables.md, decision D7).
    """

    def __init__(self) -> None:
        self._messages = Tail()
        self._count = 0
        self._known = 0  # threads written so far; they are numbered from 1
        self._lost: set[int] = set()

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the messages since, and close threads."""
        rows = world.history.messages
        part = self._messages.take(rows)
        said = messages(world, part.start, part.stop)
        state, sender, turn = rows.state[part], rows.sender[part], rows.turn[part]
        n = len(said)
        deal = (state == ACCEPTED) & (sender == CUSTOMER)
        # a message of a deal is followed by the confirmation, so the numbers leave room for it
        number = self._count + 1 + np.arange(n) + deal.cumsum() - deal
        self._count += n + int(deal.sum())
        thread, customer = rows.thread[part] + 1, rows.customer_id[part]
        kind, day, seats = labels(KINDS, rows.kind[part]), rows.day[part], rows.seats[part]
        address = self._addresses(world, part)
        ends = self._ends(world, thread, state)
        end = ends[thread]
        insert(
            db,
            "enterprise_turns",
            n,
            number,
            thread,
            customer,
            kind,
            turn,
            labels(_SENDERS, sender),
            [message.text for message in said],
            [message.offer_json for message in said],
            day,
            ["" if who == AGENT else mail for who, mail in zip(sender.tolist(), address)],
            seats,
            (end > 0).astype(int),
            labels(_REASONS, end),
        )
        at = deal.nonzero()[0]
        confirmed = [
            closing(plan, usd, count)
            for plan, usd, count in zip(
                rows.asked_plan[part][at].tolist(),
                rows.asked_usd[part][at].tolist(),
                seats[at].tolist(),
            )
        ]
        insert(
            db,
            "enterprise_turns",
            len(at),
            number[at] + 1,
            thread[at],
            customer[at],
            [kind[k] for k in at.tolist()],
            turn[at] + 1,
            "system",
            [message.text for message in confirmed],
            [message.offer_json for message in confirmed],
            day[at],
            [address[k] for k in at.tolist()],
            seats[at],
            1,
            _REASONS[ACCEPTED],
        )
        older = ends[: self._known + 1].nonzero()[0]
        db.executemany(_UPDATE, zip(labels(_REASONS, ends[older]), older.tolist()))
        self._known = len(ends) - 1

    def _ends(self, world: World, thread: Ints, state: Ints) -> Ints:
        """By thread, [1 + threads] the state in which it ended since; 0 if it did not."""
        threads = world.negotiations.threads
        ends = np.zeros(len(threads.state) + 1, np.int64)
        over = np.isin(state, (ACCEPTED, REJECTED))
        ends[thread[over]] = state[over]
        if not world.rules.lost_threads_fire_daily:
            lost = set((threads.state == LOST).nonzero()[0].tolist())
            ends[[number + 1 for number in lost - self._lost]] = LOST
            self._lost = lost
        return ends

    def _addresses(self, world: World, part: slice) -> list[str]:
        customer, leads = world.history.messages.customer_id[part], world.negotiations.leads
        # leads are in the order of their customer ids
        group = leads.group[np.searchsorted(leads.customer_id, customer)]
        return email(world.streams.seed, customer, group, world.params)


class Notifications:
    """Source of ``notifications``."""

    def __init__(self) -> None:
        self._notices = Tail()

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the notices since."""
        part = self._notices.take(world.history.notice_rows)
        columns = notices(world, part.start)
        insert(db, "notifications", part.stop - part.start, *columns.values())
