"""Answers to enterprises that never ask more than their group's insight reports."""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.envs.ceobench.observation_sales import LEAD
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.common.rows import Bools, Floats

PLAN_C = PLANS.index("C")


class FairOffers:
    """Plan C at the reported willingness to pay; a counter-offer is accepted, but never above that.

    Args:
        env: a company env with ``obs="full"`` and ``actions="full"``.

    Raises:
        ValueError: if the env has another observation or action.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        company: Any = env.unwrapped
        described = company.describe()
        seen, done = described["observation"], described["action"]
        if "inbox" not in seen or "inbox_op" not in done:
            raise ValueError('this policy needs an env with obs="full" and actions="full"')
        self._insight, self._inbox = columns(seen, "insight"), columns(seen, "inbox")
        groups = list(dict.fromkeys(name.split(".")[0] for name in seen["insight"]["cells"]))
        firms = dict.fromkeys(name.split(".")[0] for name in done["bulk_price"]["cells"])
        self._enterprises = [groups.index(firm) for firm in firms]
        self._kinds = tuple(done["bulk_op"]["cells"])

    def __call__(self, observation: Any, ignore: Bools | None = None) -> dict[str, Any]:
        """Named cells of an action that answers every waiting thread.

        Threads without a slot get the price of a new lead.

        Args:
            observation: with the threads that wait.
            ignore: [26] groups whose new leads get no answer.
        """
        insight, inbox = self._insight, self._inbox
        budget = _cents(observation["insight"][:, insight["willingness_to_pay"]])
        ignored = np.zeros(len(budget), bool) if ignore is None else ignore
        table = np.zeros((len(self._enterprises), len(PLANS)))
        # a price of 0 is no offer
        table[:, PLAN_C] = np.where(ignored, 0.0, budget)[self._enterprises]

        group = observation["inbox_group"] - 1
        lead = observation["inbox_type"] == LEAD
        used = observation["inbox_mask"].astype(bool) & ~(ignored[group] & lead)
        threads = observation["inbox"]
        most = budget[group]
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


def columns(described: Any, key: str) -> dict[str, int]:
    """Field -> column of a key of the observation, such as ``columns(seen, "inbox")["seats"]``.

    Args:
        described: ``describe()["observation"]``.
        key: the key.
    """
    cells = described[key]["cells"]
    return {name.split(".")[-1]: cell["index"][-1] for name, cell in cells.items()}


def _cents(usd: Floats) -> Floats:
    """Prices rounded down to whole cents, so that none is above what was reported."""
    return np.floor(np.round(100.0 * usd.astype(np.float64), 4)) / 100.0
