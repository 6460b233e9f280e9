"""``ceo-gym serve``: a session for programs that speak the Model Context Protocol."""

from __future__ import annotations

import argparse
import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ceo_gym.cli.arguments import DEFAULT_ENV, Commands, add_env_args, key_values

if TYPE_CHECKING:
    from ceo_gym.sessions import Session

HOME = Path("runs") / "mcp"
DEFAULT_SEED = 42


def add(commands: Commands) -> None:
    """Add the subcommand."""
    serve = commands.add_parser(
        "serve",
        help="serve a session by the Model Context Protocol",
        description="Serves one session to a client of the Model Context Protocol, over standard "
        "input and output unless --http. The session survives kills: the same command with the "
        "same --session-dir goes on with it.",
    )
    serve.set_defaults(run=_serve)
    serve.add_argument(
        "--mcp", action="store_true", required=True, help="the protocol; there is no other yet"
    )
    game = serve.add_argument_group("the session")
    game.add_argument(
        "--session-dir",
        type=Path,
        metavar="DIR",
        help=f"its directory, new or one to go on with (default: a new one in {HOME})",
    )
    game.add_argument("--env", help=f"id of the environment (default {DEFAULT_ENV})")
    game.add_argument("--seed", type=int, help=f"seed of the world (default {DEFAULT_SEED})")
    game.add_argument("--days", type=int, help="horizon in days (default: that of the env)")
    add_env_args(game)
    game.add_argument(
        "--optional-forecast",
        action="store_true",
        help="let next_week be called without forecast and rationale",
    )
    programs = serve.add_argument_group("programs").add_mutually_exclusive_group()
    programs.add_argument("--no-python", action="store_true", help="offer no tool that runs code")
    programs.add_argument(
        "--unsafe",
        action="store_true",
        help="run programs without a sandbox, with all that you may do yourself",
    )
    http = serve.add_argument_group("streamable HTTP")
    http.add_argument("--http", action="store_true", help="serve by HTTP, without passwords")
    http.add_argument("--port", type=int, help="port (default: a free one, which is told)")
    http.add_argument("--host", help="address to listen at (default 127.0.0.1)")
    http.add_argument(
        "--allow-host",
        action="append",
        default=[],
        metavar="NAME",
        help="name under which other machines reach this one, which --host beyond the loopback "
        "needs; may be repeated",
    )


def _serve(given: argparse.Namespace) -> int:
    if not given.http and (given.port is not None or given.host or given.allow_host):
        raise ValueError("--port, --host and --allow-host belong to --http")
    from ceo_gym.integrations import mcp_server
    from ceo_gym.integrations.one_thread import OneThread
    from ceo_gym.integrations.session_tools import SessionTools

    mcp_server.require_mcp()
    host = given.host or mcp_server.LOOPBACK[0]
    mcp_server.check_host(host, given.allow_host)
    with contextlib.ExitStack() as stack:
        thread = OneThread()
        stack.callback(thread.end)
        session = thread.now(_session, given)
        stack.callback(thread.now, session.close)
        programs = False if given.no_python else None
        tools = thread.now(SessionTools, session, programs=programs, advance=True)
        _tell(f"session {session.directory}, day {session.status['current_day']}")
        if not (tools.runs_programs or given.no_python):
            _tell("programs cannot run here, so that no tool for them is offered")
        server = mcp_server.make_server(tools, thread)
        if not given.http:
            mcp_server.serve_stdio(server)
            return 0
        with contextlib.suppress(KeyboardInterrupt):  # the usual way to end it
            mcp_server.serve_http(
                server, host, given.port or 0, allowed=given.allow_host, tell=_tell
            )
    return 0


def _tell(line: str) -> None:
    # standard output is for the protocol
    print(f"ceo-gym serve: {line}", file=sys.stderr, flush=True)


def _session(given: argparse.Namespace) -> Session:
    """The session to serve, new or gone on with."""
    from ceo_gym.cli.desk.home import new_directory
    from ceo_gym.runs.journal import JOURNAL
    from ceo_gym.sandbox import SandboxError
    from ceo_gym.sessions import Session

    asked = _asked(given)
    directory = given.session_dir
    if directory is not None and (directory / JOURNAL).exists():
        try:
            session = Session.open(directory)
        except SandboxError as error:
            raise ValueError(f"{directory} has code registered: {error}") from error
        try:
            _check(session, asked)
        except ValueError:
            session.close()
            raise
        return session
    settings: dict[str, Any] = {"env": DEFAULT_ENV, "seed": DEFAULT_SEED, **asked}
    if directory is not None:
        return Session.create(directory, **settings)
    directory = new_directory(HOME)
    try:
        return Session.create(directory, **settings)
    except ValueError:
        directory.rmdir()  # made just now, for a game that cannot be played
        raise


def _asked(given: argparse.Namespace) -> dict[str, Any]:
    """What was said about the session, as `Session.create` takes it."""
    env_args = key_values("--env-arg", given.env_arg)
    if given.days is not None:
        params = dict(env_args.get("params", {}))
        env_args["params"] = params | {"clock.horizon_days": given.days}
    said: dict[str, Any] = {
        "env": given.env,
        "seed": given.seed,
        "env_args": env_args or None,
        "needs_forecast": False if given.optional_forecast else None,
        "unsafe": given.unsafe or None,
    }
    return {name: value for name, value in said.items() if value is not None}


def _check(session: Session, asked: dict[str, Any]) -> None:
    """Compare a session with what was said about it: the same command begins it and goes on.

    Raises:
        ValueError: if it is another game.
    """
    for name, value in asked.items():
        if session.begin[name] != value:
            raise ValueError(
                f"the session of {session.directory} is another one: its {name} is "
                f"{session.begin[name]!r}, not {value!r}"
            )
