"""The line to the company: one request, one answer, both JSON with their length before them."""

from __future__ import annotations

import json
import os
import socket
import struct
import sys
import threading
import traceback
from collections.abc import Mapping
from typing import Any

LENGTH = struct.Struct(">I")
MAX_REQUEST_BYTES = 4_000_000  # the other side refuses longer ones too


class NovaMindAPIError(Exception):
    """The company refused a call; nothing has changed. `code` names the kind of mistake."""

    def __init__(self, message: str, code: str = "internal") -> None:
        super().__init__(message)
        self.code = code


class Line:
    """A connection on which requests are answered one after the other."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._lock = threading.Lock()
        self._owner = os.getpid()

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """Send a request and wait for the answer.

        Raises:
            NovaMindAPIError: if the line is closed, or this is another process than the program's.
        """
        if os.getpid() != self._owner:
            raise NovaMindAPIError(
                "the company is called from the program itself, not from a process that it "
                "started; hand results over instead"
            )
        data = encode(request)
        with self._lock:
            try:
                self._connection.sendall(LENGTH.pack(len(data)) + data)
                return self.read()
            except (OSError, EOFError) as error:
                raise NovaMindAPIError(f"the line to the company is closed: {error}") from error

    def read(self) -> dict[str, Any]:
        """Read one frame.

        Raises:
            EOFError: if the other side has closed.
        """
        (length,) = LENGTH.unpack(self._exactly(LENGTH.size))
        found: dict[str, Any] = json.loads(self._exactly(length))
        return found

    def _exactly(self, length: int) -> bytearray:
        data = bytearray(length)
        view = memoryview(data)
        at = 0
        while at < length:
            count = self._connection.recv_into(view[at:])
            if not count:
                raise EOFError("the other side is gone")
            at += count
        return data


def encode(request: Mapping[str, Any]) -> bytes:
    """A request as JSON; numbers and arrays of NumPy become plain ones.

    Raises:
        NovaMindAPIError: for what has no form in JSON, or is too long.
    """
    try:
        text = json.dumps(request, default=_plain)
    except (TypeError, ValueError, RecursionError) as error:
        raise NovaMindAPIError(f"this cannot be sent: {error}", "wrong_type") from None
    data = text.encode()
    if len(data) > MAX_REQUEST_BYTES:
        raise NovaMindAPIError(
            f"a call may have {MAX_REQUEST_BYTES:,} bytes, not {len(data):,}", "limit_reached"
        )
    return data


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):  # of NumPy or pandas
        return value.tolist()
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    raise TypeError(f"{type(value).__name__} has no form in JSON")


_line: Line | None = None


def connect(line: Line) -> None:
    """Use a line for all calls from now on."""
    global _line
    _line = line


def ask(tool: str, arguments: Mapping[str, Any] | None = None) -> Any:
    """Call a tool.

    Raises:
        NovaMindAPIError: if it is refused, with the reason, or there is no company.
    """
    if _line is None:
        raise NovaMindAPIError(
            "there is no company here: it is reached from programs that ceo-gym runs, and not "
            "from processes that these start"
        )
    answer = _line.ask({"tool": tool, "args": dict(arguments or {})})
    if "error" in answer:
        raise NovaMindAPIError(str(answer["error"]), str(answer.get("code", "internal")))
    return answer.get("data")


def call(tool: str, args: Mapping[str, Any] | None = None, **named: Any) -> dict[str, Any]:
    """Call any tool by name, those included that no module has: ``call("get_open_threads")``."""
    result: dict[str, Any] = ask(tool, {**(args or {}), **named})
    return result


def query(sql: str) -> dict[str, Any]:
    """Ask the books of the company.

    Args:
        sql: one SELECT in the dialect of SQLite. ``SELECT * FROM schema_columns`` lists the tables
            and their columns.

    Returns:
        ``success``, ``columns``, ``rows`` (one dict a row) and ``row_count``; ``truncated``,
        ``warning`` and ``hint`` where there is reason, which are also printed to stderr.

    Raises:
        NovaMindAPIError: if the query cannot be answered.
    """
    result: dict[str, Any] = ask("query", {"sql": sql})
    for kind in ("warning", "hint"):
        if result.get(kind):
            print(f"{kind}: {result[kind]}", file=sys.stderr)
    return result


def next_week(predictions: Mapping[str, Any], rationale: str) -> dict[str, Any]:
    """Play a week.

    Args:
        predictions: cash in USD expected after 1, 4, 12 and 26 weeks: ``cash_1wk``, ``cash_4wk``,
            ``cash_12wk``, ``cash_26wk``, each ``{"point": .., "lower": .., "upper": ..}`` with
            lower <= point <= upper.
        rationale: why you decided as you did.

    Returns:
        ``success``, ``day`` and ``dashboard``, the report of the week.

    Raises:
        NovaMindAPIError: if the forecast is not of this form, or the game is over.
    """
    given = {"predictions": predictions, "rationale": rationale}
    result: dict[str, Any] = ask("next_week", given)
    return result


def advance(rationale: str = "") -> dict[str, Any]:
    """Play a week without a forecast of one's own; the result is that of `next_week`."""
    result: dict[str, Any] = ask("advance", {"rationale": rationale})
    return result


class Vars:
    """What can be read without a call."""

    @property
    def current_day(self) -> int:
        """Days played so far."""
        day: int = ask("vars")["current_day"]
        return day

    def __dir__(self) -> list[str]:
        return ["current_day"]

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"vars has only current_day, not {name!r}; cash is "
            'nm.query("SELECT SUM(amount) AS cash FROM ledger"), settings are '
            'nm.call("get_current_config")'
        )


vars = Vars()


def show_error(kind: type[BaseException], error: BaseException, trace: Any) -> None:
    """Print an uncaught error; one line for what the company refused."""
    if isinstance(error, NovaMindAPIError):
        print(f"NovaMindAPIError: {error}", file=sys.stderr)
    else:
        # not the interpreter's own hook, which cannot show lines of a text that is no file
        traceback.print_exception(kind, error, trace)
