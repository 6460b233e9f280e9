"""The three test loads T1, T2, T3 of day_loop.md 11, and the metrics they are compared by."""

import numpy as np

from ceo_gym.simulators.ceobench import Offers, World
from ceo_gym.simulators.ceobench.finance import CATEGORY

LAST_DAY = 112
GROUPS = ("S1", "S2", "S3", "E1", "E2", "E3")
ASKED_PER_SEAT = {3: 35.0, 4: 70.0, 5: 60.0}  # T3: plan C for E1, E2, E3


def found(load: str, seed: int) -> World:
    """A world without surges that plays on below zero cash, as the recording did."""
    world = World(
        seed,
        record="none",
        params={
            "clock.horizon_days": 497,
            "company.ends_when_bankrupt": False,
            "surges.probability_per_day": 0.0,
        },
    )
    world.set_model_tiers(A=3, B=4, C=5)
    {"T1": _t1, "T2": _t2, "T3": _t3}[load](world)
    return world


def _t1(world: World) -> None:
    world.set_prices(A=20, B=50, C=100)
    world.set_usage_quotas(A=100, B=300, C=1000)
    world.set_daily_spend(operations=300, development=2000)
    world.set_capacity_tier(2)
    world.set_targeted_ad_spend(
        {
            "content_marketing": {"S1": 200},
            "linkedin": {"S2": 200},
            "referral_program": {"S3": 200},
        }
    )
    world.set_targeted_dev_spend({"S1": 1500, "S2": 1500, "S3": 1500})


def _t2(world: World) -> None:
    world.set_prices(A=20, B=50, C=100)
    world.set_usage_quotas(A=60, B=200, C=600)
    world.set_daily_spend(operations=50, development=2000)
    world.set_capacity_tier(1)
    world.set_targeted_ad_spend(
        {"content_marketing": {"S1": 150, "S2": 150}, "referral_program": {"S3": 150}}
    )
    world.set_targeted_dev_spend({"S1": 3000, "S2": 3000, "S3": 3000})
    world.set_ads_strength(0.1, {"S3": 0.2})
    world.set_lead_promotion(by_channel={"content_marketing": 5})
    world.set_promotion(by_group={"S2": 4})
    world.set_targeted_ops_spend(by_group={"S2": 20}, by_plan={"C": 20})


def _t3(world: World) -> None:
    world.set_prices(A=20, B=45, C=80)
    world.set_usage_quotas(A=100_000, B=200_000, C=1_000_000)
    world.set_daily_spend(operations=3000, development=5000)
    world.set_capacity_tier(4)
    world.set_targeted_ad_spend(
        {
            "content_marketing": {"E1": 8000},
            "social_media": {"E2": 8000},
            "referral_program": {"E3": 8000},
        }
    )
    world.set_targeted_dev_spend({"E1": 8000, "E2": 8000, "E3": 8000})


def _answer_enterprises(world: World) -> None:
    """T3, every week: C at P and B at 0.7 P to every thread that waits."""
    waiting = world.observe().waiting
    if len(waiting.customer_id):
        asked = np.array([ASKED_PER_SEAT[g] for g in waiting.group])
        offers = Offers.uniform(waiting.customer_id, 2, asked)
        offers.plan[:, 1], offers.price_usd[:, 1] = 1, 0.7 * asked
        world.send_offers(offers)


def play(load: str, seed: int) -> dict[tuple[int, str], float]:
    """(day, metric) -> value at the end of every week to day 112."""
    world, values = found(load, seed), {}
    totals = dict.fromkeys(TOTALS, 0)
    peak = 0.0
    while world.day < LAST_DAY:
        if load == "T2" and world.day == 70:
            world.set_prices(A=30, B=70, C=120)
        if load == "T3":
            _answer_enterprises(world)
        week = world.step_week()
        for name, source in TOTALS.items():
            totals[name] += getattr(week, source)
        peak = max(peak, week.overload_peak)
        now = {**totals, **_levels(world), "overload_max_to_date": peak}
        values |= {(world.day, name): float(value) for name, value in now.items()}
    return values


TOTALS = {  # metric -> field of a week's result
    "cumulative_prospects": "new_leads",
    "cumulative_new_individual_subscribers": "new_individual_subscribers",
    "cumulative_cancellations_individual": "cancellations",
    "cumulative_involuntary_churn": "involuntary_cancellations",
    "cumulative_upgrades": "upgrades",
    "cumulative_downgrades": "downgrades",
    "cumulative_gated_leads": "new_enterprise_leads",
}


def _levels(world: World) -> dict[str, float]:
    population, week = world.population, world.history.weeks[-1]
    ledger = world.history.ledger_usd.sum(axis=0)
    values: dict[str, float] = {
        "cash_usd": week.cash_usd,
        "mrr_usd": week.mrr_usd,
        "cumulative_payments_usd": ledger[CATEGORY["subscription_payment"]],
        "cumulative_ad_revenue_usd": ledger[CATEGORY["ad_revenue"]],
        "cumulative_compute_usd": ledger[CATEGORY["compute"]],  # negative, as recorded
        "usage_units_today": world.today.service.usage_units,
        "seats": week.enterprise_subscription_seats,
    }
    for g, name in enumerate(GROUPS):
        mine = population.group == g
        values[f"accounts_{name}"] = mine.sum()
        values[f"reputation_{name}"] = world.market.reputation[g]
        if mine.any():
            values[f"mean_satisfaction_{name}"] = population.satisfaction[mine].mean()
            values[f"mean_relationship_{name}"] = population.relationship[mine].mean()
            values[f"mean_open_issue_days_{name}"] = population.issue_days[mine].mean()
            values[f"share_open_issue_{name}"] = (population.issue_days[mine] > 0).mean()
    return values
