"""The cells about enterprises: the inbox and the largest accounts."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.envs.observation_oracle import (
    GROUPS,
    LIVE,
    PLANS,
    Cells,
    Player,
    Row,
    ids,
    open_threads,
    table,
)

SLOTS, ACCOUNTS = 64, 32
# kind of thread -> type of a slot, and rank in the inbox
TYPES = {
    "new_lead": 1,
    "lead_counter": 2,
    "churn_prevention": 3,
    "plan_change": 4,
    "renegotiation": 5,
}
RANKS = ("churn_prevention", "plan_change", "renegotiation", "lead_counter", "new_lead")


def kind(thread: Row) -> str:
    named = str(thread["thread_type"])
    return "lead_counter" if named == "new_lead" and thread["turn_number"] else named


def inbox_threads(player: Player) -> list[Row]:
    """Threads that wait for the player, the most urgent kind first, then the largest."""
    waiting = [thread for thread in open_threads(player) if thread["sender"] != "agent"]
    waiting.sort(key=lambda t: (RANKS.index(kind(t)), -t["seats"], t["thread_id"]))
    check_work_list(player, waiting)
    return waiting


def check_work_list(player: Player, waiting: list[Row]) -> None:
    """The free tool lists the same threads."""
    listed = {t["customer_id"]: t for t in player.env.call("get_open_threads")["threads"]}
    assert listed.keys() == {t["customer_id"] for t in waiting}
    for thread in waiting:
        told = listed[thread["customer_id"]]
        assert (told["seats"], told["turn"]) == (thread["seats"], thread["turn_number"])
        assert (told["asked_plan"], told["message_day"]) == (asked(thread)[0], thread["day"])


def asked(thread: Row) -> tuple[str | None, float]:
    """Plan and price that the newest message asks for; a wish for a plan is only in its words."""
    offer = json.loads(thread["offer_json"])
    if offer:
        return offer["plan"], offer["price"]
    wish = re.search(r"move to plan ([ABC])", thread["message_text"])
    return (wish[1] if wish else None), 0.0


def slots(labels: int, rows: list[Any], empty: Any) -> dict[str, Any]:
    return {str(k): (rows + [empty] * labels)[k] for k in range(labels)}


def inbox_mask(player: Player) -> Cells:
    return slots(SLOTS, [1] * len(inbox_threads(player)[:SLOTS]), 0)


def inbox_group(player: Player) -> Cells:
    groups = [GROUPS.index(t["group_id"]) + 1 for t in inbox_threads(player)[:SLOTS]]
    return slots(SLOTS, groups, 0)


def inbox_type(player: Player) -> Cells:
    return slots(SLOTS, [TYPES[kind(t)] for t in inbox_threads(player)[:SLOTS]], 0)


class Files:
    """What is on record about some enterprises."""

    def __init__(self, player: Player, who: list[int]) -> None:
        some = ids(who)
        self.issue_days = player.by_key(
            "SELECT customer_id AS k, :day - open_day + 1 AS v FROM issues "
            f"WHERE status = 'open' AND customer_id IN ({some})"
        )
        self.usage = player.by_key(
            "SELECT customer_id AS k, AVG(usage_units) AS v FROM daily_usage "
            f"WHERE day > :first AND customer_id IN ({some}) GROUP BY 1"
        )
        newest = player.rows(
            "SELECT thread_id, offer_json FROM enterprise_turns WHERE message_id IN "
            "(SELECT MAX(message_id) FROM enterprise_turns WHERE sender = 'agent' "
            f"AND customer_id IN ({some}) GROUP BY thread_id)"
        )
        self.offers = {row["thread_id"]: json.loads(row["offer_json"]) for row in newest}


def share(plan: str | None) -> float:
    """A third a plan, 0 for none."""
    return (PLANS.index(plan) + 1) / 3 if plan in PLANS else 0.0


def inbox(player: Player) -> Cells:
    shown = inbox_threads(player)[:SLOTS]
    files = Files(player, [t["customer_id"] for t in shown])
    rows = [inbox_row(player, thread, files) for thread in shown]
    blank = dict.fromkeys(INBOX, 0.0)
    assert all(row.keys() == blank.keys() for row in rows)
    return table(slots(SLOTS, rows, blank))


INBOX = (
    "seats",
    "turn",
    "message_age",
    "asked_price",
    *(f"asked_{p}" for p in PLANS),
    "own_plan",
    "own_price",
    "plan",
    "price",
    "tenure",
    "issue_days",
    "usage",
)


def inbox_row(player: Player, thread: Row, files: Files) -> Cells:
    plan, price = asked(thread)
    offers = files.offers.get(thread["thread_id"], [])
    subscribed = thread["status"] == "subscribed"
    return {
        "seats": thread["seats"],
        "turn": thread["turn_number"],
        "message_age": player.day - thread["day"],
        "asked_price": price,
        **{f"asked_{p}": p == plan for p in PLANS},
        "own_plan": share(offers[0]["plan"]) if offers else 0.0,
        "own_price": offers[0]["price_per_seat"] if offers else 0.0,
        "plan": share(thread["plan"]),
        "price": thread["listed_price"] if subscribed else 0.0,
        "tenure": player.day - thread["start_day"] if subscribed else 0,
        "issue_days": files.issue_days.get(thread["customer_id"], 0),
        "usage": files.usage.get(thread["customer_id"], 0.0),
    }


def by_group(threads: list[Row]) -> Cells:
    return table(
        {
            g: {
                "threads": sum(t["group_id"] == g for t in threads),
                "seats": sum(t["seats"] for t in threads if t["group_id"] == g),
            }
            for g in GROUPS
        }
    )


def inbox_overflow(player: Player) -> Cells:
    return by_group(inbox_threads(player)[SLOTS:])


def pending(player: Player) -> Cells:
    return by_group([thread for thread in open_threads(player) if thread["sender"] == "agent"])


def accounts(player: Player) -> list[Row]:
    """The enterprises that pay most, without those that wait for the player's word."""
    busy = ids(thread["customer_id"] for thread in inbox_threads(player))
    return player.rows(
        "SELECT s.*, group_id FROM subscriptions s JOIN customers USING (customer_id) "
        f"WHERE {LIVE} AND customer_type = 'large' AND customer_id NOT IN ({busy}) "
        "ORDER BY effective_price * seat_count DESC, customer_id"
    )[:ACCOUNTS]


def account_mask(player: Player) -> Cells:
    return slots(ACCOUNTS, [1] * len(accounts(player)), 0)


def account_group(player: Player) -> Cells:
    groups = [GROUPS.index(a["group_id"]) + 1 for a in accounts(player)]
    return slots(ACCOUNTS, groups, 0)


def account(player: Player) -> Cells:
    shown = accounts(player)
    files = Files(player, [a["customer_id"] for a in shown])
    talking = {thread["customer_id"] for thread in open_threads(player)}
    promotions = player.setting("promotion").get("by_customer", {})
    strengths = player.setting("ads_strength").get("by_customer", {})
    rows = [
        {
            "seats": a["seat_count"],
            "plan": share(a["plan"]),
            "listed_price": a["listed_price"],
            "effective_price": a["effective_price"],
            "tenure": player.day - a["start_day"],
            "issue_days": files.issue_days.get(a["customer_id"], 0),
            "usage": files.usage.get(a["customer_id"], 0.0),
            "open_thread": a["customer_id"] in talking,
            "promotion": promotions.get(str(a["customer_id"]), 0.0),
            "ads_strength": strengths.get(str(a["customer_id"]), 0.0),
        }
        for a in shown
    ]
    names = rows[0] if rows else ACCOUNT
    return table(slots(ACCOUNTS, rows, dict.fromkeys(names, 0.0)))


ACCOUNT = (
    "seats",
    "plan",
    "listed_price",
    "effective_price",
    "tenure",
    "issue_days",
    "usage",
    "open_thread",
    "promotion",
    "ads_strength",
)
