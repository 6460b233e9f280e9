"""Winning, keeping and serving customers, and enterprise sales (harness.md 7)."""

from __future__ import annotations

import pandas as pd

from ceo_gym.evaluation.analysis.measures import (
    COUNT,
    DAYS,
    SHARE,
    USD,
    Measure,
    known,
    ratio,
    unknown,
)
from ceo_gym.runs import RunRecord
from ceo_gym.simulators.ceobench.codes import KINDS, RENEGOTIATION
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS


def cac(record: RunRecord) -> Measure:
    """Cost of a new account, USD: (advertising + lead costs) / (sign-ups + new enterprises).

    Over the whole game; those that come by word of mouth count as well.
    """
    weeks = record.weeks
    cost = weeks["cost_advertising"].sum() + weeks["cost_lead_acquisition_cost"].sum()
    won = weeks["new_individual_subscribers"].sum() + weeks["new_enterprise_accounts"].sum()
    return ratio(cost, won, USD, "no account was won")


def churn(record: RunRecord) -> Measure:
    """Share of accounts that cancel in 30 days: cancellations / account-months, over the game.

    Account-months are the sum over weeks of (accounts at the start + at the end) / 2 x days / 30.
    """
    weeks = record.weeks
    end = weeks["individual_subscribers"] + weeks["enterprise_accounts"]
    mean = (end.shift(fill_value=0) + end) / 2.0
    gone = weeks["cancellations"].sum() + weeks["enterprise_cancellations"].sum()
    months = (mean * weeks["days"]).sum() / MONTH_DAYS
    return ratio(gone, months, "share a month", "there were no accounts")


def quota_hit_share(record: RunRecord) -> Measure:
    """Account-days on which the quota was used up / all account-days served."""
    weeks = record.weeks
    full, served = (f"{name}_account_days" for name in ("quota_full", "served"))
    if not {full, served} <= set(weeks):
        return unknown(SHARE, f"weeks.csv has no {full}")
    return ratio(weeks[full].sum(), weeks[served].sum(), SHARE, "there were no accounts")


def outage_days(record: RunRecord) -> Measure:
    """Days with an outage."""
    return known(record.weeks["outage_days"].sum(), DAYS)


def discovered_groups(record: RunRecord) -> Measure:
    """Customer groups known at the end, those known from the start included."""
    if "discovered_groups" not in record.weeks:
        return unknown(COUNT, "weeks.csv has no discovered_groups")
    return known(record.weeks["discovered_groups"].iloc[-1], COUNT)


def response_rate(record: RunRecord) -> Measure:
    """Share of threads that enterprises opened which the player answered, with offer or rejection.

    Threads that still wait for a first answer when the record ends do not count.
    """
    theirs = record.negotiations[record.negotiations["kind"] != KINDS[RENEGOTIATION]]
    settled = theirs["threads"].sum() - theirs["open_unanswered"].sum()
    return ratio(theirs["answered"].sum(), settled, SHARE, "no enterprise waited for an answer")


def win_rate(record: RunRecord) -> Measure:
    """Share of ended threads, of every kind, that ended with an accepted offer."""
    rows = record.negotiations
    return ratio(rows["accepted"].sum(), _ended(rows), SHARE, "no negotiation has ended")


def win_rate_answered(record: RunRecord) -> Measure:
    """The same of those ended threads that the player had answered."""
    rows = record.negotiations
    ignored = rows["threads"].sum() - rows["answered"].sum() - rows["open_unanswered"].sum()
    ended = _ended(rows) - ignored
    return ratio(rows["accepted"].sum(), ended, SHARE, "no answered negotiation has ended")


def _ended(rows: pd.DataFrame) -> float:
    return float(rows["threads"].sum() - rows["open"].sum())


MEASURES = (
    cac,
    churn,
    quota_hit_share,
    outage_days,
    discovered_groups,
    response_rate,
    win_rate,
    win_rate_answered,
)
