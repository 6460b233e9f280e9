"""The folder that programs write to: its owner, its size, and what is removed if it is too large.

Whatever lies in it was put there by programs that are not to be trusted, and one of them may be
running. So one goes from open folder to open folder and never by a path of several names, of which
one may have become a link meanwhile; links are never followed, and no file is opened.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

_FIRST_USER, _USERS = 61_184, 4_336  # numbers that systems leave to services without an account
_DEEPEST, _LONGEST = 64, 2_000  # folders in folders, bytes of the path of one
_BLOCK = 512
# Windows lacks both, and has no box either: there this module is only imported
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


class Entry(NamedTuple):
    """One file or folder in a folder.

    Attributes:
        path: relative to the folder.
        size_bytes: the room that it takes on the disk.
        is_folder: whether it is one, and not a link to one.
        too_deep: whether it is a folder that is nested too deeply, or has too long a path.
    """

    path: str
    size_bytes: int
    is_folder: bool
    too_deep: bool


class _Found(NamedTuple):
    """The same while the folder is walked: its name in the folder that is open."""

    parent: int
    name: str
    path: str
    about: os.stat_result
    too_deep: bool


def entries(folder: Path) -> Iterator[Entry]:
    """All that is in a folder; what is nested too deeply is told but not entered."""
    try:
        opened = _opened(folder)
    except FileNotFoundError:
        return  # there is nothing
    for found in _walk(opened):
        is_folder = stat.S_ISDIR(found.about.st_mode)
        yield Entry(found.path, found.about.st_blocks * _BLOCK, is_folder, found.too_deep)


def is_over(folder: Path, max_bytes: int, max_entries: int) -> bool:
    """Whether a folder is over the limits."""
    total = 0
    for count, entry in enumerate(entries(folder), 1):
        total += entry.size_bytes
        if total > max_bytes or count > max_entries or entry.too_deep:
            return True
    return False


def fit(folder: Path, max_bytes: int, max_entries: int) -> list[str]:
    """Remove what is over the limits: too deep folders, then the largest files, then the last.

    Returns:
        The paths of what was removed, relative to the folder.
    """
    found = list(entries(folder))
    removed = [entry.path for entry in found if entry.too_deep]
    found = [entry for entry in found if not entry.too_deep]
    total, left = sum(entry.size_bytes for entry in found), []
    for entry in sorted(found, key=lambda e: (-e.size_bytes, e.path)):
        if total > max_bytes and not entry.is_folder:
            total -= entry.size_bytes
            removed.append(entry.path)
        else:
            left.append(entry.path)
    removed += sorted(left)[max_entries:]
    top = _opened(folder)
    try:
        for path in removed:
            _remove(top, path)
    finally:
        os.close(top)
    return removed


def remove(folder: Path) -> None:
    """Remove a folder with all that is in it, deep or closed; what cannot be removed stays."""
    with contextlib.suppress(OSError):
        top = _opened(folder)
        try:
            _discard(top, os.listdir(top))
        finally:
            os.close(top)
        os.rmdir(folder)


def user_of(folder: Path) -> int:
    """The user in whose name programs run when we are root; the folder becomes theirs.

    Folders differ in their user as far as there are enough, so that the limit of processes of one
    does not count those of another.
    """
    about = os.lstat(folder)
    owner = about.st_uid
    if not _FIRST_USER <= owner < _FIRST_USER + _USERS:
        owner = _FIRST_USER + about.st_ino % _USERS
        os.chown(folder, owner, owner, follow_symlinks=False)
    for found in _walk(_opened(folder)):
        if found.about.st_uid != owner:
            with contextlib.suppress(FileNotFoundError):
                os.chown(found.name, owner, owner, dir_fd=found.parent, follow_symlinks=False)
    return owner


def _walk(folder: int, path: str = "", depth: int = 0) -> Iterator[_Found]:
    """All that is in an open folder, which is closed at the end; nothing deeper than the limit."""
    try:
        with os.scandir(folder) as listed:
            for entry in listed:
                try:
                    about = entry.stat(follow_symlinks=False)
                except OSError:
                    continue  # gone meanwhile
                inner, here = stat.S_ISDIR(about.st_mode), f"{path}{entry.name}"
                deep = depth >= _DEEPEST or len(os.fsencode(here)) > _LONGEST - len("./")
                yield _Found(folder, entry.name, here, about, inner and deep)
                if inner and not deep:
                    try:
                        opened = _opened(entry.name, folder)
                    except OSError:
                        continue  # gone, or something else by now
                    yield from _walk(opened, f"{here}/", depth + 1)
    finally:
        os.close(folder)


def _opened(name: str | Path, parent: int | None = None) -> int:
    """A folder, opened; one that a program has closed becomes accessible to its owner again."""
    try:
        folder = os.open(name, _FOLDER, dir_fd=parent)
    except PermissionError:
        if not hasattr(os, "O_PATH"):
            raise
        handle = os.open(name, os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parent)
        try:
            os.chmod(f"/proc/self/fd/{handle}", stat.S_IRWXU)  # this very folder
        finally:
            os.close(handle)
        folder = os.open(name, _FOLDER, dir_fd=parent)
    mode = os.fstat(folder).st_mode
    if mode & stat.S_IRWXU != stat.S_IRWXU:
        with contextlib.suppress(OSError):  # somebody else's
            os.fchmod(folder, stat.S_IMODE(mode) | stat.S_IRWXU)
    return folder


def _remove(top: int, path: str) -> None:
    """Remove a file or a folder with all that is in it, as far as it can be removed.

    Args:
        top: an open folder.
        path: relative to it.
    """
    *folders, name = path.split("/")
    parent = os.dup(top)
    try:
        for folder in folders:
            inner = _opened(folder, parent)
            os.close(parent)
            parent = inner
        _discard(top, _taken_out(top, parent, [name]))
    except OSError:
        pass  # gone with a folder that it was in, or replaced meanwhile
    finally:
        os.close(parent)


def _discard(top: int, names: list[str]) -> None:
    """Remove files, and folders with all that is in them, from an open folder."""
    waiting = _taken_out(top, top, names)
    while waiting:
        name = waiting.pop()
        with contextlib.suppress(OSError):
            folder = _opened(name, top)
            try:
                waiting += _taken_out(top, folder, os.listdir(folder))
            finally:
                os.close(folder)
            os.rmdir(name, dir_fd=top)


def _taken_out(top: int, parent: int, names: list[str]) -> list[str]:
    """Remove files from an open folder, and move folders to the top, however deep they were.

    Returns:
        The names of the folders at the top.
    """
    folders = []
    for name in names:
        try:
            os.unlink(name, dir_fd=parent)
        except (IsADirectoryError, PermissionError):  # not all systems say that it is a folder
            moved = f".{secrets.token_hex(16)}"
            with contextlib.suppress(OSError):
                os.close(_opened(name, parent))  # to be moved it must be accessible
                os.rename(name, moved, src_dir_fd=parent, dst_dir_fd=top)
                folders.append(moved)
        except OSError:
            pass
    return folders
