"""Who acts without a language model: policies that decide from what a player may see."""

from ceo_gym.baselines.passive import Passive
from ceo_gym.baselines.policy import (
    POLICIES,
    Policy,
    make_policy,
    needed_env_args,
    policy_class,
)
from ceo_gym.baselines.steady import Steady

__all__ = [
    "POLICIES",
    "Passive",
    "Policy",
    "Steady",
    "make_policy",
    "needed_env_args",
    "policy_class",
]
