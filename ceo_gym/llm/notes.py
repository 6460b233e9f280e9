"""The notes of an agent: a file in its workspace, which programs may write to as well."""

from __future__ import annotations

import os
import stat
from pathlib import Path

NAME = "MEMORY.md"
SEEN_CHARACTERS = 40_000
MOST_CHARACTERS = 400_000


def read(workspace: Path) -> str:
    """The notes, cut to what is shown; empty if there are none.

    Programs may have put anything in its place, a link or a pipe for instance, which is not read.
    """
    try:
        # a link may lead out of the workspace, and opening a pipe would wait for a writer
        number = os.open(workspace / NAME, os.O_RDONLY | _flag("O_NOFOLLOW") | _flag("O_NONBLOCK"))
    except OSError:
        return ""
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        return ""
    with open(number, "rb") as file:
        text = file.read(4 * SEEN_CHARACTERS).decode(errors="replace")
    if len(text) <= SEEN_CHARACTERS:
        return text
    return (
        f"{text[:SEEN_CHARACTERS]}\n... (only the first {SEEN_CHARACTERS:,} characters are shown)"
    )


def write(workspace: Path, text: str) -> None:
    """Replace the notes.

    Raises:
        ValueError: if the text is too long, or a folder is in the place of the file.
    """
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"notes have at most {MOST_CHARACTERS:,} characters, not {len(text):,}")
    workspace.mkdir(parents=True, exist_ok=True)
    beside = workspace / f".{NAME}.tmp"
    beside.unlink(missing_ok=True)
    # made anew, so that nothing is written through a link
    number = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    with open(number, "wb") as file:
        file.write(text.encode(errors="backslashreplace"))
    if hasattr(os, "chown") and os.geteuid() == 0:
        owner = os.lstat(workspace).st_uid  # that of programs, which may write to it
        os.chown(beside, owner, owner, follow_symlinks=False)
    try:
        os.replace(beside, workspace / NAME)
    except OSError as error:
        raise ValueError(f"{NAME} cannot be written: {error}") from error


def _flag(name: str) -> int:
    """A flag of open, 0 on systems that do not have it."""
    return int(getattr(os, name, 0))
