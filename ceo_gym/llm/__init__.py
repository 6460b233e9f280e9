"""Language models as players: clients, the loop of an agent, many runs and their report."""

from ceo_gym.llm.agent import Agent
from ceo_gym.llm.messages import Client, ModelError, Price, Reply, ToolUse, Usage
from ceo_gym.llm.offline import Replay, Scripted
from ceo_gym.llm.openai_compatible import OpenAICompatible
from ceo_gym.llm.options import AgentOptions, Budget

__all__ = [
    "Agent",
    "AgentOptions",
    "Budget",
    "Client",
    "ModelError",
    "OpenAICompatible",
    "Price",
    "Replay",
    "Reply",
    "Scripted",
    "ToolUse",
    "Usage",
]
