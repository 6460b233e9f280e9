"""The worker in the box: Python with NumPy and pandas, which forks one child a program.

Started as ``python -m ceo_worker CONTROL``. On the socket CONTROL it is told its settings and says
b"1" when it is ready. Then, for each program, comes one byte with three file descriptors (the line to the company,
standard output, standard error), and go the number of its process and, at its end, an answer:
reason and exit status. When a program is over, everything that it started is ended.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import json
import os
import select
import signal
import site
import socket
import struct
import sys
import time
from collections.abc import Mapping
from typing import Any

import novamind_api
from ceo_worker import program
from novamind_api import _modules

NUMBER = struct.Struct(">I")
ANSWER = struct.Struct(">BH")  # reason, exit status
EXIT, MEMORY, WORKSPACE = 0, 1, 2
_LOOK_S = 0.05  # between two looks at memory
_WORKSPACE_LOOKS = 4  # looks at memory for one at the workspace
_CLOSE_LOOK_BYTES = 2**28
_MANY = 20_000  # entries of the workspace that are looked at
_PR_SET_DUMPABLE = 4


def main() -> None:
    """Get ready, then run programs until the socket is closed."""
    control = socket.socket(fileno=int(sys.argv[1]))
    settings = json.loads(_all(control))
    os.chdir(settings["folder"])
    for name in settings["preload"]:
        __import__(name)
    site.sethelper()  # help(), exit() and quit(), which -S has left out
    site.setquit()
    _modules.install(novamind_api, settings["functions"])
    limits, contained = settings["limits"], _is_contained(settings["outside"])
    if contained:
        # children of one user may otherwise look into the worker and change it
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    gc.collect()
    gc.freeze()  # what is here stays shared with the children
    control.sendall(b"1")
    while descriptors := _next(control):
        child = os.fork()
        if not child:
            control.close()
            program.live(limits, contained, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        control.sendall(NUMBER.pack(child))
        reason = _watch(child, limits) if contained else EXIT
        _, status = os.waitpid(child, 0)
        if contained:
            _end_all()
        else:
            _end_group(child)
        control.sendall(ANSWER.pack(reason, _exit_status(status)))


def _all(control: socket.socket) -> bytes:
    """The settings: their length, then JSON."""
    (length,) = NUMBER.unpack(control.recv(NUMBER.size, socket.MSG_WAITALL))
    return control.recv(length, socket.MSG_WAITALL)


def _next(control: socket.socket) -> list[int]:
    """File descriptors of the next program, none at the end."""
    size = array.array("i").itemsize
    data, ancillary, _, _ = control.recvmsg(1, socket.CMSG_SPACE(3 * size))
    if not data:
        return []
    descriptors = array.array("i")
    for _, _, payload in ancillary:
        descriptors.frombytes(payload)
    return list(descriptors)


def _is_contained(outside: str) -> bool:
    """Whether this is a process namespace of our own, so that all processes in it may be ended.

    Args:
        outside: the namespace of who started the box, empty if there is no box.

    Raises:
        RuntimeError: if there should be one and is not.
    """
    if not outside:
        return False
    if os.readlink("/proc/self/ns/pid") == outside:
        raise RuntimeError("the box has no process namespace of its own")
    return True


def _exit_status(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


def _watch(child: int, limits: Mapping[str, Any]) -> int:
    """Wait for a child, with an eye on memory and workspace; ends it if it takes too much."""
    descriptor = os.pidfd_open(child)
    poll, looks = select.poll(), 0
    poll.register(descriptor, select.POLLIN)
    try:
        while not poll.poll(1000 * _LOOK_S):
            looks += 1
            if _memory_bytes() > limits["memory_bytes"]:
                os.kill(-1, signal.SIGKILL)
                return MEMORY
            if looks % _WORKSPACE_LOOKS == 0 and _too_much(limits):
                os.kill(-1, signal.SIGKILL)
                return WORKSPACE
    finally:
        os.close(descriptor)
    return EXIT


def _others() -> list[str]:
    """Processes beside this one and the first."""
    own = {"1", str(os.getpid())}
    return [name for name in os.listdir("/proc") if name.isdigit() and name not in own]


def _memory_bytes() -> int:
    """Memory of all programs' processes, as far as it is not shared with this one."""
    page = os.sysconf("SC_PAGE_SIZE")
    quick = {process: _private_pages(process) * page for process in _others()}
    own = _private_pages("self") * page
    # a fork counts the pages of its parent once more as long as nobody has written to them, so a
    # large sum is looked at closely, which takes longer
    if sum(quick.values()) - own < _CLOSE_LOOK_BYTES:
        return max(sum(quick.values()) - own, 0)
    return sum(_share(process, most) for process, most in quick.items())


def _private_pages(process: str) -> int:
    try:
        with open(f"/proc/{process}/statm") as file:
            _, resident, shared, *_ = map(int, file.read().split())
    except (OSError, ValueError):
        return 0  # gone meanwhile
    return max(resident - shared, 0)


def _share(process: str, most: int) -> int:
    """Memory of a process, where a page that n processes share counts as one nth of it.

    Args:
        process: its number.
        most: bytes if it cannot be told: a process can hide it.
    """
    try:
        with open(f"/proc/{process}/smaps_rollup") as file:
            lines = file.read().splitlines()
    except OSError:
        return most
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("Pss:")), most)


def _too_much(limits: Mapping[str, Any]) -> bool:
    """Whether the workspace is over a limit, as far as can be seen from in here."""
    entries, total, folders = 0, 0, [os.getcwd()]
    while folders:
        try:
            with os.scandir(folders.pop()) as found:
                for entry in found:
                    entries += 1
                    total += entry.stat(follow_symlinks=False).st_blocks * 512
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    if entries > _MANY:
                        return True
        except OSError:
            continue  # closed to us or gone: what counts is the look after the program
        if total > limits["workspace_bytes"] or entries > limits["workspace_files"]:
            return True
    return False


def _end_all() -> None:
    """End every process of this namespace but this one and the first, and wait for them."""
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return
    deadline = time.monotonic() + 5.0
    while _others() and time.monotonic() < deadline:
        try:
            os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            time.sleep(0.001)  # orphans go to the first process, which waits for them


def _end_group(leader: int) -> None:
    """End what a program has left running, as far as it did not leave its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)


if __name__ == "__main__":
    main()
