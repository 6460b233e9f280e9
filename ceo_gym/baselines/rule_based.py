"""Rules that a manager would recognise, on numbers that a player sees."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.baselines.advertising import Advertising
from ceo_gym.baselines.capacity import CapacityRule
from ceo_gym.baselines.expectations import Expectations
from ceo_gym.baselines.market_view import MarketReader, MarketView
from ceo_gym.baselines.offers import FairOffers
from ceo_gym.baselines.rule_settings import RuleSettings
from ceo_gym.baselines.runway import Runway
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS, WEEK_DAYS
from ceo_gym.simulators.common.rows import Bools, Floats

INBOX_SLOTS = 1024
# What a day of targeted development brings: RATE ln(1 + USD / SCALE), see the parameters of
# quality_investment; a player can read it off the bonus of the first weeks.
RATE, SCALE_USD = 0.0225, 5_000.0
EARLY_REVENUE_USD = 2_000.0  # a day, below which the first group gets a fixed development
REPORTS_AT_ONCE = 3
LAST_SEARCH_DAY = 400
HOPELESS_WEEKS, HOPELESS = 10, 0.002  # of advertised weeks, and customers for a prospect


class RuleBased:
    """Opens one segment after the other, and spends where last week's figures say that it pays.

    * Prices and quotas stay; model tiers get leaner once development carries the quality.
    * Capacity: the smallest tier with some headroom over last week's usage. Support: by account.
    * Segments: groups are opened one by one as revenue grows, the largest reported market first.
    * Development: targeted at opened groups, as much as closes the gap between the quality that
      they get and what they are estimated to expect within some days.
    * Advertising: for groups whose quality is right, more every week while customers pay back what
      winning them costs, on the channels that bring most.
    * Growth takes no more than a part of the cash above a floor and what the coming weeks cost
      before customers pay again.
    * Enterprises get plan C at the willingness to pay that their group's insight reports, and what
      they ask for up to that. Groups of which nobody ever signs are given up.
    * Unknown groups are searched for, and reports renewed, once there is cash; towards the end
      nothing is invested.

    Args:
        env: a company env with ``obs="full"`` and ``actions="full"``. With many slots for threads
            (`env_args`) more counter-offers can be accepted one by one.
        settings: the numbers behind the rules: some by name, the others have their defaults.

    Raises:
        ValueError: if the env has another observation or action, or there is no such setting.
    """

    def __init__(
        self, env: gym.Env[Any, Any], settings: Mapping[str, float] | RuleSettings | None = None
    ) -> None:
        company: Any = env.unwrapped
        self._company, self._offers = company, FairOffers(env)
        self.settings = RuleSettings.of(settings)
        self._read = MarketReader(env)
        self._capacity = CapacityRule(env, self.settings.headroom)
        ads = company.describe()["action"]["ads"]["cells"].values()
        self._most_usd = min(cell["high"] for cell in ads)  # that one cell of advertising may be
        tiers = company.call("get_cost_info")["model_tiers"].values()
        self._tier_quality = [tier["quality_multiplier"] for tier in tiers]
        self.reset()

    tunable = staticmethod(RuleSettings.describe)

    @staticmethod
    def env_args(settings: Mapping[str, float] | None = None) -> dict[str, Any]:
        """What the env of `ceo-gym evaluate` is made with: more slots than usual."""
        return {"slots": {"inbox": INBOX_SLOTS}}

    def reset(self, seed: int | None = None) -> None:
        """Forget the last game."""
        groups = len(self._read.groups)
        self._expectations = Expectations(groups, self.settings)
        self._advertising = Advertising(groups, self.settings)
        self._runway = Runway(self.settings)
        self._open: Bools = np.zeros(groups, bool)
        self._weeks_ready = np.zeros(groups)

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Apply the rules to last week's figures."""
        view, day, s = self.view(observation, info), int(info["day"]), self.settings
        self._expectations.update(view)
        self._advertising.update(view)
        self._runway.update(view)
        self._open_segments(view)
        needed = self.needed(view, info)
        hopeless = self._hopeless(view, needed)
        spare = view.cash_usd - s.cash_floor_usd - self._runway.reserve_usd()
        spare = max(spare, 0.0) / WEEK_DAYS
        development = self._development(view, needed, hopeless, day, s.risk * spare)
        ads = self._ads(view, needed, hopeless, day, spare - development.sum())
        groups, known = self._read.groups, view.known.nonzero()[0].tolist()
        support = s.support_per_enterprise_usd * view.accounts
        named: dict[str, Any] = {
            "spend": {"operations": self._support(view), "development": 0.0},
            "model_tier": self._tiers(day),
            "dev": {groups[g]: development[g] for g in known},
            "ops": {groups[g]: support[g] for g in known if view.enterprise[g]},
            "ads": {(c, groups[g]): ads[k, g] for k, c in enumerate(CHANNELS) for g in known},
            "strength": {"global": float(day >= s.in_app_ads_day)},
            "group_research": self._reports(view, hopeless, day),
            **self._offers(observation, ignore=hopeless),
        }
        if day == 0:
            named["price"] = dict(zip(PLANS, (s.price_a_usd, s.price_b_usd, s.price_c_usd)))
            named["quota"] = dict(zip(PLANS, (s.quota_a_units, s.quota_b_units, s.quota_c_units)))
        else:
            named["capacity"] = self._capacity(observation)
        if view.cash_usd >= s.search_cash_usd and day < LAST_SEARCH_DAY and not view.known.all():
            named["market_research"] = str(round(s.searches))
        return self._company.action(**named)

    # --- what is known: `Oracle` knows more ---

    def view(self, observation: Any, info: dict[str, Any]) -> MarketView:
        """Last week's figures."""
        return self._read(observation)

    def needed(self, view: MarketView, info: dict[str, Any]) -> Floats:
        """[26] quality that each group expects at least."""
        return self._expectations.needed(view)

    def channels(self, view: MarketView) -> Floats:
        """[5, 26] part of a group's advertising that each channel gets."""
        return self._advertising.channels(view)

    # --- the rules, one each ---

    def _support(self, view: MarketView) -> float:
        s, individuals = self.settings, float(view.accounts[view.individual].sum())
        return s.support_base_usd + s.support_per_account_usd * individuals

    def _tiers(self, day: int) -> dict[str, str]:
        lean, rich = self.settings.lean_day, self.settings.rich_day
        tiers = (2, 3, 4) if day < lean else (1, 2, 2) if day < rich else (1, 2, 3)
        return {plan: f"tier_{tier}" for plan, tier in zip(PLANS, tiers)}

    def _open_segments(self, view: MarketView) -> None:
        s = self.settings
        for members, each_usd, free in (
            (view.individual, s.next_individuals_usd, 1),
            (view.known & view.enterprise, s.next_enterprises_usd, 0),
        ):
            worth = np.where(members & ~self._open, view.worth_usd, -1.0)
            opened = int((members & self._open).sum())
            affordable = max(free, int(view.revenue_usd / each_usd) + free) - opened
            for g in np.argsort(-worth)[: max(affordable, 0)].tolist():
                self._open[g] = self._open[g] or bool(worth[g] >= 0.0)

    def _hopeless(self, view: MarketView, needed: Floats) -> Bools:
        """[26] groups of enterprises that get what they expect, and yet hardly any ever signs."""
        ready = view.enterprise & (view.quality >= needed + self.settings.ready_enterprises)
        self._weeks_ready = self._weeks_ready + (self._open & ready)
        never = self._advertising.conversion < HOPELESS
        return view.enterprise & never & (self._weeks_ready >= HOPELESS_WEEKS)

    def _development(
        self, view: MarketView, needed: Floats, hopeless: Bools, day: int, growth_usd: float
    ) -> Floats:
        s = self.settings
        if day >= s.last_development_day:
            return np.zeros(len(needed))
        taken = np.clip(view.accounts / np.maximum(view.cap, 1.0), 0.0, 1.0)
        margin = np.where(view.enterprise, s.margin_enterprises, s.margin_individuals)
        gap = np.maximum(needed + margin - s.relief * taken - view.quality, 0.0)
        tier = self._tier_quality[int(self._tiers(day)["C"][-1]) - 1]
        a_day = np.minimum(gap / tier / s.gap_days / RATE, 5.0)  # the last is more than enough
        wish = np.minimum(SCALE_USD * np.expm1(a_day), s.most_development_usd)
        budget = min(s.development_share * view.revenue_usd, growth_usd)
        if view.revenue_usd < EARLY_REVENUE_USD:
            wish, budget = np.where(gap > 0.0, s.first_development_usd, 0.0), growth_usd
        wish = np.where(self._open & ~(hopeless & (view.accounts == 0.0)), wish, 0.0)
        return wish * min(1.0, budget / max(wish.sum(), 1.0))

    def _ads(
        self, view: MarketView, needed: Floats, hopeless: Bools, day: int, spare_usd: float
    ) -> Floats:
        s = self.settings
        at_least = np.where(view.enterprise, s.ready_enterprises, s.ready_individuals)
        ready = self._open & ~hopeless & (view.quality >= needed + at_least)
        ready &= day < s.last_ads_day
        # of bills that are due, and of cash: what a first wave of sign-ups brings does not last
        due = s.ads_share * self._runway.due_usd(0) / WEEK_DAYS
        budget = min(due + s.ads_of_cash * WEEK_DAYS * spare_usd, spare_usd)
        spend = self._advertising.plan(view, ready, budget)
        return np.minimum(self.channels(view) * spend, self._most_usd)

    def _reports(self, view: MarketView, hopeless: Bools, day: int) -> dict[str, str]:
        s = self.settings
        if view.cash_usd < s.report_cash_usd or day >= s.last_development_day:
            return {}
        level = np.maximum(view.report_level, round(s.report_level))
        old = (view.report_level < level) | (view.report_days > WEEK_DAYS * s.report_weeks)
        wanted = self._open & old & ~view.reporting & ~hopeless
        first = np.argsort(np.where(wanted, -view.worth_usd, np.inf))[:REPORTS_AT_ONCE]
        return {self._read.groups[g]: f"level_{level[g]:.0f}" for g in first if wanted[g]}
