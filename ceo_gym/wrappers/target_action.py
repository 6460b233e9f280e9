"""One flat box of settings to aim for, instead of moves."""

from __future__ import annotations

import math
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ceo_gym.envs.ceobench import action_manager as manager
from ceo_gym.envs.ceobench import manager_choices as choices
from ceo_gym.simulators.ceobench import InvalidDecision
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS
from ceo_gym.simulators.common.rows import Floats
from ceo_gym.wrappers.base import company_env

PRICE_SPAN, QUOTA_SPAN = 4.0, 10.0  # a target is its middle times or over this at most
PROMOTION_USD = 50.0  # the largest target
LEAST_MEANS_USD = 20_000.0  # a day, while revenue is less
MOST_OF_CASH = 0.1  # of the cash, a day: spends fall before the money is gone
DECADES = 2.0  # from the smallest to the largest share of the means
PURCHASE_SHARE = 0.02  # of the cash, that a purchase may cost


class TargetAction(gym.ActionWrapper[Any, NDArray[Any], Any]):
    r"""Act by one vector in [-1, 1] that says where the settings of ``manager`` should be.

    The profile ``manager`` moves settings, so noise in its numbers adds up from week to week, and
    a rule such as "a tenth of the revenue for advertising" takes memory. This wrapper takes the
    setting aimed for and gives the move of the profile that leads there, the largest one if that is
    too far for one week. z is the number given; cells follow the keys in their order.

    ========================  ==================================================================
    key                       aims for
    ========================  ==================================================================
    price (3)                 30, 80, 150 USD times 4^z
    quota (3)                 300, 1,000, 200,000 units times 10^z
    support, development      the means times 10^(z - 1), USD a day: all of them at 1, a tenth at
    targeted (2), ads (2)     0, a hundredth at -1. The means are the recurring revenue a day or
    \                         20,000 USD if that is more, and at most a tenth of the cash
    tier (3)                  the lowest model tier at -1, the highest at 1
    strength                  (1 + z) / 2
    promotion                 50 z USD; 0 for z below 0; ``lead_promotion`` likewise
    offer_level               z, as it is
    other choices             choice 0 for z up to 0, the others share the rest
    ========================  ==================================================================

    Research and projects that cost more than 2 % of the cash are left alone, so that trying them
    out cannot ruin a company.

    Unlike `FlattenActionBox`, a zero vector is no "change nothing" here, and the same vector does
    something else in another state of the company. Only what a player sees is used: settings, cash
    and revenue.

    Args:
        env: a ceo-gym environment with ``actions="manager"``.

    Raises:
        TypeError: for another environment.
        ValueError: for another profile of actions.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        keys = company_env(env, self, "action_space").action_keys
        if "offer_level" not in {key.key for key in keys}:
            raise ValueError('TargetAction needs an env made with actions="manager"')
        self._keys = keys
        self._sizes = [math.prod(key.shape) for key in keys]
        self.action_space = spaces.Box(-1.0, 1.0, (sum(self._sizes),), np.float32)

    @property
    def cells(self) -> list[str]:
        """Name of the key of each number, in their order."""
        return [key.key for key, size in zip(self._keys, self._sizes) for _ in range(size)]

    def action(self, action: NDArray[Any]) -> dict[str, Any]:
        """The Dict action of a vector, for the company as it is now.

        Raises:
            ValueError: if the vector is not in the action space.
        """
        vector = np.asarray(action, np.float64)
        if vector.shape != self.action_space.shape or not (np.abs(vector) <= 1.0).all():
            raise ValueError(
                f"an action is {self.action_space.shape} numbers in [-1, 1], not {action!r:.80}"
            )
        company: Any = self.env.unwrapped
        result: dict[str, Any] = company.noop_action()
        moves = self._moves(company.world)
        for key, z in zip(self._keys, np.split(vector, np.cumsum(self._sizes)[:-1])):
            if key.key == "tier":
                result[key.key] = _tier_moves(company.world, z)
            elif key.options:
                steps = len(key.options) - 1
                choice = np.ceil(np.clip(z, 0.0, 1.0) * steps - 1e-9).astype(np.int64)
                result[key.key] = choice if key.shape else np.int64(choice[0])
                if key.key in PURCHASES:
                    result[key.key] = PURCHASES[key.key](company.world, int(choice[0]))
            else:
                move = moves[key.key](z) if key.key in moves else z
                result[key.key] = np.clip(move, -1.0, 1.0).astype(np.float32)
        return result

    def _moves(self, world: Any) -> dict[str, Any]:
        """Key -> function that gives the moves to where z aims."""
        now, firms = world.company, world.params.groups.is_enterprise
        week = world.history.weeks[-1] if world.history.weeks else None
        revenue = week.mrr_usd / MONTH_DAYS if week else 0.0
        cash = max(now.cash_usd, 0.0)
        means = min(max(revenue, LEAST_MEANS_USD), MOST_OF_CASH * cash)

        def spend(*settings: float) -> Any:
            return lambda z: _towards(
                np.array(settings),
                means * 10.0 ** (DECADES * (z - 1.0) / 2.0),
                manager.SPEND_RATE,
                manager.LEAST_SPEND_USD,
            )

        def step(setting: float, size: float, target: Any) -> Any:
            return lambda z: (target(z) - setting) / size

        ads, targeted = now.ads_spend_usd, now.development_group_usd
        return {
            "price": lambda z: _towards(
                now.price_usd, manager.START_PRICE_USD * PRICE_SPAN**z, manager.PRICE_RATE, 0.0
            ),
            "quota": lambda z: _towards(
                now.quota_units, manager.START_QUOTA * QUOTA_SPAN**z, manager.QUOTA_RATE, 0.0
            ),
            "support": spend(now.operations_usd),
            "development": spend(now.development_usd),
            "targeted": spend(targeted[~firms].sum(), targeted[firms].sum()),
            "ads": spend(ads[:, ~firms].sum(), ads[:, firms].sum()),
            "strength": step(
                now.ads_strength_global, manager.STRENGTH_STEP, lambda z: (1.0 + z) / 2.0
            ),
            "promotion": step(now.promotion_global, manager.PROMOTION_STEP_USD, _promotion),
            "lead_promotion": step(
                now.lead_promotion_global, manager.PROMOTION_STEP_USD, _promotion
            ),
        }


def _tier_moves(world: Any, z: Floats) -> NDArray[np.int64]:
    """Up, down or keep for each plan."""
    highest = len(world.params.model_tiers.ids)
    target = np.round(1.0 + (highest - 1) * (z + 1.0) / 2.0)
    tier = world.company.model_tier
    return np.where(target > tier, choices.UP, np.where(target < tier, choices.DOWN, 0)).astype(
        np.int64
    )


def _affordable(world: Any) -> float:
    return PURCHASE_SHARE * max(world.company.cash_usd, 0.0)


def _attempts(world: Any, choice: int) -> np.int64:
    """So many attempts to find a group as are affordable."""
    return np.int64(
        min(choice, int(_affordable(world) // world.params.research.discovery_cost_usd))
    )


def _study(world: Any, choice: int) -> np.int64:
    if not choice:
        return np.int64(0)
    try:
        _, level = choices.study(world, choice, world.market.discovered)
    except InvalidDecision:
        return np.int64(0)
    return np.int64(choice if world.params.info_levels.cost_usd[level] <= _affordable(world) else 0)


def _project(world: Any, choice: int) -> np.int64:
    if not choice:
        return np.int64(0)
    try:
        tier = choices.project(world, choice)
    except InvalidDecision:
        return np.int64(0)
    cost = world.params.research_tiers.cost_usd[tier - 1]
    return np.int64(choice if cost <= _affordable(world) else 0)


PURCHASES = {"market_research": _attempts, "group_research": _study, "rnd": _project}


def _promotion(z: Floats) -> Floats:
    return PROMOTION_USD * np.maximum(z, 0.0)


def _towards(now: Floats, target: Floats, rate: float, least: float) -> Floats:
    """Moves of settings towards targets; one of 0 is started if its target is worth it."""
    going = np.log(np.maximum(target, 1e-9) / np.where(now > 0.0, now, 1.0)) / rate
    return np.where(now > 0.0, going, np.where(target > least, 1.0, 0.0))
