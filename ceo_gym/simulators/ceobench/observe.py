"""What a player may know: the dashboard, and what the company's own books say (observation.md).

Nothing here reads satisfaction, reputation, true group values, expectations, competitors' events,
surges or today's index; each number could be had from the published dashboard, tables or tools.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import talks
from ceo_gym.simulators.ceobench.economy import Reading
from ceo_gym.simulators.ceobench.results import DayResult
from ceo_gym.simulators.ceobench.state import View, truncated
from ceo_gym.simulators.common.rows import Bools, Floats, Ints, sums_by

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World

# the company is not told why an account left, nor how seats drifted since the last bill, which the
# week's recurring revenue counts; `Observation.mrr_usd` is the revenue of the books
HIDDEN_RESULTS = ("involuntary_cancellations", "mrr_usd")


@dataclass(frozen=True)
class Waiting:
    """Negotiations in which the player has the next word, one entry a thread [n]."""

    customer_id: Ints
    group: Ints  # position in canonical group order
    kind: Ints  # position in negotiation.KINDS
    turn: Ints
    day: Ints  # of the message
    seats: Ints  # billed ones of a subscriber
    asked_plan: Ints  # plan asked or wished for, -1 = none
    asked_usd: Floats  # asked price per seat, nan = none
    plan: Ints  # present plan, -1 for leads
    price_usd: Floats  # present price per seat, nan for leads


@dataclass(frozen=True)
class Observation:
    """The company as its management sees it. G = 26 groups."""

    day: int
    cash_usd: float
    mrr_usd: float
    week: dict[str, float]  # last week's numbers, empty before the first
    known: Bools  # [G] discovered groups
    accounts: Ints  # [G]
    seats: Ints  # [G] billed seats, 1 an individual
    enterprise_seats: int  # of all subscribed enterprises now, as the report counts them
    revenue_usd: Floats  # [G] monthly recurring revenue
    open_issues: Ints  # [G] accounts with an open ticket
    quality: Floats  # [3, G] delivered quality, nan for unknown groups
    shared_quality: float  # shared bonus
    reading: Reading | None  # last published reading of the business cycle
    waiting: Waiting


def observe(world: World) -> Observation:
    """The present observation; arrays are copies."""
    population, market, groups = world.population, world.market, world.params.groups
    count, group = len(groups.ids), population.group
    # of all customers behind an account
    seats = population.times_weight(population.billed_seats.astype(np.float64))
    firms, ill = groups.is_enterprise[group], population.issue_days.nonzero()[0]
    quality = View.of(world.company, market, world.params).delivered
    return Observation(
        day=world.day,
        cash_usd=world.company.cash_usd,
        mrr_usd=float((population.effective_usd * seats).sum()),
        week=visible(world.history.weeks[-1]) if world.history.weeks else {},
        known=market.discovered,
        accounts=population.accounts.copy(),
        seats=sums_by(group, seats, count).astype(np.int64),
        enterprise_seats=int(population.whole_seats[firms].sum()),
        revenue_usd=sums_by(group, population.effective_usd * seats, count),
        open_issues=population.customers_by(group[ill], ill, count),
        quality=np.where(market.discovered, quality, np.nan),
        shared_quality=market.quality_shared,
        reading=market.published[-1] if market.published else None,
        waiting=waiting(world),
    )


def visible(result: DayResult) -> dict[str, float]:
    """The numbers of a day or week without those that a player cannot know."""
    values = dataclasses.asdict(result)
    return {name: value for name, value in values.items() if name not in HIDDEN_RESULTS}


def waiting(world: World) -> Waiting:
    """The negotiations that wait for the player, in order of customer id."""
    sales, population = world.negotiations, world.population
    threads, leads = sales.threads, sales.leads
    rows = talks.waiting_for_player(world)
    rows = rows[np.argsort(threads.lead[rows], kind="stable")]
    who = threads.lead[rows]
    account = leads.account[who]
    subscribed = account >= 0
    seats, plan = truncated(leads.seats[who]), np.full(len(who), -1)
    price = np.full(len(who), np.nan)
    seats[subscribed] = population.billed_seats[account[subscribed]]
    plan[subscribed] = population.plan[account[subscribed]]
    price[subscribed] = population.listed_usd[account[subscribed]]
    return Waiting(
        customer_id=leads.customer_id[who].astype(np.int64),
        group=leads.group[who].astype(np.int64),
        kind=threads.kind[rows].astype(np.int64),
        turn=threads.turn[rows].astype(np.int64),
        day=threads.day[rows].astype(np.int64),
        seats=seats.astype(np.int64),
        asked_plan=threads.asked_plan[rows].astype(np.int64),
        asked_usd=threads.asked_usd[rows].copy(),
        plan=plan,
        price_usd=price,
    )
