"""Reading the journal of a session, damaged or not, and doing it again where that is possible."""

from __future__ import annotations

import json
import math
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import gymnasium as gym

from ceo_gym.evaluation.recording import RunRecorder
from ceo_gym.runs import RunRecord
from ceo_gym.runs.journal import JOURNAL
from ceo_gym.runs.record import frame
from ceo_gym.sessions import replay
from ceo_gym.viewer.collect import WeekCollector
from ceo_gym.viewer.run import Run, Verdict
from ceo_gym.viewer.told import mark, real, whole

# what doing a journal again may raise if somebody else than a session has written it
_UNFIT = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
_CUT_SHORT = "; its last line is not whole (the writer was interrupted) and was left out"


def load_session(directory: Path, name: str) -> Run:
    """The run of a session: its journal, done again to see what that does not hold.

    A journal that cannot be done again is shown as it is, with the reason.

    Args:
        directory: of the session.
        name: to show.

    Raises:
        ValueError: if nothing of the journal can be read.
    """
    entries, lines, is_whole = _lines(directory / JOURNAL)
    if not entries or entries[0].get("kind") != "begin":
        raise ValueError(f"{directory / JOURNAL} does not begin as the journal of a session does")
    recorder: RunRecorder | None = None
    collector: WeekCollector | None = None

    def watch(env: gym.Env[Any, Any]) -> None:
        nonlocal recorder, collector
        recorder, collector = RunRecorder(env), WeekCollector(env)

    try:
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / JOURNAL  # the session may be open, and go on meanwhile
            copy.write_bytes(lines)
            found = replay(copy.parent, watch=watch)
    except _UNFIT as error:
        verdict = Verdict(False, _reason(error))
        record = _as_told(entries)
    else:
        left = "" if is_whole else _CUT_SHORT
        verdict = Verdict(
            True,
            f"verified bit for bit: {found.weeks} weeks, {found.decisions} decisions{left}",
        )
        record = recorder.record() if recorder is not None and found.weeks else None
    begin = entries[0]
    return Run(
        name=name,
        player=_player(begin),
        env=str(begin.get("env"))[:80],
        seed=mark(begin.get("seed")),
        horizon_days=whole(begin.get("total_days")),
        about=_about(begin),
        verdict=verdict,
        record=record,
        entries=entries,
        numbers=collector.numbers if collector else [],
        happened=collector.happened if collector else [],
        group_names=collector.group_names if collector else {},
    )


def _lines(path: Path) -> tuple[list[dict[str, Any]], bytes, bool]:
    """The entries that can be read, all whole lines, and whether the last line is one."""
    data = path.read_bytes()
    lines = data[: data.rfind(b"\n") + 1]
    entries = []
    for line in lines.splitlines():
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict):
            entries.append(entry)
    return entries, lines, len(lines) == len(data)


def _reason(error: Exception) -> str:
    """Why a journal could not be verified, with its own path in place of the copy's."""
    text = str(error) if isinstance(error, ValueError) else f"the journal is malformed: {error!r}"
    at = text.find(JOURNAL)
    return text[at:] if at >= 0 and text.startswith(tempfile.gettempdir()) else text


def _as_told(entries: Sequence[Mapping[str, Any]]) -> RunRecord | None:
    """The record that a journal claims: its weeks, without what only a replay knows."""
    weeks, days, forecasts = [], [], []
    cash = real(entries[0].get("initial_cash_usd"))
    if cash is not None:
        days.append({"day": 0, "cash_usd": cash})
    for entry in entries:
        row, day = entry.get("row"), whole(entry.get("day"))
        cash = real(entry.get("cash_usd"))
        if entry.get("kind") != "week" or not isinstance(row, dict) or cash is None:
            continue
        if not day or (days and day <= days[-1]["day"]):
            continue
        numbers = {str(k): number for k, v in row.items() if (number := real(v)) is not None}
        length = min(max(int(numbers.get("days", 7)), 1), day)
        weeks.append(numbers | {"day": day, "days": length, "cash_usd": cash})
        days.append({"day": day, "cash_usd": cash})
        forecasts += [
            {"day": day - length} | dict(zip(_FORECAST, cells))
            for cells in _rows(entry.get("forecast"))
        ]
    if not weeks:
        return None
    unknown = dict.fromkeys((f"built_in_{name}" for name in _FORECAST[1:]), math.nan)
    return RunRecord(
        config={"result": {"day": weeks[-1]["day"], "end": "", "final_cash_usd": cash}},
        weeks=frame("weeks", weeks),
        days=frame("days", days),
        forecasts=frame("forecasts", [row | unknown | {"own": 1} for row in forecasts]),
        advertising=frame("advertising", []),
        negotiations=frame("negotiations", []),
        actions=frame("actions", []),
    )


def _rows(forecast: Any) -> list[list[float]]:
    """The rows of a forecast that are ones: horizon, point, lower, upper."""
    rows = forecast if isinstance(forecast, list) else []
    return [
        cells
        for cells in rows
        if isinstance(cells, list)
        and len(cells) == 4
        and None not in map(real, cells)
        and 0 < cells[0] < LONGEST_DAYS
    ]


LONGEST_DAYS = 10_000
_PLAYERS = (("about", "model"), ("about", "player"))  # where the name of a player may stand
_FORECAST = ("horizon_days", "point_usd", "lower_usd", "upper_usd")


def _player(begin: Mapping[str, Any]) -> str:
    about = begin.get("about")
    known = about if isinstance(about, dict) else {}
    named = next((known[name] for _, name in _PLAYERS if known.get(name)), None)
    return str(named)[:80] if named else "an agent"


def _about(begin: Mapping[str, Any]) -> str:
    """What else is known of a session, in a line."""
    words = [f"ceo-gym {begin.get('ceo_gym')}", f"begun {begin.get('created_at')}"]
    for name in ("env_args", "options", "about"):
        known = begin.get(name)
        if isinstance(known, dict):
            words += [
                f"{key} {json.dumps(value, default=repr)}"[:400]
                for key, value in known.items()
                if (name, key) not in _PLAYERS
            ]
    return " · ".join(words)
