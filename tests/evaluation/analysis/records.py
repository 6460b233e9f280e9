"""Small run records made by hand."""

from typing import Any

import numpy as np
import pandas as pd

from ceo_gym.runs import RunRecord
from ceo_gym.runs.record import frame

COUNTS = (
    "cost_advertising",
    "cost_lead_acquisition_cost",
    "new_individual_subscribers",
    "new_enterprise_accounts",
    "individual_subscribers",
    "enterprise_accounts",
    "cancellations",
    "enterprise_cancellations",
    "outage_days",
    "discovered_groups",
    "spent_development_shared_usd",
    "spent_development_targeted_usd",
    "spent_operations_shared_usd",
    "spent_operations_targeted_usd",
    "served_account_days",
    "quota_full_account_days",
)


def weeks(length: int, *, days: int = 7, **columns: list[float]) -> pd.DataFrame:
    """That many weeks of seven days, the last one shorter if asked; other columns are zeros."""
    lengths = [7] * (length - 1) + [days]
    made = pd.DataFrame({"day": np.cumsum(lengths), "days": lengths, "cash_usd": 1e6})
    return made.assign(**dict.fromkeys(COUNTS, 0.0)).assign(**columns)


def days(*cash_usd: float) -> pd.DataFrame:
    """Cash from day 0 on."""
    return pd.DataFrame({"day": range(len(cash_usd)), "cash_usd": np.array(cash_usd, float)})


def forecast(day: int, horizon: int, point: float, lower: float, upper: float) -> dict[str, Any]:
    """A forecast handed in, with a built-in one that is 0 throughout."""
    built_in = {f"built_in_{name}_usd": 0.0 for name in ("point", "lower", "upper")}
    mine = {"point_usd": point, "lower_usd": lower, "upper_usd": upper, "own": 1}
    return {"day": day, "horizon_days": horizon} | mine | built_in


def record(**tables: Any) -> RunRecord:
    """A record with these tables (frames, or lists of rows); the others are empty."""
    given: dict[str, Any] = {
        "weeks": weeks(2),
        "days": days(*[1e6] * 15),
        "forecasts": [],
        "advertising": [],
        "negotiations": [],
        "actions": [],
        "hidden_effectiveness": [],
        "hidden_competitor_events": [],
    } | tables
    made = {k: frame(k, v) if isinstance(v, list) else v for k, v in given.items()}
    return RunRecord(config={"policy": "by hand"}, **made)
