"""What a manager reads off the observation, as arrays by group."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.baselines.offers import columns
from ceo_gym.simulators.ceobench.sections import WEEK_DAYS
from ceo_gym.simulators.common.rows import Bools, Floats

RUNNING_COSTS = ("capacity", "compute", "operations")


@dataclass(frozen=True)
class MarketView:
    """One week's figures. Arrays are [26] by group, unless said otherwise.

    Attributes:
        cash_usd: cash now.
        revenue_usd: subscriptions of last week, USD a day.
        running_usd: models, capacity and support of last week, USD a day.
        usage_units: of last week, a day.
        news: improvements of competitors that last week's posts quote, in quality: each event is
            told of by eight posts, so that this is an eighth of their sum.
        events: such events, as an eighth of the number of posts.
        known: whether the group can be sold to.
        enterprise: whether it consists of enterprises.
        accounts, mrr_usd: at the end of last week.
        prospects, started: of last week.
        quality: of plan C.
        bonus: quality by targeted development.
        willingness_usd, floor, cap, seats: reported: USD a month and seat, least quality, accounts,
            mean seats of an account.
        report_days, report_level: age and level of the report.
        reporting: whether a new report is on its way.
        ads_usd: [5, 26] advertising of last week, USD.
        ads_prospects: [5, 26] prospects that came by it.
    """

    cash_usd: float
    revenue_usd: float
    running_usd: float
    usage_units: float
    news: float
    events: float
    known: Bools
    enterprise: Bools
    accounts: Floats
    mrr_usd: Floats
    prospects: Floats
    started: Floats
    quality: Floats
    bonus: Floats
    willingness_usd: Floats
    floor: Floats
    cap: Floats
    seats: Floats
    report_days: Floats
    report_level: Floats
    reporting: Bools
    ads_usd: Floats
    ads_prospects: Floats

    @property
    def individual(self) -> Bools:
        """Known groups of individuals."""
        return self.known & ~self.enterprise

    @property
    def worth_usd(self) -> Floats:
        """Reported market of each group, USD a month."""
        return self.willingness_usd * self.cap * self.seats


POSTS_AN_EVENT = 8  # two a day for four days


class MarketReader:
    """Reads a `MarketView` off an observation.

    Args:
        env: a company env with ``obs="full"``.
    """

    KEYS = (
        "company",
        "ledger_week",
        "week",
        "competitor",
        "group_status",
        "group_stats",
        "group_quality",
        "insight",
    )

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        company: Any = env.unwrapped
        seen = company.describe()["observation"]
        self._columns = {key: columns(seen, key) for key in self.KEYS}
        self.groups = list(dict.fromkeys(name.split(".")[0] for name in seen["insight"]["cells"]))

    def __call__(self, observation: Any) -> MarketView:
        """The figures of an observation."""

        def number(key: str, field: str) -> float:
            return float(observation[key][self._columns[key][field]])

        def by_group(key: str, field: str) -> Floats:
            column: Floats = observation[key][:, self._columns[key][field]].astype(np.float64)
            return column

        costs = sum(number("ledger_week", cost) for cost in RUNNING_COSTS)
        events = number("competitor", "posts") / POSTS_AN_EVENT
        seats_max = by_group("insight", "seats_max")
        return MarketView(
            cash_usd=number("company", "cash"),
            revenue_usd=number("ledger_week", "subscription_payment") / WEEK_DAYS,
            running_usd=-costs / WEEK_DAYS,
            usage_units=number("week", "usage") / WEEK_DAYS,
            news=events * number("competitor", "mean"),
            events=events,
            known=by_group("group_status", "discovered") > 0.0,
            enterprise=seats_max > 1.0,
            accounts=by_group("group_stats", "accounts"),
            mrr_usd=by_group("group_stats", "mrr"),
            prospects=by_group("group_stats", "prospects"),
            started=by_group("group_stats", "started"),
            quality=by_group("group_quality", "plan_C"),
            bonus=by_group("group_quality", "bonus"),
            willingness_usd=by_group("insight", "willingness_to_pay"),
            floor=by_group("insight", "quality_floor"),
            cap=by_group("insight", "market_cap"),
            seats=np.maximum(1.0, 0.5 * (by_group("insight", "seats_min") + seats_max)),
            report_days=by_group("insight", "age"),
            report_level=by_group("group_status", "level"),
            reporting=by_group("group_status", "research_running") > 0.0,
            ads_usd=WEEK_DAYS * observation["channel_group"][0].astype(np.float64),
            ads_prospects=observation["channel_group"][1].astype(np.float64),
        )
