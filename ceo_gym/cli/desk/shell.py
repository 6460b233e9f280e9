"""``ceo-gym desk shell``: a player's shell, which sees the desk and nothing behind it."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from ceo_gym.cli.desk import novamind_operation as client
from ceo_gym.cli.desk.home import BIN, VARIABLE, start_command
from ceo_gym.cli.desk.host import write_command
from ceo_gym.sandbox.shell import shell_command
from ceo_gym.sessions.session import WORKSPACE

_LOOK_S = 1.0


def run(directory: Path, words: Sequence[str], writable: Sequence[Path]) -> int:
    """Run a command in the box of a session; returns its exit status.

    Args:
        directory: of the session.
        words: the command; a shell unless given.
        writable: folders that may be written to besides the workspace.

    Raises:
        SandboxError: without bubblewrap.
        DeskError: if the session cannot be opened.
    """
    directory = directory.resolve()
    workspace, commands = directory / WORKSPACE, directory / BIN
    workspace.mkdir(exist_ok=True)
    write_command(directory)
    command = shell_command(
        list(words) or [os.environ.get("SHELL", "/bin/sh")],
        folder=workspace,
        shown=[commands],
        hidden=[directory.parent],
        writable=writable,
    )
    environment = {k: v for k, v in os.environ.items() if k != VARIABLE}
    environment["PATH"] = f"{commands}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    client.ask(directory, {"command": "status"}, start_command(directory))
    over = threading.Event()
    keeper = threading.Thread(target=_keep_open, args=(directory, over))
    keeper.start()
    try:
        return subprocess.run(command, env=environment, check=False).returncode
    finally:
        over.set()
        keeper.join()


def _keep_open(directory: Path, over: threading.Event) -> None:
    """Have a process that keeps the session: nobody in the box can start one."""
    while not over.wait(_LOOK_S):
        try:
            client.reach(directory, start_command(directory)).close()
        except client.DeskError as error:
            print(f"ceo-gym desk: {error}", file=sys.stderr)
