"""The runs whose trajectories are frozen."""

from typing import Any

import numpy as np

from ceo_gym.simulators.ceobench import InvalidDecision, Offers, World
from tests.properties.decisions import founded

FIELDS = (
    "day",
    "cash_usd",
    "mrr_usd",
    "individual_subscribers",
    "enterprise_accounts",
    "enterprise_subscription_seats",
    "new_leads",
    "cancellations",
    "enterprise_cancellations",
    "deals",
    "open_issues",
    "usage_units",
)
DAYS = 126
RUNS = ("steady", "busy")
PROFILES = ("published", "repaired")


def steady(profile: str) -> World:
    """One configuration throughout; capacity and support follow the company."""
    world = World(1, rules=profile, record="none")
    while world.day < DAYS:
        decide_steadily(world)
        world.step_week()
    return world


def decide_steadily(world: World) -> None:
    """A week's decisions of the run."""
    seen = world.observe()
    if seen.day == 0:
        world.set_prices(A=35, B=90, C=180)
        world.set_model_tiers(A=2, B=2, C=3)
        world.set_usage_quotas(A=200, B=500, C=200_000)
        world.set_targeted_dev_spend(
            {"S1": 5_000, "S2": 8_000, "S3": 3_000, "E1": 2_000, "E2": 2_000}
        )
        world.set_targeted_ad_spend(
            {"content_marketing": {"S1": 300, "S2": 2_000}, "referral_program": {"S3": 1_000}}
        )
        world.set_capacity_tier(1)
    else:
        capacity = world.params.capacity_tiers.capacity_units_per_day
        usage = seen.week["usage_units"] / seen.week["days"]
        enough = int(np.searchsorted(capacity, 1.3 * usage))
        world.set_capacity_tier(min(max(enough, 1), len(capacity) - 1))
    world.set_daily_spend(operations=300 + 0.25 * float(seen.accounts.sum()), development=1_000)
    waiting = seen.waiting
    if len(waiting.customer_id):
        budget = np.zeros(len(seen.known))
        for g in np.unique(waiting.group):
            report = world.group_insights(world.params.groups.ids[g])
            budget[g] = report["estimates"]["willingness_to_pay"]
        price = np.fmin(budget[waiting.group], waiting.asked_usd)
        plan = np.where(waiting.asked_plan >= 0, waiting.asked_plan, 2)
        world.send_offers(Offers.uniform(waiting.customer_id, plan, price))


def busy(profile: str) -> World:
    """Every kind of decision within a few weeks, on a company that would soon be bankrupt."""
    world = founded(2, profile, "none", **{"company.initial_cash_usd": 5_000_000.0})
    world.set_ads_strength(0.1, {"S2": 0.2})
    world.set_promotion(by_group={"S1": 2}, by_group_plan={"E1": {"C": 3}})
    world.set_lead_promotion(4, by_channel={"content_marketing": 3})
    world.set_targeted_ops_spend(by_group={"E1": 100}, by_plan={"A": 50})
    while world.day < DAYS and not world.ended:
        _decide_busily(world)
        world.step_week()
    return world


def _decide_busily(world: World) -> None:
    week = world.day // 7
    for decide in (
        lambda: world.research_market(),
        lambda: world.research_group("E1"),
        lambda: world.start_research_project(1 + week % 2),
        lambda: world.post_social_media(f"Our team cut prices by {week} % for you today."),
    ):
        try:
            decide()
        except InvalidDecision:
            continue
    if week == 8:
        world.set_prices(A=25, B=45, C=70)
    waiting = world.observe().waiting
    if len(waiting.customer_id):
        price = np.fmin(np.where(waiting.kind == 0, 45.0, 30.0), waiting.asked_usd)
        world.send_offers(Offers.uniform(waiting.customer_id, 2, price))


def trajectory(run: str, profile: str) -> list[list[Any]]:
    """The frozen fields of every week."""
    world = {"steady": steady, "busy": busy}[run](profile)
    return [[getattr(week, name) for name in FIELDS] for week in world.history.weeks]
