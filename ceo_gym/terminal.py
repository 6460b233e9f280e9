"""What the command prints: a line a week above a progress bar, and tables of spaces."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ceo_gym.envs.listing import KeyRow
from ceo_gym.evaluation import Evaluation
from ceo_gym.simulators.ceobench import DayResult

if TYPE_CHECKING:
    from ceo_gym.evaluation.analysis import Measure, Report

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


def print_evaluation(evaluation: Evaluation) -> None:
    """Print the figures of an evaluation, and under them each seed."""
    of, figures = evaluation.identity, evaluation.summary
    changed = {name: value for name, value in of["env_args"].items() if name != "record"}
    changed |= of["policy_args"]
    print(
        f"{of['policy']} in {of['env']}, {figures['seeds']} seeds"
        + "".join(f", {name}={json.dumps(value)}" for name, value in changed.items())
    )
    geometric, days, seconds = (
        figures[name] for name in ("geometric", "survival_days", "cpu_seconds")
    )
    floored = f" ({geometric['floored']} seeds count as $1)" if geometric["floored"] else ""
    rows = [
        ("mean", _usd(figures["mean_usd"]), _interval(figures["mean_interval_usd"])),
        ("median", _usd(figures["median_usd"]), _interval(figures["median_interval_usd"])),
        ("interquartile mean", _usd(figures["iqm_usd"]), _interval(figures["iqm_interval_usd"])),
        (
            "geometric mean" + floored,
            _usd(geometric["mean_usd"]),
            _interval(geometric["interval_usd"]),
        ),
        ("standard deviation", _usd(figures["sd_usd"]), ""),
        ("least, greatest", _usd(figures["min_usd"]), _usd(figures["max_usd"])),
        ("mean, bankrupt as $0", _usd(figures["mean_zero_for_bankrupt_usd"]), ""),
        ("bankruptcies", f"{figures['bankruptcies']} of {figures['seeds']}", ""),
        ("days survived, mean", f"{days['mean']:,.1f}", f"least {days['min']:,}"),
        ("CPU seconds", f"{seconds['total']:,.1f}", f"{seconds['mean']:,.2f} a game"),
    ]
    _print_rows(("final cash", "", "95 % interval"), rows)
    each = [
        (
            str(episode.seed),
            _usd(episode.final_cash_usd),
            f"{episode.survival_days}{' bankrupt' if episode.bankrupt else ''}",
        )
        for episode in evaluation.episodes
    ]
    print()
    _print_rows(("seed", "final cash", "days"), each)


def print_agent_report(model: str, env: str, found: dict[str, Any]) -> None:
    """Print the report of an agent's runs, see `ceo_gym.llm.runs.report`."""
    score, days = found["score"], found["score"]["survival_days"]
    status = ", ".join(f"{count} {name}" for name, count in found["status"].items())
    print(f"{model} in {env}, {found['runs']} runs: {status}")
    cost = found["cost_usd"]
    rows = [
        ("final cash, mean", _usd(score["mean_usd"]), _interval(score["mean_interval_usd"])),
        ("median", _usd(score["median_usd"]), _interval(score["median_interval_usd"])),
        ("standard deviation", _usd(score["sd_usd"]), ""),
        ("least, greatest", _usd(score["min_usd"]), _usd(score["max_usd"])),
        ("bankruptcies", f"{score['bankruptcies']} of {found['runs']}", ""),
        ("days survived, mean", f"{days['mean']:,.1f}", f"least {days['min']:,}"),
        ("turns a week", _number(found["turns_a_week"]), f"{found['forced_weeks']} weeks forced"),
        ("refused calls", _share(found["error_rate"]), ""),
        ("invalid replies a turn", _share(found["invalid_a_turn"]), ""),
        ("tokens", f"{_count(found['input_tokens'])} in", f"{_count(found['output_tokens'])} out"),
        ("cost", "unknown" if cost is None else f"${cost:,.2f}", f"{found['hours']:,.2f} hours"),
    ]
    for horizon, figures in found["forecasts"].items():
        rows.append(
            (
                f"forecasts of {horizon} days",
                f"{_share(figures['coverage'])} within their 95 % interval",
                f"error {_share(figures['abs_error_median'])}, {figures['scored']:.0f} scored",
            )
        )
    _print_rows(("", "", ""), rows)
    print()
    each = [
        (
            Path(run["directory"]).name,
            _usd(run["final_cash_usd"]),
            f"day {run['days']} {run['status']}, {run['turns']} turns",
        )
        for run in found["each"]
    ]
    _print_rows(("run", "cash", ""), each)


def _count(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:,.1f}"


def _share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1%}"


def print_comparison(found: dict[str, Any]) -> None:
    """Print a paired comparison, see `ceo_gym.evaluation.compare`."""
    names = [f"{found[part]['policy']} in {found[part]['env']}" for part in ("first", "second")]
    print(f"\n{names[0]}, less {names[1]}, on {len(found['seeds'])} common seeds")
    if not found["same_code"]:
        print("(played by different code of ceo-gym)")
    rows = [
        ("mean", _usd(found["mean_usd"]), _interval(found["mean_interval_usd"])),
        ("median", _usd(found["median_usd"]), _interval(found["median_interval_usd"])),
        ("won, tied, lost", f"{found['wins']}, {found['ties']}, {found['losses']}", ""),
        ("p of the sign test", f"{found['sign_p']:.3g}", ""),
        ("p of Wilcoxon's test", f"{found['wilcoxon_p']:.3g}", ""),
    ]
    _print_rows(("difference", "", "95 % interval"), rows)


def print_reports(names: Sequence[str], reports: Sequence[Report]) -> None:
    """Print the measures of runs, a column a run; of forecasts the counts and medians only."""
    for name, found in zip(names, reports):
        print(f"{name}: " + "{policy} in {env}, seed {seed}".format_map(_Known(found.config)))
    own = any(found["own_forecasts"].value for found in reports)
    reasons: dict[str, list[str]] = {}
    rows: list[tuple[str, ...]] = []
    for subject in reports[0].measures:
        rows.append((subject, *[""] * (len(reports) + 1)))
        for name in dict.fromkeys(name for found in reports for name in found.measures[subject]):
            if name.endswith("_mean") or (name.startswith("built_in_") and not own):
                continue
            each = [found.measures[subject].get(name) for found in reports]
            present = [measure for measure in each if measure is not None]
            for measure in present:
                if measure.reason and name not in reasons.setdefault(measure.reason, []):
                    reasons[measure.reason].append(name)
            rows.append((f"  {name}", present[0].unit, *map(_measure, each)))
    _print_rows(("", "unit", *names), rows)
    if not own:
        print("\nEvery forecast was the built-in one.")
    if reasons:
        print("\nNo number (-) because")
        for reason, which in reasons.items():
            print(f"  {reason}: {', '.join(which)}")


class _Known(dict[str, Any]):
    """What a record says about its run, which may be nothing."""

    def __missing__(self, key: str) -> str:
        return "?"


def _measure(measure: Measure | None) -> str:
    if measure is None or measure.value is None:
        return "-"
    if measure.unit == "USD":
        return _usd(measure.value)
    if measure.unit.startswith(("share", "relative")):
        return f"{measure.value:,.1%}"
    return f"{measure.value:,.{1 if measure.unit == 'weeks' else 0}f}"


def _print_rows(header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
    """Columns of plain text, the first to the left, so that pipes and files can take them."""
    widths = [max(len(row[at]) for row in (header, *rows)) for at in range(len(header))]
    for row in (header, *rows):
        cells = [f"{row[0]:<{widths[0]}}"]
        cells += [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:])]
        print("  ".join(cells).rstrip())


def _usd(value: float | None) -> str:
    return "-" if value is None else f"{'-' if value < 0 else ''}${abs(value):,.0f}"


def _interval(limits: Sequence[float]) -> str:
    return f"{_usd(limits[0])} to {_usd(limits[1])}"
