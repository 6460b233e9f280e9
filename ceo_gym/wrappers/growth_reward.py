"""A reward that sees growth before it is paid."""

from __future__ import annotations

import math
from typing import Any

import gymnasium as gym

from ceo_gym.simulators.ceobench.sections import MONTH_DAYS
from ceo_gym.wrappers.base import company_env


class GrowthReward(gym.Wrapper[Any, Any, Any, Any]):
    """Reward the change of the logarithm of what the company has and will soon be paid.

    The reward of a week is the change of ln(1 + V / `unit_usd`), where V is the cash plus `months`
    of recurring revenue, or as many as are left in the game, and 0 for a bankrupt company. What
    advertising brings is rewarded in the week in which customers sign up, not in the months in
    which they pay. At the horizon no month is left, so that the sum over an episode depends on the
    final cash alone: ln(1 + final / unit) - ln(1 + initial / unit), and 0 in place of the first
    term after a bankruptcy. The shaping changes when one is rewarded, not for what.

    Args:
        env: a ceo-gym environment; its own reward is not used.
        months: of recurring revenue that count, at least 0.
        unit_usd: sums well below are worth what they are, of sums well above only the order counts.

    Raises:
        TypeError: for another environment.
        ValueError: for other numbers.
    """

    def __init__(self, env: gym.Env[Any, Any], months: float = 3.0, unit_usd: float = 1e6) -> None:
        super().__init__(env)
        company_env(env, self)
        if not (math.isfinite(months) and months >= 0.0):
            raise ValueError(f"months is a finite number from 0, not {months!r}")
        if not (math.isfinite(unit_usd) and unit_usd > 0.0):
            raise ValueError(f"unit_usd is a finite number above 0, not {unit_usd!r}")
        self._months, self._unit_usd = months, unit_usd

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Step, with this reward."""
        before = self._worth()
        observation, _, terminated, truncated, info = self.env.step(action)
        return observation, self._worth() - before, terminated, truncated, info

    def _worth(self) -> float:
        base: Any = self.env.unwrapped
        world = base.world
        cash = world.company.cash_usd
        if cash < 0.0:
            return 0.0
        left = (world.params.clock.horizon_days - world.day) / MONTH_DAYS
        mrr = world.history.weeks[-1].mrr_usd if world.history.weeks else 0.0
        return math.log1p((cash + min(self._months, left) * mrr) / self._unit_usd)
