"""A run record: what is kept of one game, as tables of pandas, and its directory of plain files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ceo_gym.runs.directory import CONFIG, WEEKS, read_config, write_config

if TYPE_CHECKING:
    import pandas as pd  # where it is needed: a journal is written without it

FORMAT, VERSION = "ceo-gym run", 1
_WHOLE, _REAL, _WORD = "int64", "float64", "str"


class Table(NamedTuple):
    """A file of a record: its name, its columns with their types, and whether all records have it.

    More columns than these are kept; they are numbers.
    """

    file: str
    columns: Mapping[str, str]
    needed: bool = True


def _of(kind: str, *names: str) -> dict[str, str]:
    return dict.fromkeys(names, kind)


TABLES: dict[str, Table] = {
    "weeks": Table(WEEKS, _of(_WHOLE, "day", "days") | _of(_REAL, "cash_usd")),
    "days": Table("days.csv", _of(_WHOLE, "day") | _of(_REAL, "cash_usd")),
    "forecasts": Table(
        "forecasts.csv",
        _of(_WHOLE, "day", "horizon_days", "own")
        | _of(_REAL, "point_usd", "lower_usd", "upper_usd")
        | _of(_REAL, "built_in_point_usd", "built_in_lower_usd", "built_in_upper_usd"),
    ),
    "advertising": Table(
        "advertising.csv",
        _of(_WHOLE, "week") | _of(_WORD, "channel", "group") | _of(_REAL, "spend_usd"),
    ),
    "negotiations": Table(
        "negotiations.csv",
        _of(_WORD, "kind")
        | _of(_WHOLE, "threads", "answered", "accepted", "rejected", "lost")
        | _of(_WHOLE, "open", "open_unanswered"),
    ),
    "actions": Table(
        "actions.csv", _of(_WHOLE, "week") | _of(_WORD, "kind", "name") | _of(_WHOLE, "count")
    ),
    "hidden_effectiveness": Table(
        "hidden_effectiveness.csv",
        _of(_WHOLE, "from_day") | _of(_WORD, "channel", "group") | _of(_REAL, "effectiveness"),
        needed=False,
    ),
    "hidden_competitor_events": Table(
        "hidden_competitor_events.csv", _of(_WHOLE, "day") | _of(_REAL, "shift"), needed=False
    ),
    "texts": Table("texts.csv", _of(_WHOLE, "week") | _of(_WORD, "text"), needed=False),
}


@dataclass(frozen=True, eq=False)
class RunRecord:
    """What is kept of one game. Money is in USD; week 1 is the first one, day 0 the start.

    Tables and columns whose name begins with ``hidden_`` hold what no player can know; a record
    without these tables is one that can be shown to a player.

    Attributes:
        config: what reproduces the run (``env``, ``policy``, ``policy_args``, ``seed``,
            ``parameters``) as far as it is known, and ``result`` (``day``, ``end``,
            ``final_cash_usd``).
        weeks: a row a week: results, accounts by group, money by category, and what was set and
            used, see `ceo_gym.simulators.ceobench.weekly.row` and
            `ceo_gym.evaluation.recording.own_columns`.
        days: a row a day from day 0: ``cash_usd`` after the day, and the ledger as
            ``ledger_<category>``, income above 0 and costs below. What a player buys between two
            days is in the ledger of the first, and in the cash from the second on.
        forecasts: a row for each cash forecast: ``day`` it was made, ``horizon_days``, point and
            interval handed in and those of the built-in forecaster, ``own`` (1 if they differ).
        advertising: ``spend_usd`` for each ``week``, ``channel`` and ``group`` with any.
        negotiations: a row for each kind of enterprise thread, up to the end of the record: how
            many there were, were answered (offer or rejection by the player), ended accepted,
            rejected or lost, are open, and are open without an answer.
        actions: ``count`` of each ``name`` a ``week``. The kind ``key`` is a key of the structured
            action, which counts once a week; ``tool`` is a call of a tool, refused ones included.
        hidden_effectiveness: prospects for a unit of spend, for each channel and group, in force
            from ``from_day`` on.
        hidden_competitor_events: ``day`` and applied ``shift`` of expectations, quality.
        texts: what a player wrote before a ``week`` was played; None unless it was handed in.
    """

    config: dict[str, Any]
    weeks: pd.DataFrame
    days: pd.DataFrame
    forecasts: pd.DataFrame
    advertising: pd.DataFrame
    negotiations: pd.DataFrame
    actions: pd.DataFrame
    hidden_effectiveness: pd.DataFrame | None = None
    hidden_competitor_events: pd.DataFrame | None = None
    texts: pd.DataFrame | None = None

    def write(self, directory: Path) -> list[Path]:
        """Write ``config.json`` and a CSV file for each table; numbers keep every digit.

        Files of tables that this record lacks are removed, so that nothing of an earlier record
        in the directory is taken for this one's.

        Returns:
            The files.

        Raises:
            OSError: if they cannot be written.
        """
        stored = self.config | {"format": FORMAT, "version": VERSION}
        files = [write_config(directory, stored)]
        for name, table in TABLES.items():
            frame: pd.DataFrame | None = getattr(self, name)
            path = directory / table.file
            if frame is None:
                path.unlink(missing_ok=True)
            else:
                frame.to_csv(path, index=False, na_rep="nan")
                files.append(path)
        return files

    @classmethod
    def read(cls, directory: Path) -> RunRecord:
        """Read what `write` wrote.

        Raises:
            ValueError: if it is no directory of a run, of another version, or damaged, saying
                which file is missing or wrong.
            OSError: if it cannot be read.
        """
        if not directory.is_dir():
            what = "a file" if directory.exists() else "not there"
            raise ValueError(
                f"{directory} is {what}; a run record is a directory, as "
                "ceo-gym run --out DIR writes one"
            )
        if not (directory / CONFIG).exists():
            raise ValueError(
                f"{directory} is not the directory of a run: it lacks {CONFIG}; "
                "ceo-gym run --out DIR writes one"
            )
        config = read_config(directory)
        if config.get("format") != FORMAT:
            raise ValueError(
                f'{directory} holds no run record: {CONFIG} lacks "format": "{FORMAT}"; '
                f"ceo-gym run --config {directory} --out {directory} plays the run again and "
                "writes one"
            )
        if config.get("version") != VERSION:
            raise ValueError(
                f"{directory} has version {config.get('version')!r} of the format of a run; this "
                f"ceo-gym reads version {VERSION}"
            )
        known = {key: value for key, value in config.items() if key not in ("format", "version")}
        return cls(known, **{name: _read(directory, table) for name, table in TABLES.items()})


def frame(name: str, rows: list[dict[str, Any]]) -> pd.DataFrame:
    """A table of a record from rows; without rows it has the columns all the same."""
    columns = TABLES[name].columns
    import pandas as pd

    made = pd.DataFrame(rows) if rows else pd.DataFrame(columns=list(columns))
    return made.astype(dict(columns))


def _read(directory: Path, table: Table) -> pd.DataFrame | None:
    import pandas as pd

    path = directory / table.file
    if not path.exists():
        if table.needed:
            raise ValueError(f"{directory} is not a whole run record: it lacks {table.file}")
        return None
    try:
        # everything as words first: which digits pandas keeps of numbers depends on its version,
        # and a text such as "nan" must stay a text
        found = pd.read_csv(path, dtype=_WORD, keep_default_na=False)
        lacking = [name for name in table.columns if name not in found]
        if lacking:
            raise ValueError(f"it lacks the column {lacking[0]!r}")
        return pd.DataFrame(
            {name: _typed(found[name], table.columns.get(name)) for name in found.columns}
        )
    except ValueError as error:  # also of the parser
        raise ValueError(f"{path} is damaged: {error}") from error


def _typed(column: pd.Series, kind: str | None) -> Any:
    """The values of a column; whole numbers where no kind is declared and all of them are."""
    if kind == _WORD:
        return column
    words = column.to_numpy(object)
    if kind is None:
        whole = all(word.lstrip("-").isdigit() for word in words)
        kind = _WHOLE if whole else _REAL
    return words.astype(kind)


__all__ = ["TABLES", "RunRecord", "frame"]
