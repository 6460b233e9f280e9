"""The cells about the three plans: what they offer, who has them, and how much is used."""

from __future__ import annotations

import json
import math

from tests.envs.observation_oracle import (
    LIVE,
    PLANS,
    SIGNED,
    Cells,
    Player,
    Row,
    Terms,
    cancelled,
    ids,
    ratio,
    table,
)


def plan_config(player: Player) -> Cells:
    config, costs = player.config(), player.env.call("get_cost_info")["model_tiers"]
    return table(
        {
            p: {
                "price": config[f"price_{p}"],
                "model_tier": config[f"tier_{p}"],
                "quota": config[f"quota_{p}"],
                "unit_cost": costs[str(config[f"tier_{p}"])]["cost_per_usage_unit"],
            }
            for p in PLANS
        }
    )


def plan_stats(player: Player) -> Cells:
    def by_plan(what: str, where: str) -> dict[str, float]:
        return player.by_key(
            f"SELECT plan AS k, {what} AS v FROM subscriptions JOIN customers USING (customer_id) "
            f"WHERE {where} GROUP BY 1"
        )

    columns = {
        "individuals": by_plan("COUNT(*)", f"{LIVE} AND customer_type = 'small'"),
        "enterprise_seats": by_plan("SUM(seat_count)", f"{LIVE} AND customer_type = 'large'"),
        "mrr": by_plan("SUM(effective_price * seat_count)", LIVE),
        "started": by_plan("COUNT(*)", SIGNED),
        "cancelled": by_plan("COUNT(*)", cancelled(player)),
        "usage": player.by_key(
            "SELECT plan AS k, AVG(usage_units) AS v FROM daily_usage "
            "JOIN subscriptions USING (customer_id) WHERE day > :first GROUP BY 1"
        ),
        "at_quota": at_quota(player),
    }
    return table({p: {name: column.get(p, 0.0) for name, column in columns.items()} for p in PLANS})


def at_quota(player: Player) -> dict[str, float]:
    """Share of a plan's account-days with the quota used up.

    An account counts for its plan of now, or its last one, but each day by the terms it had.
    """
    config = player.row(
        "SELECT * FROM config_history WHERE day = "
        "(SELECT MAX(day) FROM config_history WHERE day <= :first)"
    )
    quota = {p: config[f"quota_{p}"] for p in PLANS}

    def limit(terms: Terms) -> int:
        return math.floor(quota[terms[0]] * (terms[1] if player.quota_per_seat else 1) + 0.5)

    cases = " ".join(f"WHEN '{p}' THEN {quota[p]}" for p in PLANS)
    seats = "seat_count" if player.quota_per_seat else "1"
    found = player.rows(
        "SELECT plan, COUNT(*) AS days, "
        f"SUM(usage_units >= CAST(CASE plan {cases} END * {seats} + 0.5 AS INTEGER)) AS full "
        "FROM daily_usage JOIN subscriptions USING (customer_id) WHERE day > :first GROUP BY 1"
    )
    full = {row["plan"]: row["full"] for row in found}
    accounts = changed(player)
    for used in player.rows(
        "SELECT customer_id, day, usage_units AS units FROM daily_usage "
        f"WHERE day > :first AND customer_id IN ({ids(accounts)})"
    ):
        account = accounts[used["customer_id"]]
        now, then = (account["plan"], account["seat_count"]), terms_on(player, account, used["day"])
        full[now[0]] += (used["units"] >= limit(then)) - (used["units"] >= limit(now))
    return {row["plan"]: ratio(full[row["plan"]], row["days"]) for row in found}


def changed(player: Player) -> dict[int, Row]:
    """Customer id -> row of the accounts whose plan or seats were others at the last look."""
    found = player.rows(
        "SELECT customer_id, plan, seat_count, billing_day_mod30 AS anchor, customer_type AS kind "
        "FROM subscriptions JOIN customers USING (customer_id) "
        "WHERE status IN ('subscribed', 'cancelled') ORDER BY customer_id"
    )
    return {
        row["customer_id"]: row
        for row in found
        if player.terms.get(row["customer_id"], now := (row["plan"], row["seat_count"])) != now
    }


def terms_on(player: Player, account: Row, day: int) -> Terms:
    """Plan and seats under which an account was served on a day of the week.

    Plans of individuals change with a bill, those of enterprises with a deal, seats with both; all
    of that comes after the usage of its day.
    """
    terms = player.terms[account["customer_id"]]
    deals = player.rows(
        "SELECT customer_id, day, offer_json, seat_count FROM enterprise_turns "
        "WHERE sender = 'system' AND turn_number > 0 AND day > :first"
    )
    for at in range(player.first + 1, day):
        for deal in deals:
            if (deal["customer_id"], deal["day"]) == (account["customer_id"], at):
                terms = (json.loads(deal["offer_json"])["plan"], deal["seat_count"])
        if at % 30 == account["anchor"]:
            plan = account["plan"] if account["kind"] == "small" else terms[0]
            terms = (plan, account["seat_count"])
    return terms
