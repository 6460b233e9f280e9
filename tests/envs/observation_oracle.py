"""Every cell of the observation, computed as a player could: by queries, free tools and memory.

`Player` holds what may be known: the env's ``query``, ``call`` and ``report``, published constants,
and what it remembers of earlier looks. A function a key turns that into cells by name, so that none
depends on where it lies in its array. The definitions are those of observation.md 4 and its
table of keys; no code of the env is used. Plans, groups and enterprises are in the modules beside.
"""

from __future__ import annotations

import copy
import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ceo_gym.envs.ceobench import CEOBenchEnv
from ceo_gym.simulators.ceobench import Params

Cells = dict[str, float]
Row = dict[str, Any]
Terms = tuple[str, int]  # plan and billed seats

PLANS = ("A", "B", "C")
CHANNELS = ("social_media", "search_ads", "linkedin", "content_marketing", "referral_program")
CATEGORIES = (
    "initial_funding",
    "subscription_payment",
    "capacity",
    "compute",
    "operations",
    "development",
    "advertising",
    "ad_revenue",
    "lead_acquisition_cost",
    "market_research",
    "group_research",
    "research_project",
)
PURCHASES = ("market_research", "group_research", "research_project")
GROUPS = Params.load().groups.ids  # public: `group_info_levels` lists them from day 0
LIVE = "status = 'subscribed'"
PAGE = 5_000  # rows of a result


def finite(value: Any) -> float:
    """A number of a query, 0 for NULL."""
    return 0.0 if value is None else float(value)


def ratio(amount: float, by: float) -> float:
    return amount / by if by else 0.0


class Player:
    """What a player knows, and what it remembers of the look before."""

    def __init__(
        self, env: CEOBenchEnv, *, horizon: int = 500, quota_per_seat: bool = False
    ) -> None:
        # the last two are published numbers and rules of the game that is played
        self.env, self.horizon, self.quota_per_seat = env, horizon, quota_per_seat
        self.studies: dict[str, Row] = {}  # group -> last answer of research_group, and its day
        self.starts: list[int] = []  # day before each week, newest first
        self.past: list[Cells] = []  # rows of the block history, newest first
        self.terms: dict[int, Terms] = {}  # of subscribers
        self.lost_firms: set[int] = set()  # enterprises lost before a deal
        self.gone_firms: set[int] = set()  # enterprises that cancelled
        self.first, self.day, self.cash = 0, 0, 0.0
        self._look()

    # --- sources ---

    def rows(self, sql: str) -> list[Row]:
        """All rows of a query, in which `:first` and `:day` are the days of the last two looks.

        Answers are kept until the next look; nobody changes them.
        """
        text = sql.replace(":first", str(self.first)).replace(":day", str(self.day))
        if text not in self._answers:
            found: list[Row] = []
            page = found
            while page is found or len(page) == PAGE:
                page = self.env.query(f"{text} LIMIT {PAGE} OFFSET {len(found)}")["rows"]
                found += page
            self._answers[text] = found
        return self._answers[text]

    def row(self, sql: str) -> Row:
        """The only row of a query."""
        (row,) = self.rows(sql)
        return row

    def number(self, sql: str) -> float:
        """The only number of a query."""
        (value,) = self.row(sql).values()
        return finite(value)

    def by_key(self, sql: str) -> dict[Any, float]:
        """Column k -> column v of a query."""
        return {row["k"]: finite(row["v"]) for row in self.rows(sql)}

    def told(self, label: str) -> str:
        """What the report says behind a label; nothing if it has no such line."""
        found = re.search(rf"^{re.escape(label)}: (.*)$", self.report, re.MULTILINE)
        return found[1] if found else ""

    def setting(self, name: str) -> Any:
        """A map of settings in force, from the newest row about it."""
        newest = (
            "SELECT settings_json FROM config_overrides WHERE setting_type = "
            f"'{name}' ORDER BY id DESC"
        )
        found = self.env.query(newest)["rows"]
        return json.loads(found[0]["settings_json"]) if found else {}

    def config(self) -> Row:
        """The basic settings in force."""
        return self.row(
            "SELECT * FROM config_history WHERE day = (SELECT MAX(day) FROM config_history)"
        )

    # --- looks ---

    def research(self, group: str, level: int) -> None:
        """Begin research of a group, and remember the answer."""
        answer = self.env.call("research_group", {"group_id": group, "target_level": level})
        self.studies[group] = answer | {"started": self.day}

    def after_week(self) -> None:
        """A week was played: look again."""
        self.first = self.day
        self._look()
        self.starts.insert(0, self.first)
        self.past.insert(0, past_week(self))

    def remember(self) -> None:
        """Keep what the next look needs of this one."""
        self.cash = self.number("SELECT SUM(amount) FROM ledger")
        everybody = self.rows(f"SELECT * FROM subscriptions WHERE {LIVE} ORDER BY customer_id")
        self.terms = {row["customer_id"]: (row["plan"], row["seat_count"]) for row in everybody}
        self.lost_firms, self.gone_firms = self.firms("lost"), self.firms("cancelled")

    def firms(self, status: str) -> set[int]:
        """Enterprises in a status."""
        found = self.rows(
            "SELECT customer_id FROM subscriptions JOIN customers USING (customer_id) "
            f"WHERE customer_type = 'large' AND status = '{status}' ORDER BY customer_id"
        )
        return {row["customer_id"] for row in found}

    def beside(self, env: CEOBenchEnv) -> Player:
        """A player with the same memory who looks at another env."""
        other = copy.deepcopy(self, {id(self.env): env})
        other._look()
        return other

    def _look(self) -> None:
        self._answers: dict[str, list[Row]] = {}
        self.report = self.env.report()
        header = re.match(r"WEEK (\d+) \| DAY (\d+)", self.report)
        assert header
        self.week, self.day = int(header[1]), int(header[2])


# --- the company ---------------------------------------------------------------------------------


def time(player: Player) -> Cells:
    month, year = math.tau * (player.day % 30) / 30, math.tau * (player.week % 52) / 52
    return {
        "elapsed": player.day / player.horizon,
        "remaining": 1 - player.day / player.horizon,
        "month_sin": math.sin(month),
        "month_cos": math.cos(month),
        "year_sin": math.sin(year),
        "year_cos": math.cos(year),
    }


OPEN_ISSUES = (
    "issues JOIN subscriptions USING (customer_id) "
    f"WHERE issues.status = 'open' AND subscriptions.{LIVE}"
)


def first_number(text: str) -> float:
    found = re.search(r"-?\$?([\d,]+(?:\.\d+)?)", text)
    assert found, text
    return float(found[1].replace(",", ""))


def company(player: Player) -> Cells:
    accounts = {
        row["k"]: row
        for row in player.rows(
            "SELECT customer_type AS k, SUM(effective_price * seat_count) AS mrr, COUNT(*) AS n "
            f"FROM subscriptions JOIN customers USING (customer_id) WHERE {LIVE} GROUP BY 1"
        )
    }
    nobody = {"mrr": 0.0, "n": 0}
    small, large = accounts.get("small", nobody), accounts.get("large", nobody)
    issues = player.row(f"SELECT COUNT(*) AS n, AVG(days_open) AS age FROM {OPEN_ISSUES}")
    assert issues["n"] == first_number(player.told("Open issues"))
    assert small["n"] == first_number(player.told("Individual subscribers"))
    cash = player.number("SELECT SUM(amount) FROM ledger")
    senders = [thread["sender"] for thread in open_threads(player)]
    return {
        "cash": cash,
        "cash_change": cash - player.cash if player.starts else 0.0,
        "individual_mrr": small["mrr"],
        "enterprise_mrr": large["mrr"],
        "individuals": small["n"],
        "enterprises": large["n"],
        "enterprise_seats": first_number(player.told("Enterprise seats subscribed")),
        "open_issues": issues["n"],
        "issue_age": finite(issues["age"]),
        "threads_waiting": sum(sender != "agent" for sender in senders),
        "threads_pending": senders.count("agent"),
        "undiscovered": player.env.call("get_market_overview")["undiscovered_count"],
    }


def open_threads(player: Player) -> list[Row]:
    """The newest message of each negotiation that goes on.

    Lost threads of the published rules look open; the customer's status tells (tables.md 2).
    """
    return player.rows(
        "SELECT t.*, c.group_id, s.status, s.plan, s.listed_price, s.start_day, "
        "s.seat_count AS seats FROM enterprise_turns t "
        "JOIN customers c USING (customer_id) JOIN subscriptions s USING (customer_id) "
        "WHERE t.message_id IN (SELECT MAX(message_id) FROM enterprise_turns GROUP BY thread_id) "
        "AND t.closed = 0 AND s.status IN ('lead', 'subscribed') ORDER BY t.thread_id"
    )


SIGNED = "status IN ('subscribed', 'cancelled') AND start_day > :first"


def week(player: Player) -> Cells:
    service = player.row(
        "SELECT SUM(total_usage_units) AS usage, "
        "MAX(MAX(0, total_usage_units * 1.0 / capacity_units - 1)) AS overload_peak, "
        "SUM(downtime_minutes > 0) AS outage_days, SUM(downtime_minutes) AS downtime, "
        "MAX(p95_ms) AS p95_peak, AVG(p95_ms) AS p95_mean, "
        "MAX(error_rate) AS error_peak, AVG(error_rate) AS error_mean, "
        "AVG(total_usage_units * 1.0 / capacity_units) AS utilisation_mean, "
        "MAX(total_usage_units * 1.0 / capacity_units) AS utilisation_peak "
        "FROM service_day WHERE day > :first"
    )
    leads = player.row(
        "SELECT COUNT(*) AS n, SUM(seat_count) AS seats FROM enterprise_turns "
        "WHERE thread_type = 'new_lead' AND turn_number = 0 AND day > :first"
    )
    join = "FROM subscriptions JOIN customers USING (customer_id) WHERE customer_type = 'small' AND"
    counts = {
        "individual_leads": "SELECT COUNT(*) FROM customers WHERE customer_type = 'small' "
        "AND customer_id > 1 AND created_day > :first",
        "new_individuals": f"SELECT COUNT(*) {join} {SIGNED}",
        # a deal ends with the system's confirmation
        "new_seats": "SELECT SUM(seat_count) FROM enterprise_turns WHERE thread_type = 'new_lead' "
        "AND sender = 'system' AND turn_number > 0 AND day > :first",
        "cancellations": f"SELECT COUNT(*) {join} status = 'cancelled' AND end_day > :first",
        "customer_replies": "SELECT COUNT(*) FROM notifications WHERE day > :first "
        "AND type = 'large_customer_message' AND message LIKE '%counter-offer%'",
        "deals": "SELECT COUNT(*) FROM notifications WHERE type = 'deal_won' AND day > :first",
    }
    cells = {name: finite(value) for name, value in service.items()}
    cells |= {name: player.number(sql) for name, sql in counts.items()}
    cells |= {"enterprise_leads": leads["n"], "enterprise_lead_seats": finite(leads["seats"])}
    changes = re.findall(r"([\d,]+) (up|down)", player.told("Plan changes"))
    told = {way: first_number(count) for count, way in changes}
    cells |= {"upgrades": told.get("up", 0.0), "downgrades": told.get("down", 0.0)}
    check_report(player, cells)
    return cells


def check_report(player: Player, cells: Cells) -> None:
    """Where the report and the tables tell the same number they must agree."""
    if not player.starts:
        return
    assert first_number(player.told("Usage served")) == round(cells["usage"])
    assert first_number(player.told("New leads")) == cells["individual_leads"]
    assert first_number(player.told("New subscriptions")) == cells["new_individuals"]
    assert first_number(player.told("Cancellations")) == cells["cancellations"]
    replies = player.told("Replies from customers") or "0"
    assert first_number(replies) == cells["customer_replies"]


def ledger_week(player: Player) -> Cells:
    """Categories of the week; what was bought while it was planned stands on the day before."""
    if not player.starts:
        sums = player.by_key("SELECT category AS k, SUM(amount) AS v FROM ledger GROUP BY 1")
    else:
        bought = ", ".join(f"'{name}'" for name in PURCHASES)
        sums = player.by_key(
            "SELECT category AS k, SUM(amount) AS v FROM ledger WHERE "
            f"CASE WHEN category IN ({bought}) THEN day = :first ELSE day > :first END GROUP BY 1"
        )
    assert sums.keys() <= set(CATEGORIES)
    return {name: sums.get(name, 0.0) for name in CATEGORIES}


def service(player: Player) -> Cells:
    days = player.rows(
        "SELECT p95_ms AS p95, error_rate, downtime_minutes AS downtime, "
        "total_usage_units * 1.0 / capacity_units AS utilisation "
        "FROM service_day WHERE day > :first ORDER BY day"
    )
    blank = dict.fromkeys(("p95", "error_rate", "downtime", "utilisation"), 0.0)
    days += [blank] * (7 - len(days))
    return table({f"day{k + 1}": day for k, day in enumerate(days)})


def table(rows: Mapping[str, Mapping[str, float]]) -> Cells:
    """Cells named row.column."""
    return {f"{row}.{name}": value for row, cells in rows.items() for name, value in cells.items()}


def capacity(player: Player) -> Cells:
    tier = player.config()["capacity_tier"]
    cost = player.env.call("get_cost_info")["capacity_tiers"][str(tier)]
    return {"tier": tier, "capacity": cost["capacity_units"], "cost": cost["cost_per_day"]}


def spend(player: Player) -> Cells:
    config = player.config()
    return {
        "operations": config["spend_operations"],
        "development": config["spend_development"],
    }


def quality(player: Player) -> Cells:
    bonus = float(player.told("Shared bonus"))
    return {"base": float(player.told("Base")), "shared_bonus": bonus}


def cancelled(player: Player) -> str:
    """Condition on subscriptions: cancelled in the week.

    The end of an enterprise's contract may lie ahead, so those are told from the ones before.
    """
    firms = ids(player.firms("cancelled") - player.gone_firms)
    return (
        f"status = 'cancelled' AND CASE customer_type WHEN 'small' THEN end_day > :first "
        f"ELSE customer_id IN ({firms}) END"
    )


def ids(numbers: Iterable[int]) -> str:
    """Customer ids as a list in SQL."""
    return ", ".join(map(str, sorted(numbers)))


def past_week(player: Player) -> Cells:
    """A row of the block history, as of now."""
    money, present, last = ledger_week(player), company(player), week(player)
    return {
        "cash": present["cash"],
        "revenue": money["subscription_payment"] + money["ad_revenue"],
        "costs": -sum(min(usd, 0.0) for usd in money.values()),
        "individuals": present["individuals"],
        "enterprise_seats": present["enterprise_seats"],
        "individual_leads": last["individual_leads"],
        "enterprise_leads": last["enterprise_leads"],
        "new_individuals": last["new_individuals"],
        "new_seats": last["new_seats"],
        "cancellations": last["cancellations"],
        "open_issues": present["open_issues"],
        "utilisation_peak": last["utilisation_peak"],
        "advertising": -money["advertising"],
        "development": -money["development"],
        "support": -money["operations"],
        "quality": quality(player)["shared_bonus"],
    }


def history(player: Player) -> Cells:
    blank = dict.fromkeys(past_week(player), 0.0)
    weeks = [*player.past, *[blank] * 12][:12]
    return table({f"week-{k + 1}": row for k, row in enumerate(weeks)})
