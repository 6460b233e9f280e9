"""Recordings and specifications in the folder ``shared`` beside the checkout, if it is there."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / "shared"


def shared_file(name: str) -> Path:
    """A file below ``shared``; skips the test where it is absent."""
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"needs {name} in the folder shared beside the checkout")
    return path
