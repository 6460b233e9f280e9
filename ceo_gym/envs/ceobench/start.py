"""The two ways to begin: the benchmark's empty company, or a sensible set-up."""

from __future__ import annotations

from ceo_gym.simulators.ceobench import World

STARTS = ("empty", "configured")


def configure(world: World) -> None:
    """A modest company that sells from the first week; the decisions of a day 0.

    Prices 30, 80 and 150 USD, model tiers 2, 3 and 4, quotas 300, 1,000 and 200,000 units a day,
    capacity tier 2, 300 USD a day of support, 500 of shared and 4,500 of targeted development,
    1,000 of advertising to the three known groups of individuals.
    """
    world.set_prices(A=30, B=80, C=150)
    world.set_model_tiers(A=2, B=3, C=4)
    world.set_usage_quotas(A=300, B=1_000, C=200_000)
    world.set_capacity_tier(2)
    world.set_daily_spend(operations=300, development=500)
    world.set_targeted_dev_spend({"S1": 1_500, "S2": 2_000, "S3": 1_000})
    world.set_targeted_ad_spend(
        {"content_marketing": {"S1": 300, "S2": 400}, "referral_program": {"S3": 300}}
    )
