"""How much to advertise to which group, and on which channels."""

from __future__ import annotations

import numpy as np

from ceo_gym.baselines.market_view import MarketView
from ceo_gym.baselines.rule_settings import RuleSettings
from ceo_gym.simulators.ceobench.sections import CHANNELS, WEEK_DAYS
from ceo_gym.simulators.common.rows import Bools, Floats

PROBE_USD = 300.0  # a day for a group whose customers cost too much at present
LEAST_ROOM = 0.05  # of a market that is left in any case: reports are rough
LEAD_COST_USD = 10.0  # that a prospect costs besides advertising


class Advertising:
    """Moves the advertising for each group by what its customers cost and pay.

    Sign-ups and prospects are remembered with decay, enterprises longer since they answer late.
    Where winning a customer costs less than some months of what customers pay, advertising grows,
    else it shrinks; groups where money comes back first are served first. Within a group, channels
    share by a power of the prospects that they brought for a dollar.

    Args:
        groups: number of groups.
        settings: the numbers behind the rules.
    """

    def __init__(self, groups: int, settings: RuleSettings) -> None:
        self._settings = settings
        self._prospects, self._started = np.zeros(groups), np.zeros(groups)
        self._channel_usd = np.zeros((len(CHANNELS), groups))
        self._channel_prospects = np.zeros((len(CHANNELS), groups))
        self.spend_usd: Floats = np.zeros(groups)  # a day
        self.conversion: Floats = np.zeros(groups)  # customers for a prospect

    def update(self, view: MarketView) -> None:
        """Take in a week."""
        firms = view.enterprise
        memory = np.where(firms, 0.85, 0.5)
        self._prospects = memory * self._prospects + view.prospects
        self._started = memory * self._started + view.started
        self._channel_usd = 0.9 * self._channel_usd + view.ads_usd
        self._channel_prospects = 0.9 * self._channel_prospects + view.ads_prospects
        # a little experience from elsewhere, so that the first prospects do not decide alone
        weight, guess = np.where(firms, 5.0, 50.0), np.where(firms, 0.15, 0.3)
        self.conversion = (self._started + weight * guess) / (self._prospects + weight)

    def payback_months(self, view: MarketView) -> Floats:
        """[26] months after which a new customer has paid what winning it costs."""
        firms = view.enterprise
        guess = np.where(firms, view.willingness_usd * view.seats, self._settings.price_b_usd)
        paid = (view.mrr_usd + guess) / (view.accounts + 1.0)
        return self._cost_usd(view) / np.maximum(paid, 1.0)

    def _cost_usd(self, view: MarketView) -> Floats:
        """[26] what winning a customer costs."""
        firms = view.enterprise
        spent = view.ads_usd.sum(axis=0) + np.where(firms, 20_000.0, 500.0)
        came = view.ads_prospects.sum(axis=0) + np.where(firms, 2.0, 40.0)
        return (spent / came + LEAD_COST_USD) / self.conversion

    def plan(self, view: MarketView, ready: Bools, budget_usd: float) -> Floats:
        """[26] next week's advertising, USD a day.

        Args:
            view: last week.
            ready: [26] groups that may be advertised to.
            budget_usd: for all groups, a day.
        """
        s, firms = self._settings, view.enterprise
        months = self.payback_months(view)
        limit = np.where(firms, s.enterprise_payback_months, s.payback_months)
        first = np.where(firms, s.first_enterprise_ads_usd, s.first_ads_usd)
        change = np.clip((limit / months) ** s.reaction, s.retreat, s.growth)
        wish = np.where(self.spend_usd > 0.0, self.spend_usd * change, first)
        # no more than it takes to win in a week what is left of the market
        room = np.maximum(view.cap - view.accounts, LEAST_ROOM * view.cap)
        wish = np.minimum(wish, room * self._cost_usd(view) / WEEK_DAYS)
        wish = np.where(ready, np.maximum(wish, PROBE_USD), 0.0)
        order = np.argsort(months / limit)
        before = np.cumsum(wish[order]) - wish[order]
        granted = np.clip(budget_usd - before, 0.0, wish[order])
        self.spend_usd = np.zeros_like(wish)
        self.spend_usd[order] = granted
        self.spend_usd = np.where(ready, np.maximum(self.spend_usd, PROBE_USD), 0.0)
        return self.spend_usd

    def channels(self, view: MarketView) -> Floats:
        """[5, 26] part of each channel."""
        firms = view.enterprise
        came = self._channel_prospects + np.where(firms, 0.5, 5.0)
        brought = came / (self._channel_usd + np.where(firms, 5_000.0, 50.0))
        power = (brought / brought.max(axis=0)) ** self._settings.focus
        return power / power.sum(axis=0)
