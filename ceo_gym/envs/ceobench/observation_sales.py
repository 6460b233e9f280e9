"""Blocks of the observation about enterprises: the inbox and the largest accounts."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ceo_gym.envs.ceobench.arguments import SlotNumbers
from ceo_gym.envs.ceobench.blocks import Block, Field, Observation, count, share, usd
from ceo_gym.envs.ceobench.blocks import numbered as slots_of
from ceo_gym.envs.ceobench.books import Books, ratio, served_days
from ceo_gym.simulators.ceobench import Params, World
from ceo_gym.simulators.ceobench.codes import (
    CHURN_PREVENTION,
    NEW_LEAD,
    PLAN_CHANGE,
    RENEGOTIATION,
)
from ceo_gym.simulators.ceobench.finance import account_values
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.ceobench.state import truncated
from ceo_gym.simulators.common.rows import Floats, Ints

# types of a waiting thread as `inbox_type` gives them, 0 = empty slot
LEAD, LEAD_COUNTER, CHURN, CHANGE, RENEWAL = 1, 2, 3, 4, 5
TYPES = ("empty", "new_lead", "lead_counter", "churn_prevention", "plan_change", "renegotiation")
_URGENCY = np.array([9, 4, 3, 0, 1, 2])  # rank of each type in the inbox

INBOX = (
    count("seats", "seats", "seats asked for; of an account, the billed ones"),
    count("turn", "turns", "number of the message in its thread"),
    count("message_age", "days", "days since the message"),
    usd("asked_price", "price the customer asks for, per seat; 0 = none", "USD/month"),
    *(share(f"asked_{p}", f"whether plan {p} is asked for or wished", "0 or 1") for p in PLANS),
    share("own_plan", "plan of the player's last offer: a third a plan, 0 = none"),
    usd("own_price", "price of the player's last offer, per seat", "USD/month"),
    share("plan", "present plan: a third a plan, 0 = none"),
    usd("price", "present price, per seat", "USD/month"),
    count("tenure", "days", "days since the subscription began"),
    count("issue_days", "days", "days with the account's open issue, its first included"),
    count("usage", "units/day", "the account's mean usage a day in the last week"),
)
ACCOUNT = (
    count("seats", "seats", "billed seats"),
    share("plan", "plan: a third a plan"),
    usd("listed_price", "agreed price per seat before promotions", "USD/month"),
    usd("effective_price", "price paid per seat", "USD/month"),
    count("tenure", "days", "days since the subscription began"),
    count("issue_days", "days", "days with the open issue, its first included"),
    count("usage", "units/day", "mean usage a day in the last week"),
    share("open_thread", "whether a negotiation waits for the customer", "0 or 1"),
    usd("promotion", "the account's own promotion", "USD/month"),
    share("ads_strength", "the account's own in-app strength"),
)


@dataclass
class Slots:
    """Whom the slots of an observation are about: customer and post numbers, in slot order."""

    inbox: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # customer ids
    accounts: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # customer ids
    replies: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # public post numbers


def blocks(params: Params, numbers: SlotNumbers) -> tuple[Block, ...]:
    """The blocks of this room, in order."""
    groups = params.groups.ids
    inbox, accounts = (slots_of(numbers.inbox),), (slots_of(numbers.accounts),)
    used = (Field("used", "0 or 1", 0, 1, "whether the slot is in use"),)
    number = (Field("group", "group", 0, len(groups), "position of the group + 1, 0 = empty"),)
    waiting = (
        count("threads", "threads", "threads"),
        count("seats", "seats", "their seats"),
    )
    kinds = (Field("type", "type", 0, 5, ", ".join(f"{i} {t}" for i, t in enumerate(TYPES))),)
    return (
        Block("inbox_mask", "which inbox slots are in use", used, inbox, choices=2),
        Block("inbox_group", "group of each thread", number, inbox, choices=len(groups) + 1),
        Block("inbox_type", "type of each thread", kinds, inbox, choices=len(TYPES)),
        Block(
            "inbox",
            "threads that wait for the player: churn prevention first, then plan changes, "
            "renegotiations, counter-offers of leads, new leads; large ones first",
            INBOX,
            inbox,
        ),
        Block("inbox_overflow", "waiting threads beyond the slots", waiting, (groups,)),
        Block("pending", "threads that wait for the customer", waiting, (groups,)),
        Block("account_mask", "which account slots are in use", used, accounts, choices=2),
        Block("account_group", "group of each account", number, accounts, choices=len(groups) + 1),
        Block(
            "account",
            "the enterprises that pay most, without those whose thread waits for the player",
            ACCOUNT,
            accounts,
        ),
    )


def thread_types(world: World, rows: Ints) -> Ints:
    """[n] type of each thread, see `TYPES`."""
    threads = world.negotiations.threads
    of_kind = np.zeros(4, np.int64)
    of_kind[[NEW_LEAD, CHURN_PREVENTION, PLAN_CHANGE, RENEGOTIATION]] = LEAD, CHURN, CHANGE, RENEWAL
    kind, turn = threads.kind[rows], threads.turn[rows]
    return np.where((kind == NEW_LEAD) & (turn > 0), LEAD_COUNTER, of_kind[kind])


def fill(out: Observation, world: World, books: Books, slots: Slots) -> None:
    """Write the blocks of this room into arrays of zeros, and note whom the slots are about."""
    _fill_inbox(out, world, books, slots)
    rows = books.threads_pending
    _fill_waiting(out["pending"], world, rows, thread_seats(world, rows))
    _fill_accounts(out, world, books, slots)


def thread_seats(world: World, rows: Ints) -> Floats:
    """[n] seats of the enterprises of some threads: of leads, and billed ones of accounts."""
    leads, population = world.negotiations.leads, world.population
    who = world.negotiations.threads.lead[rows]
    account = leads.account[who]
    seats = truncated(leads.seats[who])
    seats[account >= 0] = population.billed_seats[account[account >= 0]]
    return seats


def _fill_inbox(out: Observation, world: World, books: Books, slots: Slots) -> None:
    sales, population = world.negotiations, world.population
    threads, leads = sales.threads, sales.leads
    rows = books.threads_waiting
    seats, types = thread_seats(world, rows), thread_types(world, rows)
    order = np.lexsort((rows, -seats, _URGENCY[types]))
    rows, seats, types = rows[order], seats[order], types[order]
    shown = len(out["inbox_mask"])
    _fill_waiting(out["inbox_overflow"], world, rows[shown:], seats[shown:])

    rows, n = rows[:shown], min(len(rows), shown)
    who = threads.lead[rows]
    slots.inbox = leads.customer_id[who].astype(np.int64)
    out["inbox_mask"][:n] = 1
    out["inbox_group"][:n] = leads.group[who].astype(np.int64) + 1
    out["inbox_type"][:n] = types[:shown]
    inbox = out["inbox"][:n]
    inbox[:, 0], inbox[:, 1] = seats[:shown], threads.turn[rows]
    inbox[:, 2] = world.day - threads.day[rows]
    inbox[:, 3] = np.nan_to_num(threads.asked_usd[rows])
    for p in range(len(PLANS)):
        inbox[:, 4 + p] = threads.asked_plan[rows] == p
    inbox[:, 7] = (threads.offer_plan[rows, 0] + 1) / len(PLANS)
    inbox[:, 8] = np.nan_to_num(threads.offer_usd[rows, 0])
    account = leads.account[who]
    has = account >= 0
    at = account[has]
    inbox[has, 9] = (population.plan[at] + 1) / len(PLANS)
    inbox[has, 10] = population.listed_usd[at]
    inbox[has, 11] = world.day - population.start_day[at]
    inbox[has, 12] = population.issue_days[at]
    inbox[has, 13] = _usage(world, at)


def _fill_waiting(table: Floats, world: World, rows: Ints, seats: Floats) -> None:
    sales = world.negotiations
    group = sales.leads.group[sales.threads.lead[rows]]
    table[:, 0] = np.bincount(group, minlength=len(table))
    table[:, 1] = np.bincount(group, seats, minlength=len(table))


def _fill_accounts(out: Observation, world: World, books: Books, slots: Slots) -> None:
    sales, population, company = world.negotiations, world.population, world.company
    rows = (population.lead >= 0).nonzero()[0]
    waiting = sales.threads.lead[books.threads_waiting]
    rows = rows[~np.isin(population.lead[rows], waiting)]
    seats = population.billed_seats[rows]
    revenue = population.effective_usd[rows] * seats
    best = np.lexsort((population.customer_id[rows], -revenue))[: len(out["account_mask"])]
    rows, n = rows[best], len(best)
    ids = population.customer_id[rows]
    slots.accounts = ids.astype(np.int64)
    out["account_mask"][:n] = 1
    out["account_group"][:n] = population.group[rows] + 1
    table = out["account"][:n]
    table[:, 0], table[:, 1] = seats[best], (population.plan[rows] + 1) / len(PLANS)
    table[:, 2], table[:, 3] = population.listed_usd[rows], population.effective_usd[rows]
    table[:, 4] = world.day - population.start_day[rows]
    table[:, 5], table[:, 6] = population.issue_days[rows], _usage(world, rows)
    table[:, 7] = sales.leads.thread[population.lead[rows]] >= 0
    for column, own in ((8, company.promotion_customer), (9, company.ads_strength_customer)):
        values = account_values(own, ids)
        if values is not None:
            table[:, column] = values


def _usage(world: World, rows: Ints) -> Floats:
    """[n] mean usage a day of some accounts in the last week."""
    population = world.population
    days = served_days(world, population.start_day[rows])
    return ratio(population.week_units[rows].astype(np.float64), days.astype(np.float64))
