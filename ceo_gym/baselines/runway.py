"""Cash that is spoken for: what the coming weeks cost before bills are paid again."""

from __future__ import annotations

from ceo_gym.baselines.market_view import MarketView
from ceo_gym.baselines.rule_settings import RuleSettings
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS, WEEK_DAYS

AHEAD_WEEKS = 6
MOST_RISE = 2.0  # of running costs in a week
STAYING = 0.85  # of what was paid a month ago is paid again


class Runway:
    """Looks a month and a half ahead.

    Customers pay on the day they sign and every month after that, so what a week brings without
    new customers is what came in a month before. A wave of sign-ups is followed by weeks that cost
    much and bring little.

    Args:
        settings: the numbers behind the rules.
    """

    def __init__(self, settings: RuleSettings) -> None:
        self._settings = settings
        self._weekly_usd: list[float] = []  # subscriptions, newest last
        self._costs_usd = self._rise = 0.0  # of last week, and how much more than before

    def update(self, view: MarketView) -> None:
        """Take in a week."""
        self._weekly_usd.append(WEEK_DAYS * view.revenue_usd)
        costs = WEEK_DAYS * view.running_usd
        self._rise = min(max(costs / max(self._costs_usd, 1.0), 1.0), MOST_RISE)
        self._costs_usd = costs

    def due_usd(self, weeks: int) -> float:
        """What customers of today will pay in the week that begins in so many weeks, 0 = next."""
        back = MONTH_DAYS / WEEK_DAYS - weeks
        if back <= 0.0:  # the bills of that week are those of one that is still to come
            return self.due_usd(weeks - round(MONTH_DAYS / WEEK_DAYS))
        whole, part = int(back), back - int(back)
        return STAYING * ((1.0 - part) * self._paid(whole) + part * self._paid(whole + 1))

    def reserve_usd(self) -> float:
        """Cash that is needed until bills cover the running costs again.

        Costs are taken to rise for two weeks as they rose last week.
        """
        lowest = balance = 0.0
        for week in range(AHEAD_WEEKS):
            costs = self._costs_usd * self._rise ** min(week + 1, 2)
            balance += self.due_usd(week) - self._settings.cost_factor * costs
            lowest = min(lowest, balance)
        return -lowest

    def _paid(self, weeks_ago: int) -> float:
        """Subscriptions of a week, 1 = last week."""
        at = max(weeks_ago, 1)
        return self._weekly_usd[-at] if at <= len(self._weekly_usd) else 0.0
