"""What several blocks of the observation need, summed once a step from the company's books.

Everything here could be had by a query: accounts and terms (subscriptions), seats, tickets
(issues), units of the last day (daily_usage) and in-app income of that day (ads_revenue).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import AGENT, OPEN
from ceo_gym.simulators.ceobench.finance import CATEGORIES, CATEGORY, account_loads
from ceo_gym.simulators.ceobench.results import DayResult
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS, PLANS
from ceo_gym.simulators.ceobench.service import account_quota, served_units
from ceo_gym.simulators.common.rows import Bools, Floats, Ints, sums_by

# bought during the week's planning, booked on the day before the week
PURCHASES = [CATEGORY[name] for name in ("market_research", "group_research", "research_project")]


@dataclass(frozen=True)
class Books:
    """Sums over the accounts by group and plan, and the last week's money. G = 26 groups.

    Usage is that of the last day played, over accounts whose bill is not of that day: a bill
    draws the usage of the month to come, which nobody has seen yet.
    """

    week: DayResult | None  # None before the first
    first_day: int  # day before the last week
    firms: Bools  # [G] enterprise groups
    known: Bools  # [G]
    accounts: Floats  # [G, 3]
    seats: Floats  # [G, 3]
    revenue_usd: Floats  # [G, 3] a month
    used: Floats  # [G, 3] units of the last day
    measured: Floats  # [G, 3] accounts behind it
    full: Floats  # [G, 3] of these, at the quota
    issues: Floats  # [G]
    issue_days: Floats  # [G] sum of the ages of the open issues
    ads_usd: Floats  # [G] in-app income of the last day
    units: Floats  # [n] units of each account on the last day, 0 where unmeasured
    threads_waiting: Ints  # rows of threads that wait for the player
    threads_pending: Ints  # rows of threads that wait for the customer
    ledger_usd: Floats  # [12] of the last week


def read(world: World) -> Books:
    """The books as of now, for an observation at the end of a week (or of day 0)."""
    population, params = world.population, world.params
    groups, plans = len(params.groups.ids), len(PLANS)
    cell = population.group * plans + population.plan
    seats = population.whole_seats
    demand = population.rate * float(params.clock.weekday_multiplier[world.day % 7])
    quota = account_quota(world)
    measured = population.anchor != world.day % MONTH_DAYS
    units = served_units(demand, quota) * measured
    full = measured & (units >= served_units(quota, quota))

    def table(weight: Floats | Bools | None = None) -> Floats:
        sums = np.bincount(cell, weight, minlength=groups * plans)
        return sums.reshape(groups, plans).astype(np.float64, copy=False)

    ill = population.issue_days.nonzero()[0]
    loads = account_loads(world) if len(population) else None
    ads = np.zeros(groups)
    if loads is not None:
        income = population.ads_yield * loads * seats
        ads = sums_by(population.group, income, groups)
    threads, history = world.negotiations.threads, world.history
    is_open, mine = threads.state == OPEN, threads.sender == AGENT
    week = history.weeks[-1] if history.weeks else None
    first = week.day - week.days if week else 0
    return Books(
        week=week,
        first_day=first,
        firms=params.groups.is_enterprise,
        known=world.market.discovered,
        accounts=table(),
        seats=table(seats),
        revenue_usd=table(population.effective_usd * seats),
        used=table(units),
        measured=table(measured),
        full=table(full),
        issues=np.bincount(population.group[ill], minlength=groups).astype(np.float64),
        issue_days=np.bincount(
            population.group[ill], population.issue_days[ill], minlength=groups
        ).astype(np.float64),
        ads_usd=ads,
        units=units,
        threads_waiting=(is_open & ~mine).nonzero()[0],
        threads_pending=(is_open & mine).nonzero()[0],
        ledger_usd=week_ledger(world, first, week.day if week else 0),
    )


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


__all__ = ["CATEGORIES", "Books", "ratio", "read", "reported", "week_ledger"]
