"""Pictures of learning. Needs the extra ``plot``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

INK, MUTED, GRID, LINE, BAND = "#1f2933", "#6b7785", "#e4e7eb", "#0072b2", "#56b4e9"
MILLION = 1e6
LEAST_USD = 1e4  # the axis is logarithmic; less, and ruin, are drawn here


def plot_learning_curve(
    points: Sequence[Mapping[str, float]],
    path: Path,
    *,
    title: str,
    levels: Mapping[str, float] | None = None,
) -> Path:
    """Draw final cash against weeks of training.

    Args:
        points: rows of ``curve.csv``: ``steps``, ``mean_usd``, ``median_usd``, ``min_usd``,
            ``max_usd``, in USD.
        path: the PNG to write.
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
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'pictures need matplotlib: pip install "ceo-gym[plot]"'
        ) from error
    figure = Figure(figsize=(9, 5), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    panel = figure.subplots()
    steps = [point["steps"] / 1e3 for point in points]
    column = {
        name: [max(point[f"{name}_usd"], LEAST_USD) / MILLION for point in points]
        for name in ("mean", "median", "min", "max")
    }
    panel.fill_between(steps, column["min"], column["max"], color=BAND, alpha=0.2, linewidth=0)
    panel.plot(steps, column["mean"], color=LINE, linewidth=2, label="mean")
    panel.plot(steps, column["median"], color=LINE, linewidth=1, linestyle="--", label="median")
    for name, usd in (levels or {}).items():
        panel.axhline(usd / MILLION, color=MUTED, linewidth=1)
        panel.annotate(
            name, (1.0, usd / MILLION), xycoords=("axes fraction", "data"), ha="right", va="bottom",
            fontsize=8.5, color=MUTED,
        )  # fmt: skip
    panel.set_yscale("log")
    panel.yaxis.set_major_formatter(lambda value, _: f"${value:g}M")
    panel.set_xlabel("thousand weeks of training", color=MUTED)
    panel.set_title("final cash on tuning seeds; the band is least to most", loc="left", color=INK)
    panel.grid(axis="y", color=GRID, linewidth=0.8)
    panel.set_axisbelow(True)
    panel.legend(frameon=False, loc="upper left")
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, color=INK, fontweight="bold")
    figure.savefig(path, dpi=110)
    return path
