"""Showing a company: a plain table, and a small picture (extra ``plot``)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.sections import PLANS

SIZE_INCHES = (8.0, 4.5)
DPI = 80


def table(world: World) -> str:
    """The company on one screen: money, accounts, plans and the last week."""
    seen, company = world.observe(), world.company
    firms = world.params.groups.is_enterprise
    tiers = world.params.capacity_tiers
    lines = [
        f"Day {seen.day} of {world.params.clock.horizon_days}",
        f"  cash                 {seen.cash_usd:>16,.0f} USD",
        f"  recurring revenue    {seen.mrr_usd:>16,.0f} USD a month",
        f"  individuals          {int(seen.accounts[~firms].sum()):>16,}",
        f"  enterprises          {int(seen.accounts[firms].sum()):>16,}"
        f" with {int(seen.seats[firms].sum()):,} seats",
        f"  open issues          {int(seen.open_issues.sum()):>16,}",
        f"  waiting negotiations {len(seen.waiting.customer_id):>16,}",
        f"  known groups         {int(seen.known.sum()):>16} of {len(seen.known)}",
        f"  capacity tier        {company.capacity_tier:>16}"
        f" ({tiers.capacity_units_per_day[company.capacity_tier]:,.0f} units a day)",
        f"  support, development {company.operations_usd:>16,.0f}"
        f" and {company.development_usd:,.0f} USD a day",
        f"  advertising          {company.ads_spend_usd.sum():>16,.0f} USD a day",
        "  plan      price  tier         quota",
    ]
    lines += [
        f"  {plan}    {price:>9,.2f}  {tier:>4}  {quota:>12,.0f}"
        for plan, price, tier, quota in zip(
            PLANS, company.price_usd, company.model_tier, company.quota_units
        )
    ]
    if seen.week:
        week = seen.week
        lines += [
            "Last week",
            f"  new individuals      {int(week['new_individual_subscribers']):>16,}"
            f" of {int(week['new_individual_leads']):,} prospects",
            f"  cancellations        {int(week['cancellations']):>16,}",
            f"  deals                {int(week['deals']):>16,}",
            f"  payments             {week['payments_usd']:>16,.0f} USD",
            f"  running costs        {week['total_costs_usd']:>16,.0f} USD",
            f"  highest utilisation  {week['utilisation_peak']:>16.0%}",
        ]
    return "\n".join(lines)


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
        axes.legend(fontsize=7, loc="upper left")
