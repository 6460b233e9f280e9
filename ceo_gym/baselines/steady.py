"""A fixed sensible configuration, a capacity rule and a rule for enterprise offers."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.simulators.ceobench.sections import PLANS, WEEK_DAYS
from ceo_gym.simulators.common.rows import Floats

PLAN_C = PLANS.index("C")
FIRST_WEEK = {
    "price": {"A": 35, "B": 90, "C": 180},
    "model_tier": {"A": "tier_2", "B": "tier_2", "C": "tier_3"},
    "quota": {"A": 200, "B": 500, "C": 200_000},
    "capacity": "tier_1",
    "dev": {"S1": 5_000, "S2": 8_000, "S3": 3_000, "E1": 2_000, "E2": 2_000},
    "ads": {
        ("content_marketing", "S1"): 300,
        ("content_marketing", "S2"): 2_000,
        ("referral_program", "S3"): 1_000,
    },
}


class Steady:
    """The same settings from the first week to the last; only three rules look at the company.

    * Capacity: the smallest tier that holds 1.3 times last week's usage.
    * Support: a base plus a quarter dollar a day for each account.
    * Enterprises: plan C at the willingness to pay that the group's insight reports; a
      counter-offer is accepted, but never above that.

    Args:
        env: a company env with ``obs="full"`` and ``actions="full"``.

    Raises:
        ValueError: if the env has another observation or action.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        company: Any = env.unwrapped
        self._company, described = company, company.describe()
        seen, done = described["observation"], described["action"]
        if "inbox" not in seen or "inbox_op" not in done:
            raise ValueError('steady needs an env with obs="full" and actions="full"')
        # column of each field, e.g. columns["inbox"]["asked_price"]
        self._columns = {
            key: {
                name.split(".")[-1]: cell["index"][-1] for name, cell in seen[key]["cells"].items()
            }
            for key in ("week", "group_stats", "insight", "inbox")
        }
        groups = list(dict.fromkeys(name.split(".")[0] for name in seen["insight"]["cells"]))
        firms = dict.fromkeys(name.split(".")[0] for name in done["bulk_price"]["cells"])
        self._enterprises = [groups.index(firm) for firm in firms]
        self._kinds = tuple(done["bulk_op"]["cells"])
        tiers = company.call("get_cost_info")["capacity_tiers"]
        self._capacity = [tier["capacity_units"] for tier in tiers.values()]

    def reset(self, seed: int | None = None) -> None:
        """Nothing to get ready."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Configure in the first week; apply the rules in every week."""
        accounts = observation["group_stats"][:, self._columns["group_stats"]["accounts"]].sum()
        named: dict[str, Any] = {
            "spend": {"operations": 300 + 0.25 * float(accounts), "development": 1_000}
        }
        if info["day"] == 0:
            named |= FIRST_WEEK
        else:
            usage = observation["week"][self._columns["week"]["usage"]] / WEEK_DAYS
            enough = int(np.searchsorted(self._capacity, 1.3 * usage))
            named["capacity"] = f"tier_{min(max(enough, 1), len(self._capacity) - 1)}"
        return self._company.action(**named, **self._offers(observation))

    def _offers(self, observation: Any) -> dict[str, Any]:
        """An answer to every waiting thread; those without a slot get the price of a new lead."""
        insight, inbox = self._columns["insight"], self._columns["inbox"]
        budget = _cents(observation["insight"][:, insight["willingness_to_pay"]])
        table = np.zeros((len(self._enterprises), len(PLANS)))
        table[:, PLAN_C] = budget[self._enterprises]

        used = observation["inbox_mask"].astype(bool)
        threads = observation["inbox"]
        most = budget[observation["inbox_group"] - 1]
        asked = _cents(threads[:, inbox["asked_price"]])
        countered = (observation["inbox_type"] > 1) & (asked > 0.0)
        wished = threads[:, [inbox[f"asked_{plan}"] for plan in PLANS]]
        plan = np.where(countered & wished.any(axis=1), wished.argmax(axis=1), PLAN_C)
        offered = used[:, None] & (plan[:, None] == np.arange(len(PLANS)))
        price = np.where(countered, np.minimum(asked, most), most)
        return {
            "inbox_op": used.astype(int),
            "inbox_price": np.where(offered, price[:, None], 0.0),
            "inbox_plan": offered.ravel().astype(int),
            "bulk_op": dict.fromkeys(self._kinds, "table"),
            "bulk_price": table,
        }


def _cents(usd: Floats) -> Floats:
    """Prices rounded down to whole cents, so that none is above what was reported."""
    return np.floor(np.round(100.0 * usd.astype(np.float64), 4)) / 100.0
