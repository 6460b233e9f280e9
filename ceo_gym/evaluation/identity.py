"""What a result belongs to: names, arguments, and the version of the world that was played."""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import asdict, replace
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from ceo_gym import __version__
from ceo_gym.baselines import POLICIES, policy_class
from ceo_gym.evaluation.play import Game
from ceo_gym.simulators.common import snapshots

# Parts of the package that can change an outcome.
DECIDING = (
    "simulators",
    "text",
    "sql",
    "tools",
    "envs",
    "registration.py",
    "wrappers",
    "baselines",
)
SUFFIXES = (".py", ".toml", ".csv", ".json")


def identity(game: Game) -> dict[str, Any]:
    """What tells results of one game from those of another.

    Returns:
        ``env``, ``env_args``, ``policy``, ``policy_args``: of the game; ``policy_files``: digests
        of the file that holds the class of the policy, if it is none of the built-in ones, and of
        files that its arguments name; ``ceo_gym``: version of the package;
        ``world``: digest of all numbers and rules that are played; ``code``: digest of the files
        of the package that decide outcomes, since a rule of a policy can change between two runs
        of one command, and a mixture of the two would be a result of neither.

    Raises:
        ValueError: if env or policy cannot be made.
    """
    env, _ = game.make()
    world: Any = env.unwrapped.world  # type: ignore[attr-defined]
    # numbers count, not the words in which changes were asked for
    numbers = snapshots.to_plain(replace(world.params, overrides={}))
    rules = snapshots.dump("", 0, [numbers, asdict(world.rules)])
    env.close()
    return {
        "env": game.env,
        "env_args": game.env_args,
        "policy": game.policy,
        "policy_args": game.policy_args,
        "policy_files": _policy_files(game),
        "ceo_gym": __version__,
        "world": hashlib.sha256(rules).hexdigest()[:16],
        "code": _code_digest(),
    }


def differences(there: dict[str, Any], here: dict[str, Any]) -> list[str]:
    """In which respects two identities differ, in words."""
    words = {"world": "numbers or rules of the world", "code": "code of the package"}
    found = []
    for name in dict.fromkeys([*here, *there]):
        old, new = there.get(name), here.get(name)
        if old == new:
            continue
        if name in words:
            found.append(f"other {words[name]}")
        else:
            found.append(f"{name} is {old!r} there and {new!r} here")
    return found


def _policy_files(game: Game) -> dict[str, str]:
    """Names of arguments, and "class" -> digest of the file."""
    policy = policy_class(game.policy)
    parameters = inspect.signature(policy).parameters.values()
    arguments = {each.name: each.default for each in parameters} | game.policy_args
    found = {
        name: Path(value)
        for name, value in arguments.items()
        if isinstance(value, str) and Path(value).is_file()
    }
    source = inspect.getsourcefile(policy)
    if game.policy not in POLICIES and source is not None:
        found["class"] = Path(source)
    return {
        name: hashlib.sha256(path.read_bytes()).hexdigest()[:16]
        for name, path in sorted(found.items())
    }


def _code_digest() -> str:
    digest = hashlib.sha256()
    package = files("ceo_gym")
    for name in DECIDING:
        for path, content in _contents(package.joinpath(name), name):
            digest.update(f"{path}\0{len(content)}\0".encode() + content)
    return digest.hexdigest()[:16]


def _contents(entry: Traversable, path: str) -> list[tuple[str, bytes]]:
    if entry.is_dir():
        inside = sorted(entry.iterdir(), key=lambda item: item.name)
        return [found for item in inside for found in _contents(item, f"{path}/{item.name}")]
    if not path.endswith(SUFFIXES):
        return []
    # a checkout may have changed the ends of lines
    return [(path, entry.read_bytes().replace(b"\r\n", b"\n"))]
