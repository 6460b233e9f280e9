"""What training needs beside the core, and what it says when that is missing."""

from __future__ import annotations

from importlib.util import find_spec

NEEDS = {"torch": "torch", "stable_baselines3": "stable-baselines3", "sb3_contrib": "sb3-contrib"}


def require_sb3() -> None:
    """Check that the extra ``sb3`` is installed, without importing any of it.

    Raises:
        ModuleNotFoundError: if not, with the pip line.
    """
    missing = [name for module, name in NEEDS.items() if find_spec(module) is None]
    if missing:
        raise ModuleNotFoundError(
            f'training needs {", ".join(missing)}: pip install "ceo-gym[sb3]"'
        )
