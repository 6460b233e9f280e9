"""What the attacks have in common: a company to attack, and what must hold after each."""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym
import pytest

import ceo_gym  # noqa: F401 - registers the environments
from ceo_gym.sandbox import Limits, SandboxError, bubblewrap
from ceo_gym.wrappers.code_action import CodeAction

MIB = 2**20
SECRET = "the-secret-of-the-host"
LIMITS = Limits(
    wall_s=1.5,
    calls=300,
    memory_bytes=256 * MIB,
    output_bytes=4 * MIB,
    kept_characters=20_000,
    file_bytes=8 * MIB,
    workspace_bytes=16 * MIB,
    workspace_files=500,
    scratch_bytes=8 * MIB,
    sent_bytes=16 * MIB,
)
BOUND_S = 20.0  # of a program with its limits on a slow machine; endless is what it must not be

# what programs of attacks begin with: an attempt that works says DONE
HEAD = """\
import ctypes, errno, fcntl, glob, json, os, resource, signal, socket, struct, subprocess, sys
import threading, time
import novamind_api as nm
libc = ctypes.CDLL(None, use_errno=True)

def attempt(act, *arguments, name=""):
    name = name or getattr(act, "__name__", "it")
    try:
        result = act(*arguments)
    except BaseException as error:
        print(name, "refused:", type(error).__name__, str(error)[:200])
    else:
        print(name, "DONE:", repr(result)[:200])

def call(number, *arguments):
    arguments = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    if libc.syscall(ctypes.c_long(number), *arguments) < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))

def line():
    return nm._client._line._connection

def send(body, length=None):
    line().sendall(struct.pack(">I", len(body) if length is None else length) + body)

def answer():
    return nm._client._line.read()

"""


class Attack(NamedTuple):
    """A program and what it must come to, as patterns.

    Attributes:
        name: of the test.
        program: what comes after `HEAD`.
        stdout: what must be printed; what must never be is DONE.
        stderr: likewise.
        exit_code: likewise, any if None.
        refusals: how many attempts must have been refused, at least.
    """

    name: str
    program: str
    stdout: str = ""
    stderr: str = ""
    exit_code: int | None = None
    refusals: int = 0


def why_not() -> str:
    """Why programs cannot be boxed here, empty if they can."""
    try:
        found = bubblewrap.find()
    except SandboxError as error:
        return str(error)
    tried = subprocess.run(
        [found, "--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "true"],
        capture_output=True,
        text=True,
        check=False,
    )
    return tried.stderr.strip() and f"bubblewrap does not work here: {tried.stderr.strip()}"


class Game:
    """A company in its second week, with programs against it, one after the other."""

    def __init__(self) -> None:
        self.home = Path(tempfile.mkdtemp(prefix="ceo-gym-attacks-"))
        self.home.chmod(0o755)
        (self.home / "secret.txt").write_text(SECRET)
        self.folder = self.home / "workspace"
        self.limits = LIMITS
        base = gym.make("ceo_gym:CEOBench-v0", sql_limits={"time_limit_s": 0.5})
        self.env = CodeAction(base, workspace=self.folder, limits=LIMITS)
        self.env.reset(seed=5, options={"start": "configured"})
        begun = self.run("import novamind_api as nm; nm.advance()")
        assert begun["day"] == 7, begun

    def run(self, program: str) -> dict[str, Any]:
        """What became of a program."""
        return self.env.step(program)[-1]

    def state(self) -> bytes:
        """The world, as bytes."""
        return self.env.unwrapped.world.save()

    def restore(self, state: bytes) -> None:
        """Go back to a state of the env, if only from an end."""
        self.env.unwrapped.restore_state(state)
        self.env.desk._terminated = self.env.desk._truncated = False

    @property
    def sandbox(self) -> Any:
        """The sandbox of the game."""
        assert self.env.workspace is not None
        return self.env.workspace.sandbox

    def withstand(self, attack: Attack) -> dict[str, Any]:
        """Run an attack, and check that nothing has come of it."""
        if "(call, " in attack.program and platform.machine() != "x86_64":
            pytest.skip("the numbers of system calls in this attack are those of x86_64")
        before, begun = self.state(), time.monotonic()
        around = sorted(self.home.iterdir())
        info = self.run(HEAD + attack.program)
        seconds = time.monotonic() - begun
        told = f"{info['stdout'][-2000:]}\n--- stderr\n{info['stderr'][-2000:]}"
        assert "DONE" not in info["stdout"], told
        assert SECRET not in info["stdout"] + info["stderr"], told
        assert re.search(attack.stdout, info["stdout"], re.DOTALL), told
        assert re.search(attack.stderr, info["stderr"], re.DOTALL), told
        assert info["stdout"].count(" refused") >= attack.refusals, told
        assert attack.exit_code in (None, info["exit_code"]), told
        assert seconds < BOUND_S, told
        assert self.state() == before, "the world has changed"
        assert sorted(self.home.iterdir()) == around
        self.still_plays()
        return info

    def still_plays(self) -> None:
        """Check that the next program runs, and that only the worker is left of others."""
        after = self.run("import numpy; print(6 * int(numpy.array([7])[0]))")
        assert (after["stdout"], after["exit_code"]) == ("42\n", 0), after["stderr"]
        assert len(processes_of(self.user)) <= 1

    @property
    def user(self) -> int:
        """The user of the programs."""
        return self.folder.stat().st_uid

    def close(self) -> None:
        """End it, and check that nothing is left."""
        user = self.user
        self.env.close()
        assert not processes_of(user)
        shutil.rmtree(self.home)


def processes_of(user: int) -> list[str]:
    """Processes of the user of a sandbox; none are found if that is the user of the tests."""
    if user == os.geteuid():
        return []
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and process.stat().st_uid in (user, 0):
                status = (process / "status").read_text()
                if re.search(rf"^Uid:\t{user}\t", status, re.MULTILINE):
                    found.append(process.name)
        except OSError:
            continue
    return found


def table(*attacks: Attack) -> Any:
    """Attacks as parameters of a test."""
    return pytest.mark.parametrize("attack", [pytest.param(a, id=a.name) for a in attacks])
