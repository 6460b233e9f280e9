"""What a step is worth, and which money it was made of."""

from __future__ import annotations

import math

from ceo_gym.envs.ceobench.books import CATEGORIES
from ceo_gym.simulators.common.rows import Floats

REWARDS = ("cash", "log", "terminal")
UNIT_USD = 1e6
LOG_SCALE_USD = 1e3


def symlog(usd: float) -> float:
    """sign(x) ln(1 + |x| / 1000 USD)."""
    return math.copysign(math.log1p(abs(usd) / LOG_SCALE_USD), usd)


def reward(kind: str, before_usd: float, after_usd: float, *, ended: bool) -> float:
    """The reward of a week.

    * ``cash``: change of cash in millions of dollars. The sum over an episode is final cash less
      the initial million.
    * ``log``: change of `symlog` of cash.
    * ``terminal``: 0, and final cash in millions of dollars at the end.

    Args:
        kind: one of `REWARDS`.
        before_usd: cash at the end of the week before.
        after_usd: cash now.
        ended: whether the game is over.
    """
    if kind == "cash":
        return (after_usd - before_usd) / UNIT_USD
    if kind == "log":
        return symlog(after_usd) - symlog(before_usd)
    return after_usd / UNIT_USD if ended else 0.0


def parts(ledger_usd: Floats) -> dict[str, float]:
    """The cash reward by category of the ledger, in millions of dollars."""
    return {
        name: usd / UNIT_USD
        for name, usd in zip(CATEGORIES, ledger_usd.tolist())
        if name != "initial_funding"
    }
