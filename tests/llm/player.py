"""A scripted player, a function of the conversation alone, so that it goes on after a kill."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ceo_gym.llm import Reply, Usage
from ceo_gym.llm.offline import call

HORIZONS = ("cash_1wk", "cash_4wk", "cash_12wk", "cash_26wk")
PROGRAM = """
import novamind_api as nm
week = nm.vars.current_day // 7
cash = nm.query("SELECT SUM(amount) AS usd FROM ledger")["rows"][0]["usd"]
nm.infrastructure.set_capacity_tier(1)
nm.marketing.set_daily_spend(operations=300 + week, development=max(cash, 0) / 20000)
nm.marketing.set_targeted_ad_spend({"search_ads": {"S1": max(cash, 0) / 8000}})
open("log.txt", "a").write(f"{week}\\n")
print("cash", cash)
"""


def play(messages: Sequence[Mapping[str, Any]], tools: Sequence[Mapping[str, Any]]) -> Reply:
    """Three replies a week: settings by tools, a program, the week with notes."""
    said = sum(message["role"] == "assistant" for message in messages)
    usage = Usage(1_000 + 100 * said, 50, 0.001)
    prompt = messages[1]["content"]
    found = re.search(r"WEEK (\d+) \| DAY (\d+)", prompt)
    day = int(found[2]) if found else 0
    if said == 0:
        settings = (
            call("set_prices", "a", A=40 + day / 50, B=85, C=160),
            call("set_model_tiers", "b", A=2, B=2, C=3),
            call("set_usage_quotas", "c", A=150, B=400, C=2000),
        )
        paid = (call("research_market", "d"),) if day % 140 == 0 else ()
        return Reply("prices first", settings + paid, usage)
    if said == 1:
        return Reply("", (call("run_python", "a", code=PROGRAM),), usage)
    cash = float(re.search(r"Cash: \$(-?[\d,]+)", prompt)[1].replace(",", ""))  # type: ignore[index]
    forecast = {"point": cash, "lower": cash - 2e5, "upper": cash + 2e5}
    return Reply(
        "",
        (
            call("write_notes", "a", text=f"day {day}: cash {cash}"),
            call(
                "next_week", "b", predictions=dict.fromkeys(HORIZONS, forecast), rationale="steady"
            ),
            call("set_prices", "c", A=1),  # never done: the report comes first
        ),
        usage,
    )
