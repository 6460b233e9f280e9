"""Sane decisions at random: what a score is worth without any thought."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS

FIRST_GROUPS = ("S1", "S2", "S3")
CHANCE = 0.2  # of each kind of decision in a week
# what a new value may be, from the lowest to the highest, on a logarithmic scale
PRICE_USD = {"A": (15.0, 80.0), "B": (40.0, 150.0), "C": (80.0, 300.0)}
QUOTA_UNITS = {"A": (50.0, 500.0), "B": (100.0, 1_000.0), "C": (10_000.0, 1_000_000.0)}
SPEND_USD = {"operations": (50.0, 5_000.0), "development": (50.0, 5_000.0)}
TARGETED_USD = (50.0, 5_000.0)


class Random:
    """Changes a few settings a week, each to a value that a manager might consider.

    A first configuration has all prices, quotas and tiers. Later, each kind of decision (price,
    quota, model tier, capacity, spend, advertising, targeted development) comes with a chance of a
    fifth, for one cell. Enterprises get no answer.

    Args:
        env: a company env with ``actions="full"``.

    Raises:
        ValueError: if the env has another action.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        company: Any = env.unwrapped
        self._company = company
        if "ads" not in company.describe()["action"]:
            raise ValueError('random needs an env with actions="full" or actions="core"')
        self.reset()

    def reset(self, seed: int | None = None) -> None:
        """Start the policy's own randomness anew."""
        self._rng = np.random.default_rng(0 if seed is None else seed)

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """A few random cells; everything in the first week."""
        del observation  # it does not look
        named: dict[str, Any] = {}
        first = info["day"] == 0
        for key, ranges in (("price", PRICE_USD), ("quota", QUOTA_UNITS)):
            if first:
                named[key] = {plan: self._between(*ranges[plan]) for plan in PLANS}
            elif self._now():
                plan = self._one(PLANS)
                named[key] = {plan: self._between(*ranges[plan])}
        if first:
            named["model_tier"] = {plan: f"tier_{self._rng.integers(1, 5)}" for plan in PLANS}
        elif self._now():
            named["model_tier"] = {self._one(PLANS): f"tier_{self._rng.integers(1, 5)}"}
        if first or self._now():
            named["capacity"] = f"tier_{self._rng.integers(0, 4)}"
        if first or self._now():
            name = self._one(tuple(SPEND_USD))
            named["spend"] = {name: self._between(*SPEND_USD[name])}
        if first or self._now():
            cell = (self._one(CHANNELS), self._one(FIRST_GROUPS))
            named["ads"] = {cell: self._between(*TARGETED_USD)}
        if self._now():
            named["dev"] = {self._one(FIRST_GROUPS): self._between(*TARGETED_USD)}
        return self._company.action(**named)

    def _now(self) -> bool:
        return bool(self._rng.random() < CHANCE)

    def _one(self, names: tuple[str, ...]) -> str:
        return names[int(self._rng.integers(len(names)))]

    def _between(self, low: float, high: float) -> float:
        return float(low * (high / low) ** self._rng.random())
