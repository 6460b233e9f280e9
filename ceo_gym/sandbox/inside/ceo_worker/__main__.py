"""The worker in the box: Python with NumPy and pandas, which forks one child a program.

Started as ``python -m ceo_worker CONTROL``. On the socket CONTROL it is told its settings and says
b"1" when it is ready. Then, for each program, comes one byte with three file descriptors (the line
to the company, standard output, standard error), and go the number of its process and, at its end,
an answer: reason and exit status. When a program is over, everything that it started is ended, and
what it left in /tmp is removed.
"""

from __future__ import annotations

import array
import contextlib
import ctypes
import gc
import json
import os
import shutil
import signal
import site
import socket
import stat
import struct
import sys
import time

import novamind_api
from novamind_api import _modules

from ceo_worker import program, watch

NUMBER = struct.Struct(">I")
ANSWER = struct.Struct(">BH")  # reason, exit status
_END_S = 5.0
_PR_SET_DUMPABLE = 4


def main() -> None:
    """Get ready, then run programs until the socket is closed."""
    control = socket.socket(fileno=int(sys.argv[1]))
    settings = json.loads(_all(control))
    os.chdir(settings["folder"])
    workspace = os.open(".", os.O_RDONLY)
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
            os.close(workspace)
            program.live(limits, contained, *descriptors)
        for descriptor in descriptors:
            os.close(descriptor)
        control.sendall(NUMBER.pack(child))
        reason = watch.Watch(limits, workspace).wait(child) if contained else watch.EXIT
        _, status = os.waitpid(child, 0)
        if contained:
            is_clean = _end_all() and _tidy(workspace, settings["folder"])
        else:
            is_clean = _end_group(child)
        control.sendall(ANSWER.pack(reason, _exit_status(status)))
        if not is_clean:
            return  # the next program gets a new worker


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


def _end_all() -> bool:
    """End every process of this namespace but this one and the first, and wait for them."""
    deadline = time.monotonic() + _END_S
    try:
        os.kill(-1, signal.SIGKILL)
    except ProcessLookupError:
        return True
    while watch.processes():
        if time.monotonic() > deadline:
            return False
        try:
            if not os.waitpid(-1, os.WNOHANG)[0]:
                time.sleep(0.001)
        except ChildProcessError:
            time.sleep(0.001)  # orphans go to the first process, which waits for them
    return True


def _tidy(workspace: int, path: str) -> bool:
    """Open the workspace again, and remove what a program has left in the folders for scratch.

    Args:
        workspace: file descriptor of it.
        path: where it is mounted, which may be in one of these folders.
    """
    try:
        mode = stat.S_IMODE(os.fstat(workspace).st_mode)
        if mode & stat.S_IRWXU != stat.S_IRWXU:
            os.fchmod(workspace, mode | stat.S_IRWXU)
        for folder in watch.SCRATCH_FOLDERS:
            _clear(folder, path)
    except (OSError, RecursionError):
        return False
    return True


def _clear(folder: str, kept: str) -> None:
    """Remove all that is in a folder but one path and the folders that lead to it."""
    for entry in list(os.scandir(folder)):
        if kept.startswith(f"{entry.path}/"):
            _clear(entry.path, kept)
        elif entry.path == kept:
            continue
        elif entry.is_dir(follow_symlinks=False):
            shutil.rmtree(entry.path)
        else:
            os.unlink(entry.path)


def _end_group(leader: int) -> bool:
    """End what a program has left running, as far as it did not leave its group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(leader, signal.SIGKILL)
    return True


if __name__ == "__main__":
    main()
