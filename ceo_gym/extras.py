"""What a part of the package needs beside the core, and what it says when that is missing."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec


def require(what: str, extra: str, needs: Mapping[str, str]) -> None:
    """Check that the packages of an extra are installed, without importing any of them.

    Args:
        what: the part that needs them, for the message.
        extra: its name in ``pip install "ceo-gym[...]"``.
        needs: names of modules -> names of their packages.

    Raises:
        ModuleNotFoundError: if one is missing, with the pip line.
    """
    missing = [package for module, package in needs.items() if find_spec(module) is None]
    if missing:
        raise ModuleNotFoundError(
            f'{what} needs {", ".join(missing)}: pip install "ceo-gym[{extra}]"'
        )
