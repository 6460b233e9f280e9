"""The process that keeps a session open between the commands of a terminal."""

from __future__ import annotations

import contextlib
import json
import os
import select
import shlex
import shutil
import socket
import stat
import sys
from pathlib import Path

from ceo_gym.cli.desk import novamind_operation as client
from ceo_gym.cli.desk.commands import execute
from ceo_gym.cli.desk.home import BIN, COMMAND, start_command
from ceo_gym.sessions.session import Session

IDLE_S = 1_800.0
_REQUEST_BYTES = 16_000_000
_CLIENT_S = 30.0  # in which a client must have sent what it asks


def write_command(directory: Path) -> Path:
    """Write the executable of a session, outside of the folder that programs can write to."""
    folder = directory.resolve() / BIN
    folder.mkdir(exist_ok=True)
    source = folder / Path(client.__file__).name
    shutil.copyfile(client.__file__, source)
    # the interpreter of a virtual environment may lie where a box does not show it
    python = os.path.realpath(sys.executable)
    words = [python, "-I", str(source), str(directory.resolve())]
    line = shlex.join([*words, *start_command(directory), "--"])
    path = folder / COMMAND
    path.write_text(f'#!/bin/sh\nexec {line} "$@"\n')
    path.chmod(path.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)
    return path


def keep(directory: Path, idle_s: float = IDLE_S) -> None:
    """Open a session and answer requests, one at a time, until `stop` or long silence.

    Args:
        directory: of the session.
        idle_s: seconds without a request after which the session is closed.

    Raises:
        ValueError: if it cannot be opened, see `Session.open`.
    """
    with Session.open(directory) as session, socket.socket(socket.AF_UNIX) as listener:
        write_command(directory)
        with client.within(directory):
            # the session is locked: nobody listens there any more
            Path(client.SOCKET).unlink(missing_ok=True)
            listener.bind(client.SOCKET)
        listener.listen(16)
        try:
            while select.select([listener], [], [], idle_s)[0]:
                connection, _ = listener.accept()
                with connection:
                    if _serve(session, connection) == "stop":
                        return
        finally:
            (directory / client.SOCKET).unlink(missing_ok=True)


def _serve(session: Session, connection: socket.socket) -> str:
    """Answer one request; returns its command."""
    connection.settimeout(_CLIENT_S)
    with contextlib.suppress(OSError):  # a client that has gone: what was done stays done
        try:
            request = json.loads(_received(connection))
        except (ValueError, RecursionError):
            request = None
        printed = execute(session, request)
        connection.sendall(json.dumps(printed._asdict()).encode())
        if not printed.exit_status:
            return str(request["command"])
    return ""


def _received(connection: socket.socket) -> bytes:
    data = bytearray()
    while not data.endswith(b"\n") and len(data) <= _REQUEST_BYTES:
        part = connection.recv(1 << 16)
        if not part:
            break
        data += part
    return bytes(data)
