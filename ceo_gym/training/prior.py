"""Where an untrained policy begins, and how far it explores.

A random network would change model tiers every other week, answer enterprises at random, and spend
as much on everything. Most of these numbers are what anybody would begin with: capacity by rule,
offers by report, hardly anything bought, a hundredth of the means for what is not known to pay
(shared development, enterprises). Prices (52, 139 and 261 USD) and targeted development of
individual groups (a third of the means) were raised after some twenty constant settings had been
tried on tuning seeds 1 to 4; advertising gets a tenth of the means, support a twentieth. How these
should differ, and when, is for the learner to find.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

REACH = 5.0  # standard deviations
# key -> (middle, standard deviation) in the units of `TargetAction`; choices are open above 0
BOX: dict[str, tuple[float, float]] = {
    "price": (0.4, 0.1),
    "quota": (0.0, 0.1),
    "tier": (0.0, 0.12),
    "capacity": (0.9, 0.15),  # by rule
    "support": (-0.3, 0.15),
    "development": (-0.9, 0.15),
    "targeted": (0.5, 0.15),
    "ads": (0.0, 0.15),
    "strength": (-0.9, 0.2),
    "promotion": (-0.2, 0.15),
    "lead_promotion": (-0.2, 0.15),
    "market_research": (-0.1, 0.2),
    "group_research": (-0.3, 0.2),
    "rnd": (-0.3, 0.2),
    "offers": (0.62, 0.08),  # by report
    "offer_level": (0.0, 0.15),
    "post": (-0.3, 0.3),
}
TIERS = (-0.5, 0.0, 0.5)  # of the plans: model tiers 2, 3, 4
ENTERPRISES = (-0.9, 0.15)  # advertising and development for them
# logits of choices of `FlattenActionDiscrete`
KEEP_LOGIT, RULE_LOGIT = 2.0, 4.0
RULES = {"capacity": 3, "offers": 3}


class Around(gym.ActionWrapper[Any, NDArray[Any], Any]):
    """Act by deviations from the prior, in units of its standard deviations.

    A Gaussian policy that begins with mean 0 and deviation 1 then explores every number as far as
    `BOX` says, and a step of the learner moves it in proportion.

    Args:
        env: a company env below `TargetAction`.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        self._middle, self._spread = (np.array(part) for part in zip(*_box(cells_of(env))))
        self.action_space = spaces.Box(-REACH, REACH, self._middle.shape, np.float32)

    def action(self, action: NDArray[Any]) -> NDArray[np.float32]:
        """The action in the units of `TargetAction`."""
        moved = self._middle + self._spread * np.asarray(action, np.float64)
        return np.clip(moved, -1.0, 1.0).astype(np.float32)


def cells_of(env: gym.Env[Any, Any]) -> list[str]:
    """Key of each number, or of each list of choices, of the action."""
    cells: list[str] = env.get_wrapper_attr("cells")
    return cells


def _box(cells: list[str]) -> list[tuple[float, float]]:
    rows = []
    for at, key in enumerate(cells):
        second = key in ("ads", "targeted") and at > 0 and cells[at - 1] == key
        middle, spread = ENTERPRISES if second else BOX[key]
        if key == "tier":
            middle = TIERS[at - cells.index(key)]
        rows.append((middle, spread))
    return rows


def begin(model: Any, cells: list[str]) -> None:
    """Write the prior of choices into a fresh learner; numbers have theirs in `Around`.

    Args:
        model: of stable-baselines3.
        cells: key of each list of choices.
    """
    import torch

    if not isinstance(model.action_space, spaces.MultiDiscrete):
        return
    with torch.no_grad():
        start, bias = 0, model.policy.action_net.bias
        for key, choices in zip(cells, model.action_space.nvec.tolist()):
            bias[start] = KEEP_LOGIT
            if key in RULES:
                bias[start + RULES[key]] = RULE_LOGIT
            start += choices
