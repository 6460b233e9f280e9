"""The rules of `Tuned` with hidden numbers: how much better information is worth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.baselines.market_view import MarketView
from ceo_gym.baselines.rule_based import RuleBased
from ceo_gym.baselines.tuned import Tuned
from ceo_gym.simulators.common.rows import Floats

YEAR_DAYS = 365.0


class Oracle(Tuned):
    """PRIVILEGED: `Tuned`, but it knows what no player can. It is a yardstick, not a contestant.

    * What each group expects: the exact mean floor, and the exact rise of expectations so far.
    * Willingness to pay, market and effectiveness of channels: exact, not reported or measured.

    Offers to enterprises stay within what the reports say, as those of all policies here.

    Args:
        env: a company env with ``obs="full"``, ``actions="full"`` and ``privileged=True``.
        settings: as of `Tuned`.

    Raises:
        ValueError: if the env has another observation or action, or no hidden state in `info`.
        OSError: if a file of settings cannot be read.
    """

    def __init__(
        self, env: gym.Env[Any, Any], settings: Mapping[str, float] | str | None = None
    ) -> None:
        super().__init__(env, settings)
        self._groups = self._company.world.params.groups

    @staticmethod
    def env_args(settings: Mapping[str, float] | str | None = None) -> dict[str, Any]:
        """Those of `RuleBased`, and hidden state in `info`."""
        return RuleBased.env_args() | {"privileged": True}

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        """Apply the rules to last week's figures and to the hidden numbers."""
        if "privileged" not in info:
            raise ValueError("oracle needs an env with privileged=True")
        return super().act(observation, info)

    def view(self, observation: Any, info: dict[str, Any]) -> MarketView:
        """Last week's figures, with true ones in the place of reported ones."""
        g, day = self._groups, float(info["day"])
        cap = g.market_cap_base * (1.0 + g.market_cap_growth_per_year * day / YEAR_DAYS)
        return replace(
            super().view(observation, info),
            willingness_usd=g.budget_mean_usd + info["privileged"]["budget_shift_usd"],
            cap=cap,
        )

    def needed(self, view: MarketView, info: dict[str, Any]) -> Floats:
        """[26] quality that each group expects at least."""
        rise = info["privileged"]["quality_shift"]
        return self._groups.q_floor_mean + self._expectations.weight(view) * rise

    def channels(self, view: MarketView) -> Floats:
        """[5, 26] part of each channel: all goes to the one that is truly best."""
        true = self._company.world.market.effectiveness
        return np.equal(true, true.max(axis=0)).astype(np.float64)
