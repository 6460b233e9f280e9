"""Showing a company: a small picture (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceo_gym.simulators.ceobench import World

SIZE_INCHES = (8.0, 4.5)
DPI = 80


def picture(world: World) -> NDArray[np.uint8]:
    """[height, width, 3] cash, accounts and weekly money so far.

    Raises:
        ImportError: without matplotlib, with the line that installs it.
    """
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError(
            "render_mode='rgb_array' draws with matplotlib: pip install 'ceo-gym[plot]'"
        ) from error
    figure = Figure(figsize=SIZE_INCHES, dpi=DPI, layout="tight")
    canvas: Any = FigureCanvasAgg(figure)
    weeks = world.history.weeks
    days = [0, *(week.day for week in weeks)]
    panels = figure.subplots(1, 3)
    _panel(panels[0], "cash, million USD", days, [c / 1e6 for c in world.history.cash_by_week])
    accounts = [0, *(week.individual_subscribers for week in weeks)]
    _panel(panels[1], "accounts and seats", days, accounts, "individuals")
    seats = [0, *(week.enterprise_subscription_seats for week in weeks)]
    _panel(panels[1], "accounts and seats", days, seats, "enterprise seats")
    for label, values in (
        ("payments", [week.payments_usd for week in weeks]),
        ("running costs", [week.total_costs_usd for week in weeks]),
    ):
        _panel(panels[2], "a week, thousand USD", days[1:], [v / 1e3 for v in values], label)
    for axes in panels[1:]:  # after all lines: a set limit ends autoscaling
        axes.set_ylim(bottom=0)
    figure.suptitle(f"day {world.day}, cash {world.company.cash_usd:,.0f} USD")
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].copy()


def _panel(
    axes: Any, title: str, days: list[int], values: Sequence[float], label: str = ""
) -> None:
    axes.plot(days, values, marker=".", label=label or None)
    axes.set_title(title, fontsize=9)
    axes.set_xlabel("day", fontsize=8)
    axes.tick_params(labelsize=7)
    if label:
        axes.legend(fontsize=7, loc="best")
