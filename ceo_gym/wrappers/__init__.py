"""In which form one acts and sees: one wrapper a file."""

from ceo_gym.wrappers.code_action import CodeAction
from ceo_gym.wrappers.flatten_action_box import FlattenActionBox
from ceo_gym.wrappers.flatten_action_discrete import FlattenActionDiscrete
from ceo_gym.wrappers.growth_reward import GrowthReward
from ceo_gym.wrappers.reward_scale import RewardScale
from ceo_gym.wrappers.symlog_observation import SymlogObservation
from ceo_gym.wrappers.target_action import TargetAction
from ceo_gym.wrappers.tool_action import ToolAction

__all__ = [
    "CodeAction",
    "FlattenActionBox",
    "FlattenActionDiscrete",
    "GrowthReward",
    "RewardScale",
    "SymlogObservation",
    "TargetAction",
    "ToolAction",
]
