"""While a program runs: its calls are answered, its output is kept, its limits are watched."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import socket
import struct
import time
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ceo_gym.sandbox.limits import Limits
from ceo_gym.sandbox.worker import End, Worker

Handle = Callable[[str], Mapping[str, Any]]

LENGTH = struct.Struct(">I")  # as in inside/novamind_api/_client.py
REQUEST_BYTES = 4_200_000  # the client refuses to send more than 4,000,000
ANSWER_BYTES = 2**25
_CHUNK = 65_536
_KEEPS_CALLING = 1_000  # refused calls after which a program is ended
_SEND_S = 10.0  # a program that waits for an answer takes it at once
_LEAST_SEND_S = 1.0
_DRAIN_S = 1.0
_KILLED = 137  # exit status of what is ended from outside, as shells say it


class Outcome(NamedTuple):
    """What became of a program.

    Attributes:
        stdout: what it printed; the middle of a long text is left out.
        stderr: likewise, and a last line that begins with "stopped:" if it was ended.
        exit_code: 0 to 255; 137 if it was ended.
        stopped: why it was ended, empty if it ended by itself.
        seconds: of its own.
        answer_seconds: in which it waited for answers.
        calls: how many requests it sent.
    """

    stdout: str
    stderr: str
    exit_code: int
    stopped: str
    seconds: float
    answer_seconds: float
    calls: int


class Kept:
    """Beginning and end of a stream of bytes."""

    def __init__(self, characters: int) -> None:
        self.total = 0
        self._half = characters // 2
        self._head, self._tail = bytearray(), bytearray()

    def add(self, data: bytes) -> None:
        """Add what came."""
        self.total += len(data)
        room = self._half - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        if len(self._tail) > 4 * self._half + _CHUNK:
            del self._tail[: len(self._tail) - self._half]

    def text(self) -> str:
        """Both, with a line between them that says how much is left out."""
        head, tail = self._head.decode(errors="replace"), self._tail
        if self.total <= 2 * self._half:
            return (self._head + tail).decode(errors="replace")
        left_out = self.total - len(self._head) - self._half
        end = tail[len(tail) - self._half :].decode(errors="replace")
        return f"{head}\n... {left_out:,} bytes are left out here ...\n{end}"


class Conversation:
    """One program on a worker.

    Args:
        worker: one that is ready.
        program: what the child reads first, see inside/ceo_worker/program.py.
        handle: answers a request, a text, with ``data`` or ``error`` and ``code``.
        limits: of the program.
    """

    def __init__(
        self, worker: Worker, program: Mapping[str, Any], handle: Handle, limits: Limits
    ) -> None:
        self._worker, self._program = worker, program
        self._handle, self._limits = handle, limits
        self._kept = Kept(limits.kept_characters), Kept(limits.kept_characters)
        self._received = bytearray()
        self._calls, self._sent_bytes, self._answer_s = 0, 0, 0.0
        self._start = time.monotonic()
        self._stopped = ""
        self._end: End | None = None

    def run(self) -> Outcome:
        """Run the program to its end; the worker is stopped if the program had to be ended.

        Raises:
            ConnectionError: if the worker is gone before the program has begun; nothing was run.
        """
        line, inner = socket.socketpair()
        out, out_inner = os.pipe()
        err, err_inner = os.pipe()
        for stream, stream_inner in ((out, out_inner), (err, err_inner)):
            # a program can read its own pipe: then nothing is there where something was
            os.set_blocking(stream, False)
            if self._worker.user is not None:
                os.fchown(stream_inner, self._worker.user, -1)  # so that /dev/stdout can be opened
        try:
            try:
                self._worker.begin(inner.fileno(), out_inner, err_inner)
            finally:
                inner.close()
                os.close(out_inner)
                os.close(err_inner)
            self._start = time.monotonic()
            with selectors.DefaultSelector() as selector:
                self._serve(selector, line, out, err)
        finally:
            if self._end is None:
                self._worker.stop()
            line.close()
            os.close(out)
            os.close(err)
        return self._outcome()

    def _outcome(self) -> Outcome:
        stdout, stderr = (kept.text() for kept in self._kept)
        if self._stopped:
            stderr += f"{'' if stderr.endswith(chr(10)) or not stderr else chr(10)}"
            stderr += f"stopped: {self._stopped}\n"
        status = _KILLED if self._stopped or self._end is None else self._end.status
        return Outcome(
            stdout, stderr, status, self._stopped, self._own_s(), self._answer_s, self._calls
        )

    def _is_over(self) -> bool:
        return bool(self._stopped) or self._end is not None

    def _own_s(self) -> float:
        return time.monotonic() - self._start - self._answer_s

    # --- the loop ---

    def _serve(
        self, selector: selectors.BaseSelector, line: socket.socket, out: int, err: int
    ) -> None:
        printed = self._printed(selector, out, 0), self._printed(selector, err, 1)
        selector.register(self._worker.control, selectors.EVENT_READ, self._over)
        selector.register(out, selectors.EVENT_READ, printed[0])
        selector.register(err, selectors.EVENT_READ, printed[1])
        selector.register(line, selectors.EVENT_READ, lambda: self._asked(selector, line))
        self._send(line, self._program)
        while not self._is_over():
            left = self._limits.wall_s - self._own_s()
            if left <= 0:
                self._stopped = f"the program ran longer than {self._limits.wall_s:g} s"
                break
            for key, _ in selector.select(left):
                key.data()
                if self._is_over():
                    break
        selector.unregister(self._worker.control)
        self._finish(selector, line, {out, err})

    def _finish(
        self, selector: selectors.BaseSelector, line: socket.socket, streams: set[int]
    ) -> None:
        """Take what is still on the way: the last output, and a call that was sent in full."""
        if self._end is not None and not self._stopped:
            while line in selector.get_map() and not self._stopped and _has_data(line):
                self._asked(selector, line)
        deadline = time.monotonic() + _DRAIN_S
        while time.monotonic() < deadline:
            ready = [key for key, _ in selector.select(0) if key.fd in streams]
            for key in ready:
                key.data()
            if not ready or self._end is None:  # one that is not over could go on printing
                return

    def _over(self) -> None:
        self._end = self._worker.end()
        if self._end is None:
            self._stopped = "the program ended its own worker"
        elif self._end.reason == "memory":
            mebibytes = self._limits.memory_bytes // 2**20
            self._stopped = f"the program used more than {mebibytes:,} MiB of memory"
        elif self._end.reason == "workspace":
            self._stopped = "the program wrote too much to the workspace, or closed a folder of it"
        elif self._end.reason == "scratch":
            self._stopped = "the program made too many files in /tmp or /dev/shm"

    def _printed(self, selector: selectors.BaseSelector, source: int, which: int) -> Any:
        def read() -> None:
            try:
                data = os.read(source, _CHUNK)
            except BlockingIOError:
                return
            if not data:
                selector.unregister(source)
                return
            self._kept[which].add(data)
            total = sum(kept.total for kept in self._kept)
            if total > self._limits.output_bytes and not self._stopped:
                most = self._limits.output_bytes // 2**20
                self._stopped = f"the program printed more than {most:,} MiB"

        return read

    # --- requests ---

    def _asked(self, selector: selectors.BaseSelector, line: socket.socket) -> None:
        """Take what came on the line, and answer it if it is a whole request."""
        try:
            data = line.recv(_CHUNK, socket.MSG_DONTWAIT)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            selector.unregister(line)
            return
        self._received += data
        self._sent_bytes += len(data)
        if self._sent_bytes > self._limits.sent_bytes:
            most = self._limits.sent_bytes // 2**20
            self._stopped = f"the program sent more than {most:,} MiB to the company"
            return
        # a program waits for its answer, so that there is one request at a time
        if len(self._received) < LENGTH.size:
            return
        (length,) = LENGTH.unpack_from(self._received)
        if length > REQUEST_BYTES or len(self._received) > LENGTH.size + length:
            self._stopped = "the program sent something else than a call to the company"
            return
        if len(self._received) == LENGTH.size + length:
            request = bytes(self._received[LENGTH.size :])
            self._received.clear()
            self._send(line, self._answered(request))

    def _answered(self, request: bytes) -> Mapping[str, Any]:
        self._calls += 1
        if self._calls > self._limits.calls:
            if self._calls > self._limits.calls + _KEEPS_CALLING:
                self._stopped = "the program does not stop calling the company"
            return _refusal("limit_reached", f"a program may call {self._limits.calls:,} times")
        if self._answer_s > self._limits.answers_s:
            return _refusal(
                "limit_reached",
                f"the company has worked {self._limits.answers_s:g} s for this program, which is "
                "the most; go on in another program",
            )
        begun = time.monotonic()
        try:
            return self._handle(request.decode(errors="replace"))
        finally:
            self._answer_s += time.monotonic() - begun

    def _send(self, line: socket.socket, message: Mapping[str, Any]) -> None:
        data = _encoded(message)
        if len(data) > ANSWER_BYTES:
            data = _encoded(
                _refusal(
                    "limit_reached",
                    f"the answer has {len(data):,} bytes, and the most is {ANSWER_BYTES:,}; ask "
                    "for less at a time",
                )
            )
        # not longer than the program has left, but a little
        line.settimeout(min(_SEND_S, max(self._limits.wall_s - self._own_s(), _LEAST_SEND_S)))
        try:
            line.sendall(LENGTH.pack(len(data)) + data)
        except TimeoutError:
            self._stopped = "the program does not take its answer"
        except OSError:
            pass  # it is over: the worker will say so
        finally:
            line.settimeout(None)


def _encoded(message: Mapping[str, Any]) -> bytes:
    # lone surrogates come from programs and may go back to them
    return json.dumps(message, ensure_ascii=False).encode(errors="surrogatepass")


def _has_data(line: socket.socket) -> bool:
    with contextlib.suppress(OSError):
        return bool(line.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
    return False


def _refusal(code: str, message: str) -> dict[str, Any]:
    return {"error": message, "code": code}
