"""The folder that programs write to: its owner, its size, and what is removed if it is too large.

Whatever lies in it was put there by programs that are not to be trusted: links are never followed,
and no file is opened.
"""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_FIRST_USER, _USERS = 61_184, 4_336  # numbers that systems leave to services without an account
_DEEPEST = 64  # folders in folders; no path of that depth is too long for a system call
_BLOCK = 512


class Entry(NamedTuple):
    """One file or folder: its path, the room that it takes on the disk, and whether it is deep."""

    path: str
    size_bytes: int
    too_deep: bool


def entries(folder: Path) -> Iterator[Entry]:
    """All that is in a folder; what is nested too deeply is told but not entered."""
    waiting = [(str(folder), 0)]
    while waiting:
        path, depth = waiting.pop()
        try:
            with os.scandir(path) as found:
                listed = list(found)
        except OSError:
            continue  # gone meanwhile
        for entry in listed:
            try:
                about = entry.stat(follow_symlinks=False)
            except OSError:
                continue
            inner = stat.S_ISDIR(about.st_mode)
            yield Entry(entry.path, about.st_blocks * _BLOCK, inner and depth >= _DEEPEST)
            if inner and depth < _DEEPEST:
                waiting.append((entry.path, depth + 1))


def fit(folder: Path, max_bytes: int, max_entries: int) -> list[str]:
    """Remove what is over the limits: too deep folders, then the largest files, then the last.

    Returns:
        The paths of what was removed, relative to the folder.
    """
    _open_up(folder)
    found = list(entries(folder))
    removed = [entry for entry in found if entry.too_deep]
    found = sorted((e for e in found if not e.too_deep), key=lambda e: (-e.size_bytes, e.path))
    total = sum(entry.size_bytes for entry in found)
    for entry in found:
        if total <= max_bytes:
            break
        if not _is_folder(entry.path):
            total -= entry.size_bytes
            removed.append(entry)
    left = [entry for entry in found if entry not in set(removed)]
    removed += sorted(left, key=lambda e: e.path)[max_entries:]
    for entry in removed:
        remove(Path(entry.path))
    return [os.path.relpath(entry.path, folder) for entry in removed]


def is_over(folder: Path, max_bytes: int, max_entries: int) -> bool:
    """Whether a folder is over the limits."""
    total = 0
    for count, entry in enumerate(entries(folder), 1):
        total += entry.size_bytes
        if total > max_bytes or count > max_entries or entry.too_deep:
            return True
    return False


def remove(path: Path) -> None:
    """Remove a file or a folder with all that is in it, however deep; a link itself only."""
    if not _is_folder(str(path)):
        path.unlink(missing_ok=True)
        return
    try:
        shutil.rmtree(path, ignore_errors=False)
    except (OSError, RecursionError):
        # deeper than paths may be long: rm goes from folder to folder
        subprocess.run(["chmod", "-R", "u+rwx", "--", path], capture_output=True, check=False)
        subprocess.run(["rm", "-rf", "--", path], capture_output=True, check=False)


def user_of(folder: Path) -> int:
    """The user in whose name programs run when we are root; the folder becomes theirs.

    Folders differ in their user as far as there are enough, so that the limit of processes of one
    does not count those of another.
    """
    owner = os.lstat(folder).st_uid
    if not _FIRST_USER <= owner < _FIRST_USER + _USERS:
        owner = _FIRST_USER + os.lstat(folder).st_ino % _USERS
    for path in (str(folder), *(entry.path for entry in entries(folder))):
        if os.lstat(path).st_uid != owner:
            os.chown(path, owner, owner, follow_symlinks=False)
    return owner


def _is_folder(path: str) -> bool:
    return os.path.isdir(path) and not os.path.islink(path)


def _open_up(folder: Path) -> None:
    """Make folders readable that a program has closed; as root they are anyway."""
    if os.geteuid() == 0:
        return
    for entry in entries(folder):
        if _is_folder(entry.path) and not os.access(entry.path, os.R_OK | os.W_OK | os.X_OK):
            os.chmod(entry.path, stat.S_IRWXU)
