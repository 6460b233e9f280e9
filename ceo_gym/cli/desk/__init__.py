"""``ceo-gym desk``: a company run from a terminal, by commands that come one at a time."""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ceo_gym.cli.arguments import DEFAULT_ENV, Commands, add_env_args, key_values
from ceo_gym.cli.desk import novamind_operation as client

if TYPE_CHECKING:
    from ceo_gym.cli.desk.commands import Printed


def add(commands: Commands) -> None:
    """Add the subcommand."""
    desk = commands.add_parser("desk", help="run a company from a terminal")
    desk.set_defaults(run=_run)
    desk.add_argument(
        "--home", type=Path, help="folder of the sessions (default: $CEO_GYM_DESK, or runs/desk)"
    )
    own = client.add_commands(desk)
    new = own.choices["new-session"]
    new.add_argument("--env", default=DEFAULT_ENV, help="id of the environment")
    add_env_args(new)
    new.add_argument(
        "--unsafe",
        action="store_true",
        help="run programs without a sandbox, with all that you may do yourself",
    )
    shell = own.add_parser("shell", help="a shell, or a command, that sees only the desk")
    shell.add_argument("--session", help="its id (default: the latest)")
    shell.add_argument(
        "--write",
        action="append",
        default=[],
        type=Path,
        metavar="DIR",
        help="another folder that may be written to; may be repeated",
    )
    shell.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND")
    host = own.add_parser("host", help="keep a session open for the other commands")
    host.add_argument("directory", type=Path)


def _run(given: argparse.Namespace) -> int:
    if given.command == "host":
        return _host(given)
    try:
        if given.command == "new-session":
            return _show(_new_session(given))
        from ceo_gym.cli.desk import home

        folder = home.home_folder(given.home)
        if given.command == "list-sessions":
            from ceo_gym.cli.desk.commands import listed

            return _show(listed([folder / name for name in home.session_ids(folder)]))
        if given.command == "shell":
            from ceo_gym.cli.desk import shell

            words = given.words[1:] if given.words[:1] == ["--"] else given.words
            return shell.run(home.find(folder, given.session), words, given.write)
        request = client.request_of(given)
        return _ask(home.find(folder, given.session), request)
    except (ValueError, RuntimeError) as error:  # also of a sandbox that cannot be had
        print(f"Error: {error}", file=sys.stderr)
        return 1


def _show(printed: Printed) -> int:
    return client.show(printed._asdict())


def _new_session(given: argparse.Namespace) -> Printed:
    from ceo_gym.cli.desk import commands, home, host
    from ceo_gym.sandbox import SandboxError
    from ceo_gym.sessions import Session

    env_args = key_values("--env-arg", given.env_arg)
    params = dict(env_args.get("params", {}))
    if given.days is not None:
        params["clock.horizon_days"] = given.days
    if given.cash is not None:
        params["company.initial_cash_usd"] = given.cash
    if params:
        env_args["params"] = params
    directory = home.new_directory(home.home_folder(given.home))
    try:
        with Session.create(
            directory, env=given.env, env_args=env_args, seed=given.seed, unsafe=given.unsafe
        ) as session:
            session.workspace.folder.mkdir(exist_ok=True)
            host.write_command(directory)
            return commands.as_json(commands.announced(session))
    except (ValueError, SandboxError):
        shutil.rmtree(directory)  # made just now, for a game that cannot be played
        raise


def _ask(directory: Path, request: dict[str, object]) -> int:
    if client.CAN_MEET:
        from ceo_gym.cli.desk.home import start_command

        return client.show(client.ask(directory, request, start_command(directory)))
    # where processes cannot meet at a file, each command opens the session by itself
    from ceo_gym.cli.desk.commands import execute
    from ceo_gym.sessions import Session

    with Session.open(directory) as session:
        return _show(execute(session, request))


def _host(given: argparse.Namespace) -> int:
    from ceo_gym.cli.desk.host import keep

    keep(given.directory.resolve())
    return 0
