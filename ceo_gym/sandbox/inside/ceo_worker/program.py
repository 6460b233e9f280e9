"""One program: the life of a forked child, from its limits to its exit status."""

from __future__ import annotations

import atexit
import builtins
import ctypes
import io
import linecache
import os
import resource
import signal
import socket
import sys
import threading
import traceback
import types
from collections.abc import Mapping
from typing import Any, NoReturn

from novamind_api import _client

from ceo_worker import seccomp

_PR_SET_DUMPABLE = 4


def live(limits: Mapping[str, float], contained: bool, line: int, out: int, err: int) -> NoReturn:
    """Be the program that comes down the line; never returns.

    Args:
        limits: of one program, see `ceo_gym.sandbox.Limits`.
        contained: whether there is a box around.
        line: file descriptor of the socket to the company.
        out: where standard output goes.
        err: where standard error goes.
    """
    status = 1
    try:
        _settle(limits, contained, out, err)
        connection = _client.Line(socket.socket(fileno=line))
        program = connection.read()
        # what gets away from who watches the clock, with threads on all processors meanwhile
        seconds = (int(program["wall_s"]) + 1) * (os.cpu_count() or 1)
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
        _client.connect(connection)
        status = run(program)
        status = _last_things(status)
    except BaseException:  # noqa: BLE001 - whatever a program leaves behind must end here
        traceback.print_exc()
    finally:
        os._exit(status)


def _settle(limits: Mapping[str, float], contained: bool, out: int, err: int) -> None:
    worker, group = os.getppid(), os.getpgid(os.getppid())
    os.setsid()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (out, 1), (err, 2)):
        os.dup2(source, target)
    for spare in (nothing, out, err):
        os.close(spare)
    signal.set_wakeup_fd(-1)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    sys.stdout = _stream(1)
    sys.stderr = _stream(2)
    bounds = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_FSIZE: int(limits["file_bytes"]),
        resource.RLIMIT_NOFILE: int(limits["open_files"]),
    }
    if contained:  # elsewhere these would count what is not the program's
        bounds[resource.RLIMIT_NPROC] = int(limits["processes"])
        bounds[resource.RLIMIT_AS] = _mapped_bytes() + int(limits["memory_bytes"])
        bounds[resource.RLIMIT_MEMLOCK] = 0
        bounds[resource.RLIMIT_MSGQUEUE] = 0
    for which, bound in bounds.items():
        resource.setrlimit(which, (bound, bound))
    # every program would draw the same numbers from a generator that is copied with the worker
    if "numpy" in sys.modules:
        sys.modules["numpy"].random.seed()
    if contained:
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 1, 0, 0, 0)  # a program may look at itself
        with open("/proc/self/oom_score_adj", "w") as file:  # the first to go if memory runs out
            file.write("1000")
        seccomp.install(worker, group)


def _mapped_bytes() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _stream(descriptor: int) -> io.TextIOWrapper:
    raw = open(descriptor, "wb", closefd=False)  # noqa: SIM115 - open as long as the program
    return io.TextIOWrapper(raw, encoding="utf-8", errors="backslashreplace", line_buffering=True)


def run(program: Mapping[str, Any]) -> int:
    """Run a source text as `__main__`.

    Args:
        program: ``source``; ``name`` of its file; ``arguments``; ``before``, source that is run in
            the same names first.

    Returns:
        The exit status: 0, 1 after an uncaught error, or what sys.exit said.
    """
    name, source = program["name"], program["source"]
    main = types.ModuleType("__main__")
    main.__dict__.update(__file__=name, __builtins__=builtins)
    sys.modules["__main__"] = main
    sys.argv = [name, *program["arguments"]]
    sys.path.insert(0, os.path.dirname(name) or os.getcwd())
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    try:
        if program["before"]:
            exec(compile(program["before"], "<before>", "exec"), main.__dict__)
        exec(compile(source, name, "exec"), main.__dict__)
    except SystemExit as left:
        return _exit_status(left)
    except BaseException as error:  # noqa: BLE001 - shown as Python shows it, then status 1
        error.__traceback__ = _of_program(error.__traceback__)
        _show(error)
        return 1
    return 0


def _show(error: BaseException) -> None:
    """Show an uncaught error as Python does, by the hook that the program may have set."""
    try:
        sys.excepthook(type(error), error, error.__traceback__)
    except BaseException:  # noqa: BLE001 - a broken hook must not hide the error
        sys.__excepthook__(type(error), error, error.__traceback__)


def _of_program(trace: types.TracebackType | None) -> types.TracebackType | None:
    """A traceback without the lines that started the program."""
    while trace is not None and trace.tb_frame.f_code.co_filename == __file__:
        trace = trace.tb_next
    return trace


def _exit_status(left: SystemExit) -> int:
    if left.code is None:
        return 0
    if isinstance(left.code, int):
        return left.code & 0xFF
    print(left.code, file=sys.stderr)
    return 1


def _last_things(status: int) -> int:
    """What the interpreter does at its end: wait for threads, atexit functions, flush."""
    try:
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
    except SystemExit as left:
        status = _exit_status(left)
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except (OSError, ValueError, AttributeError):
            status = status or 120  # as Python does
    return status
