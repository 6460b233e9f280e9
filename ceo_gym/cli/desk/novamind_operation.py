"""The command ``novamind-operation``: a player's door to one session, from a terminal.

This file stands alone, with the standard library only, so that it starts at once and can be run
where the package is not installed. It sends what is asked to the process that has the session open,
and starts that process if it does not run.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

SOCKET, LOG = "bin/desk.sock", "desk.log"
HORIZONS = ("1wk", "4wk", "12wk", "26wk")
_BOUNDS = ("point", "lower", "upper")
CAN_MEET = hasattr(socket, "AF_UNIX")  # whether processes can meet at a file
_START_S = 120.0  # a large company is read, and what came after its last week is done again
_READ_BYTES = 1 << 16
_FIELDS = {
    "new-session": ("days", "seed", "cash"),
    "next-week": ("rationale", "numbers"),
    "python": ("arguments",),
    "python-c": ("code",),
    "query": ("sql",),
    "history": ("tail",),
    "call": ("tool",),
}


class DeskError(RuntimeError):
    """The session cannot be reached."""


def parser(prog: str) -> argparse.ArgumentParser:
    """The subcommands."""
    made = argparse.ArgumentParser(prog=prog, description="Run a company from a terminal.")
    add_commands(made)
    return made


def add_commands(made: argparse.ArgumentParser) -> Any:
    """Add the subcommands to a parser; returns argparse's action, to which others can be added."""
    commands = made.add_subparsers(required=True, metavar="COMMAND", dest="command")

    def command(name: str, words: str) -> argparse.ArgumentParser:
        added: argparse.ArgumentParser = commands.add_parser(name, help=words, description=words)
        if name not in ("new-session", "list-sessions"):
            added.add_argument("--session", help="its id (default: the latest)")
        return added

    new = command("new-session", "begin a game; prints JSON")
    new.add_argument("--days", type=int, help="horizon in days (default: that of the env)")
    new.add_argument("--seed", type=int, default=42, help="seed of the world (default 42)")
    new.add_argument("--cash", type=float, help="cash at the start in USD (default 1000000)")
    week = command("next-week", "play a week; prints the report")
    week.add_argument("rationale", help="why you decided as you did")
    week.add_argument(
        "numbers",
        nargs=argparse.REMAINDER,
        metavar="NUMBER",
        help="twelve: cash expected after 1, 4, 12 and 26 weeks, each as point, lower, upper",
    )
    script = command("python", "run a Python file")
    script.add_argument("script", type=Path)
    script.add_argument("arguments", nargs=argparse.REMAINDER, metavar="ARGUMENT")
    command("python-c", "run Python code").add_argument("code")
    command("query", "ask the books; prints JSON").add_argument("sql")
    command("status", "where the game stands, as JSON")
    history = command("history", "what was asked, run and played, as JSON")
    history.add_argument("--tail", type=int, default=50, help="how many entries (default 50)")
    command("list-sessions", "all sessions, as JSON")
    command("stop", "save, and end the process that keeps the session")
    command("report", "the report of the day")
    command("guide", "the rules and the tools")
    tool = command("call", "use a tool; prints JSON")
    tool.add_argument("tool")
    tool.add_argument("args", nargs="?", default="{}", help="its arguments, a JSON object")
    return commands


def request_of(given: argparse.Namespace) -> dict[str, Any]:
    """What the command line asks, as the other process understands it.

    Raises:
        DeskError: for a script that cannot be read, or arguments that are not JSON.
    """
    known = {name: getattr(given, name) for name in ("command", *_FIELDS.get(given.command, ()))}
    if given.command == "next-week" and "--session" in given.numbers[:-1]:
        # whatever follows the rationale came with the numbers, so that -1e6 is a number
        at = given.numbers.index("--session")
        given.session = given.numbers[at + 1]
        known["numbers"] = given.numbers[:at] + given.numbers[at + 2 :]
    if given.command == "python":
        try:
            known["code"] = given.script.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise DeskError(f"cannot read {given.script}: {error}") from error
        known["script"] = str(given.script.resolve())
    if given.command == "call":
        try:
            known["args"] = json.loads(given.args)
        except ValueError as error:
            raise DeskError(f"the arguments are not JSON: {error}") from error
    return known


def ask(directory: Path, request: dict[str, Any], start: Sequence[str] = ()) -> dict[str, Any]:
    """Send a request to the process that has a session open.

    Args:
        directory: of the session.
        request: what is asked.
        start: command that starts the process if it does not run.

    Returns:
        ``stdout``, ``stderr`` and ``exit_status``.

    Raises:
        DeskError: if it cannot be reached, or ends before it has answered.
    """
    with reach(directory, start) as connection:
        connection.sendall(json.dumps(request).encode() + b"\n")
        connection.shutdown(socket.SHUT_WR)
        parts = []
        while part := connection.recv(_READ_BYTES):
            parts.append(part)
    try:
        answer: dict[str, Any] = json.loads(b"".join(parts))
    except ValueError as error:
        raise DeskError(
            "the process that keeps the session ended before it had answered; what it has done is "
            "kept: see status and history, then go on"
        ) from error
    return answer


def reach(directory: Path, start: Sequence[str]) -> socket.socket:
    """A connection to the process that has a session open, which is started if it does not run.

    Raises:
        DeskError: if it does not open.
    """
    connection = _try(directory)
    if connection is not None:
        return connection
    if not start:
        raise DeskError(f"no process keeps the session of {directory}")
    try:
        with (directory / LOG).open("ab") as log:
            process = subprocess.Popen(
                start, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
            )
    except OSError as error:
        raise DeskError(f"the process that keeps the session cannot be started: {error}") from error
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        connection = _try(directory)
        if connection is not None:
            process.returncode = 0  # it goes on without us: nobody waits for it
            return connection
        if process.poll() not in (None, 0):
            said = (directory / LOG).read_text(errors="replace").strip().splitlines()
            raise DeskError(said[-1] if said else "the session did not open")
        time.sleep(0.02)
    raise DeskError(f"the session did not open in {_START_S:g} s; see {directory / LOG}")


def _try(directory: Path) -> socket.socket | None:
    connection = socket.socket(socket.AF_UNIX)
    try:
        with within(directory):
            connection.connect(SOCKET)
    except OSError:
        connection.close()
        return None
    return connection


@contextlib.contextmanager
def within(directory: Path) -> Iterator[None]:
    """Be in a folder for a moment: the name of a socket may have some hundred characters only."""
    before = Path.cwd()
    os.chdir(directory)
    try:
        yield
    finally:
        os.chdir(before)


def predictions(numbers: Sequence[str]) -> dict[str, dict[str, float]]:
    """The twelve numbers of ``next-week`` as the tool takes them.

    Raises:
        ValueError: unless there are twelve, and numbers.
    """
    if len(numbers) != len(HORIZONS) * len(_BOUNDS):
        raise ValueError(
            f"next-week takes the rationale and 12 numbers (1, 4, 12, 26 weeks, each point, lower, "
            f"upper), not {len(numbers)}"
        )
    values = iter([float(number.replace(",", "").lstrip("$")) for number in numbers])
    return {f"cash_{h}": {bound: next(values) for bound in _BOUNDS} for h in HORIZONS}


def show(answer: dict[str, Any]) -> int:
    """Print an answer; returns the exit status."""
    sys.stdout.write(answer["stdout"])
    sys.stdout.flush()
    sys.stderr.write(answer["stderr"])
    return int(answer["exit_status"])


def main(argv: Sequence[str]) -> int:
    """Run as the command of one session: DIRECTORY, the command that opens it, --, the words."""
    at = argv.index("--")
    directory, start = Path(argv[0]), list(argv[1:at])
    given = parser("novamind-operation").parse_args(argv[at + 1 :])
    try:
        request = request_of(given)
        if getattr(given, "session", None) not in (None, directory.name):
            raise DeskError(f"this desk is that of {directory.name}, not of {given.session}")
        return show(ask(directory, request, start))
    except DeskError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
    sys.exit(main(sys.argv[1:]))
