"""``ceo-gym list`` and ``ceo-gym describe``: which environments there are, and what they take."""

from __future__ import annotations

import argparse
import inspect
import json
from typing import Any

import gymnasium as gym

from ceo_gym.cli.arguments import Commands, entry_of
from ceo_gym.registration import ENVIRONMENTS


def add(commands: Commands) -> None:
    """Add the subcommands."""
    every = commands.add_parser("list", help="the environments")
    every.set_defaults(run=_list)

    describe = commands.add_parser("describe", help="what an environment shows and takes")
    describe.set_defaults(run=_describe)
    describe.add_argument("id", help="id of an environment, see ceo-gym list")
    describe.add_argument("--actions", default="full", help="full, core or manager (default full)")
    describe.add_argument("--obs", default="full", help="full or compact (default full)")
    describe.add_argument("--json", action="store_true", help="every single cell, as JSON")


def _list(arguments: argparse.Namespace) -> int:
    width = max(map(len, ENVIRONMENTS))
    for env_id, entry in ENVIRONMENTS.items():
        print(f"{env_id:<{width}}  {entry.summary}")
    return 0


def _describe(arguments: argparse.Namespace) -> int:
    entry = entry_of(arguments.id)
    env: Any = gym.make(
        arguments.id, actions=arguments.actions, obs=arguments.obs, record="none"
    ).unwrapped
    described = env.describe()
    if arguments.json:
        print(json.dumps(described, indent=1))
        return 0
    from ceo_gym.envs.listing import key_rows
    from ceo_gym.terminal import print_keys

    print(f"{arguments.id}: {entry.summary}\n")
    print(inspect.getdoc(type(env)))
    for part, named in (("Observation", arguments.obs), ("Action", arguments.actions)):
        rows = key_rows(described[part.lower()])
        print_keys(f"{part} ({named}): {len(rows)} keys", rows)
    return 0
