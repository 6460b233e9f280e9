"""Settings, service and forecasts."""

from __future__ import annotations

import sqlite3

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.sql.ceobench.source import Tail, insert, rewrite

DAY_SECONDS = 86_400.0
_WHOLE = 2.0**53  # up to here whole numbers are exact


class ConfigHistory:
    """Source of ``config_history``; its advertising columns hold the targeted totals (D9)."""

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write all days with a change."""
        s = world.history.settings
        rows = []
        for k, day in enumerate(s.day.tolist()):
            channels = s.ads_usd[k].tolist()
            rows.append(
                (
                    day,
                    *s.price_usd[k].tolist(),
                    *s.model_tier[k].tolist(),
                    sum(channels),
                    float(s.operations_usd[k]),
                    float(s.development_usd[k]),
                    int(s.capacity_tier[k]),
                    *channels,
                    *(_whole(quota) for quota in s.quota_units[k].tolist()),
                )
            )
        rewrite(db, "config_history", rows)


class ConfigOverrides:
    """Source of ``config_overrides``."""

    def __init__(self) -> None:
        self._seen = 0

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the changes since."""
        new = world.history.overrides[self._seen :]
        ids = list(range(self._seen + 1, self._seen + len(new) + 1))
        day, setting, text = (list(column) for column in zip(*new)) if new else ([], [], [])
        tool = [f"set_{name}" for name in setting]
        insert(db, "config_overrides", len(new), ids, day, tool, setting, text)
        self._seen += len(new)


class ServiceDay:
    """Source of ``service_day``."""

    def __init__(self) -> None:
        self._day = 0

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the days played since."""
        days = np.arange(self._day + 1, world.day + 1)
        usage, _, _, downtime, latency, errors = world.history.service[days].T
        tier = world.history.capacity_tier[days]
        capacity = world.params.capacity_tiers.capacity_units_per_day[tier]
        insert(
            db,
            "service_day",
            len(days),
            days,
            usage.astype(np.int64),
            latency,
            errors,
            downtime.astype(np.int64),
            tier,
            capacity.astype(np.int64),
        )
        self._day = world.day


class Predictions:
    """Source of ``predictions``; the time of submission is simulated (decision D11)."""

    def __init__(self) -> None:
        self._rows = Tail()

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the forecasts since."""
        rows = world.history.predictions
        part = self._rows.take(rows)
        insert(
            db,
            "predictions",
            part.stop - part.start,
            rows.day[part],
            rows.horizon_days[part],
            "cash",
            rows.point_usd[part],
            rows.lower_usd[part],
            rows.upper_usd[part],
            rows.day[part] * DAY_SECONDS,
            replace=True,
        )


def _whole(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) < _WHOLE else value
