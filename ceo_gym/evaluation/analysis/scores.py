"""How a game went: cash, survival, the deepest fall (harness.md 6)."""

from __future__ import annotations

import numpy as np

from ceo_gym.evaluation.analysis.measures import DAYS, USD, Measure, known
from ceo_gym.runs import RunRecord


def final_cash(record: RunRecord) -> Measure:
    """Cash on the last day, USD; below 0 for a bankrupt company."""
    return known(record.days["cash_usd"].iloc[-1], USD)


def final_cash_floor0(record: RunRecord) -> Measure:
    """``max(final cash, 0)``, USD: as a leaderboard counts that has 0 for a bankrupt company."""
    return known(max(0.0, float(record.days["cash_usd"].iloc[-1])), USD)


def survival_days(record: RunRecord) -> Measure:
    """Days until cash is below 0 for the first time, or all days of the record."""
    days = record.days
    below = days["day"][days["cash_usd"] < 0.0]
    return known(below.iloc[0] if len(below) else days["day"].iloc[-1], DAYS)


def bankrupt(record: RunRecord) -> Measure:
    """1 if cash was ever below 0, else 0."""
    return known(bool((record.days["cash_usd"] < 0.0).any()), "0 or 1")


def max_drawdown(record: RunRecord) -> Measure:
    """The deepest fall of cash from an earlier peak, USD: max over days t of (peak to t) - cash_t.

    Cash is that of the end of each day, with the start as day 0.
    """
    cash = record.days["cash_usd"].to_numpy(float)
    return known(float((np.maximum.accumulate(cash) - cash).max()), USD)


MEASURES = (final_cash, final_cash_floor0, survival_days, bankrupt, max_drawdown)
