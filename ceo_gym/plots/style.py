"""What all pictures share: colours, frames, numbers on axes, and matplotlib itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Colours that stay apart for colour-blind readers, in a fixed order.
INK, MUTED, GRID = "#1f2933", "#6b7785", "#e4e7eb"
HUES = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c6d31", "#999999")


def new_figure(width: float, height: float) -> Figure:
    """A white figure without a window, in inches.

    Raises:
        ModuleNotFoundError: without matplotlib, naming the pip line.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            'pictures need matplotlib: pip install "ceo-gym[plot]"'
        ) from error
    figure = Figure(figsize=(width, height), layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def head(figure: Figure, title: str) -> None:
    """The line above a picture."""
    figure.suptitle(title, x=0.01, ha="left", fontsize=13, color=INK, fontweight="bold")


def dress(panel: Axes, title: str, *, money: bool = False) -> None:
    """Title, grid and frame of a panel; its vertical axis is in dollars if `money`."""
    panel.set_title(title, loc="left", fontsize=10.5, color=INK)
    panel.grid(axis="y", color=GRID, linewidth=0.8)
    panel.set_axisbelow(True)
    panel.tick_params(colors=MUTED, labelsize=8.5, length=0)
    for name, spine in panel.spines.items():
        spine.set_visible(name == "bottom")
        spine.set_color(GRID)
    panel.yaxis.set_major_formatter(lambda value, _: short(value, money=money))


def short(value: float, *, money: bool = False) -> str:
    """A number with k, M or B, and a dollar sign for money."""
    sign, size = ("-" if value < 0 else ""), abs(value)
    for unit, scale in (("B", 1e9), ("M", 1e6), ("k", 1e3)):
        if size >= scale:
            return f"{sign}{'$' if money else ''}{size / scale:.3g}{unit}"
    return f"{sign}{'$' if money else ''}{size:.3g}"


def legend_strip(panel: Axes) -> None:
    """A legend in a strip of its own between the title and the data."""
    bottom, top = panel.get_ylim()
    if panel.get_yscale() == "log":
        panel.set_ylim(bottom, bottom * (top / bottom) ** 1.28)
    else:
        panel.set_ylim(bottom, bottom + (top - bottom) * 1.28)
    legend = panel.legend(
        fontsize=8.5,
        frameon=False,
        labelcolor=INK,
        loc="upper left",
        ncols=3,
        borderaxespad=0.2,
        handlelength=1.4,
        columnspacing=1.2,
    )
    legend.set_in_layout(False)  # a long entry must not squeeze the panel
