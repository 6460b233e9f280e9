"""Leads and threads: how they open, what moves them, and what the player does.

Source: enterprise.md 2, 5, 6, 9.1, 11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import reputation, social
from ceo_gym.simulators.ceobench.codes import (
    AGENT,
    CANCELLED,
    CHURN_PREVENTION,
    CUSTOMER,
    LEAD,
    LEAD_LOST,
    NEW_LEAD,
    NONE,
    OPEN,
    REASON_REJECTED,
    REJECTED,
    RENEGOTIATION,
    SYSTEM,
)
from ceo_gym.simulators.ceobench.customers import Prospects
from ceo_gym.simulators.common.rows import Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def open_leads(world: World, prospects: Prospects, ids: Ints) -> None:
    """Enterprises that passed the gate become leads with a thread each."""
    if not len(ids):
        return
    leads = world.negotiations.leads
    rows = leads.append(
        len(ids),
        customer_id=ids,
        group=prospects.group,
        status=LEAD,
        created_day=world.day,
        contract_end_day=NONE,
        account=NONE,
        thread=NONE,
        left=prospects.left,
        right=prospects.right,
        budget=prospects.budget,
        q_floor=prospects.q_floor,
        q_ceiling=prospects.q_ceiling,
        joined_shift=prospects.joined_shift,
        usage=prospects.usage,
        lockin=prospects.lockin,
        annoyance=prospects.annoyance,
        ads_yield=prospects.ads_yield,
        seats=prospects.seats,
        decision_noise=prospects.decision_noise,
        reply_mean_days=prospects.reply_mean_days,
        reply_sd_days=prospects.reply_sd_days,
        offer_factor=prospects.offer_factor,
        patience_turns=prospects.patience_turns,
        relationship=world.params.sampling.initial_relationship,
    )
    who = np.arange(rows.start, rows.stop)
    threads = new_threads(world, who, NEW_LEAD, SYSTEM)
    world.today.new_lead_seats += int(prospects.seats.sum())
    world.history.record_messages(world, threads)
    world.history.notices(world.day, "large_customer_message", ids, kind=NEW_LEAD)


def new_threads(world: World, who: Ints, kind: int, sender: int) -> Ints:
    """Open a thread for each of `who` with a first message of today."""
    sales = world.negotiations
    rows = sales.threads.append(
        len(who),
        lead=who,
        kind=kind,
        state=OPEN,
        turn=0,
        sender=sender,
        day=world.day,
        previous_sender=NONE,
        previous_day=NONE,
        customer_day=NONE,
        reply_day=NONE,
        offer_plan=NONE,
        offer_usd=np.nan,
        asked_plan=NONE,
        asked_usd=np.nan,
        repeats_from=NONE,
    )
    numbers = np.arange(rows.start, rows.stop)
    sales.leads.thread[who] = numbers
    return numbers


def say(world: World, rows: Ints, sender: int) -> None:
    """Add a message of today to each thread."""
    threads = world.negotiations.threads
    threads.previous_sender[rows] = threads.sender[rows]
    threads.previous_day[rows] = threads.day[rows]
    threads.turn[rows] += 1
    threads.sender[rows] = sender
    threads.day[rows] = world.day
    if sender == CUSTOMER:
        threads.customer_day[rows] = world.day
        threads.reply_day[rows] = NONE


# --- what the player does ------------------------------------------------------------------------


def send(world: World, who: Ints, plan: Ints, price: Floats) -> None:
    """Put offers to enterprises: in their open thread, or in a new renegotiation.

    Args:
        world: the world.
        who: [n] distinct rows in ``negotiations.leads`` that may be written to.
        plan: [n, 3] plan positions, `NONE` where there is no offer.
        price: [n, 3] price per seat.
    """
    sales = world.negotiations
    threads, leads = sales.threads, sales.leads
    fresh = leads.thread[who] == NONE
    if fresh.any():
        new_threads(world, who[fresh], RENEGOTIATION, AGENT)
    old = leads.thread[who[~fresh]]
    _penalise_late_reply(world, old)
    say(world, old, AGENT)
    rows = leads.thread[who]
    threads.offer_plan[rows], threads.offer_usd[rows] = plan, price
    noise = world.streams("reply_delay").standard_normal(len(who))
    delay = np.rint(leads.reply_mean_days[who] + leads.reply_sd_days[who] * noise)
    threads.reply_day[rows] = world.day + np.maximum(1.0, delay)
    world.history.record_messages(world, rows)


def _penalise_late_reply(world: World, rows: Ints) -> None:
    """A customer message that waited more than a day costs goodwill (enterprise.md 6)."""
    sales, p = world.negotiations, world.params.enterprise
    threads, leads = sales.threads, sales.leads
    age = world.day - threads.customer_day[rows] - p.late_reply_free_days
    late = (threads.sender[rows] != AGENT) & (threads.customer_day[rows] >= 0) & (age > 0)
    penalty = p.late_reply_penalty_per_day * age[late]
    who = threads.lead[rows[late]]
    account = leads.account[who]
    subscribed = account >= 0
    for table, at, loss in (
        (leads, who[~subscribed], penalty[~subscribed]),
        (world.population, account[subscribed], penalty[subscribed]),
    ):
        table.relationship[at] = np.maximum(0.0, table.relationship[at] - loss)


def reject(world: World, who: Ints) -> None:
    """Close the open threads of `who`; new leads are lost, subscribers stay (enterprise.md 11)."""
    sales = world.negotiations
    threads, leads = sales.threads, sales.leads
    rows = leads.thread[who]
    say(world, rows, AGENT)
    threads.offer_plan[rows], threads.offer_usd[rows] = NONE, np.nan
    threads.reply_day[rows] = NONE
    threads.state[rows] = REJECTED
    leads.thread[who] = NONE
    world.history.record_messages(world, rows)
    lost = who[threads.kind[rows] == NEW_LEAD]
    leads.status[lost] = LEAD_LOST
    world.history.record_lost_leads(world, lost)
    sales.rejected_leads += len(lost)
    if not world.rules.rejected_churn_threat_stays:
        threats = rows[threads.kind[rows] == CHURN_PREVENTION]
        gone = leads.account[threads.lead[threats]]
        if len(gone):
            # a rejection costs what a missed deadline would
            damage(world, threats, world.population.accounts)
            leads.status[threads.lead[threats]] = CANCELLED
            sales.rejected_accounts += len(gone)
            world.history.record_departures(world, gone, REASON_REJECTED)
            world.remove_accounts(gone)


def waiting_for_player(world: World) -> Ints:
    """Open threads whose last message is not the player's."""
    rows = open_threads(world)
    return rows[world.negotiations.threads.sender[rows] != AGENT]


def open_threads(world: World) -> Ints:
    """Rows of the open threads."""
    start = world.negotiations.oldest_open
    rows: Ints = (world.negotiations.threads.state[start:] == OPEN).nonzero()[0]
    return rows + start


def damage(world: World, rows: Ints, accounts: Ints | None = None) -> None:
    """Reputation damage of lost accounts, and their candidacy for a public post.

    Args:
        world: the world.
        rows: threads of the accounts.
        accounts: [G] active accounts that share the damage; those of this morning unless given.
    """
    if not len(rows):
        return
    leads = world.negotiations.leads
    who = world.negotiations.threads.lead[rows]
    group = leads.group[who]
    damage = reputation.loss_damage(
        world.streams("loss_damage").random(len(rows)),
        (world.today.accounts_at_start if accounts is None else accounts)[group],
        world.params.reputation,
    )
    reputation.harm(world, group, damage)
    if accounts is None:
        social.offer_losses(world, who)
