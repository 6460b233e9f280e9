"""What a page is made of: one run, whoever played it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ceo_gym.runs import RunRecord


class Verdict(NamedTuple):
    """Whether playing a run again came to the same.

    Attributes:
        holds: bit for bit.
        text: what was verified, or why it does not hold.
    """

    holds: bool
    text: str


@dataclass(frozen=True)
class Run:
    """One run.

    Attributes:
        name: to show.
        player: policy or model.
        env: id of the environment.
        seed: of the world.
        horizon_days: of the game, None if it is not known.
        about: whatever else is known, in a line.
        verdict: of playing it again.
        record: its tables, None if no week was played.
        entries: of its journal, none for a policy.
        numbers: of each week that was played again, see `collect.numbers`.
        happened: likewise, see `collect.WeekCollector`.
        group_names: id -> name of the groups of customers; empty if it was not played again.
    """

    name: str
    player: str
    env: str
    seed: Any
    horizon_days: int | None
    about: str
    verdict: Verdict
    record: RunRecord | None
    entries: Sequence[Mapping[str, Any]]
    numbers: Sequence[Mapping[str, float]]
    happened: Sequence[Mapping[str, Any]]
    group_names: Mapping[str, str]
