"""Weekly counts by group and channel, kept at every record level.

Each count could be had by grouping rows of the company's own tables (arrivals, subscriptions,
prospects a channel, usage, in-app ads); they are kept so that nobody has to keep the rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.common.rows import Floats, Ints, counts_by

WEEKS = 8  # closed weeks that are remembered
RUNNING, LAST = 0, 1  # rows of the running week and of the last closed one


@dataclass
class Tally:
    """Counts a week; row 0 is the running week, row k the k-th last closed one. W = 9, G = 26."""

    prospects: Ints  # [W, G]
    started: Ints  # [W, G] accounts that signed up or made their first deal
    lost: Ints  # [W, G] individuals who declined, enterprises lost before a deal
    cancelled: Ints  # [W, G] accounts
    started_plan: Ints  # [W, 3] accounts that started, by plan
    cancelled_plan: Ints  # [W, 3]
    # of accounts that cancelled, by their last plan, up to then: units served, days, and of these
    # days with the quota used up; accounts that are still there count for themselves
    left_usage: Floats  # [W, 3, G, 3]
    ads_usd: Floats  # [W, G] in-app advertising income
    channel_prospects: Ints  # [W, 5, G] credited to channels with spend
    channel_spend_usd: Floats  # [W, 5, G] over the days of the week

    @classmethod
    def empty(cls, groups: int) -> Tally:
        """No counts yet."""
        weeks, plans, cells = WEEKS + 1, len(PLANS), (len(CHANNELS), groups)
        return cls(
            prospects=np.zeros((weeks, groups), np.int64),
            started=np.zeros((weeks, groups), np.int64),
            lost=np.zeros((weeks, groups), np.int64),
            cancelled=np.zeros((weeks, groups), np.int64),
            started_plan=np.zeros((weeks, plans), np.int64),
            cancelled_plan=np.zeros((weeks, plans), np.int64),
            left_usage=np.zeros((weeks, 3, groups, plans)),
            ads_usd=np.zeros((weeks, groups)),
            channel_prospects=np.zeros((weeks, *cells), np.int64),
            channel_spend_usd=np.zeros((weeks, *cells)),
        )

    def close_week(self) -> None:
        """The running week becomes the last one; the oldest is forgotten."""
        for counts in vars(self).values():
            counts[1:] = counts[:-1].copy()
            counts[RUNNING] = 0

    # everywhere: [n] group, plan or cell (plan x G + group), and how often each counts (None: once)

    def arrived(self, group: Ints, weight: Floats | None) -> None:
        """Count prospects."""
        self.prospects[RUNNING] += counts_by(group, weight, self.prospects.shape[1])

    def left_before_deal(self, group: Ints, weight: Floats | None) -> None:
        """Count prospects that are lost."""
        self.lost[RUNNING] += counts_by(group, weight, self.lost.shape[1])

    def began(self, group: Ints, plan: Ints, weight: Floats | None) -> None:
        """Count new accounts."""
        self.started[RUNNING] += counts_by(group, weight, self.started.shape[1])
        self.started_plan[RUNNING] += counts_by(plan, weight, len(PLANS))

    def ended(self, cell: Ints, weight: Floats | None) -> None:
        """Count accounts that leave."""
        groups, plans = self.left_usage.shape[2:]
        counts = counts_by(cell, weight, plans * groups).reshape(plans, groups)
        self.cancelled[RUNNING] += counts.sum(axis=0)
        self.cancelled_plan[RUNNING] += counts.sum(axis=1)

    def used_before_leaving(self, cell: Ints, units: Floats, days: Ints, full: Ints) -> None:
        """Count the running week's usage of accounts that leave."""
        groups, plans = self.left_usage.shape[2:]
        for sums, amounts in zip(self.left_usage[RUNNING], (units, days, full)):
            sums += np.bincount(cell, amounts, plans * groups).reshape(plans, groups).T
