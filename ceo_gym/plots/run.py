"""The picture of one run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ceo_gym.plots.style import HUES, INK, MUTED, dress, head, legend_strip, new_figure, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Weeks = Sequence[Mapping[str, float]]

SHOWN_GROUPS = 6


def plot_run(weeks: Weeks, path: Path, *, title: str) -> Path:
    """Draw a run: cash, recurring revenue, subscribers by group, service, quality.

    Args:
        weeks: rows of ``weeks.csv``.
        path: the PNG to write.
        title: a line above the picture.

    Returns:
        The path.

    Raises:
        ModuleNotFoundError: without matplotlib, naming the pip line.
        ValueError: if there are no weeks.
    """
    if not weeks:
        raise ValueError("a run without weeks has no picture")
    data = {name: np.array([week[name] for week in weeks], float) for name in weeks[0]}
    figure = new_figure(12, 9.5)
    panels = figure.subplots(3, 2, sharex=True)
    _cash(panels[0, 0], data)
    _revenue(panels[0, 1], data)
    _subscribers(panels[1, 0], data)
    _flow(panels[1, 1], data)
    _service(panels[2, 0], data)
    _quality(panels[2, 1], data)
    for panel in panels[-1]:
        panel.set_xlabel("day", color=MUTED)
    head(figure, title)
    figure.savefig(path, dpi=110)
    return path


Data = Mapping[str, "np.ndarray[Any, np.dtype[np.float64]]"]


def _cash(panel: Axes, data: Data) -> None:
    dress(panel, "Cash", money=True)
    panel.plot(data["day"], data["cash_usd"], color=HUES[0], linewidth=1.8)
    panel.axhline(0.0, color=MUTED, linewidth=0.8)
    end = float(data["cash_usd"][-1])
    panel.annotate(
        short(end, money=True),
        (data["day"][-1], end),
        xytext=(-4, 6),
        textcoords="offset points",
        ha="right",
        fontsize=9,
        color=INK,
    )


def _revenue(panel: Axes, data: Data) -> None:
    dress(panel, "Money a week: recurring revenue and costs", money=True)
    panel.plot(
        data["day"], data["mrr_usd"] * 7 / 30, color=HUES[0], linewidth=1.8, label="MRR / 30 x 7"
    )
    families = (
        ("ads and leads", ("cost_advertising", "cost_lead_acquisition_cost")),
        ("compute, capacity", ("cost_compute", "cost_capacity")),
        ("support", ("cost_operations",)),
        (
            "development",
            (
                "cost_development",
                "cost_research_project",
                "cost_market_research",
                "cost_group_research",
            ),
        ),
    )
    parts = [np.sum([data[c] for c in columns], axis=0) for _, columns in families]
    panel.stackplot(
        data["day"], parts, labels=[name for name, _ in families], colors=HUES[1:5], alpha=0.55
    )
    legend_strip(panel)


def _subscribers(panel: Axes, data: Data) -> None:
    names = [name for name in data if name.startswith("subscribers_")]
    total = np.sum([data[name] for name in names], axis=0)
    big = sorted(names, key=lambda name: -float(data[name].max()))
    shown = sorted(
        (n for n in big[:SHOWN_GROUPS] if data[n].max() > 0), key=lambda name: names.index(name)
    )
    dress(panel, "Subscribers by group (accounts)")
    parts = [data[name] for name in shown]
    labels = [name.removeprefix("subscribers_") for name in shown]
    rest = total - np.sum(parts, axis=0) if parts else total
    if rest.max() > 0:
        parts.append(rest)
        labels.append("others")
    if parts:
        panel.stackplot(data["day"], parts, labels=labels, colors=HUES[: len(parts)], alpha=0.8)
        legend_strip(panel)


def _flow(panel: Axes, data: Data) -> None:
    dress(panel, "Coming and going a week (accounts, log scale)")
    lines = (
        ("prospects", data["new_leads"]),
        (
            "sign-ups and deals",
            data["new_individual_subscribers"] + data["new_enterprise_accounts"],
        ),
        ("cancellations", data["cancellations"] + data["enterprise_cancellations"]),
    )
    for (label, values), hue in zip(lines, HUES):
        panel.plot(data["day"], np.where(values > 0, values, np.nan), color=hue, label=label)
    if any(values.max() > 0 for _, values in lines):
        panel.set_yscale("log")
        panel.yaxis.set_major_formatter(lambda value, _: short(value))
        panel.minorticks_off()
        legend_strip(panel)


def _service(panel: Axes, data: Data) -> None:
    dress(panel, "Service: peak use of capacity, open issues")
    panel.yaxis.set_major_formatter(lambda value, _: f"{value:.0%}")
    subscribers = data["individual_subscribers"] + data["enterprise_accounts"]
    share = np.where(subscribers > 0, data["open_issues"] / np.maximum(subscribers, 1), np.nan)
    panel.plot(data["day"], data["utilisation_peak"], color=HUES[0], label="peak use / capacity")
    panel.plot(data["day"], share, color=HUES[1], label="open issues / accounts")
    out = data["outage_days"] > 0
    (marks,) = panel.plot(
        data["day"][out],
        np.zeros(int(out.sum())),
        "|",
        color=HUES[5],
        markersize=12,
        markeredgewidth=1.6,
        label="outage",
        clip_on=False,
    )
    marks.set_in_layout(False)  # without an outage they would lie at the corner of the figure
    panel.axhline(1.0, color=MUTED, linewidth=0.8, linestyle=":")
    panel.set_ylim(bottom=0)
    legend_strip(panel)


def _quality(panel: Axes, data: Data) -> None:
    dress(panel, "Quality delivered (solid) and demanded (dashed), hidden means")
    for kind, hue in (("individual", HUES[0]), ("enterprise", HUES[1])):
        delivered = data[f"hidden_{kind}_delivered_quality"]
        if np.isfinite(delivered).any():
            panel.plot(data["day"], delivered, color=hue, label=f"{kind} accounts")
            required = data[f"hidden_{kind}_required_quality"]
            panel.plot(data["day"], required, color=hue, linestyle="--")
    if panel.lines:
        legend_strip(panel)
