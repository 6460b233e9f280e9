"""A fixed sensible configuration, a capacity rule and a rule for enterprise offers."""

from __future__ import annotations

from typing import Any

import gymnasium as gym

from ceo_gym.baselines.capacity import CapacityRule
from ceo_gym.baselines.offers import FairOffers, columns

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
        self._company, self._offers = company, FairOffers(env)
        self._capacity = CapacityRule(env, headroom=1.3)
        self._accounts = columns(company.describe()["observation"], "group_stats")["accounts"]

    def reset(self, seed: int | None = None) -> None:
        """Nothing to get ready."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Configure in the first week; apply the rules in every week."""
        accounts = observation["group_stats"][:, self._accounts].sum()
        named: dict[str, Any] = {
            "spend": {"operations": 300 + 0.25 * float(accounts), "development": 1_000}
        }
        if info["day"] == 0:
            named |= FIRST_WEEK
        else:
            named["capacity"] = self._capacity(observation)
        return self._company.action(**named, **self._offers(observation))
