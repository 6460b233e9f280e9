"""How good cash forecasts were, those handed in and the built-in ones (harness.md 6).

A forecast (point, lower, upper) of day d for h days later meets the cash y of day d + h; one whose
day lies behind the end of the record is not scored. Errors are relative to max(|y|, 10^4 USD),
which keeps them finite when cash is near zero.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from ceo_gym.evaluation.analysis.measures import COUNT, SHARE, Measure, known, unknown
from ceo_gym.runs import RunRecord

FLOOR_USD = 1e4  # of a denominator
LEVEL = 0.95  # of the intervals
HANDED_IN, BUILT_IN = "", "built_in_"  # prefixes of columns
RELATIVE = "relative"
SCORES = ("error", "abs_error", "sharpness", "interval_score")


def scored(record: RunRecord, made_by: str = HANDED_IN) -> pd.DataFrame:
    """Each forecast whose day has come, with its scores.

    Args:
        record: of a run.
        made_by: `HANDED_IN` or `BUILT_IN`.

    Returns:
        Columns ``day``, ``horizon_days``, ``actual_usd`` (y) and, with D = max(abs(y), 10^4 USD)
        and a = 0.05:

        * ``error``: (point - y) / D
        * ``abs_error``: its size
        * ``covered``: 1 if lower <= y <= upper, else 0
        * ``sharpness``: (upper - lower) / D
        * ``interval_score``: (upper - lower + 2/a max(lower - y, 0) + 2/a max(y - upper, 0)) / D
    """
    cash = record.days.set_index("day")["cash_usd"]
    asked = record.forecasts
    actual = cash.reindex(asked["day"] + asked["horizon_days"]).to_numpy(float)
    come = np.isfinite(actual)
    asked, y = asked[come], actual[come]
    point, lower, upper = (
        asked[f"{made_by}{name}_usd"].to_numpy(float) for name in ("point", "lower", "upper")
    )
    by, missed = np.maximum(np.abs(y), FLOOR_USD), 2.0 / (1.0 - LEVEL)
    outside = np.maximum(lower - y, 0.0) + np.maximum(y - upper, 0.0)
    error = (point - y) / by
    return pd.DataFrame(
        {
            "day": asked["day"].to_numpy(),
            "horizon_days": asked["horizon_days"].to_numpy(),
            "actual_usd": y,
            "error": error,
            "abs_error": np.abs(error),
            "covered": ((lower <= y) & (y <= upper)).astype(float),
            "sharpness": (upper - lower) / by,
            "interval_score": (upper - lower + missed * outside) / by,
        }
    )


def forecast_scores(record: RunRecord, made_by: str = HANDED_IN) -> dict[str, Measure]:
    """Scores of the forecasts of one kind, by horizon.

    Args:
        record: of a run.
        made_by: `HANDED_IN` or `BUILT_IN`.

    Returns:
        For each horizon of h days: ``<h>d_scored`` (how many could be scored), ``<h>d_coverage``
        (share of them whose interval held the cash), and ``<h>d_<score>_median`` and ``_mean`` of
        ``error``, ``abs_error``, ``sharpness`` and ``interval_score`` (relative; 0.25 is 25 %).
    """
    found: dict[str, Measure] = {}
    rows = scored(record, made_by)
    for days in sorted(record.forecasts["horizon_days"].unique().tolist()):
        some, why = rows[rows["horizon_days"] == days], f"the record ends within {days} days"
        found[f"{days}d_scored"] = known(len(some), COUNT)
        found[f"{days}d_coverage"] = _mean(some["covered"], SHARE, why)
        for score in SCORES:
            found[f"{days}d_{score}_median"] = _mean(some[score], RELATIVE, why, median=True)
            found[f"{days}d_{score}_mean"] = _mean(some[score], RELATIVE, why)
    return found


def own_forecasts(record: RunRecord) -> Measure:
    """Share of the forecasts handed in that are not the built-in ones."""
    if record.forecasts.empty:
        return unknown(SHARE, "no forecast was handed in")
    return known(record.forecasts["own"].mean(), SHARE)


def _mean(values: pd.Series, unit: str, why: str, *, median: bool = False) -> Measure:
    if values.empty:
        return unknown(unit, why)
    return known(values.median() if median else values.mean(), unit)
