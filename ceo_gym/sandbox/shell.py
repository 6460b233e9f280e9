"""A box for a player with a terminal: the machine, read-only, without what is behind the game."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from ceo_gym.sandbox.bubblewrap import find

_PACKAGE = Path(__file__).parents[1]


def shell_command(
    words: Sequence[str],
    *,
    folder: Path,
    shown: Sequence[Path],
    hidden: Sequence[Path],
    writable: Sequence[Path] = (),
) -> list[str]:
    """The command that runs a shell, or a player's program, in a box.

    The network and the environment are those outside, for a player who asks a model for advice.

    Args:
        words: what is run.
        folder: where it begins; it may write there.
        shown: folders in hidden ones that are seen, read-only.
        hidden: folders that are empty in the box; the installed package is one of them.
        writable: further folders that may be written to.

    Raises:
        SandboxError: if bubblewrap is missing.
    """
    command = [find(), "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc"]
    command += ["--tmpfs", "/tmp", "--unshare-pid", "--unshare-ipc", "--die-with-parent"]
    command += ["--cap-drop", "ALL"]
    if os.geteuid() == 0:  # programs run as another user then, whose files root is to change
        for power in ("CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_CHOWN"):
            command += ["--cap-add", power]
    # those that show something again come after those that hide
    for path in (*hidden, _PACKAGE):
        command += ["--tmpfs", str(path.resolve())]
    for path in (folder, *writable):
        command += ["--bind", str(path.resolve()), str(path.resolve())]
    for path in shown:
        command += ["--ro-bind", str(path.resolve()), str(path.resolve())]
    return [*command, "--chdir", str(folder.resolve()), "--", *words]
