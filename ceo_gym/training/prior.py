"""Where an untrained policy begins: the bias of its last layer, and how far it explores.

A random network would change model tiers every other week, answer enterprises at random, and spend
as much on everything. These numbers are what a newcomer could say without having played: capacity
by rule, offers by report, nothing bought and little spent where nothing is known to come back.
Amounts for what sells (prices, advertising and targeted development for individuals) begin in the
middle of their ranges, and are for the learner to find.
"""

from __future__ import annotations

from typing import Any

import numpy as np

# key -> (bias, standard deviation) in the units of `TargetAction`; choices are open above 0
BOX: dict[str, tuple[float, float]] = {
    "price": (0.3, 0.1),
    "quota": (-0.2, 0.1),
    "tier": (0.0, 0.12),
    "capacity": (0.9, 0.15),  # by rule
    "support": (-0.3, 0.15),
    "development": (-0.9, 0.15),
    "targeted": (0.3, 0.15),
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


def begin(model: Any, cells: list[str], noise: float) -> None:
    """Write the prior into a fresh learner.

    Args:
        model: of stable-baselines3, with a Gaussian or a categorical policy.
        cells: key of each number, or of each choice list, in the order of the action.
        noise: factor of the standard deviations.
    """
    import torch

    policy = model.policy
    with torch.no_grad():
        bias = policy.action_net.bias
        if hasattr(policy, "log_std"):
            for at, key in enumerate(cells):
                second = key in ("ads", "targeted") and at > 0 and cells[at - 1] == key
                mean, deviation = ENTERPRISES if second else BOX[key]
                if key == "tier":
                    mean = TIERS[at - cells.index(key)]
                bias[at], policy.log_std[at] = mean, float(np.log(noise * deviation))
            return
        start = 0
        for key, choices in zip(cells, model.action_space.nvec.tolist()):
            bias[start] = KEEP_LOGIT
            if key in RULES:
                bias[start + RULES[key]] = RULE_LOGIT
            start += choices
