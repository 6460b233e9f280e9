"""A folder of sessions: which there are, and which is meant."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

from ceo_gym.runs.journal import JOURNAL

VARIABLE = "CEO_GYM_DESK"
BIN, COMMAND = "bin", "novamind-operation"  # of a session
_PREFIX = "session-"


def home_folder(given: Path | None = None) -> Path:
    """Where sessions are: what is given, else ``$CEO_GYM_DESK``, else ``runs/desk``."""
    return given or Path(os.environ.get(VARIABLE) or Path("runs") / "desk")


def session_ids(home: Path) -> list[str]:
    """All sessions of a folder in the order in which they were begun."""
    found = [path.parent.name for path in home.glob(f"*/{JOURNAL}")]
    return sorted(found, key=_order)


def find(home: Path, session: str | None = None) -> Path:
    """The directory of a session, of the latest unless one is named.

    Raises:
        ValueError: if there is none, naming those that there are.
    """
    known = session_ids(home)
    if not known:
        raise ValueError(f"there is no session in {home}; new-session begins one")
    if session is not None and session not in known:
        raise ValueError(f"there is no session {session!r} in {home}; known: {', '.join(known)}")
    return home / (session or known[-1])


def new_directory(home: Path) -> Path:
    """A directory for a new session; made, so that nobody else gets the same."""
    home.mkdir(parents=True, exist_ok=True)
    number = 1 + max((_order(path.name)[0] for path in home.iterdir()), default=0)
    while True:
        directory = home / f"{_PREFIX}{number}"
        try:
            directory.mkdir()
        except FileExistsError:
            number += 1
        else:
            return directory


def _order(name: str) -> tuple[int, str]:
    number = name.removeprefix(_PREFIX)
    return (int(number) if number.isdigit() else 0, name)


def start_command(directory: Path) -> list[str]:
    """The command that keeps a session open."""
    return [sys.executable, "-m", "ceo_gym", "desk", "host", str(directory.resolve())]


def overview(directory: Path) -> dict[str, Any]:
    """What a session is and where it stands, from its journal alone, which is not checked here."""
    lines = [json.loads(line) for line in _whole_lines(directory / JOURNAL)]
    begin = lines[0]
    weeks = [line for line in lines if line["kind"] == "week"]
    ends = [line for line in lines if line["kind"] == "end"]
    return {
        "session_id": directory.name,
        "created_at": begin["created_at"],
        "env": begin["env"],
        "seed": begin["seed"],
        "current_day": weeks[-1]["day"] if weeks else 0,
        "total_days": begin["total_days"],
        "status": ends[-1]["status"] if ends else "running",
    }


def _whole_lines(path: Path) -> list[bytes]:
    # a line that is being written is left for later
    return [line for line in path.read_bytes().splitlines(keepends=True) if line.endswith(b"\n")]
