"""What training needs beside the core."""

from __future__ import annotations

from ceo_gym.extras import require

NEEDS = {"torch": "torch", "stable_baselines3": "stable-baselines3", "sb3_contrib": "sb3-contrib"}


def require_sb3() -> None:
    """Check that the extra ``sb3`` is installed, without importing any of it.

    Raises:
        ModuleNotFoundError: if not, with the pip line.
    """
    require("training", "sb3", NEEDS)
