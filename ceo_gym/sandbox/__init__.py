"""Runs programs that are not to be trusted. Stands alone: it knows no world and no environment."""

from ceo_gym.sandbox.conversation import Handle, Outcome
from ceo_gym.sandbox.errors import SandboxError
from ceo_gym.sandbox.limits import Limits
from ceo_gym.sandbox.sandbox import Sandbox

__all__ = ["Handle", "Limits", "Outcome", "Sandbox", "SandboxError"]
