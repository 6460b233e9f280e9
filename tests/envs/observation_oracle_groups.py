"""The cells about customer groups, channels, the economy, research and public posts."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.envs.observation_oracle import (
    CHANNELS,
    GROUPS,
    LIVE,
    OPEN_ISSUES,
    PLANS,
    SIGNED,
    Cells,
    Player,
    Row,
    cancelled,
    finite,
    ids,
    ratio,
    table,
)

TRENDS = ("strong_expansion", "expansion", "neutral", "contraction", "severe_contraction")
PHASES = ("peak", "declining", "trough", "recovering")
HORIZONS = (7, 28, 84, 182)


def levels(player: Player) -> dict[str, Row]:
    """Group -> its row of what is known about it."""
    return {row["group_id"]: row for row in player.rows("SELECT * FROM group_info_levels")}


def known(player: Player) -> list[str]:
    listed = player.env.call("get_market_overview")["known_groups"]
    found = {row["group_id"] for row in listed}
    assert found == {g for g, row in levels(player).items() if row["info_level"]}
    return [g for g in GROUPS if g in found]


def last_studied(player: Player, group: str) -> int:
    """Day of the last notice that research of a group is complete, -1 without one."""
    found = player.row(
        "SELECT MAX(day) AS day FROM notifications WHERE type = 'group_research_complete' "
        f"AND message LIKE 'Research of group {group} is complete%'"
    )
    return -1 if found["day"] is None else int(found["day"])


def group_status(player: Player) -> Cells:
    rows = {}
    for group, level in levels(player).items():
        study = player.studies.get(group)
        running = study is not None and last_studied(player, group) <= study["started"]
        found, studied = level["discovered_day"], level["last_research_day"]
        rows[group] = {
            "discovered": level["info_level"] > 0,
            "level": level["info_level"],
            "months_known": 0.0 if found is None else (player.day - found) / 30,
            "research_running": running,
            "research_days_left": study["expected_completion_day"] - player.day
            if study and running
            else 0,
            "research_age": 0 if studied is None else player.day - studied,
        }
    return table(rows)


def segments(player: Player) -> dict[str, str]:
    """Group -> individual or enterprise; the ids tell (tables.md 2)."""
    return {
        g: "enterprise" if g.removeprefix("D_").startswith("E") else "individual" for g in GROUPS
    }


def group_columns(player: Player, key: str) -> dict[str, dict[str, float]]:
    """The statistics by some expression of the customer (`c`), column by column."""
    joined = "FROM subscriptions s JOIN customers c USING (customer_id)"

    def count(what: str, where: str) -> dict[str, float]:
        return player.by_key(f"SELECT {key} AS k, {what} AS v {joined} WHERE {where} GROUP BY 1")

    firms = ids(player.firms("lost") - player.lost_firms)
    lost = (
        "status = 'lost' AND CASE customer_type WHEN 'small' THEN start_day > :first "
        f"ELSE customer_id IN ({firms}) END"
    )
    issues = OPEN_ISSUES.replace("WHERE", "JOIN customers c USING (customer_id) WHERE")
    return {
        "accounts": count("COUNT(*)", LIVE),
        "seats": count("SUM(seat_count)", LIVE),
        "mrr": count("SUM(effective_price * seat_count)", LIVE),
        "prospects": player.by_key(
            f"SELECT {key} AS k, COUNT(*) AS v FROM customers c "
            "WHERE created_day > :first AND customer_id > 1 GROUP BY 1"
        ),
        "started": count("COUNT(*)", SIGNED),
        "lost": count("COUNT(*)", lost),
        "cancelled": count("COUNT(*)", cancelled(player)),
        "open_issues": player.by_key(f"SELECT {key} AS k, COUNT(*) AS v FROM {issues} GROUP BY 1"),
        "issue_age": player.by_key(
            f"SELECT {key} AS k, AVG(days_open) AS v FROM {issues} GROUP BY 1"
        ),
        "usage": player.by_key(
            f"SELECT {key} AS k, AVG(usage_units) AS v FROM daily_usage "
            "JOIN customers c USING (customer_id) WHERE day > :first GROUP BY 1"
        ),
        "ads_income": player.by_key(
            f"SELECT {key} AS k, SUM(revenue) AS v FROM ads_revenue "
            "JOIN customers c USING (customer_id) WHERE day > :first GROUP BY 1"
        ),
    }


def posts_by_group(player: Player) -> dict[str, float]:
    return player.by_key(
        "SELECT source_group_id AS k, COUNT(*) AS v FROM social_media_posts "
        "WHERE day > :first AND source_group_id IS NOT NULL GROUP BY 1"
    )


def group_stats(player: Player) -> Cells:
    columns = group_columns(player, "c.group_id") | {"posts": posts_by_group(player)}
    return table({g: {name: c.get(g, 0.0) for name, c in columns.items()} for g in GROUPS})


def segment_stats(player: Player) -> Cells:
    """The sums of the compact form; only known groups have customers."""
    side = "CASE c.customer_type WHEN 'small' THEN 'individual' ELSE 'enterprise' END"
    columns, posts = group_columns(player, side), posts_by_group(player)
    kinds = segments(player)
    sides = ("individual", "enterprise")
    columns["posts"] = {s: sum(n for g, n in posts.items() if kinds[g] == s) for s in sides}
    return table({s: {name: c.get(s, 0.0) for name, c in columns.items()} for s in sides})


def group_quality(player: Player) -> Cells:
    rows = {}
    for group in GROUPS:
        line = re.search(rf"^{group} .*: (A .*) \(own bonus (.*)\)$", player.report, re.MULTILINE)
        told = dict(re.findall(r"([ABC]) (-?[\d.]+)", line[1])) if line else {}
        rows[group] = {f"plan_{p}": float(told.get(p, 0.0)) for p in PLANS}
        rows[group]["bonus"] = float(line[2]) if line else 0.0
    return table(rows)


def group_settings(player: Player) -> Cells:
    ads, dev = player.setting("targeted_ad_spend"), player.setting("targeted_dev_spend")
    ops = player.setting("targeted_ops_spend")
    by_group = {
        "development": dev,
        "support": ops.get("by_group", ops),
        "ads_strength": player.setting("ads_strength").get("by_group", {}),
        "promotion": player.setting("promotion").get("by_group", {}),
        "lead_promotion": player.setting("lead_promotion").get("by_group", {}),
    }
    return table(
        {
            g: {"ads": sum(channel.get(g, 0.0) for channel in ads.values())}
            | {name: amounts.get(g, 0.0) for name, amounts in by_group.items()}
            for g in GROUPS
        }
    )


def group_plan_promotion(player: Player) -> Cells:
    amounts = player.setting("promotion").get("by_group_plan", {})
    return {f"{g}.{p}": amounts.get(g, {}).get(p, 0.0) for g in GROUPS for p in PLANS}


def global_settings(player: Player) -> Cells:
    names = ("ads_strength", "promotion", "lead_promotion")
    return {name: player.setting(name).get("global", 0.0) for name in names}


def insight(player: Player) -> Cells:
    rows, found_day = {}, levels(player)
    names = {
        "willingness_to_pay": "willingness_to_pay",
        "usage": "usage_volume",
        "quality_floor": "quality_floor_q_min",
        "lockin_aversion": "contract_lockin_aversion",
        "market_cap": "market_cap",
        "growth": "annual_market_cap_growth_rate",
        "rounds": "decision_rounds",
        "reply_days": "avg_response_days",
    }
    listed = known(player)
    for group in GROUPS:
        if group not in listed:
            other = ("seats_min", "seats_max", "noise", "age")
            rows[group] = dict.fromkeys((*names, *other), 0.0)
            continue
        report = player.env.call("get_group_insights", {"group_id": group})
        told = report["estimates"]
        rows[group] = {name: told.get(field, 0.0) for name, field in names.items()}
        seats = told.get("seat_range", (0, 0))
        # a report is of the day of the last study, or else of the discovery
        taken = max(found_day[group]["discovered_day"], last_studied(player, group))
        rows[group] |= {
            "seats_min": seats[0],
            "seats_max": seats[1],
            "noise": float(report["noise"].strip("±%")) / 100,
            "age": player.day - taken,
        }
    return table(rows)


def influence(player: Player) -> Cells:
    """Row = from, column = to; where both groups' reports tell a pair, the row's counts."""
    cells = {f"{a}.{b}.{kind}": 0.0 for a in GROUPS for b in GROUPS for kind in KINDS}
    reports = {g: player.env.call("get_group_insights", {"group_id": g}) for g in known(player)}
    for kind in KINDS:
        for way in ("incoming", "outgoing"):  # the second overrules
            for group, report in reports.items():
                for other, value in report[f"{kind}_influence"][way].items():
                    pair = (group, other) if way == "outgoing" else (other, group)
                    if value > 0:
                        cells[f"{pair[0]}.{pair[1]}.{kind}"] = value
    return cells


KINDS = ("network", "reputation")


def channel_group(player: Player) -> Cells:
    since = [*player.starts, 0, 0, 0, 0, 0, 0, 0, 0][7]  # eight weeks
    spend = player.setting("targeted_ad_spend")

    def pairs(what: str, day: int) -> dict[str, float]:
        return player.by_key(
            f"SELECT channel_id || '.' || group_id AS k, {what} AS v FROM ad_channel_leads "
            f"WHERE day > {day} GROUP BY 1"
        )

    last = pairs("SUM(leads_generated)", player.first)
    rate = pairs("SUM(leads_generated) * 1000.0 / SUM(spend)", since)
    return table(
        {
            f"{c}.{g}": {
                "spend": spend.get(c, {}).get(g, 0.0),
                "prospects": last.get(f"{c}.{g}", 0.0),
                "yield": rate.get(f"{c}.{g}", 0.0),
            }
            for c in CHANNELS
            for g in GROUPS
        }
    )


def channel_group_lead_promotion(player: Player) -> Cells:
    setting = player.setting("lead_promotion")
    channels, pairs = setting.get("by_channel", {}), setting.get("by_channel_group", {})
    cells = {f"{c}.all": channels.get(c, 0.0) for c in CHANNELS}
    return cells | {f"{c}.{g}": pairs.get(c, {}).get(g, 0.0) for c in CHANNELS for g in GROUPS}


# --- economy, research, posts --------------------------------------------------------------------


def macro(player: Player) -> Cells:
    readings = player.rows("SELECT * FROM macroeconomic_conditions ORDER BY day DESC")
    cells = dict.fromkeys(("available", "last", "change", "previous", "age", *TRENDS), 0.0)
    overview = player.env.call("get_market_overview")["macroeconomic"]
    assert (overview is None) == (not readings)
    if readings:
        last = readings[0]
        assert overview["pmi_value"] == last["pmi_value"]
        cells |= {
            "available": 1,
            "last": last["pmi_value"],
            "change": last["pmi_change"],
            "previous": readings[1]["pmi_value"] if len(readings) > 1 else 0.0,
            "age": player.day - last["day"],
            last["pmi_trend"]: 1,
        }
    return cells | {"readings": len(readings)}


def macro_phase(player: Player) -> Cells:
    overview = player.env.call("get_market_overview")["macroeconomic"]
    return {phase: bool(overview) and overview["cycle_phase"] == phase for phase in PHASES}


def rnd(player: Player) -> Cells:
    projects = player.rows("SELECT * FROM research_projects")
    rows = {}
    for tier in player.env.call("list_research_projects")["tiers"]:
        same = [p for p in projects if p["tier"] == tier["tier"]]
        running = [p for p in same if p["status"] == "in_progress"]
        assert len(running) == tier["in_progress"] <= 1
        rows[f"tier{tier['tier']}"] = {
            "cost": tier["cost"],
            "running": len(running),
            "days_left": sum(p["expected_completion_day"] - player.day for p in running),
            "gain": sum(p["expected_quality_boost"] for p in running),
            "finished": tier["completed"],
        }
    return table(rows)


def last_post(player: Player) -> Row | None:
    """The company's last post; one of today has not been judged yet."""
    found = player.rows(
        "SELECT * FROM agent_social_media_posts WHERE day < :day ORDER BY agent_post_id DESC"
    )
    return found[0] if found else None


def posts(player: Player) -> Cells:
    post = last_post(player)
    if post is None:
        return {"views": 0.0, "comments": 0.0, "weeks": 0.0}
    return {
        "views": post["views"],
        "comments": len(json.loads(post["comment_post_ids"])),
        "weeks": (player.day - post["day"]) / 7,
    }


def post_effect(player: Player) -> Cells:
    notices = player.rows(
        "SELECT message FROM notifications WHERE type = 'social_media' ORDER BY notification_id"
    )
    named: dict[str, str] = {}
    if notices:
        said = notices[-1]["message"].rpartition("Strongest in: ")[2]
        named = dict(re.findall(r"(\w+) ([+-][\d.]+\d)", said))
        assert len(named) <= 3
    rows = {g: {"effect": float(named.get(g, 0.0)), "told": g in named} for g in GROUPS}
    return table(rows)


def competitor(player: Player) -> Cells:
    found = player.rows("SELECT content FROM social_media_posts WHERE day > :first")
    quotes = [re.search(r"gain in product quality at ([\d.]+)\.$", p["content"]) for p in found]
    sizes = [float(quote[1]) for quote in quotes if quote]
    largest = max(sizes, default=0.0)
    return {"posts": len(sizes), "largest": largest, "mean": ratio(sum(sizes), len(sizes))}


def reply_slots(player: Player) -> Cells:
    """Authors of customers' own posts: those for a group that answer nothing."""
    newest = player.rows(
        "SELECT source_group_id AS g FROM social_media_posts WHERE source_group_id IS NOT NULL "
        "AND reply_to_agent_post_id IS NULL ORDER BY post_id DESC"
    )[:16]
    slots: list[Any] = [GROUPS.index(post["g"]) + 1 for post in newest]
    return {str(k): (slots + [0] * 16)[k] for k in range(16)}


def forecast(player: Player) -> Cells:
    found = player.rows("SELECT * FROM predictions WHERE submit_day + horizon_days = :day")
    matured = {row["horizon_days"]: row for row in found}
    names = {"point": "predicted_value", "lower": "predicted_lower", "upper": "predicted_upper"}
    return table(
        {
            f"{days}d": {"available": days in matured}
            | {name: finite(matured.get(days, {}).get(c)) for name, c in names.items()}
            for days in HORIZONS
        }
    )
