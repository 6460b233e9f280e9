"""What customers of each group expect, estimated from reports, news and the company's own work."""

from __future__ import annotations

import numpy as np

from ceo_gym.baselines.market_view import MarketView
from ceo_gym.baselines.rule_settings import RuleSettings
from ceo_gym.simulators.common.rows import Floats

COPIED = 0.05  # of what competitors have not copied yet, in an event
LEAST_FLOOR, MOST_FLOOR = 0.05, 0.9  # of quality that a group expects before any rise


class Expectations:
    """Estimates the quality that newcomers of each group expect at least.

    It was reported at some time, and rises since: with what competitors are said to have improved,
    and as they copy what the company developed for the group. A report includes the rise up to its
    day.

    Args:
        groups: number of groups.
        settings: the numbers behind the rules.
    """

    def __init__(self, groups: int, settings: RuleSettings) -> None:
        self._settings = settings
        self.rise: Floats = np.zeros(groups)  # estimate so far
        self._floor: Floats = np.zeros(groups)  # before any rise
        self._uncopied: Floats = np.zeros(groups)
        self._bonus: Floats = np.zeros(groups)
        self._report: tuple[Floats, Floats] = np.full(groups, np.inf), np.zeros(groups)

    def update(self, view: MarketView) -> None:
        """Take in a week."""
        self._uncopied = self._uncopied + np.maximum(view.bonus - self._bonus, 0.0)
        self._bonus = view.bonus
        copied = self._uncopied * (1.0 - (1.0 - COPIED) ** view.events)
        self._uncopied = self._uncopied - copied
        self.rise = self.rise + self._settings.news_factor * view.news + copied
        days, level = self._report
        fresh = view.known & ((view.report_days < days) | (view.report_level > level))
        floor = np.clip(view.floor - self.rise, LEAST_FLOOR, MOST_FLOOR)
        self._floor = np.where(fresh, floor, self._floor)
        self._report = np.where(view.known, view.report_days, np.inf), view.report_level

    def needed(self, view: MarketView) -> Floats:
        """[26] quality that is expected at least."""
        return self._floor + self.weight(view) * self.rise

    def weight(self, view: MarketView) -> Floats:
        """[26] by how much the floor of newcomers rises with expectations."""
        s = self._settings
        return np.where(view.enterprise, s.rise_enterprises, s.rise_individuals)
