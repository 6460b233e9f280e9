"""The rules of `RuleBased` with numbers that a search found."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any

import gymnasium as gym

from ceo_gym.baselines.rule_based import RuleBased
from ceo_gym.baselines.rule_settings import RuleSettings
from ceo_gym.simulators.ceobench import Rules

SHIPPED = ("CEOBench-v0", "CEOBench-Repaired-v0")


class Tuned(RuleBased):
    """`RuleBased` with the settings that ``ceo-gym tune`` found for the rules in force.

    The files ``tuned_<id>.json`` beside this module hold them, with the command, the seeds and the
    budget that produced them. Environments without a file of their own take that of the published
    or of the repaired rules, whichever they play by.

    Args:
        env: a company env with ``obs="full"`` and ``actions="full"``.
        settings: other settings: some by name on top of the shipped ones, or the file of a search.

    Raises:
        ValueError: if the env has another observation or action, or for settings that are none.
        OSError: if the file cannot be read.
    """

    def __init__(
        self, env: gym.Env[Any, Any], settings: Mapping[str, float] | str | None = None
    ) -> None:
        if isinstance(settings, str):
            numbers = read_settings(Path(settings))
        else:
            numbers = shipped_settings(env) | dict(settings or {})
        super().__init__(env, RuleSettings.of(numbers))


def shipped_settings(env: gym.Env[Any, Any]) -> dict[str, float]:
    """The settings that come with the package for the rules of an env."""
    mine = "" if env.spec is None else env.spec.id.removeprefix("ceo_gym:")
    if mine not in SHIPPED:
        company: Any = env.unwrapped
        mine = SHIPPED[1] if company.world.rules == Rules.repaired() else SHIPPED[0]
    return dict(shipped_file(mine)["settings"])


def shipped_file(env_id: str) -> dict[str, Any]:
    """What ``ceo-gym tune`` has written for one of `SHIPPED`."""
    text = files("ceo_gym.baselines").joinpath(f"tuned_{env_id}.json").read_text(encoding="utf-8")
    return dict(json.loads(text))


def read_settings(path: Path) -> dict[str, float]:
    """The settings of a file that ``ceo-gym tune`` has written.

    Raises:
        ValueError: if it is another file.
        OSError: if it cannot be read.
    """
    try:
        settings = json.loads(path.read_text(encoding="utf-8"))["settings"]
    except (ValueError, KeyError, TypeError) as error:
        raise ValueError(f"{path} is no file of ceo-gym tune: {error!r}") from error
    RuleSettings.of(settings)
    return dict(settings)
