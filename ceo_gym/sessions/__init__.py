"""Interactive games: one env, its journal and its workspace, used by every interactive front."""

from ceo_gym.sessions.decisions import DifferentOutcome
from ceo_gym.sessions.replay import Verified, replay
from ceo_gym.sessions.session import Session

__all__ = ["DifferentOutcome", "Session", "Verified", "replay"]
