"""Customers and their subscriptions (customers.md 7)."""

from __future__ import annotations

import sqlite3

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import (
    ARRIVAL_GATED_OUT,
    ARRIVAL_LEAD,
    ARRIVAL_LOST,
    ARRIVAL_SUBSCRIBED,
)
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS, PLANS, SOURCES
from ceo_gym.simulators.common.rows import Bools, Ints
from ceo_gym.sql.ceobench.source import Tail, insert, known, labels, room_for
from ceo_gym.text.ceobench.personas import personas

COMMENTATOR = 1  # customer id of the author of commentary, shown as a member of the first group

_STATUS = ("subscribed", "lost", "lead", "cancelled")
SUBSCRIBED, LOST, LEAD, CANCELLED = range(4)
_PENDING = len(PLANS)


class Customers:
    """Source of ``customers``."""

    def __init__(self) -> None:
        self._arrivals, self._terms = Tail(), Tail()
        self._empty = True

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write new prospects; a deal sets the contract's start of an enterprise."""
        if self._empty:
            first = world.params.groups.ids[0]
            blank = [None] * 13
            insert(db, "customers", 1, COMMENTATOR, "small", first, 0, *blank)
            self._empty = False
        part = self._arrivals.take(world.history.arrivals)
        self._write(db, world, part)
        terms = world.history.terms
        new = self._terms.take(terms)
        firms = np.isin(terms.customer_id[new], world.negotiations.leads.customer_id)
        db.executemany(
            "UPDATE customers SET contract_start_day = ? WHERE customer_id = ?",
            zip(terms.day[new][firms].tolist(), terms.customer_id[new][firms].tolist()),
        )

    def _write(self, db: sqlite3.Connection, world: World, part: slice) -> None:
        """New prospects; individuals and enterprises each leave columns of the other empty."""
        arrivals, groups = world.history.arrivals, world.params.groups
        # numbers run through the groups of a day, individuals and enterprises mixed
        rows = part.start + arrivals.customer_id[part].argsort()
        firms = groups.is_enterprise[arrivals.group[rows]].astype(bool)
        for kind, of_kind in (("small", rows[~firms]), ("large", rows[firms])):
            ids, group = arrivals.customer_id[of_kind], arrivals.group[of_kind]
            who = personas(
                world.streams.seed,
                world.params,
                ids,
                group,
                arrivals.usage[of_kind],
                arrivals.budget[of_kind],
                arrivals.seats[of_kind],
            )
            described = (
                who.industry,
                who.role,
                who.experience,
                who.work_style,
                who.tech_savvy,
                who.company_size,
                who.company_culture,
                who.decision_style,
                who.primary_concern,
                who.description,
                who.email,
            )
            insert(
                db,
                "customers",
                len(ids),
                ids,
                kind,
                labels(groups.ids, group),
                arrivals.day[of_kind],
                *(column if any(column) else None for column in described),
                None,
                labels(SOURCES, arrivals.source[of_kind]),
            )


class Subscriptions:
    """Source of ``subscriptions``: rows of customers with any news are written anew."""

    def __init__(self) -> None:
        self._arrivals, self._declined, self._terms = Tail(), Tail(), Tail()
        self._departures, self._lost = Tail(), Tail()
        self._rows = 0  # subscriptions so far
        # by customer id
        self._number = np.zeros(0, np.int32)  # subscription_id, 0 = none
        self._status = np.zeros(0, np.int8)
        self._plan = np.zeros(0, np.int8)
        self._listed = np.zeros(0)
        self._promotion = np.zeros(0)
        self._effective = np.zeros(0)
        self._start_day = np.zeros(0, np.int16)
        self._end_day = np.zeros(0, np.int32)  # -1 = none
        self._anchor = np.zeros(0, np.int8)
        self._seats = np.zeros(0, np.int32)
        self._contract_end = np.zeros(0, np.int32)  # -1 = none
        self._billed = np.zeros(0, np.bool_)

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Follow the news of every kind in the order in which they can befall an account."""
        self._grow(world.company.next_customer_id)
        changed = np.zeros(len(self._number), np.bool_)
        for follow in (
            self._arrive,
            self._decline,
            self._agree,
            self._lose_leads,
            self._depart,
        ):
            changed[follow(world)] = True
        self._read_accounts(world, changed)
        ids = changed.nonzero()[0]
        ids = ids[self._number[ids].argsort()]
        insert(
            db,
            "subscriptions",
            len(ids),
            self._number[ids],
            ids,
            labels((*PLANS, "pending"), self._plan[ids]),
            self._listed[ids],
            self._promotion[ids],
            self._effective[ids],
            self._start_day[ids],
            known(self._end_day[ids]),
            labels(_STATUS, self._status[ids]),
            self._anchor[ids],
            None,
            None,
            self._seats[ids],
            1,
            known(self._contract_end[ids]),
            self._billed[ids].astype(int),
            replace=True,
        )

    def _grow(self, size: int) -> None:
        for name, value in vars(self).items():
            if isinstance(value, np.ndarray):
                setattr(self, name, room_for(value, size))

    def _arrive(self, world: World) -> Ints:
        arrivals = world.history.arrivals
        part = self._arrivals.take(arrivals)
        rows = part.start + (arrivals.outcome[part] != ARRIVAL_GATED_OUT).nonzero()[0]
        ids, outcome = arrivals.customer_id[rows], arrivals.outcome[rows]
        self._number[ids] = self._rows + 1 + np.arange(len(ids))
        self._rows += len(ids)
        lead = outcome == ARRIVAL_LEAD
        status = np.zeros(3, np.int8)
        status[[ARRIVAL_SUBSCRIBED, ARRIVAL_LOST, ARRIVAL_LEAD]] = SUBSCRIBED, LOST, LEAD
        self._status[ids] = status[outcome]
        self._plan[ids] = np.where(lead, _PENDING, 0)
        self._start_day[ids] = arrivals.day[rows]
        self._end_day[ids] = self._contract_end[ids] = -1
        self._anchor[ids] = arrivals.day[rows] % MONTH_DAYS
        self._seats[ids] = arrivals.seats[rows]
        return ids

    def _decline(self, world: World) -> Ints:
        declined = world.history.declined
        part = self._declined.take(declined)
        ids = declined.customer_id[part]
        self._plan[ids] = declined.plan[part]
        self._listed[ids] = declined.listed_usd[part]
        self._promotion[ids] = declined.promotion_usd[part]
        self._effective[ids] = np.maximum(0.0, self._listed[ids] - self._promotion[ids])
        self._end_day[ids] = declined.end_day[part]
        return ids

    def _agree(self, world: World) -> Ints:
        terms = world.history.terms
        part = self._terms.take(terms)
        ids, starts = terms.customer_id[part], terms.starts[part]
        self._start_day[ids[starts]] = terms.day[part][starts]
        self._status[ids] = SUBSCRIBED
        return ids

    def _lose_leads(self, world: World) -> Ints:
        lost = world.history.lost_leads
        part = self._lost.take(lost)
        ids = lost.customer_id[part]
        self._status[ids] = LOST
        self._end_day[ids] = lost.day[part]
        return ids

    def _depart(self, world: World) -> Ints:
        gone = world.history.departures
        part = self._departures.take(gone)
        ids = gone.customer_id[part]
        self._status[ids] = CANCELLED
        self._end_day[ids] = gone.end_day[part]
        self._plan[ids] = gone.plan[part]
        self._listed[ids] = gone.listed_usd[part]
        self._promotion[ids] = gone.promotion_usd[part]
        self._effective[ids] = gone.effective_usd[part]
        self._seats[ids] = gone.seats[part]
        self._billed[ids] = gone.first_bill_done[part]
        return ids

    def _read_accounts(self, world: World, changed: Bools) -> None:
        """Terms of accounts that are still there, and the contracts of all enterprises."""
        accounts, leads = world.population, world.negotiations.leads
        rows, ids = world.members(np.arange(len(accounts)))
        for column, current in (
            (self._plan, accounts.plan),
            (self._listed, accounts.listed_usd),
            (self._promotion, accounts.promotion_usd),
            (self._effective, accounts.effective_usd),
            (self._seats, accounts.billed_seats),
            (self._billed, accounts.first_bill_done),
        ):
            changed[ids] |= column[ids] != current[rows]
            column[ids] = current[rows]
        self._contract_end[leads.customer_id] = leads.contract_end_day
