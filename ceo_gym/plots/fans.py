"""Cash over the seeds of evaluations: how it spreads, week by week."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ceo_gym.evaluation import Episode, Evaluation
from ceo_gym.plots.style import GRID, HUES, INK, MUTED, dress, head, new_figure, short
from ceo_gym.simulators.ceobench.sections import WEEK_DAYS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Values = NDArray[np.float64]

BANDS = ((5.0, 95.0, 0.14), (25.0, 75.0, 0.28))  # percentiles over seeds, and opacity
# dashes, so that black-and-white prints tell policies apart as well
LINES: tuple[Any, ...] = ("-", (0, (7, 2)), (0, (7, 2, 1.5, 2)), (0, (2.5, 1.2)))
LEGEND_COLUMNS = 4
LINEAR_USD = 1e5  # around zero, where the logarithmic axis has no place for losses
NARROW = 30.0  # cash that varies by less than this factor needs no logarithmic axis


def plot_fans(
    evaluations: Sequence[Evaluation],
    path: Path,
    *,
    title: str | None = None,
    names: Sequence[str] | None = None,
) -> Path:
    """Draw the cash of evaluations week by week: median, and bands of 50 % and 90 % of the seeds.

    A company that is bankrupt keeps its last cash, so that all seeds count everywhere; the fan of a
    policy ends with the last of its games. The axis of cash is logarithmic where cash varies by a
    factor of 30 or more; where some of it is not above zero, the axis is linear up to 100,000 USD
    on either side.

    Args:
        evaluations: one to eight, finished or not, with at least one game each.
        path: the PNG to write; its directory is made if needed.
        title: a line above the picture; what the evaluations have in common unless given.
        names: of the evaluations; what tells them apart unless given.

    Returns:
        The path.

    Raises:
        ModuleNotFoundError: without matplotlib, naming the pip line.
        ValueError: if there are no evaluations or too many, or one has no finished game.
    """
    if not 1 <= len(evaluations) <= len(HUES):
        raise ValueError(f"a picture takes 1 to {len(HUES)} evaluations, not {len(evaluations)}")
    for evaluation in evaluations:
        if not evaluation.episodes:
            raise ValueError(f"{evaluation.identity['policy']} has no finished game to draw")
    common, own = labels([evaluation.identity for evaluation in evaluations])
    names = own if names is None else names
    figure = new_figure(10, 5.6)
    panel = figure.subplots()
    dress(panel, "Cash: median of seeds, with 50 % (dark) and 90 % (light) of them", money=True)
    paths = [weekly_cash(evaluation.episodes) for evaluation in evaluations]
    for at, (evaluation, name, (days, cash)) in enumerate(zip(evaluations, names, paths)):
        games = len(evaluation.episodes)
        label = f"{name} ({games} seed{'s' if games > 1 else ''})"
        _fan(panel, days, cash, HUES[at], LINES[at % len(LINES)], label)
    _scale(panel, np.concatenate([cash.ravel() for _, cash in paths]))
    panel.set_xlim(0.0, max(float(days[-1]) for days, _ in paths))
    panel.set_xlabel("day", color=MUTED)
    panel.set_ylabel("cash, USD", color=MUTED)
    panel.grid(axis="x", color=GRID, linewidth=0.8)
    figure.legend(
        loc="outside lower left",
        ncols=min(len(names), LEGEND_COLUMNS),
        frameon=False,
        fontsize=9,
        labelcolor=INK,
        handlelength=2.6,
    )
    head(figure, common if title is None else title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return path


def weekly_cash(episodes: Sequence[Episode]) -> tuple[Values, Values]:
    """Cash of games on a common grid of weeks.

    Args:
        episodes: one or more.

    Returns:
        [weeks + 1] day of each column, the last one the last day that any game reached; and
        [games, weeks + 1] cash in USD, the last one of a shorter game repeated.
    """
    columns = max(len(episode.weekly_cash_usd) for episode in episodes)
    last_day = max(episode.survival_days for episode in episodes)
    days = np.minimum(np.arange(columns) * float(WEEK_DAYS), float(last_day))
    cash = np.empty((len(episodes), columns))
    for row, episode in zip(cash, episodes):
        known = len(episode.weekly_cash_usd)
        row[:known] = episode.weekly_cash_usd
        row[known:] = episode.weekly_cash_usd[-1]
    return days, cash


def labels(identities: Sequence[dict[str, Any]]) -> tuple[str, list[str]]:
    """What evaluations have in common, in words, and a name for each that tells them apart."""
    named = [_words(identity) for identity in identities]
    shared = {
        key: value
        for key, value in named[0].items()
        if all(other.get(key) == value for other in named)
    }
    names = []
    for words in named:
        own = [_part(key, value) for key, value in words.items() if key not in shared]
        names.append(", ".join(own) or words["policy"])
    return ", ".join(_part(key, value) for key, value in shared.items()), names


def _words(identity: dict[str, Any]) -> dict[str, str]:
    found = {"policy": str(identity["policy"]), "env": str(identity["env"])}
    for kind in ("policy_args", "env_args"):
        for name, value in identity[kind].items():
            if name != "record":  # changes no outcome
                found[name] = json.dumps(value)
    return found


def _part(key: str, value: str) -> str:
    return value if key in ("policy", "env") else f"{key}={value}"


def _fan(panel: Axes, days: Values, cash: Values, hue: str, line: Any, label: str) -> None:
    for low, high, opacity in BANDS:
        bottom, top = np.percentile(cash, (low, high), axis=0)
        panel.fill_between(days, bottom, top, color=hue, alpha=opacity, linewidth=0)
    panel.plot(days, np.median(cash, axis=0), color=hue, linestyle=line, linewidth=2, label=label)


def _scale(panel: Axes, cash: Values) -> None:
    """A logarithmic axis with a tick at each power of ten, linear around zero or throughout."""
    low, high = float(cash.min()), float(cash.max())
    if low > 0.0 and high >= NARROW * low:
        panel.set_yscale("log")
    elif low <= 0.0 and max(high, -low) > LINEAR_USD:
        panel.set_yscale("symlog", linthresh=LINEAR_USD, linscale=0.5)
        panel.axhline(0.0, color=MUTED, linewidth=0.8)
    panel.yaxis.set_major_formatter(lambda value, _: short(value, money=True))
    panel.minorticks_off()
