"""Small evaluations that the tests share."""

import json
from typing import Any

from ceo_gym.evaluation import Episode

MONTH = {"params": {"clock.horizon_days": 28}}


def episode(seed: int, cash_usd: float, *, bankrupt: bool = False, days: int = 28) -> Episode:
    return Episode(
        seed=seed,
        final_cash_usd=cash_usd,
        survival_days=days,
        bankrupt=bankrupt,
        reward_sum=cash_usd / 1e6 - 1.0,
        weekly_cash_usd=(1e6, cash_usd),
        cpu_seconds=0.5,
    )


def without_seconds(stored: dict[str, Any]) -> dict[str, Any]:
    """What a file holds, but for what differs between two plays of the same games."""
    stored = json.loads(json.dumps(stored))
    episodes = [dict(row, cpu_seconds=None) for row in stored["episodes"]]
    summary = stored["summary"] and dict(stored["summary"], cpu_seconds=None)
    return stored | {"episodes": episodes, "summary": summary}
