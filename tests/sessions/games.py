"""A game of an agent that acts by tools and programs, and the process that plays it."""

from __future__ import annotations

import sys
from pathlib import Path

from ceo_gym.sessions import Session

DAYS = 84

# what the agent decides depends on what it reads, so that a lost or doubled call would show
WEEK = """
import novamind_api as nm
week = nm.vars.current_day // 7
cash = nm.query("SELECT SUM(amount) AS usd FROM ledger")["rows"][0]["usd"]
nm.pricing.set_prices(A=40 + week, B=80, C=150)
nm.pricing.set_model_tiers(A=2, B=2, C=3)
nm.pricing.set_usage_quotas(A=100, B=200, C=900)
nm.infrastructure.set_capacity_tier(1)
nm.marketing.set_daily_spend(operations=300 + week, development=cash / 1e4)
nm.marketing.set_targeted_ad_spend({"search_ads": {"S1": cash / 5e3}, "linkedin": {"E1": 200}})
"""
SEARCH = """
import novamind_api as nm
done = nm.query(
    f"SELECT COUNT(*) AS n FROM ledger WHERE category = 'market_research' AND "
    f"day = {nm.vars.current_day}"
)["rows"][0]["n"]
if nm.vars.current_day % 28 == 0 and not done:
    print(nm.market.research_market())
"""


def begin(directory: Path, days: int = DAYS, seed: int = 5) -> Session:
    """A new session of a short game."""
    params = {"clock.horizon_days": days}
    return Session.create(directory, seed=seed, env_args={"params": params})


def play(session: Session) -> None:
    """Play to the end; a week that was begun already is finished, not done twice."""
    while session.status["status"] == "running":
        for code in (WEEK, SEARCH):
            outcome = session.run(code)
            assert outcome.exit_code == 0, outcome.stderr
        week = session.status["week"]
        cash = session.status["cash_usd"]
        forecast = {"point": cash, "lower": cash - 1e5, "upper": cash + 1e5}
        session.call(
            "next_week",
            {
                "predictions": {f"cash_{h}": forecast for h in ("1wk", "4wk", "12wk", "26wk")},
                "rationale": f"week {week}",
            },
        )


if __name__ == "__main__":  # as a process that is killed
    with Session.open(Path(sys.argv[1])) as opened:
        print("open", flush=True)
        play(opened)
