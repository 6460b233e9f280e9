"""What can be asked of a session from a terminal: a request in, what to print out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from ceo_gym.cli.desk import home
from ceo_gym.cli.desk.novamind_operation import predictions
from ceo_gym.sandbox import SandboxError
from ceo_gym.sessions.session import WORKSPACE, Session
from ceo_gym.wrappers.desk import NEXT_WEEK


class Printed(NamedTuple):
    """What a command prints, and its exit status: 0, 1 after an error, or that of a program."""

    stdout: str
    stderr: str = ""
    exit_status: int = 0


def execute(session: Session, request: Any) -> Printed:
    """Carry out a request of `novamind_operation.request_of`; it may come from anybody."""
    named = isinstance(request, dict) and isinstance(request.get("command"), str)
    if not named or request["command"] not in _COMMANDS:
        return Printed("", "Error: this is no request of novamind-operation\n", 1)
    command, given = request["command"], {k: v for k, v in request.items() if k != "command"}
    action, kinds = _COMMANDS[command]
    if given.keys() != kinds.keys() or not all(isinstance(given[k], kinds[k]) for k in kinds):
        return Printed("", f"Error: {command} takes {', '.join(kinds) or 'nothing'}\n", 1)
    try:
        return action(session, **given)
    except (ValueError, OSError, SandboxError) as error:
        return Printed("", f"Error: {error}\n", 1)


def record_of(directory: Path) -> dict[str, Any]:
    """What is told of a session, apart from its state."""
    return home.overview(directory) | {"workspace": str((directory / WORKSPACE).resolve())}


def as_json(value: Any) -> Printed:
    """A value as JSON."""
    return Printed(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def _next_week(session: Session, rationale: str, numbers: list[str]) -> Printed:
    given = {"predictions": predictions(list(map(str, numbers))), "rationale": rationale}
    return Printed(session.call(NEXT_WEEK, given)["dashboard"])


def _python(session: Session, code: str, script: str, arguments: list[str]) -> Printed:
    path, workspace = Path(script), session.workspace.folder
    inside = path.is_relative_to(workspace)
    name = str(path.relative_to(workspace)) if inside else path.name
    outcome = session.run(code, name=name, arguments=list(map(str, arguments)))
    return Printed(outcome.stdout, outcome.stderr, outcome.exit_code)


def _python_c(session: Session, code: str) -> Printed:
    outcome = session.run(code)
    return Printed(outcome.stdout, outcome.stderr, outcome.exit_code)


def _query(session: Session, sql: str) -> Printed:
    result = session.call("query", {"sql": sql})
    notes = [f"{kind}: {result[kind]}\n" for kind in ("warning", "hint") if result.get(kind)]
    shown = {name: result[name] for name in ("columns", "rows", "row_count")}
    return as_json(shown)._replace(stderr="".join(notes))


def _status(session: Session) -> Printed:
    record = record_of(session.directory) | session.status
    return as_json(record | {"server_running": True})


def _history(session: Session, tail: int) -> Printed:
    if tail < 1:
        raise ValueError(f"--tail takes a number above 0, not {tail}")
    entries = session.history()
    return as_json({"history": entries[-tail:], "count": len(entries)})


def _new_session(session: Session, days: int | None, seed: int, cash: float | None) -> Printed:
    """Prompts begin with it; a desk has its session already, and gives it if it is as asked."""
    begin = session.begin
    asked = {"seed": seed, "total_days": days, "initial_cash_usd": cash}
    other = [k for k, v in asked.items() if v is not None and v != begin[k]]
    if session.is_begun or other:
        why = f"{other[0]} is {begin[other[0]]} here" if other else "it has been begun"
        raise ValueError(
            f"this desk is that of {session.directory.name}, and {why}; ceo-gym desk new-session "
            "makes another desk"
        )
    return as_json(announced(session))


def announced(session: Session) -> dict[str, Any]:
    """What new-session prints."""
    begin, directory = session.begin, session.directory.resolve()
    return {
        "session_id": directory.name,
        "seed": begin["seed"],
        "total_days": begin["total_days"],
        "initial_cash": begin["initial_cash_usd"],
        "workspace": str(directory / WORKSPACE),
        "command": str(directory / home.BIN / home.COMMAND),
    }


def _list_sessions(session: Session) -> Printed:
    return listed([session.directory])


def listed(directories: list[Path]) -> Printed:
    """The sessions in some directories."""
    found = [home.overview(directory) for directory in directories]
    return as_json({"sessions": found, "count": len(found)})


def _call(session: Session, tool: str, args: Any) -> Printed:
    return as_json(session.call(tool, args))


def _stop(session: Session) -> Printed:
    # the process that keeps the session ends after this answer
    return as_json({"success": True, "session_id": session.directory.name, **session.status})


_NONE = type(None)
# command -> what it does, and the kinds of its arguments
_COMMANDS: dict[str, tuple[Callable[..., Printed], dict[str, Any]]] = {
    "new-session": (
        _new_session,
        {"days": (int, _NONE), "seed": int, "cash": (int, float, _NONE)},
    ),
    "next-week": (_next_week, {"rationale": str, "numbers": list}),
    "python": (_python, {"code": str, "script": str, "arguments": list}),
    "python-c": (_python_c, {"code": str}),
    "query": (_query, {"sql": str}),
    "status": (_status, {}),
    "history": (_history, {"tail": int}),
    "list-sessions": (_list_sessions, {}),
    "stop": (_stop, {}),
    "report": (lambda session: Printed(session.report()), {}),
    "guide": (lambda session: Printed(session.guide()), {}),
    "call": (_call, {"tool": str, "args": object}),
}
