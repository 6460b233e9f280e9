"""Words of the command line that several subcommands share."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Any

from ceo_gym.registration import ENVIRONMENTS, Entry
from ceo_gym.simulators.common.parameters import nearest

Commands = Any  # what argparse's add_subparsers gives; its class is private
DEFAULT_ENV = "CEOBench-v0"


def entry_of(env_id: str) -> Entry:
    """What is registered under an id.

    Raises:
        ValueError: if nothing is, with the nearest id.
    """
    if env_id not in ENVIRONMENTS:
        raise ValueError(f"no environment {env_id!r}; {nearest(env_id, ENVIRONMENTS)}")
    return ENVIRONMENTS[env_id]


def add_env_args(parser: argparse.ArgumentParser) -> None:
    """The option ``--env-arg``."""
    parser.add_argument(
        "--env-arg",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="argument of the environment, the value as JSON or a word, e.g. start=configured or "
        "params='{\"clock.horizon_days\": 28}'; may be repeated",
    )


def add_policy(parser: argparse.ArgumentParser, **more: Any) -> None:
    """The options ``--policy`` and ``--policy-arg``."""
    parser.add_argument(
        "--policy", help="name of a policy (steady), or module:Class of your own", **more
    )
    parser.add_argument(
        "--policy-arg",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="argument of the policy, the value as JSON or a word; may be repeated",
    )


def look_here() -> None:
    """Find modules of the present directory, for a policy of the user's own."""
    sys.path.append(os.getcwd())


def key_values(option: str, items: Sequence[str]) -> dict[str, Any]:
    """What ``option KEY=VALUE`` said; a value that is not JSON is a word.

    Raises:
        ValueError: for another form, a key given twice, or JSON that is broken.
    """
    found: dict[str, Any] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not (name and equals):
            raise ValueError(f"{option} takes KEY=VALUE, not {item!r}")
        if name in found:
            raise ValueError(f"{option} {name} is given twice")
        try:
            found[name] = json.loads(text)
        except json.JSONDecodeError as error:
            if not text or text[0] in '{["':
                raise ValueError(f"{option} {name}: {text!r} is not JSON: {error}") from error
            found[name] = text
    return found
