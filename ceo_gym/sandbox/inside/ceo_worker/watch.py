"""An eye on a program: how much memory and disk all its processes take together."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import stat
import time
from collections.abc import Iterator, Mapping

EXIT, MEMORY, WORKSPACE, SCRATCH = 0, 1, 2, 3  # why a program is over
SCRATCH_FOLDERS = ("/tmp", "/dev/shm")
_LOOK_S = 0.05  # between two looks at memory
_WORKSPACE_LOOK_S = 0.2  # between two looks at the workspace, unless they take long themselves
_WORKSPACE_SHARE = 10  # of the time, one part goes into looks at the workspace
_CLOSE_LOOK_BYTES = 2**28
_SCRATCH_FILES = 10_000  # in each folder; a file takes memory even if it is empty
_DEEPEST, _LONGEST = 64, 2_000  # as in ceo_gym.sandbox.workspace, which removes what is beyond
_RESERVE_BYTES = 2**31  # of the disk, or a tenth of it: what programs leave to others
_OWN_KINDS = ("RssAnon:", "RssShmem:", "VmSwap:")
_SHARED_KINDS = ("Pss_Anon:", "Pss_Shmem:", "SwapPss:")


class Watch:
    """Watches one program.

    Args:
        limits: of a program, see `ceo_gym.sandbox.Limits`.
        workspace: file descriptor of the workspace, which is the working directory as well.
    """

    def __init__(self, limits: Mapping[str, float], workspace: int) -> None:
        self._limits, self._workspace = limits, workspace
        self._next_look, self._free_bytes = 0.0, _free_bytes(workspace)

    def wait(self, child: int) -> int:
        """Wait for the end of a child, which is ended if it takes too much; returns the reason."""
        descriptor, poll = os.pidfd_open(child), select.poll()
        poll.register(descriptor, select.POLLIN)
        try:
            while not poll.poll(1000 * _LOOK_S):
                _take_orphans(child)
                if reason := self._too_much():
                    os.kill(-1, signal.SIGKILL)
                    return reason
        finally:
            os.close(descriptor)
        return EXIT

    def _too_much(self) -> int:
        if _memory_bytes() > self._limits["memory_bytes"]:
            return MEMORY
        if any(_files(folder) > _SCRATCH_FILES for folder in SCRATCH_FOLDERS):
            return SCRATCH
        taken = self._free_bytes - _free_bytes(self._workspace)
        if taken > self._limits["workspace_bytes"] and _is_short(self._workspace):
            return WORKSPACE
        begun = time.monotonic()
        if begun < self._next_look:
            return EXIT
        if self._is_workspace_over(taken):
            return WORKSPACE
        end = time.monotonic()
        self._next_look = end + max(_WORKSPACE_LOOK_S, _WORKSPACE_SHARE * (end - begun))
        return EXIT

    def _is_workspace_over(self, taken: float) -> bool:
        """Whether the workspace is over a limit, or something in it is out of sight."""
        files, total = 0, 0
        try:
            for about in _inside("."):
                files, total = files + 1, total + about.st_blocks * 512
                if files > self._limits["workspace_files"]:
                    return True
        except _HiddenError:
            return True
        if taken > self._limits["workspace_bytes"]:
            total += _removed_bytes(os.fstat(self._workspace).st_dev)
        return total > self._limits["workspace_bytes"]


class _HiddenError(Exception):
    """A program has closed a folder, or nested it too deeply to be looked into."""


def _inside(folder: str) -> Iterator[os.stat_result]:
    """All files and folders in a folder."""
    waiting, user = [(folder, 0, True)], os.geteuid()
    while waiting:
        path, depth, is_own = waiting.pop()
        if depth > _DEEPEST or len(os.fsencode(path)) > _LONGEST:
            raise _HiddenError
        try:
            with os.scandir(path) as found:
                for entry in found:
                    try:
                        about = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                    yield about
                    if stat.S_ISDIR(about.st_mode):
                        waiting.append((entry.path, depth + 1, about.st_uid == user))
        except (FileNotFoundError, NotADirectoryError):
            continue  # gone meanwhile
        except OSError as error:
            if is_own:
                raise _HiddenError from error


def _free_bytes(workspace: int) -> int:
    """Room on the disk of the workspace."""
    about = os.fstatvfs(workspace)
    return about.f_bavail * about.f_frsize


def _is_short(workspace: int) -> bool:
    """Whether the disk is nearly full."""
    about = os.fstatvfs(workspace)
    return _free_bytes(workspace) < min(_RESERVE_BYTES, about.f_blocks * about.f_frsize // 10)


def _files(folder: str) -> int:
    about = os.statvfs(folder)
    return about.f_files - about.f_ffree


def _removed_bytes(device: int) -> int:
    """Size of files on a disk that have no name any more but are still open."""
    sizes: dict[int, int] = {}
    for process in processes():
        with contextlib.suppress(OSError):  # gone, or it hides them
            for descriptor in os.listdir(f"/proc/{process}/fd"):
                with contextlib.suppress(OSError):
                    about = os.stat(f"/proc/{process}/fd/{descriptor}")
                    if about.st_dev == device and not about.st_nlink:
                        sizes[about.st_ino] = about.st_blocks * 512
    return sum(sizes.values())


def processes() -> list[str]:
    """Processes beside this one and the first, which may be the same."""
    own = {"1", str(os.getpid())}
    return [name for name in os.listdir("/proc") if name.isdigit() and name not in own]


def _take_orphans(child: int) -> None:
    """Take note of the ends of orphans, which come to this process if it is the first."""
    look = os.WEXITED | os.WNOHANG | os.WNOWAIT
    while (ended := os.waitid(os.P_ALL, 0, look)) and ended.si_pid != child:
        os.waitpid(ended.si_pid, 0)


def _memory_bytes() -> int:
    """Memory of all programs' processes, as far as it is not shared with this one."""
    quick = {process: _sum(f"/proc/{process}/status", _OWN_KINDS) for process in processes()}
    own = _sum("/proc/self/status", _OWN_KINDS)
    total = sum(quick.values())
    # a fork counts the pages of its parent once more as long as nobody has written to them, so a
    # large sum is looked at closely, which takes longer: a page that n processes share counts as
    # one nth of it
    if total - own < _CLOSE_LOOK_BYTES:
        return max(total - own, 0)
    # a process can hide these numbers
    return sum(
        _sum(f"/proc/{process}/smaps_rollup", _SHARED_KINDS, most)
        for process, most in quick.items()
    )


def _sum(path: str, kinds: tuple[str, ...], otherwise: int = 0) -> int:
    """Bytes of some kinds of memory in a file of /proc, or something else if it cannot be read."""
    try:
        with open(path) as file:
            lines = [line for line in file if line.startswith(kinds)]
        return sum(int(line.split()[1]) * 1024 for line in lines)
    except (OSError, ValueError):
        return otherwise
