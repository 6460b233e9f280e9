"""The numbers behind the rules of `RuleBased`, with the ranges in which they are tuned."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ceo_gym.simulators.common.parameters import nearest


def number(default: float, low: float, high: float, meaning: str, *, log: bool = True) -> Any:
    """A field of `RuleSettings`: default, range, and meaning with the unit.

    Args:
        default: a round number that a manager might begin with.
        low: least value that tuning tries.
        high: greatest value that tuning tries.
        meaning: what it is, with its unit.
        log: whether tuning moves it by factors.
    """
    return field(
        default=default, metadata={"low": low, "high": high, "meaning": meaning, "log": log}
    )


@dataclass(frozen=True)
class RuleSettings:
    """Forty-odd numbers. `describe` tells the meaning, unit and range of each."""

    price_a_usd: float = number(60.0, 40.0, 90.0, "list price of plan A, USD a month")
    price_b_usd: float = number(95.0, 70.0, 150.0, "list price of plan B, USD a month")
    price_c_usd: float = number(180.0, 130.0, 280.0, "list price of plan C, USD a month")
    quota_a_units: float = number(250.0, 120.0, 500.0, "quota of plan A, units a day")
    quota_b_units: float = number(400.0, 200.0, 900.0, "quota of plan B, units a day")
    quota_c_units: float = number(1.5e6, 5e5, 3e6, "quota of plan C, units a day")
    lean_day: float = number(60.0, 35.0, 120.0, "day from which plans run on cheaper models")
    rich_day: float = number(200.0, 100.0, 400.0, "day from which plan C runs on a better model")
    headroom: float = number(1.2, 1.05, 1.6, "capacity over last week's usage")
    support_base_usd: float = number(300.0, 100.0, 1_000.0, "support, USD a day")
    support_per_account_usd: float = number(0.12, 0.05, 0.3, "and for each individual, USD a day")
    support_per_enterprise_usd: float = number(
        6.0, 1.0, 20.0, "targeted support for each enterprise, USD a day"
    )
    in_app_ads_day: float = number(105.0, 60.0, 250.0, "day from which the product shows ads")

    next_individuals_usd: float = number(
        60_000.0,
        10_000.0,
        150_000.0,
        "revenue, USD a day and group served, that opens a next group",
    )
    next_enterprises_usd: float = number(
        30_000.0, 10_000.0, 100_000.0, "the same for groups of enterprises"
    )

    first_development_usd: float = number(
        25_000.0, 12_000.0, 45_000.0, "development for the first group, USD a day"
    )
    gap_days: float = number(5.0, 3.0, 20.0, "days in which a gap in quality is to be closed")
    margin_individuals: float = number(
        1.0, 0.6, 1.4, "quality aimed at, above what the group expects at least"
    )
    margin_enterprises: float = number(1.2, 0.6, 1.6, "the same for enterprises")
    relief: float = number(
        0.3, 0.0, 0.8, "of the margin that a group gives up as its market is taken", log=False
    )
    rise_individuals: float = number(
        1.9, 0.8, 2.4, "weight of the estimated rise of expectations", log=False
    )
    rise_enterprises: float = number(1.2, 0.8, 2.4, "the same for enterprises", log=False)
    news_factor: float = number(
        1.3, 0.8, 2.0, "rise of expectations for each unit that posts about competitors quote"
    )
    most_development_usd: float = number(
        45_000.0, 20_000.0, 150_000.0, "development for a group at most, USD a day"
    )
    development_share: float = number(0.6, 0.2, 1.0, "of revenue that development may take")
    last_development_day: float = number(450.0, 400.0, 490.0, "day from which nothing is developed")

    ready_individuals: float = number(
        0.2, 0.05, 0.6, "quality above what a group expects at least that starts advertising"
    )
    ready_enterprises: float = number(0.3, 0.05, 0.6, "the same for enterprises")
    first_ads_usd: float = number(
        10_000.0, 1_000.0, 20_000.0, "first advertising for a group, USD a day"
    )
    first_enterprise_ads_usd: float = number(
        10_000.0, 1_000.0, 40_000.0, "the same for groups of enterprises"
    )
    payback_months: float = number(
        1.5, 0.3, 4.0, "of a customer's revenue that winning one may cost"
    )
    enterprise_payback_months: float = number(3.0, 0.3, 6.0, "the same for enterprises")
    reaction: float = number(
        1.5, 0.7, 4.0, "power of allowed over measured cost by which advertising changes"
    )
    growth: float = number(6.0, 1.5, 8.0, "of advertising for a group in a week, at most")
    retreat: float = number(0.6, 0.2, 0.9, "of advertising for a group in a week, at least")
    focus: float = number(4.0, 1.0, 10.0, "how far advertising goes to the best channels, a power")
    ads_share: float = number(0.45, 0.2, 1.0, "of revenue that advertising may take")
    ads_of_cash: float = number(0.1, 0.02, 0.14, "of spare cash a day that it may take as well")
    last_ads_day: float = number(440.0, 380.0, 480.0, "day from which nothing is advertised")

    cash_floor_usd: float = number(100_000.0, 50_000.0, 400_000.0, "cash that is never planned")
    cost_factor: float = number(
        1.0, 0.7, 1.8, "running costs (models, capacity, support) over what is foreseen"
    )
    risk: float = number(0.35, 0.2, 1.0, "of spare cash that a week of growth may take")

    search_cash_usd: float = number(800_000.0, 4e5, 4e6, "cash that starts the search for groups")
    searches: float = number(5.0, 1.0, 10.0, "attempts a week, rounded")
    report_cash_usd: float = number(6e6, 1e6, 2e7, "cash that starts reports about groups")
    report_level: float = number(3.0, 2.0, 5.0, "level of these reports, rounded")
    report_weeks: float = number(12.0, 4.0, 40.0, "age at which a report is renewed")

    @classmethod
    def describe(cls) -> dict[str, dict[str, Any]]:
        """Name -> ``default``, ``low``, ``high``, ``log`` (moved by factors) and ``meaning``."""
        return {each.name: {"default": each.default, **each.metadata} for each in fields(cls)}

    @classmethod
    def of(cls, given: Mapping[str, float] | RuleSettings | None) -> RuleSettings:
        """Settings from some of the numbers by name; the others have their defaults.

        Raises:
            ValueError: for an unknown name, or a value that is no finite number.
        """
        if isinstance(given, RuleSettings):
            return given
        known = cls.describe()
        for name, value in (given or {}).items():
            if name not in known:
                raise ValueError(f"no setting {name!r}; {nearest(name, known)}")
            finite = not isinstance(value, bool) and isinstance(value, (int, float))
            if not finite or not abs(value) < float("inf"):
                raise ValueError(f"the setting {name} is a finite number, not {json.dumps(value)}")
        return cls(**(given or {}))
