"""Programs that are not to be trusted, one after the other, in a box."""

from __future__ import annotations

import os
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ceo_gym.sandbox.conversation import Conversation, Handle, Outcome
from ceo_gym.sandbox.errors import SandboxError
from ceo_gym.sandbox.limits import Limits
from ceo_gym.sandbox.worker import Worker
from ceo_gym.sandbox.workspace import fit, is_over, user_of

SOURCE_CHARACTERS = 1_000_000
PROGRAM = "program.py"
_SHOWN_CHARACTERS = 100


class Sandbox:
    """Runs Python programs in a process of their own, which knows nothing but what it is told.

        def handle(request):
            return {"data": {"asked": json.loads(request)["tool"]}}

        with Sandbox(Path("workspace")) as sandbox:
            print(sandbox.run("print(6 * 7)", handle).stdout)

    A program finds Python with its standard library, NumPy, pandas and SciPy, the folder
    `workspace`, and the module ``novamind_api``, whose functions send requests that `handle`
    answers in this process. It has no network, sees no other files and no other processes, and has
    its `limits`. What it leaves running is ended with it; only the files in the workspace stay.

    The worker, a Python that has loaded NumPy and pandas, starts with the first program and is
    forked for each; if a program ends it or has to be ended, the next one gets a new worker. It
    also ends with the thread that started it.

    Args:
        workspace: folder that programs may write to; made if it is missing.
        functions: of the client's modules: ``tool``, ``module``, ``doc`` and ``parameters`` (each
            ``name`` and ``required``).
        limits: of each program.
        mounted: the path under which programs see the workspace; its own path without a box.
        unsafe: run programs without a box, as the user who runs this process, who can then do
            whatever that user can. Limits of time, calls and output hold all the same.

    Raises:
        SandboxError: by `run` or `start`, if there is no bubblewrap or it does not work here.
    """

    def __init__(
        self,
        workspace: Path,
        *,
        functions: Sequence[Mapping[str, Any]] = (),
        limits: Limits | None = None,
        mounted: str = "/workspace",
        unsafe: bool = False,
    ) -> None:
        self.workspace = workspace.resolve()
        self.limits = Limits() if limits is None else limits
        self.unsafe = unsafe
        self.mounted = str(self.workspace) if unsafe else os.path.normpath(mounted)
        self._functions = functions
        self._worker: Worker | None = None
        self._finalizer: weakref.finalize[..., Any] | None = None
        if not unsafe:
            from ceo_gym.sandbox import bubblewrap

            bubblewrap.find()
        elif not hasattr(os, "fork"):
            raise SandboxError("programs need a system with fork, such as Linux or macOS")
        self.workspace.mkdir(parents=True, exist_ok=True)

    def start(self, *, wait: bool = True) -> None:
        """Start the worker, unless it runs.

        Args:
            wait: until it is ready; otherwise the first program waits.
        """
        worker = self._running()
        if wait:
            worker.wait_until_ready()

    def run(
        self,
        source: str,
        handle: Handle,
        *,
        name: str = PROGRAM,
        arguments: Sequence[str] = (),
        before: str = "",
        limits: Limits | None = None,
    ) -> Outcome:
        """Run a program to its end.

        Args:
            source: its text.
            handle: answers its calls. It gets a text, which is the JSON of
                ``{"tool": …, "args": …}`` if the program uses the client, and may be anything if
                not; it gives ``{"data": …}`` or ``{"error": text, "code": …}``.
            name: of its file, relative to the workspace, for tracebacks and imports beside it.
            arguments: its command line.
            before: source that is run first in the same names, for helpers.
            limits: of time, calls and output in place of those of the sandbox.

        Raises:
            SandboxError: if no worker can be had.
            ValueError: for a program that is too long.
            Exception: whatever `handle` raises; the program is ended then.
        """
        if len(source) > SOURCE_CHARACTERS:
            raise ValueError(
                f"a program has at most {SOURCE_CHARACTERS:,} characters, not {len(source):,}"
            )
        limits = limits or self.limits
        program = {
            "source": source,
            "name": os.path.join(self.mounted, name),
            "arguments": list(arguments),
            "before": before,
            "wall_s": limits.wall_s,
        }
        outcome = self._converse(program, handle, limits)
        return self._tidied(outcome)

    def close(self) -> None:
        """End the worker; a further program starts another. The workspace stays."""
        if self._finalizer is not None:
            self._finalizer()
        self._worker = self._finalizer = None

    def __enter__(self) -> Sandbox:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- helpers ---

    def _running(self) -> Worker:
        if self._worker is not None and not self._worker.is_alive:
            self.close()
        if self._worker is None:
            self._worker = Worker(
                self.workspace, self.mounted, self._functions, self.limits, self.unsafe
            )
            self._finalizer = weakref.finalize(self, self._worker.stop)
        return self._worker

    def _converse(self, program: Mapping[str, Any], handle: Handle, limits: Limits) -> Outcome:
        for attempt in (1, 2):
            worker = self._running()
            worker.wait_until_ready()
            if worker.user is not None:
                user_of(self.workspace)  # files that others have put there become the programs'
            try:
                return Conversation(worker, program, handle, limits).run()
            except ConnectionError as error:
                self.close()  # it was ended between two programs
                if attempt == 2:
                    raise SandboxError(f"the worker for programs ends at once: {error}") from error
        raise AssertionError("unreachable")

    def _tidied(self, outcome: Outcome) -> Outcome:
        limits = self.limits
        if not is_over(self.workspace, limits.workspace_bytes, limits.workspace_files):
            return outcome
        self.close()  # files that are still open would keep their room
        removed = fit(self.workspace, limits.workspace_bytes, limits.workspace_files)
        shown = ", ".join(_readable(path) for path in removed[:5])
        if removed[5:]:
            shown += f" and {len(removed) - 5:,} more"
        line = (
            f"the workspace holds at most {limits.workspace_bytes // 2**20:,} MiB in "
            f"{limits.workspace_files:,} files and folders; removed: {shown}\n"
        )
        return outcome._replace(stderr=outcome.stderr + line)


def _readable(path: str) -> str:
    """A path that a program has chosen: in one line, not too long, and without odd characters."""
    text = ascii(path)[1:-1]
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}..."
