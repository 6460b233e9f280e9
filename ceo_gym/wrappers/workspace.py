"""The workspace of a game: programs in a sandbox, and the tools of the list that need one."""

from __future__ import annotations

import tempfile
import weakref
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from ceo_gym.sandbox import Handle, Limits, Outcome, Sandbox, SandboxError
from ceo_gym.sandbox.sandbox import SOURCE_CHARACTERS
from ceo_gym.sandbox.workspace import remove
from ceo_gym.simulators.ceobench.validation import InvalidDecision, number, shown
from ceo_gym.simulators.common.parameters import nearest
from ceo_gym.tools import ceobench as tools
from ceo_gym.wrappers.desk import Desk

STDOUT_CHARACTERS, STDERR_CHARACTERS = 5_000, 2_000  # of python_exec and scripts, as published
EXEC_S, CALCULATION_S = 600.0, 10.0
MOST_SNIPPETS = 50
SNIPPET_CHARACTERS = 100_000

# names that code of python_exec, scripts and calculations finds without an import
_BEFORE = """\
import numpy as np
import pandas as pd
import novamind_api as nm
def rows(sql): return nm.query(sql)["rows"]
def row(sql): return next(iter(rows(sql)), None)
"""
# of the tools, what a calculation may use: nothing that acts
_READING = frozenset(name for name, tool in tools.TOOLS.items() if tool.kind == "read") | {"vars"}
_NESTED = "code that runs does not start other code; import it, or call a function"


class Workspace:
    """A folder for programs, a sandbox over it, scripts and daily calculations.

    The tools ``python_exec``, ``register_script``, ``run_script``, ``list_scripts``,
    ``delete_script``, ``register_daily_calculation``, ``remove_daily_calculation`` and
    ``list_daily_calculations`` of a desk are served by it. Code finds ``np``, ``pd``, ``nm``,
    ``rows(sql)`` and ``row(sql)``. A calculation runs after every week, may only read, and what it
    prints is added to the report; it has a worker of its own, for the week may have been played by
    a program that still runs.

    Args:
        desk: where programs act.
        folder: of the files, kept when the workspace is closed; a temporary one unless given.
        limits: of each program.
        mounted: the path under which programs see the folder.
        unsafe: run programs without a box.

    Raises:
        SandboxError: without bubblewrap, unless `unsafe`.
    """

    def __init__(
        self,
        desk: Desk,
        folder: Path | None = None,
        *,
        limits: Limits | None = None,
        mounted: str = "/workspace",
        unsafe: bool = False,
    ) -> None:
        self.desk = desk
        self.folder = Path(tempfile.mkdtemp(prefix="ceo-gym-")) if folder is None else folder
        self._settings: dict[str, Any] = {
            "functions": tools.python_functions(),
            "limits": limits or Limits(),
            "mounted": mounted,
            "unsafe": unsafe,
        }
        try:
            self.sandbox = Sandbox(self.folder, **self._settings)
        except SandboxError:
            if folder is None:
                remove(self.folder)
            raise
        self._reader: Sandbox | None = None
        self._running = False
        self.scripts: dict[str, str] = {}
        self.calculations: dict[str, str] = {}
        self._finalizer = weakref.finalize(self, remove, self.folder) if folder is None else None
        self._tools: dict[str, Callable[..., dict[str, Any]]] = {
            "python_exec": self._python_exec,
            "register_daily_calculation": self._keep("calculations"),
            "remove_daily_calculation": self._forget("calculations"),
            "list_daily_calculations": lambda: {"calculations": sorted(self.calculations)},
            "register_script": self._keep("scripts"),
            "run_script": self._run_script,
            "list_scripts": lambda: {"scripts": sorted(self.scripts)},
            "delete_script": self._forget("scripts"),
        }
        desk.servant = self

    def run(self, code: str, *, handle: Handle | None = None, **options: Any) -> Outcome:
        """Run a program against the desk; see `Sandbox.run`.

        Args:
            code: its text.
            handle: answers its calls, the desk unless given.
            **options: of `Sandbox.run`.

        Raises:
            InvalidDecision: if a program runs already, or the text is too long.
        """
        if self._running:
            raise InvalidDecision("busy", _NESTED)
        if len(code) > SOURCE_CHARACTERS:
            raise InvalidDecision(
                "out_of_range",
                f"a program has at most {SOURCE_CHARACTERS:,} characters, not {len(code):,}",
            )
        self._running = True
        try:
            return self.sandbox.run(code, handle or self.desk.answer, **options)
        finally:
            self._running = False

    def close(self) -> None:
        """End the workers; a temporary folder is removed."""
        self.sandbox.close()
        if self._reader is not None:
            self._reader.close()
        if self._finalizer is not None:
            self._finalizer()

    # --- what a desk asks for, see desk.Servant ---

    def serve(self, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out one of the tools.

        Raises:
            InvalidDecision: for a name that is not there, a bad time limit, or code within code.
        """
        return self._tools[tool](**given)

    def after_week(self) -> str:
        """What the daily calculations print, in the order in which they were registered."""
        if not self.calculations:
            return ""
        if self._reader is None:
            self._reader = Sandbox(self.folder, **self._settings)
        limits = replace(self.sandbox.limits, wall_s=CALCULATION_S, answers_s=CALCULATION_S)
        parts = []
        for name, code in self.calculations.items():
            outcome = self._reader.run(
                code, self._only_reading, name=f"{name}.py", before=_BEFORE, limits=limits
            )
            parts.append(f"\n## {name}\n\n{cut(outcome.stdout, STDOUT_CHARACTERS).rstrip()}\n")
            if outcome.stderr:
                parts.append(f"{cut(outcome.stderr, STDERR_CHARACTERS).rstrip()}\n")
        return "\n# Daily calculations\n" + "".join(parts)

    # --- helpers ---

    def _only_reading(self, request: str) -> Mapping[str, Any]:
        return self.desk.answer(request, only=_READING)

    def _python_exec(self, code: str, timeout_seconds: float = EXEC_S) -> dict[str, Any]:
        seconds = number("timeout_seconds", timeout_seconds, unit="s")
        if seconds <= 0:
            raise InvalidDecision("out_of_range", "timeout_seconds must be above 0")
        limits = self.sandbox.limits
        limits = replace(limits, wall_s=min(limits.wall_s, seconds))
        outcome = self.run(code, before=_BEFORE, limits=limits)
        return {
            "stdout": cut(outcome.stdout, STDOUT_CHARACTERS),
            "stderr": cut(outcome.stderr, STDERR_CHARACTERS),
        }

    def _run_script(self, name: str) -> dict[str, Any]:
        return self._python_exec(self._found(self.scripts, name))

    def _keep(self, kind: str) -> Callable[..., dict[str, Any]]:
        def keep(name: str, code: str) -> dict[str, Any]:
            kept: dict[str, str] = getattr(self, kind)
            if not name.isidentifier():
                raise InvalidDecision(
                    "out_of_range", f"a name has letters, digits and _, unlike {shown(name)}"
                )
            if len(code) > SNIPPET_CHARACTERS:
                raise InvalidDecision(
                    "out_of_range", f"code has at most {SNIPPET_CHARACTERS:,} characters"
                )
            if len(kept) >= MOST_SNIPPETS and name not in kept:
                raise InvalidDecision(
                    "limit_reached", f"there are {MOST_SNIPPETS} {kind}, which is the most"
                )
            try:
                compile(code, f"{name}.py", "exec")
            except (SyntaxError, ValueError) as error:
                raise InvalidDecision("out_of_range", f"this is not Python: {error}") from error
            kept[name] = code
            return {"registered": name}

        return keep

    def _forget(self, kind: str) -> Callable[..., dict[str, Any]]:
        def forget(name: str) -> dict[str, Any]:
            kept: dict[str, str] = getattr(self, kind)
            self._found(kept, name)
            del kept[name]
            return {"removed": name}

        return forget

    def _found(self, kept: Mapping[str, str], name: str) -> str:
        if name not in kept:
            raise InvalidDecision(
                "not_found",
                f"nothing is called {shown(name)}; {nearest(name[:60], kept)}"
                if kept
                else f"nothing is called {shown(name)}: nothing is registered",
            )
        return kept[name]


def cut(text: str, characters: int) -> str:
    """A text, without its middle if it is too long: beginning and end tell most."""
    if len(text) <= characters:
        return text
    half = characters // 2
    left_out = len(text) - 2 * half
    return f"{text[:half]}\n... {left_out:,} characters are left out here ...\n{text[-half:]}"
