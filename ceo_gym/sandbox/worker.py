"""The process that runs programs, seen from outside: start it, hand it a program, end it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple

from ceo_gym.sandbox import bubblewrap
from ceo_gym.sandbox.errors import SandboxError
from ceo_gym.sandbox.limits import Limits
from ceo_gym.sandbox.workspace import user_of

NUMBER, ANSWER = struct.Struct(">I"), struct.Struct(">BH")  # as in inside/ceo_worker
REASONS = ("exit", "memory", "workspace", "scratch")
START_S = 60.0
_STOP_S = 5.0


class End(NamedTuple):
    """How a program ended: the reason and the exit status."""

    reason: str
    status: int


class Worker:
    """A running worker. It ends with this process, or with `stop`.

    Args:
        workspace: folder of the programs.
        mounted: the path under which they see it.
        functions: of the client package, see `ceo_gym.sandbox.Sandbox`.
        limits: of each program.
        unsafe: run without a box.

    Raises:
        SandboxError: if it does not start, with what it said.
    """

    def __init__(
        self,
        workspace: Path,
        mounted: str,
        functions: Sequence[Mapping[str, Any]],
        limits: Limits,
        unsafe: bool,
    ) -> None:
        self.unsafe, self._ready = unsafe, False
        self._owner = os.getpid()
        self._program = 0  # process of the program that runs
        self.user: int | None = None  # of programs, if it is not that of this process
        self._told, self._box = -1, -1  # pipe of bubblewrap; its first process inside
        self.control, inner = socket.socketpair()
        self._complaints: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - closed by stop
        with inner:
            number = inner.fileno()
            if unsafe:
                command = [sys.executable, *bubblewrap.WORKER, str(number)]
                path = os.environ.get("PYTHONPATH", "")
                environment = bubblewrap.environment(mounted, path, str(bubblewrap.INSIDE))
            else:
                self.user = user_of(workspace) if os.geteuid() == 0 else None
                self._told, teller = os.pipe()
                command = bubblewrap.command(
                    workspace, mounted, number, teller, limits.scratch_bytes, self.user
                )
                # the first process in the box keeps it where programs may be able to read it
                environment = {"PATH": os.environ.get("PATH", os.defpath)}
            passed = (number,) if unsafe else (number, teller)
            try:
                self._process = subprocess.Popen(
                    command,
                    stdin=subprocess.DEVNULL,
                    stdout=self._complaints,
                    stderr=self._complaints,
                    pass_fds=passed,
                    env=environment,
                    cwd=workspace,
                    start_new_session=True,
                )
            except OSError as error:
                self._close()
                raise SandboxError(f"the worker for programs did not start: {error}") from error
            finally:
                if not unsafe:
                    os.close(teller)
        settings = {
            "folder": mounted,
            "preload": bubblewrap.PRELOAD,
            "functions": list(functions),
            "limits": limits.as_dict(),
            "outside": "" if unsafe else os.readlink("/proc/self/ns/pid"),
        }
        text = json.dumps(settings).encode()
        try:
            self.control.sendall(NUMBER.pack(len(text)) + text)
        except OSError as error:
            raise self._failure() from error

    def wait_until_ready(self) -> None:
        """Wait until the worker can take programs.

        Raises:
            SandboxError: if it ends instead, or takes too long.
        """
        if not self._ready:
            self.control.settimeout(START_S)
            try:
                self._ready = self.control.recv(1) == b"1"
            except OSError:
                self._ready = False
            if not self._ready:
                raise self._failure()
            self._box = self._first_process()

    def _first_process(self) -> int:
        """The first process in the box, with which all others end, as a file descriptor."""
        if self._told < 0:
            return -1
        with contextlib.suppress(OSError, ValueError, KeyError):
            return os.pidfd_open(json.loads(os.read(self._told, 4096))["child-pid"])
        return -1  # an old kernel: then nobody waits for the very last of them

    def begin(self, line: int, out: int, err: int) -> None:
        """Hand over a program: its line to the company, and where its output goes.

        Raises:
            ConnectionResetError: if the worker is gone.
        """
        try:
            socket.send_fds(self.control, [b"p"], [line, out, err])
            data = self.control.recv(NUMBER.size, socket.MSG_WAITALL)
        except OSError as error:
            raise ConnectionResetError(f"the worker does not answer: {error}") from error
        if len(data) < NUMBER.size:
            raise ConnectionResetError("the worker is gone")
        (self._program,) = NUMBER.unpack(data)

    def end(self) -> End | None:
        """How the program ended, once `control` can be read; None if the worker is gone."""
        try:
            data = self.control.recv(ANSWER.size, socket.MSG_WAITALL)
        except OSError:
            data = b""
        if len(data) < ANSWER.size:
            return None
        self._program = 0
        reason, status = ANSWER.unpack(data)
        return End(REASONS[reason] if reason < len(REASONS) else REASONS[0], status)

    @property
    def is_alive(self) -> bool:
        """Whether the process runs, and was started by this one and not before a fork."""
        return os.getpid() == self._owner and self._process.poll() is None

    def stop(self) -> None:
        """End the worker and all that it started; may be called twice.

        In a process that was forked from the one that started it, the worker is only forgotten.
        """
        if os.getpid() == self._owner:
            self._end()
        else:
            self._process.poll()  # finds that it is no child of ours, and lets go of it
        self._close()

    def _close(self) -> None:
        self.control.close()
        self._complaints.close()
        for descriptor in (self._told, self._box):
            if descriptor >= 0:
                os.close(descriptor)
        self._told = self._box = -1

    def _end(self) -> None:
        if self.unsafe and self._program:
            # here no namespace ends what programs have started: they are groups of their own
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._program, signal.SIGKILL)
            self._program = 0
        if self._process.poll() is None:
            self._process.kill()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_STOP_S)
        if self._box >= 0:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(self._box, signal.SIGKILL)
            # it is the last to go: the kernel ends all others of its namespace before
            ended = select.poll()
            ended.register(self._box, select.POLLIN)
            ended.poll(1000 * _STOP_S)
        elif not self.unsafe and self.control.fileno() >= 0:
            self._wait_for_hang_up()

    def _wait_for_hang_up(self) -> None:
        """Until the worker in the box is gone, which holds the other end of the socket."""
        deadline = time.monotonic() + _STOP_S
        with contextlib.suppress(OSError):
            while (left := deadline - time.monotonic()) > 0:
                self.control.settimeout(left)
                if not self.control.recv(4096):
                    return

    def _failure(self) -> SandboxError:
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1.0)
        self._complaints.seek(0)
        said = self._complaints.read(4_000).decode(errors="replace").strip()
        self.stop()
        advice = "" if self.unsafe else f" (bubblewrap is needed: {bubblewrap.INSTALL})"
        return SandboxError(f"the worker for programs did not start{advice}: {said or 'no word'}")
