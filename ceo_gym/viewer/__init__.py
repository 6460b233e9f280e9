"""Pages of recorded runs: one HTML file that shows what was decided, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ceo_gym.runs.journal import JOURNAL
from ceo_gym.viewer.data import page_data
from ceo_gym.viewer.page import page
from ceo_gym.viewer.run import Run, Verdict


def load(directory: Path, name: str = "") -> Run:
    """A recorded run, played again.

    Args:
        directory: of a session, or of ``ceo-gym run --out``.
        name: to show; that of the directory unless given.

    Raises:
        ValueError: if the directory holds neither.
        OSError: if it cannot be read.
    """
    from ceo_gym.viewer.journals import load_session
    from ceo_gym.viewer.policies import load_policy

    of = load_session if (directory / JOURNAL).is_file() else load_policy
    return of(directory, name or directory.resolve().name)


def write(runs: Sequence[Run], out: Path) -> Path:
    """Write the page of some runs.

    Args:
        runs: to show, in order.
        out: the file; directories that are missing are made.

    Returns:
        The file.

    Raises:
        OSError: if it cannot be written.
    """
    out.parent.mkdir(parents=True, exist_ok=True)
    out.write_text(page(page_data(runs)), encoding="utf-8", newline="\n")
    return out


__all__ = ["Run", "Verdict", "load", "page", "page_data", "write"]
