"""The data of a page: plain JSON values, everything that its charts and panels need.

Lists by week begin with week 0, the company before its first week, so that a position is a week.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from ceo_gym import __version__
from ceo_gym.evaluation.analysis.forecasts import scored
from ceo_gym.runs import RunRecord
from ceo_gym.viewer.entries import BUDGET, by_week, rationales
from ceo_gym.viewer.run import Run
from ceo_gym.viewer.told import real

DIGITS = 6  # of numbers in charts

# name in the page -> column of the weekly table, or of `collect.numbers`
COLUMNS = {
    "cash": "cash_usd",
    "mrr": "mrr_usd",
    "individuals": "individual_subscribers",
    "firms": "enterprise_accounts",
    "seats": "enterprise_subscription_seats",
    "new_seats": "new_enterprise_subscribers_seats",
    "prospects": "new_leads",
    "individual_leads": "new_individual_leads",
    "firm_leads": "new_enterprise_leads",
    "sign_ups": "new_individual_subscribers",
    "new_firms": "new_enterprise_accounts",
    "cancellations": "cancellations",
    "gone_involuntary": "involuntary_cancellations",
    "gone_firms": "enterprise_cancellations",
    "gone_price": "hidden_gone_price",
    "gone_ticket": "hidden_gone_ticket",
    "gone_quality": "hidden_gone_quality",
    "gone_quota": "hidden_gone_quota",
    "gone_rejected": "gone_rejected",
    "leads_lost": "leads_lost",
    "delivered_individual": "hidden_individual_delivered_quality",
    "required_individual": "hidden_individual_required_quality",
    "delivered_firm": "hidden_enterprise_delivered_quality",
    "required_firm": "hidden_enterprise_required_quality",
    "satisfaction_individual": "hidden_individual_satisfaction",
    "satisfaction_firm": "hidden_enterprise_satisfaction",
    "usage": "usage_per_day",
    "capacity": "capacity_per_day",
    "use_peak": "utilisation_peak",
    "overload": "overload_peak",
    "errors": "error_rate",
    "outages": "outage_days",
    "tickets": "open_issues",
    "threads_open": "threads_open",
    "threads_waiting": "threads_waiting",
    "answers": "answers",
    "deals": "deals",
    "replies": "customer_replies",
    "requests": "customer_requests",
    "shift": "hidden_shift",
    "shift_step": "hidden_shift_step",
    "index": "hidden_index",
    "reading": "reading",
    "subscriptions": "income_subscription_payment",
    "app_ads": "income_ad_revenue",
}
SPENDS = {
    "advertising": ("cost_advertising",),
    "leads": ("cost_lead_acquisition_cost",),
    "development": ("cost_development",),
    "operations": ("cost_operations",),
    "capacity": ("cost_capacity",),
    "compute": ("cost_compute",),
    "research": ("cost_market_research", "cost_group_research", "cost_research_project"),
}

Columns = Mapping[str, Sequence[float]]


def page_data(runs: Sequence[Run], budget: int = BUDGET) -> dict[str, Any]:
    """Everything that a page shows.

    Args:
        runs: to show, in order.
        budget: characters of the texts of each.
    """
    return {"version": __version__, "runs": [run_data(run, budget) for run in runs]}


def run_data(run: Run, budget: int = BUDGET) -> dict[str, Any]:
    """What is shown of one run."""
    record = run.record
    columns = _columns(run)
    days = [0, *(int(day) for day in columns.get("day", ()))]
    items, said = by_week(run.entries, budget), rationales(run.entries)
    forecasts = _forecasts(record) if record is not None else {}
    keys = _keys(record) if record is not None else {}
    shown = max(len(days) - 1, len(items) if items[-1] else 0)
    weeks: list[dict[str, Any]] = []
    for week in range(1, shown + 1):
        happened = run.happened[week - 1] if week <= len(run.happened) else None
        weeks.append(
            {
                "items": items[week - 1] if week <= len(items) else [],
                "said": said[week - 1] if week <= len(said) else [],
                "forecasts": forecasts.get(days[week - 1], []) if week < len(days) else [],
                "keys": keys.get(week, []),
                "happened": happened,
            }
        )
    return {
        "name": run.name,
        "player": run.player,
        "env": run.env,
        "seed": run.seed,
        "horizon": run.horizon_days,
        "about": run.about,
        "verified": run.verdict.holds,
        "verdict": run.verdict.text,
        "journal": bool(run.entries),
        "replayed": bool(run.numbers),
        **_result(run, days),
        "counts": _counts(run),
        "calibration": _calibration(record) if record is not None else [],
        "days": days,
        "series": _series(run, columns),
        "spends": _spends(columns),
        "groups": _groups(run, columns),
        "weeks": weeks,
    }


def _columns(run: Run) -> dict[str, list[float]]:
    """The weekly table and what was collected beside it, a list for each column."""
    if run.record is None:
        return {}
    weeks = run.record.weeks
    found = {str(name): weeks[name].tolist() for name in weeks.columns}
    numbers = run.numbers[: len(weeks)]
    missing = [math.nan] * (len(weeks) - len(numbers))
    names = {name for row in numbers for name in row}
    return found | {name: [row.get(name, math.nan) for row in numbers] + missing for name in names}


def _series(run: Run, columns: Columns) -> dict[str, list[float | None]]:
    found = {
        name: [None, *map(_short, columns[column])]
        for name, column in COLUMNS.items()
        if column in columns
    }
    if run.record is not None and "cash" in found:
        first = run.record.days.loc[run.record.days["day"] == 0, "cash_usd"]
        found["cash"][0] = _short(float(first.iloc[0])) if len(first) else None
    if "cancellations" in found and "gone_involuntary" in found:
        left = np.subtract(columns["cancellations"], columns["involuntary_cancellations"])
        found["gone_choice"] = [None, *map(_short, left.tolist())]
    if "individuals" in found and "firms" in found:
        total = np.add(columns["individual_subscribers"], columns["enterprise_accounts"])
        found["accounts"] = [None, *map(_short, total.tolist())]
    return found


def _spends(columns: Columns) -> dict[str, list[float | None]]:
    """Dollars a week by family, and ``all`` of them."""
    found: dict[str, list[float | None]] = {}
    total: Any = 0.0
    for family, names in SPENDS.items():
        if all(name in columns for name in names):
            paid = np.sum([columns[name] for name in names], axis=0)
            total = total + paid
            found[family] = [None, *map(_short, paid.tolist())]
    if found:
        found["all"] = [None, *map(_short, np.asarray(total).tolist())]
    return found


def _groups(run: Run, columns: Columns) -> list[dict[str, Any]]:
    """Subscribers of every group that ever had one, the largest first."""
    start, found = "subscribers_", []
    for column, values in columns.items():
        if column.startswith(start) and max(values) > 0:
            name = column.removeprefix(start)
            label = run.group_names.get(name, "")
            found.append(
                {"id": name, "name": label, "values": [None, *map(_short, values)]}
                | {"peak": max(values)}
            )
    return sorted(found, key=lambda group: -float(group["peak"]))


def _result(run: Run, days: Sequence[int]) -> dict[str, Any]:
    """How a run ended, or where it stands."""
    if run.record is None:
        return {"cash": None, "day": 0, "played": 0, "outcome": "running"}
    cash, day = float(run.record.weeks["cash_usd"].iloc[-1]), days[-1]
    ends = {str(entry.get("status")) for entry in run.entries if entry.get("kind") == "end"}
    horizon = run.horizon_days
    if cash < 0 or "bankrupt" in ends:
        outcome = "bankrupt"
    elif ends or (horizon is not None and day >= horizon):
        outcome = "completed"
    else:
        stands = str(run.record.config["result"].get("end", ""))
        outcome = "completed" if stands.startswith("horizon") else "running"
    return {"cash": cash, "day": day, "played": len(days) - 1, "outcome": outcome}


def _counts(run: Run) -> dict[str, Any]:
    """How much was called and written; None where a run has no journal."""
    if not run.entries:
        used = run.record.actions if run.record is not None else None
        asked = int(used.loc[used["kind"] == "tool", "count"].sum()) if used is not None else 0
        return {"calls": asked, "errors": None, "programs": None, "failed": None, "turns": None}
    kinds = [entry.get("kind") for entry in run.entries]
    calls = [entry for entry in run.entries if entry.get("kind") == "call"]
    outputs = [entry for entry in run.entries if entry.get("kind") == "output"]
    models = [entry for entry in run.entries if entry.get("kind") == "model"]
    usages = [usage for entry in models if isinstance(usage := entry.get("usage"), dict)]
    costs = [c for entry in models if (c := real(entry.get("cost_usd"))) is not None]
    return {
        "calls": len(calls),
        "errors": sum("error" in entry for entry in calls),
        "programs": kinds.count("program"),
        "failed": sum(entry.get("exit_code") != 0 for entry in outputs),
        "turns": len(models),
        "tokens": [
            sum(n for u in usages if (n := real(u.get(name))) is not None)
            for name in ("input_tokens", "output_tokens")
        ],
        "cost_usd": real(sum(costs)) if costs else None,
    }


def _forecasts(record: RunRecord) -> dict[int, list[dict[str, Any]]]:
    """The forecasts by the day on which they were made, with what came of those whose day came."""
    came = {
        (int(row.day), int(row.horizon_days)): (float(row.actual_usd), float(row.error))
        for row in scored(record).itertuples()
    }
    found: dict[int, list[dict[str, Any]]] = {}
    for row in record.forecasts.itertuples():
        day, horizon = int(row.day), int(row.horizon_days)
        actual, error = came.get((day, horizon), (None, None))
        found.setdefault(day, []).append(
            {
                "days": horizon,
                "point": _short(row.point_usd),
                "lower": _short(row.lower_usd),
                "upper": _short(row.upper_usd),
                "own": bool(row.own),
                "actual": actual if actual is None else _short(actual),
                "error": error if error is None else _short(error),
                "held": actual is not None and row.lower_usd <= actual <= row.upper_usd,
            }
        )
    return found


def _calibration(record: RunRecord) -> list[dict[str, Any]]:
    """Of each horizon: forecasts whose day came, share within their interval, median error."""
    rows, found = scored(record), []
    for days in sorted(record.forecasts["horizon_days"].unique().tolist()):
        some: pd.DataFrame = rows[rows["horizon_days"] == days]
        of_them: dict[str, float] = {"days": int(days), "count": len(some)}
        if len(some):
            of_them |= {
                "held": float(some["covered"].mean()),
                "error": float(some["abs_error"].median()),
            }
        found.append(of_them)
    return found


def _keys(record: RunRecord) -> dict[int, list[list[Any]]]:
    """Keys of the action and tools that were used before each week, with how often."""
    found: dict[int, list[list[Any]]] = {}
    for row in record.actions.itertuples():
        found.setdefault(int(row.week), []).append([str(row.kind), str(row.name), int(row.count)])
    return found


def _short(value: Any) -> float | int | None:
    """A number with few digits, as JSON has it."""
    if not math.isfinite(value):
        return None
    rounded = float(f"{value:.{DIGITS}g}")
    return int(rounded) if rounded.is_integer() else rounded
