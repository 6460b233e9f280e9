"""Auditing a recorded run: doing all its decisions again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium as gym

from ceo_gym.runs.journal import read_journal
from ceo_gym.sessions import decisions


class Verified(NamedTuple):
    """What a journal holds that was found to be true.

    Attributes:
        begin: its first entry.
        day: the last one played.
        weeks: played.
        decisions: done again, weeks included.
        final_cash_usd: in the end.
        ended: whether the game is over.
    """

    begin: dict[str, Any]
    day: int
    weeks: int
    decisions: int
    final_cash_usd: float
    ended: bool


def replay(
    directory: Path,
    *,
    watch: Callable[[gym.Env[Any, Any]], object] | None = None,
    each: Callable[[Mapping[str, Any]], object] | None = None,
) -> Verified:
    """Check a journal and do its decisions again, without running any program.

    The answers of all decisions and the numbers of all weeks have to come out the same, bit for
    bit. Whatever the rest of the directory holds is not looked at.

    Args:
        directory: of the run.
        watch: is called with the env before the game begins, to record it for instance.
        each: is called with every entry before it is done.

    Raises:
        DamagedJournal: if a byte of the journal was changed, naming the line.
        DifferentOutcome: if something comes out otherwise, naming the entry.
        ValueError: if there is no journal, or it belongs to other rules than those here.
    """
    entries = read_journal(directory)
    begin = entries[0]
    env = decisions.make_env(begin)
    try:
        here = decisions.facts(env)
        for name, value in here.items():
            if begin[name] != value:
                raise decisions.DifferentOutcome(
                    f"the run was made with ceo-gym {begin['ceo_gym']} and other rules or numbers "
                    f"than {begin['env']} has here: {name} was {begin[name]}, and is {value}"
                )
        if watch is not None:
            watch(env)
        desk = decisions.make_desk(env, begin)
        desk.begin(seed=begin["seed"], options=begin["options"])
        done = 0
        for entry in entries[1:]:
            if each is not None:
                each(entry)
            decisions.repeat(desk, entry)
            done += decisions.decides(entry)
        world = desk.world
        return Verified(
            begin,
            desk.day,
            len(world.history.weeks),
            done,
            float(world.company.cash_usd),
            world.ended,
        )
    finally:
        env.close()
