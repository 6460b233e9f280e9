"""What of a journal decides a game: making its env anew, and doing its entries again."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from ceo_gym.registration import ENVIRONMENTS
from ceo_gym.runs.journal import shortened
from ceo_gym.simulators.ceobench import World, weekly
from ceo_gym.simulators.common import snapshots
from ceo_gym.simulators.common.parameters import nearest
from ceo_gym.tools import ceobench as tools
from ceo_gym.wrappers.desk import NEXT_WEEK, Desk, code_of

ADVANCE = "advance"
PLAYS = (NEXT_WEEK, ADVANCE)
OWN_KINDS = ("begin", "call", "program", "output", "week", "end")
_ACTING = ("setting", "immediate")
_RESULT = ("result", "result_part", "characters", "result_sha256")


class DifferentOutcome(ValueError):
    """Doing a journal again does not come to what it says; the message names the place."""


def make_env(begin: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """The environment of a journal.

    Raises:
        ValueError: for an unknown id or argument.
    """
    if begin["env"] not in ENVIRONMENTS:
        raise ValueError(f"no environment {begin['env']!r}; {nearest(begin['env'], ENVIRONMENTS)}")
    try:
        return gym.make(f"ceo_gym:{begin['env']}", **begin["env_args"])
    except TypeError as error:
        raise ValueError(f"the arguments of {begin['env']}: {error}") from error


def make_desk(env: gym.Env[Any, Any], begin: Mapping[str, Any]) -> Desk:
    """The desk of a journal."""
    return Desk(
        env, "a session", needs_forecast=begin["needs_forecast"], extended=begin["extended"]
    )


def facts(env: gym.Env[Any, Any]) -> dict[str, Any]:
    """What of the world is worth knowing without making it: horizon, first cash, all numbers."""
    world: World = env.unwrapped.world  # type: ignore[attr-defined]
    numbers = snapshots.dump("", 0, snapshots.to_plain([world.params, world.rules]))
    return {
        "total_days": world.params.clock.horizon_days,
        "initial_cash_usd": float(world.company.cash_usd),
        "parameters_sha256": hashlib.sha256(numbers).hexdigest(),
    }


def week_entry(world: World) -> dict[str, Any]:
    """What is kept of a week: the forecast before it, and numbers that the player may know."""
    forecasts, row = world.history.predictions, weekly.row(world)
    made = forecasts.day == world.day - world.history.weeks[-1].days
    columns = (
        forecasts.horizon_days,
        forecasts.point_usd,
        forecasts.lower_usd,
        forecasts.upper_usd,
    )
    return {
        "week": len(world.history.weeks),
        "day": world.day,
        "cash_usd": float(world.company.cash_usd),
        "forecast": [list(map(float, cells)) for cells in zip(*(c[made] for c in columns))],
        "row": {name: float(v) for name, v in row.items() if not name.startswith("hidden_")},
    }


def is_tool_state(entry: Mapping[str, Any]) -> bool:
    """Whether an entry registers or forgets code of the workspace."""
    return _kind(entry) == "tool state"


def decides(entry: Mapping[str, Any]) -> bool:
    """Whether an entry has changed the company: a call that was carried out and does not read."""
    return _kind(entry) in _ACTING or plays(entry)


def plays(entry: Mapping[str, Any]) -> bool:
    """Whether an entry is a call that has played a week."""
    return entry["kind"] == "call" and entry["tool"] in PLAYS and "error" not in entry


def rationale(entry: Mapping[str, Any]) -> str:
    """What a player wrote about a decision, empty if the entry holds no such text."""
    if entry.get("tool") not in (*PLAYS, "log_rationale") or "error" in entry:
        return ""
    return str((entry["args"] or {}).get("rationale") or "")


def _kind(entry: Mapping[str, Any]) -> str:
    """The kind of the tool of a call that was carried out."""
    if entry["kind"] != "call" or "error" in entry or entry["tool"] not in tools.TOOLS:
        return ""
    return tools.TOOLS[entry["tool"]].kind


def repeat(desk: Desk, entry: Mapping[str, Any]) -> None:
    """Do an entry again if it decides, and compare what comes of it.

    Raises:
        DifferentOutcome: if that is something else, or the entry is none that a session writes.
    """
    try:
        _repeat(desk, entry)
    except (KeyError, TypeError, AttributeError) as error:
        raise DifferentOutcome(
            f"{_place(entry)} is not as a session writes it: {error!r}"
        ) from error


def _repeat(desk: Desk, entry: Mapping[str, Any]) -> None:
    if entry["kind"] in ("week", "end"):
        _compare(entry, desk)
    if not decides(entry):
        return
    tool, arguments = entry["tool"], entry["args"]
    try:
        if tool == ADVANCE:
            answer = desk.advance(arguments["rationale"])
        else:
            answer = desk.call(tool, arguments)
    except ValueError as error:
        raise DifferentOutcome(
            f"{_place(entry)}: {tool} was carried out then and is refused now: {error}"
        ) from error
    if tool in PLAYS:
        return  # the entry of the week says what came of it
    now, then = shortened(answer), {name: entry[name] for name in _RESULT if name in entry}
    if now != then:
        raise DifferentOutcome(f"{_place(entry)}: {tool} answers {now} now, {then} then")


def _compare(entry: Mapping[str, Any], desk: Desk) -> None:
    """Compare the numbers of a week, bit for bit."""
    world = desk.world
    is_week = entry["kind"] == "week"
    if is_week and entry["day"] != world.day:
        raise DifferentOutcome(f"{_place(entry)}: the day is {world.day} now")
    now = week_entry(world) if is_week else {"cash_usd": world.company.cash_usd}
    for name, value in now.items():
        if entry[name] != value:
            raise DifferentOutcome(
                f"{_place(entry)}: {name} is {_short(value)} now, {_short(entry[name])} in the "
                "journal"
            )


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:80]}…"


def _place(entry: Mapping[str, Any]) -> str:
    return f"entry {entry['n']} (line {entry['n'] + 1}, day {entry.get('day')})"


def refusal(error: ValueError) -> dict[str, Any]:
    """How a refused call is kept."""
    return {"error": str(error), "code": code_of(error)}
