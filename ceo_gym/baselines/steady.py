"""A fixed sensible configuration, a capacity rule and a bulk rule for enterprise offers."""

from __future__ import annotations

import numpy as np

from ceo_gym.simulators.ceobench import Offers, World

PLAN_C = 2


class Steady:
    """The same settings from the first week to the last; only three rules look at the company.

    * Capacity: the smallest tier that holds 1.3 times last week's usage.
    * Support: a base plus a quarter dollar a day for each account.
    * Enterprises: plan C at the willingness to pay that the group's insight reports; a
      counter-offer is accepted, but never above that.
    """

    def decide(self, world: World) -> None:
        """Configure in the first week; apply the rules in every week."""
        seen = world.observe()
        if seen.day == 0:
            world.set_prices(A=35, B=90, C=180)
            world.set_model_tiers(A=2, B=2, C=3)
            world.set_usage_quotas(A=200, B=500, C=200_000)
            world.set_targeted_dev_spend(
                {"S1": 5_000, "S2": 8_000, "S3": 3_000, "E1": 2_000, "E2": 2_000}
            )
            world.set_targeted_ad_spend(
                {
                    "content_marketing": {"S1": 300, "S2": 2_000},
                    "referral_program": {"S3": 1_000},
                }
            )
            world.set_capacity_tier(1)
        else:
            capacity = world.params.capacity_tiers.capacity_units_per_day
            usage = seen.week["usage_units"] / seen.week["days"]
            enough = int(np.searchsorted(capacity, 1.3 * usage))
            world.set_capacity_tier(min(max(enough, 1), len(capacity) - 1))
        support = 300 + 0.25 * float(seen.accounts.sum())
        world.set_daily_spend(operations=support, development=1_000)

        waiting = seen.waiting
        if len(waiting.customer_id):
            budget = np.zeros(len(seen.known))
            for g in np.unique(waiting.group):
                report = world.group_insights(world.params.groups.ids[g])
                budget[g] = report["estimates"]["willingness_to_pay"]
            price = np.fmin(budget[waiting.group], waiting.asked_usd)  # no asked price: the budget
            plan = np.where(waiting.asked_plan >= 0, waiting.asked_plan, PLAN_C)
            world.send_offers(Offers.uniform(waiting.customer_id, plan, price))
