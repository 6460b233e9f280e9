"""One interactive game on the disk: an env, its journal, its last week, its workspace."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gymnasium as gym
from filelock import FileLock, Timeout

from ceo_gym import __version__
from ceo_gym.runs.files import write_atomically
from ceo_gym.runs.journal import FORMAT, JOURNAL, VERSION, Journal, read_journal, shortened
from ceo_gym.sessions import decisions
from ceo_gym.sessions.rerun import Remembered
from ceo_gym.simulators.ceobench import SnapshotError, World
from ceo_gym.tools.declaration import plain

if TYPE_CHECKING:
    from ceo_gym.sandbox import Handle, Limits, Outcome
    from ceo_gym.wrappers.workspace import Workspace

STATE, LOCK, WORKSPACE = "state.bin", "lock", "workspace"
RUNNING, COMPLETED, BANKRUPT = "running", "completed", "bankrupt"
LOCK_S = 10.0


class Session:
    """One interactive game, in a directory.

        session = Session.create(Path("runs/mine"), seed=42)
        session.call("set_prices", {"A": 40})
        session.run("import novamind_api as nm; print(nm.advance()['day'])")
        session.close()
        session = Session.open(Path("runs/mine"))     # goes on where it stopped

    Every call is written to the journal before its answer is given, and every week the state is
    saved beside it, so that a process that is killed loses nothing that was answered: `open`
    continues after the last call, with all settings. What a program had not yet called when it was
    killed is not done. One process at a time has a session open.

    ``journal.jsonl`` is the record of the run, see `ceo_gym.runs.journal` and docs/desk.md;
    ``state.bin`` can be made anew from it.

    Args:
        directory: of the session.
        journal: open for writing.
        begin: the first entry of it.
        lock: held.
    """

    def __init__(
        self, directory: Path, journal: Journal, begin: Mapping[str, Any], lock: FileLock
    ) -> None:
        self.directory, self.begin = directory, dict(begin)
        self._journal, self._lock = journal, lock
        self._env: gym.Env[Any, Any] = decisions.make_env(begin)
        self.desk = decisions.make_desk(self._env, begin)
        self.desk.listener = self
        self._workspace: Workspace | None = None
        self.caller = ""  # who acts, kept with each call; a program names itself
        self._programs = 0
        self._broken = False  # the company has done what the journal could not be told

    # --- beginning and going on ---

    @classmethod
    def create(
        cls,
        directory: Path,
        *,
        env: str = "CEOBench-v0",
        env_args: Mapping[str, Any] | None = None,
        seed: int = 42,
        options: Mapping[str, Any] | None = None,
        needs_forecast: bool = True,
        extended: bool = False,
        limits: Limits | None = None,
        unsafe: bool = False,
        about: Mapping[str, Any] | None = None,
    ) -> Session:
        """Begin a game in a new directory.

        Args:
            directory: which must not hold a session yet; made if it is missing.
            env: id of an environment.
            env_args: its arguments, plain JSON values.
            seed: of the world.
            options: of the reset.
            needs_forecast: whether ``next_week`` must bring forecasts and a rationale.
            extended: whether reports also show what the published ones leave out.
            limits: of each program.
            unsafe: run programs without a sandbox, as the user who runs this process.
            about: whatever else is to be kept of the run, plain JSON values.

        Raises:
            ValueError: if there is a session already, or for an unknown env or argument.
            SandboxError: if programs cannot run here, with the first program.
        """
        if (directory / JOURNAL).exists():
            raise ValueError(f"{directory} holds a session already; Session.open goes on with it")
        begin = {
            "format": FORMAT,
            "version": VERSION,
            "ceo_gym": __version__,
            "world": "CEO-Bench",
            "env": env,
            "env_args": dict(env_args or {}),
            "seed": seed,
            "options": dict(options or {}),
            "needs_forecast": needs_forecast,
            "extended": extended,
            "limits": limits.as_dict() if limits is not None else {},
            "unsafe": unsafe,
            "about": dict(about or {}),
            "created_at": _now(),
        }
        begin = json.loads(json.dumps(begin))  # what cannot be written down fails here
        env_made = decisions.make_env(begin)
        env_made.reset(seed=seed, options=begin["options"])  # what is wrong leaves nothing behind
        begin |= decisions.facts(env_made)
        env_made.close()
        directory.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as undo:
            lock = _locked(directory)
            undo.callback(lock.release)
            journal = Journal(directory / JOURNAL)
            undo.callback(journal.close)
            session = cls(directory, journal, journal.add("begin", **begin), lock)
            session.desk.begin(seed=seed, options=begin["options"])
            session._save()
            undo.pop_all()
        return session

    @classmethod
    def open(cls, directory: Path) -> Session:
        """Go on with a game after its last call.

        Raises:
            DamagedJournal: if the journal was changed, naming the place.
            ValueError: if there is no session, another process has it open, it belongs to another
                version of the rules, or does not come to the same state again.
        """
        if not (directory / JOURNAL).is_file():
            raise ValueError(f"{directory} holds no session")
        with contextlib.ExitStack() as undo:
            lock = _locked(directory)
            undo.callback(lock.release)
            journal, entries = Journal.resume(directory / JOURNAL)
            undo.callback(journal.close)
            session = cls(directory, journal, entries[0], lock)
            session._go_on(entries)
            undo.pop_all()
        return session

    def _go_on(self, entries: Sequence[Mapping[str, Any]]) -> None:
        """Come to the state after the last entry: the saved week, then what came after it."""
        self.desk.listener = None
        self.desk.begin(seed=self.begin["seed"], options=self.begin["options"])
        done = self._restored(entries)
        registers = [e for e in entries[:done] if decisions.is_tool_state(e)]
        for entry in (*registers, *entries[done:]):
            if decisions.is_tool_state(entry):
                self.workspace.serve(entry["tool"], entry["args"])
            else:
                decisions.repeat(self.desk, entry)
        if decisions.plays(entries[-1]):
            self._keep_week()  # the kill came between the two
        self._programs = sum(entry["kind"] == "program" for entry in entries)
        self.desk.listener = self

    def _restored(self, entries: Sequence[Mapping[str, Any]]) -> int:
        """Restore the saved state; returns how many entries it covers.

        A state that is missing, damaged or of another journal is left alone: playing all entries
        again comes to the same.
        """
        try:
            head, _, data = (self.directory / STATE).read_bytes().partition(b"\n")
            about = json.loads(head)
            count = int(about["entries"])
            if not 0 < count <= len(entries) or about["check"] != self._journal.check_after(count):
                return 1
            self.desk.restore(data)
        except (OSError, ValueError, KeyError, TypeError, SnapshotError):
            return 1
        return count

    # --- acting and asking ---

    def call(self, tool: str, arguments: Any = None) -> dict[str, Any]:
        """Use a tool, or play a week by ``next_week``; see `Desk.call`."""
        return self.desk.call(tool, arguments)

    def advance(self, rationale: str = "") -> dict[str, Any]:
        """Play a week without a forecast."""
        return self.desk.advance(rationale)

    def run(self, code: str, *, name: str = "program.py", arguments: Sequence[str] = ()) -> Outcome:
        """Run a program in the sandbox of the session; see `Sandbox.run`."""
        self._programs += 1
        entry = self._journal.add(
            "program",
            day=self.desk.day,
            number=self._programs,
            **self._by(),
            name=name,
            arguments=list(arguments),
            code=code,
            at=_now(),
        )
        return self._run(entry)

    def run_again(self, entry: Mapping[str, Any]) -> Outcome:
        """Run a program again that was interrupted by a kill; what it has done is not done again.

        Args:
            entry: of the journal, of the kind ``program``, the last one.
        """
        calls = [e for e in self.history() if e.get("by") == _program(entry)]
        return self._run(entry, Remembered(calls, self.desk))

    def _run(self, entry: Mapping[str, Any], handle: Handle | None = None) -> Outcome:
        caller, self.caller = self.caller, _program(entry)
        try:
            outcome = self.workspace.run(
                entry["code"], handle=handle, name=entry["name"], arguments=entry["arguments"]
            )
        finally:
            self.caller = caller
        self._journal.add("output", day=self.desk.day, number=entry["number"], **outcome._asdict())
        return outcome

    def note(self, kind: str, **about: Any) -> None:
        """Keep something else in the journal, such as what a model wrote.

        Raises:
            ValueError: for a kind that the session itself writes.
        """
        if kind in decisions.OWN_KINDS:
            raise ValueError(f"entries of the kind {kind!r} are written by the session itself")
        self._journal.add(kind, day=self.desk.day, **about)

    def report(self) -> str:
        """The report of the day."""
        return self.desk.report()

    def guide(self) -> str:
        """The rules and the tools, as Markdown."""
        from ceo_gym.wrappers.code_action import HOW_TO_ACT

        return self.desk.guide(HOW_TO_ACT)

    def history(self) -> list[dict[str, Any]]:
        """The journal so far, without its first entry."""
        return read_journal(self.directory)[1:]

    @property
    def is_begun(self) -> bool:
        """Whether anything has been asked or done."""
        return self._journal.count > 1

    @property
    def folder(self) -> Path:
        """The files of the player; need not be there yet."""
        return (self.directory / WORKSPACE).resolve()

    @property
    def workspace(self) -> Workspace:
        """Where programs run; made when it is first needed.

        Raises:
            SandboxError: if programs cannot run here.
        """
        if self._workspace is None:
            from ceo_gym.sandbox import Limits
            from ceo_gym.wrappers.workspace import Workspace

            limits = self.begin["limits"]
            self._workspace = Workspace(
                self.desk,
                self.folder,
                limits=Limits(**limits) if limits else None,
                mounted=str(self.folder),  # so that a path means the same inside and outside
                unsafe=self.begin["unsafe"],
            )
        return self._workspace

    @property
    def status(self) -> dict[str, Any]:
        """Where the game stands."""
        world = self._world
        return {
            "status": BANKRUPT if world.bankrupt else COMPLETED if self.desk.over else RUNNING,
            "current_day": world.day,
            "week": len(world.history.weeks),
            "cash_usd": float(world.company.cash_usd),
        }

    def close(self) -> None:
        """Save, and let others have the session."""
        if not self._broken:
            self._save()
        if self._workspace is not None:
            self._workspace.close()
        self._journal.close()
        self._env.close()
        self._lock.release()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- what the desk tells, see wrappers.desk.Listener ---

    def called(
        self,
        tool: str,
        arguments: Any,
        answer: Mapping[str, Any] | None,
        error: ValueError | None,
    ) -> None:
        """Write a call down, and the week that it has played."""
        if self._broken:
            raise OSError(f"the journal of {self.directory} could not be written; open it again")
        plays = tool in decisions.PLAYS and error is None
        result = decisions.refusal(error) if error is not None else shortened(answer or {})
        weeks = self._world.history.weeks
        day = weeks[-1].day - weeks[-1].days if plays else self._world.day
        args = plain(arguments)
        self._broken = True
        self._journal.add("call", day=day, tool=tool, args=args, **self._by(), **result)
        if plays:
            self._keep_week()
        self._broken = False

    # --- helpers ---

    @property
    def _world(self) -> World:
        return self.desk.world

    def _by(self) -> dict[str, str]:
        return {"by": self.caller} if self.caller else {}

    def _keep_week(self) -> None:
        self._journal.add("week", **decisions.week_entry(self._world))
        if self._world.ended:
            self._journal.add("end", **self.status)
        self._journal.sync()
        self._save()

    def _save(self) -> None:
        """Save the state, in place of the one before."""
        count = self._journal.count
        head = {"entries": count, "check": self._journal.check_after(count)}
        data = json.dumps(head).encode() + b"\n" + self.desk.save()
        write_atomically(self.directory / STATE, data)


def _locked(directory: Path) -> FileLock:
    lock = FileLock(directory / LOCK, timeout=LOCK_S)
    try:
        lock.acquire()
    except Timeout as error:
        raise ValueError(
            f"{directory} is open in another process, which has not closed it for {LOCK_S:g} s"
        ) from error
    return lock


def _program(entry: Mapping[str, Any]) -> str:
    """How a program names itself in the entries of its calls."""
    return f"program {entry['number']}"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
