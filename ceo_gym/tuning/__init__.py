"""Finding good numbers for a policy: a search on tuning seeds that can be interrupted."""

from ceo_gym.tuning.api import Tuning, tune

__all__ = ["Tuning", "tune"]
