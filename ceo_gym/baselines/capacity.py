"""The platform that a company needs next week."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.baselines.offers import columns
from ceo_gym.simulators.ceobench.sections import WEEK_DAYS


class CapacityRule:
    """The smallest capacity tier, from the second on, with some headroom over last week's usage.

    Args:
        env: a company env with ``obs="full"``.
        headroom: capacity over usage.
    """

    def __init__(self, env: gym.Env[Any, Any], headroom: float) -> None:
        company: Any = env.unwrapped
        self._usage = columns(company.describe()["observation"], "week")["usage"]
        tiers = company.call("get_cost_info")["capacity_tiers"]
        self._capacity = [tier["capacity_units"] for tier in tiers.values()]
        self._headroom = headroom

    def __call__(self, observation: Any) -> str:
        """The choice of an action, such as ``"tier_3"``."""
        usage = observation["week"][self._usage] / WEEK_DAYS
        enough = int(np.searchsorted(self._capacity, self._headroom * usage))
        return f"tier_{min(max(enough, 1), len(self._capacity) - 1)}"
