"""The scripted policies of the recordings (conformance/ceobench_policies.md), by tool calls.

They decide through ``env.unwrapped.call`` and ``query`` alone; what is compared afterwards are the
daily rows that ``record="full"`` keeps.
"""

from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.simulators.ceobench import Rules

CHANNELS = ("social_media", "search_ads", "linkedin", "content_marketing", "referral_program")
PLANS = ("A", "B", "C")
# tables.md D7: notices of lost leads repeat as in the recordings; nothing else depends on it
RULES = Rules().replace(lead_lost_notice_daily=True)


class Desk:
    """A player's desk: the tools, and what the player remembers.

    Args:
        env: the env it belongs to.
    """

    def __init__(self, env: gym.Env) -> None:
        self.company: Any = env.unwrapped
        tiers = self.call("get_cost_info")["capacity_tiers"]
        self.capacity = [tier["capacity_units"] for tier in tiers.values()]
        self.tier = 0
        self.found: list[str] = []  # groups found by research, in order
        self.to_study: list[str] = []

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        return self.company.call(tool, arguments)

    def number(self, sql: str) -> float:
        return float(self.company.query(sql)["rows"][0]["n"] or 0.0)

    @property
    def cash(self) -> float:
        return self.number("SELECT SUM(amount) AS n FROM ledger")

    @property
    def revenue_a_day(self) -> float:
        """R: monthly recurring revenue over 30."""
        mrr = "SELECT SUM(effective_price * seat_count) AS n FROM subscriptions "
        return self.number(f"{mrr} WHERE status = 'subscribed'") / 30

    def plans(self, tool: str, *values: float) -> None:
        self.call(tool, **dict(zip(PLANS, values)))

    def spend(self, operations: float, development: float) -> None:
        self.call("set_daily_spend", operations=round(operations, 2), development=development)

    def ads(self, spend: dict[str, dict[str, float]]) -> None:
        self.call("set_targeted_ad_spend", targeted_spend=spend)

    def spread_ads(self, usd: float) -> None:
        """The same daily amount on all 15 pairs of channels and first groups."""
        amount = round(usd / 15, 2)
        self.ads({channel: dict.fromkeys(("S1", "S2", "S3"), amount) for channel in CHANNELS})

    def develop(self, spend: dict[str, float]) -> None:
        amounts = {group: round(usd, 2) for group, usd in spend.items()}
        self.call("set_targeted_dev_spend", targeted_spend=amounts)

    def set_capacity(self, tier: int) -> None:
        self.call("set_capacity_tier", tier=tier)
        self.tier = tier

    def follow_usage(self, least: int = 1) -> None:
        """The capacity rule: the smallest tier above 1.3 times last week's mean daily usage."""
        weeks = self.call("get_week_summary")["weeks"]
        if weeks:
            need = 1.3 * weeks[-1]["usage"] / 7
            tier = next(
                (k for k, c in enumerate(self.capacity) if c > need), len(self.capacity) - 1
            )
            if max(least, tier) != self.tier:
                self.set_capacity(max(least, tier))

    def answer(self, offer: Callable[[dict[str, Any]], list[list[Any]]]) -> None:
        """One offer to every negotiation that waits for us, in one call."""
        threads = sorted(self.call("get_open_threads")["threads"], key=lambda t: t["customer_id"])
        if threads:
            deals = [[thread["customer_id"], offer(thread)] for thread in threads]
            self.call("send_enterprise_deal", deals=deals)

    def answer_all(self, plan: str, price: float) -> None:
        self.answer(lambda thread: [[plan, price]])

    def look_for_a_group(self) -> bool:
        """One market research; whether it found a group, which is then remembered."""
        found = self.call("research_market").get("discovered_group_id")
        if found:
            self.found.append(found)
            self.to_study.append(found)
        return bool(found)


def p0(desk: Desk, week: int) -> None:
    """Passive."""


def p1(desk: Desk, week: int) -> None:
    """A small business that fails slowly."""
    if week == 1:
        desk.plans("set_prices", 20, 45, 90)
        desk.plans("set_model_tiers", 2, 2, 3)
        desk.plans("set_usage_quotas", 150, 400, 1000)
        desk.set_capacity(1)
        desk.spend(500, 2000)
        desk.ads({"search_ads": {"S1": 1000}, "social_media": {"S2": 1000}})
    desk.follow_usage()


P2_PRICES, P2_TIERS = (45, 80, 150), {17: (2, 3, 4), 25: (3, 4, 4), 33: (4, 4, 5)}


def _p2_start(desk: Desk, prices: tuple[float, ...], ads: float) -> None:
    desk.plans("set_prices", *prices)
    desk.plans("set_model_tiers", 1, 2, 3)
    desk.plans("set_usage_quotas", 150, 400, 100_000)
    desk.set_capacity(1)
    desk.spread_ads(ads)


def _p2_week(desk: Desk, week: int, development: float = 500, least_s1: float = 3000) -> None:
    if week == 11:
        desk.spread_ads(300)
    revenue = desk.revenue_a_day
    desk.spend(500 + 0.05 * revenue, development)
    desk.develop({"S1": min(8000, least_s1 + 0.2 * revenue)})
    desk.follow_usage()
    desk.answer_all("C", 40)


def p2(desk: Desk, week: int) -> None:
    """Growth, then living off the base."""
    if week == 1:
        _p2_start(desk, P2_PRICES, 1500)
    if week in P2_TIERS:
        desk.plans("set_model_tiers", *P2_TIERS[week])
    _p2_week(desk, week)


def p3(desk: Desk, week: int) -> None:
    """Targeted."""
    if week == 1:
        desk.plans("set_prices", 40, 90, 180)
        desk.plans("set_model_tiers", 2, 2, 3)
        desk.plans("set_usage_quotas", 150, 500, 100_000)
        desk.set_capacity(1)
        desk.develop({"S2": 2500, "E1": 2500})
        desk.ads({"content_marketing": {"S2": 400, "E1": 700}, "linkedin": {"S2": 400, "E1": 300}})
    if week in (21, 33):
        desk.plans("set_model_tiers", *{21: (2, 3, 4), 33: (3, 4, 4)}[week])
    desk.spend(500 + 0.05 * desk.revenue_a_day, 0)
    if week == 2:
        desk.call("start_research_project", tier=1)
    if week == 30 and desk.cash > 600_000:
        desk.call("start_research_project", tier=2)
    if 14 <= week <= 23 and desk.cash > 150_000:
        desk.look_for_a_group()
    while desk.to_study and desk.cash > 200_000:
        desk.call("research_group", group_id=desk.to_study.pop(0))
    desk.follow_usage()
    desk.answer_all("C", 30)


def p4(desk: Desk, week: int) -> None:
    """Price probe: P2 with ads in the product, promotions and prices that rise."""
    prices = [round(price * 1.2 ** ((week - 1) // 8), 2) for price in P2_PRICES]
    promotion = round(0.1 * prices[0], 2)
    if week == 1:
        _p2_start(desk, P2_PRICES, 1500)
        desk.call("set_lead_promotion", global_promotion=promotion)
        desk.call("set_ads_strength", global_strength=0.5)
    if week in P2_TIERS:
        desk.plans("set_model_tiers", *P2_TIERS[week])
    if week > 1 and week % 8 == 1:
        desk.plans("set_prices", *prices)
        desk.call("set_lead_promotion", global_promotion=promotion)
    _p2_week(desk, week)


def p6(desk: Desk, week: int) -> None:
    """Scale-up."""
    if week == 1:
        _p2_start(desk, (30, 60, 120), 3000)
    if week in P2_TIERS:
        desk.plans("set_model_tiers", *P2_TIERS[week])
    _p2_week(desk, week, development=1000, least_s1=4000)


def p7(desk: Desk, week: int) -> None:
    """Explorer."""
    if week == 1:
        desk.plans("set_prices", 25, 50, 45)
        desk.plans("set_model_tiers", 2, 3, 3)
        desk.plans("set_usage_quotas", 150, 400, 100_000)
        desk.set_capacity(1)
    if 2 <= week <= 11 and len(desk.found) < 3 and desk.look_for_a_group():
        desk.ads({channel: dict.fromkeys(desk.found, 200) for channel in CHANNELS})
        desk.develop(dict.fromkeys(desk.found, 1500))
        if len(desk.found) == 1:
            desk.call("research_group", group_id=desk.found[0])
    desk.spend(300 + 0.05 * desk.revenue_a_day, 200)
    desk.follow_usage()
    desk.answer_all("C", 30)


def p8(desk: Desk, week: int) -> None:
    """Enterprise."""

    def offer(thread: dict[str, Any]) -> list[list[Any]]:
        asked = thread["asked_price_per_seat"]
        if asked is not None and asked >= 12:
            return [[thread["asked_plan"], asked]]
        return [["A", 15], ["B", 22], ["C", 30]]

    if week == 1:
        desk.plans("set_prices", 20, 40, 60)
        desk.plans("set_model_tiers", 2, 3, 4)
        desk.plans("set_usage_quotas", 50_000, 100_000, 200_000)
        desk.set_capacity(2)
        desk.develop({"E1": 2000})
    if week == 7:
        desk.ads({"content_marketing": {"E1": 2000}, "linkedin": {"E1": 500}})
    desk.spend(300 + 0.05 * desk.revenue_a_day, 0)
    desk.follow_usage(least=2)
    desk.answer(offer)


POLICIES: dict[str, Callable[[Desk, int], None]] = {
    "P0": p0,
    "P1": p1,
    "P2": p2,
    "P3": p3,
    "P4": p4,
    "P6": p6,
    "P7": p7,
    "P8": p8,
}


def company(
    policy: str,
    seed: int,
    days: int,
    rules: Rules = RULES,
    params: Mapping[str, Any] | None = None,
    record: str = "full",
    desk: Callable[[gym.Env], Desk] = Desk,
) -> Any:
    """The world of a run to a day or bankruptcy, with some numbers of the world changed."""
    env: Any = gym.make(
        "ceo_gym:CEOBench-v0", rules=rules, params=params, record=record, obs="compact"
    ).unwrapped
    env.reset(seed=seed)
    player, week = desk(env), 0
    while not env.world.ended and env.world.day < days:
        week += 1
        POLICIES[policy](player, week)
        env.step(env.noop_action())
    return env.world


def play(
    policy: str,
    seed: int,
    days: int,
    rules: Rules = RULES,
    params: Mapping[str, Any] | None = None,
) -> dict[str, np.ndarray]:
    """Daily columns of such a run."""
    return company(policy, seed, days, rules, params).history.day_rows()
