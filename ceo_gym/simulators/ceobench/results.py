"""What a day and a week come to (day_loop.md 9), and the scratch sheet of the running day."""

from __future__ import annotations

import dataclasses
import operator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ceo_gym.simulators.ceobench.service import ServiceDay
from ceo_gym.simulators.ceobench.state import View
from ceo_gym.simulators.common.rows import Floats, Ints


@dataclass
class Today:
    """What the phases of one day pass on to each other."""

    view: View  # frozen this morning
    accounts_at_start: Ints  # [G]
    weekday: float = 1.0
    service: ServiceDay = ServiceDay(0.0, 0.0, False, 0.0, 0.0, 0.0)
    usage_by_plan: Floats = field(default_factory=lambda: np.zeros(3))
    votes: Floats = field(default_factory=lambda: np.zeros(0))  # [G]
    suspended_leads: Ints = field(default_factory=lambda: np.zeros(0, np.int64))
    posters: list[tuple[float, int, int, str, float]] = field(default_factory=list)
    prospects: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # [G]
    new_individuals: int = 0
    lost_individuals: int = 0
    new_leads_enterprise: int = 0
    new_lead_seats: int = 0
    new_enterprises: int = 0
    new_enterprise_seats: int = 0
    cancellations: int = 0  # individuals
    involuntary: int = 0  # of these
    cancelled_enterprises: int = 0
    lost_leads: int = 0
    upgrades: int = 0
    downgrades: int = 0
    deals: int = 0
    customer_replies: int = 0
    opened_by_customers: int = 0
    mrr_usd: float = 0.0
    firms: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # rows in the evening


def _summed() -> Any:
    return field(metadata={"week": sum})


def _highest() -> Any:
    return field(metadata={"week": max})


def _last() -> Any:
    return field(metadata={"week": lambda column: column[-1]})


@dataclass
class DayResult:
    """The numbers of a day; of a week, each summed, maximised or taken last as its field says."""

    day: int = _last()
    days: int = _summed()  # 1 for a day
    cash_usd: float = _last()
    mrr_usd: float = _last()
    usage_units: float = _summed()
    overload_peak: float = _highest()
    utilisation_peak: float = _highest()  # usage over capacity
    latency_p95_ms: float = _highest()
    error_rate: float = _highest()
    outage_days: int = _summed()
    downtime_minutes: float = _summed()
    new_leads: int = _summed()  # all prospects, gated-out ones included
    new_individual_leads: int = _summed()
    new_enterprise_leads: int = _summed()  # those that passed the gate
    new_enterprise_lead_seats: int = _summed()
    new_individual_subscribers: int = _summed()
    # the published counter of this name adds enterprise leads to individual sign-ups (L7)
    new_subscribers: int = _summed()
    new_enterprise_accounts: int = _summed()
    new_enterprise_subscribers_seats: int = _summed()
    individual_subscribers: int = _last()
    enterprise_accounts: int = _last()
    enterprise_subscription_seats: int = _last()
    cancellations: int = _summed()  # individuals
    involuntary_cancellations: int = _summed()  # of these
    enterprise_cancellations: int = _summed()
    leads_lost: int = _summed()  # enterprises lost before a deal
    upgrades: int = _summed()
    downgrades: int = _summed()
    deals: int = _summed()  # of every kind of thread
    customer_replies: int = _summed()  # counter-offers
    customer_requests: int = _summed()  # complaints and wishes for another plan
    open_issues: int = _last()
    threads_waiting: int = _last()  # for the player
    payments_usd: float = _summed()
    ad_revenue_usd: float = _summed()
    # running costs as published: without lead costs and the player's purchases (L7)
    total_costs_usd: float = _summed()
    lead_costs_usd: float = _summed()

    @classmethod
    def of_week(cls, days: list[DayResult]) -> DayResult:
        """Combine the days of a week."""
        columns = zip(*map(_values, days))
        return cls(*(combine(column) for combine, column in zip(_OVER_WEEK, columns)))


_FIELDS = dataclasses.fields(DayResult)
_OVER_WEEK = tuple(f.metadata["week"] for f in _FIELDS)
_values = operator.attrgetter(*(f.name for f in _FIELDS))
