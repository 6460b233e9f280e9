"""The command ``ceo-gym``; a module for each subcommand or two."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Sequence

from ceo_gym import __version__
from ceo_gym.cli import (
    agent,
    analyse,
    desk,
    evaluate,
    listing,
    plot,
    replay,
    run,
    serve,
    train,
    tune,
    view,
)

COMMANDS = (
    listing,
    run,
    agent,
    desk,
    serve,
    replay,
    view,
    analyse,
    evaluate,
    plot,
    tune,
    train,
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="ceo-gym", description="Worlds of running an organisation over a long horizon."
    )
    parser.add_argument("--version", action="version", version=f"ceo-gym {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for module in COMMANDS:
        module.add(commands)
    words = sys.argv[1:] if argv is None else list(argv)
    arguments = parser.parse_args(
        words, argparse.Namespace(command=shlex.join(["ceo-gym", *words]))
    )
    try:
        return int(arguments.run(arguments))
    except (ValueError, OSError, ModuleNotFoundError) as error:
        print(f"ceo-gym: {error}", file=sys.stderr)
        return 2
