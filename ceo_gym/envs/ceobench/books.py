"""What several blocks of the observation need, summed once a step from the company's books.

Everything here could be had by a query: accounts, terms and billed seats (subscriptions), tickets
(issues), units of the last week (daily_usage) and its in-app income (ads_revenue).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import AGENT, OPEN
from ceo_gym.simulators.ceobench.finance import CATEGORIES, CATEGORY
from ceo_gym.simulators.ceobench.results import DayResult
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.ceobench.tally import LAST
from ceo_gym.simulators.common.rows import Bools, Floats, Ints, sums_by

# bought during the week's planning, booked on the day before the week
PURCHASES = [CATEGORY[name] for name in ("market_research", "group_research", "research_project")]


@dataclass(frozen=True)
class Books:
    """Sums over the accounts by group and plan, and the last week's money. G = 26 groups.

    Seats are those of the last deal or bill; that they have drifted since shows with the next bill.
    Usage is that of the last week, under the plan that an account has or left with; the accounts
    that left in the week count up to then.
    """

    week: DayResult | None  # None before the first
    first_day: int  # day before the last week
    firms: Bools  # [G] enterprise groups
    known: Bools  # [G]
    accounts: Floats  # [G, 3]
    seats: Floats  # [G, 3]
    enterprise_seats: float  # of all enterprises now, as the report counts them
    revenue_usd: Floats  # [G, 3] a month
    used: Floats  # [G, 3] units of the week
    used_days: Floats  # [G, 3] account-days behind them
    full_days: Floats  # [G, 3] of these, with the quota used up
    issues: Floats  # [G]
    issue_days: Floats  # [G] sum of the ages of the open issues
    ads_usd: Floats  # [G] in-app income of the week
    threads_waiting: Ints  # rows of threads that wait for the player
    threads_pending: Ints  # rows of threads that wait for the customer
    ledger_usd: Floats  # [12] of the last week


def read(world: World) -> Books:
    """The books as of now, for an observation at the end of a week (or of day 0)."""
    population, params = world.population, world.params
    groups, plans = len(params.groups.ids), len(PLANS)
    cell = population.group.astype(np.int64) * plans + population.plan
    seats = population.times_weight(population.billed_seats)  # of all customers behind them
    threads, history = world.negotiations.threads, world.history
    week = history.weeks[-1] if history.weeks else None
    first = week.day - week.days if week else 0

    def table(values: Floats | Ints) -> Floats:
        return sums_by(cell, values, groups * plans).reshape(groups, plans)

    def every(values: Floats | Ints) -> Floats:
        return table(population.times_weight(values))

    ill = population.issue_days.nonzero()[0]
    left = history.tally.left_usage[LAST]
    is_open, mine = threads.state == OPEN, threads.sender == AGENT
    return Books(
        week=week,
        first_day=first,
        firms=params.groups.is_enterprise,
        known=world.market.discovered,
        accounts=table(population.weight),
        seats=table(seats),
        enterprise_seats=float(population.whole_seats[population.lead >= 0].sum()),
        revenue_usd=table(population.effective_usd * seats),
        used=every(population.week_units) + left[0],
        used_days=every(served_days(world, population.start_day)) + left[1],
        full_days=every(population.week_full) + left[2],
        issues=sums_by(population.group[ill], population.weight[ill], groups),
        # the day on which a ticket is opened counts as 0
        issue_days=sums_by(
            population.group[ill],
            population.times_weight(population.issue_days[ill] - 1, ill),
            groups,
        ),
        ads_usd=history.tally.ads_usd[LAST],
        threads_waiting=(is_open & ~mine).nonzero()[0],
        threads_pending=(is_open & mine).nonzero()[0],
        ledger_usd=week_ledger(world, first, week.day if week else 0),
    )


def served_days(world: World, start_day: Ints) -> Ints:
    """[n] days of the last week on which accounts that started on these days were served."""
    week = world.history.weeks[-1].days if world.history.weeks else 0
    return np.minimum(world.day - start_day, week)


def week_ledger(world: World, first_day: int, last_day: int) -> Floats:
    """[12] money by category of the days after `first_day`, with the purchases planned on it."""
    ledger = world.history.ledger_usd
    if last_day == 0:
        return ledger[0].copy()
    money = ledger[first_day + 1 : last_day + 1].sum(axis=0)
    money[PURCHASES] = ledger[first_day, PURCHASES]
    return money


def reported(quality: Floats) -> Floats:
    """Qualities as the report shows them, to four decimals."""
    return np.round(quality, 4)


def ratio(amount: Floats, by: Floats) -> Floats:
    """Amount / by, 0 where there is nothing to divide by."""
    return np.divide(amount, by, out=np.zeros_like(amount, dtype=np.float64), where=by > 0)


__all__ = ["CATEGORIES", "Books", "ratio", "read", "reported", "served_days", "week_ledger"]
