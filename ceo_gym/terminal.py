"""What the command prints: a line a week above a progress bar, and tables of spaces."""

from __future__ import annotations

import re
from collections.abc import Sequence
from types import TracebackType

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ceo_gym.envs.listing import KeyRow
from ceo_gym.simulators.ceobench import DayResult

_COLUMNS = (
    ("day", 5),
    ("cash $", 16),
    ("MRR $", 15),
    ("subscribers", 13),
    ("leads", 10),
    ("churn", 9),
    ("outages", 9),
)


class WeeklyTable:
    """A context in which finished weeks are printed.

    Args:
        horizon_days: length of the game.
        quiet: print nothing.
    """

    def __init__(self, horizon_days: int, *, quiet: bool = False) -> None:
        self._quiet = quiet
        self._progress = Progress(
            TextColumn("day {task.completed:.0f} of {task.total:.0f}"),
            BarColumn(),
            TimeRemainingColumn(),
            console=Console(),
            transient=True,
            disable=quiet,
        )
        self._task = self._progress.add_task("run", total=horizon_days)

    def __enter__(self) -> WeeklyTable:
        self._progress.start()
        self._print("".join(f"{name:>{width}}" for name, width in _COLUMNS))
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._progress.stop()

    def add(self, week: DayResult) -> None:
        """Print a week: subscribers at its end, prospects and cancellations within it."""
        cells = (
            f"{week.day}",
            f"{week.cash_usd:,.0f}",
            f"{week.mrr_usd:,.0f}",
            f"{week.individual_subscribers + week.enterprise_accounts:,}",
            f"{week.new_leads:,}",
            f"{week.cancellations + week.enterprise_cancellations:,}",
            f"{week.outage_days}",
        )
        self._print("".join(f"{cell:>{width}}" for cell, (_, width) in zip(cells, _COLUMNS)))
        self._progress.update(self._task, completed=week.day)

    def _print(self, line: str) -> None:
        if not self._quiet:
            self._progress.console.print(line, highlight=False)


def print_keys(title: str, rows: Sequence[KeyRow]) -> None:
    """Print the keys of a space."""
    table = Table(title=title, title_justify="left", show_lines=True)
    for name in ("key", "space", "meaning", "cells"):
        table.add_column(name, overflow="fold", no_wrap=name == "key")
    for row in rows:
        cells = re.sub("`(.*?)`", r"[bold]\1[/]", escape("\n".join(row.cells)))
        table.add_row(f"[bold]{row.key}[/]", *map(escape, (row.space, row.meaning)), cells)
    Console().print(table, highlight=False)
