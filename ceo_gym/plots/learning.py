"""Final cash while a policy learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from ceo_gym.plots.style import HUES, MUTED, dress, head, new_figure

TITLE = "Final cash on tuning seeds: mean, median (dashed), and least to most"


def plot_learning_curve(
    points: Sequence[Mapping[str, float]],
    path: Path,
    *,
    title: str,
    levels: Mapping[str, float] | None = None,
) -> Path:
    """Draw final cash against weeks of training.

    Args:
        points: rows of ``curve.csv`` of ``ceo-gym train``: ``steps``, ``mean_usd``,
            ``median_usd``, ``min_usd``, ``max_usd``, in USD.
        path: the PNG to write; its directory is made if needed.
        title: a line above the picture.
        levels: name -> USD of horizontal lines to compare with.

    Returns:
        The path.

    Raises:
        ModuleNotFoundError: without matplotlib, naming the pip line.
        ValueError: if there are no points.
    """
    if not points:
        raise ValueError("a learning curve without points has no picture")
    figure = new_figure(9, 5)
    panel = figure.subplots()
    dress(panel, TITLE, money=True)
    steps = [point["steps"] / 1e3 for point in points]
    column = {
        name: [point[f"{name}_usd"] for point in points]
        for name in ("mean", "median", "min", "max")
    }
    panel.fill_between(steps, column["min"], column["max"], color=HUES[0], alpha=0.14, linewidth=0)
    panel.plot(steps, column["mean"], color=HUES[0], linewidth=2, marker="o", markersize=4)
    panel.plot(steps, column["median"], color=HUES[0], linewidth=1.2, linestyle="--")
    for name, usd in (levels or {}).items():
        panel.axhline(usd, color=MUTED, linewidth=1, linestyle=":")
        panel.annotate(
            name,
            (1.0, usd),
            xycoords=("axes fraction", "data"),
            xytext=(-4, 3),
            textcoords="offset points",
            ha="right",
            fontsize=8.5,
            color=MUTED,
        )
    panel.set_ylim(bottom=min(0.0, *column["min"]))
    panel.set_xlabel("thousand weeks of training", color=MUTED)
    head(figure, title)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110)
    return path
