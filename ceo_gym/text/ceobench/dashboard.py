"""The weekly report to the management as plain text (observation.md 2).

It tells what the published dashboard tells, in the same order, and leaves out the same things:
revenue, costs, satisfaction, reputation and notices must be asked for. The extended form adds the
remaining settings and the number of notices.
"""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from ceo_gym.simulators.ceobench.codes import NEW_LEAD
from ceo_gym.simulators.ceobench.observe import Observation
from ceo_gym.simulators.ceobench.results import DayResult
from ceo_gym.simulators.ceobench.sections import PLANS, WEEK_DAYS
from ceo_gym.simulators.ceobench.world import World
from ceo_gym.text.ceobench import settings

_SHOWN_ABOVE = ("prices", "model_tiers", "usage_quotas", "capacity_tier", "daily_spend")


def dashboard(world: World, *, extended: bool = False) -> str:
    """The report of this moment.

    Args:
        world: the world; it is only read.
        extended: also show targeted spends, promotions and in-app ads in force, what came of own
            posts, and the number of notices of the last week.
    """
    seen = world.observe()
    company, groups = world.company, world.params.groups
    firms = np.asarray(groups.is_enterprise, dtype=np.bool_)
    week = world.history.weeks[-1] if world.history.weeks else None
    lines = [f"WEEK {week_number(world.day)} | DAY {world.day}", ""]
    lines += [f"Cash: ${seen.cash_usd:,.0f}".replace("$-", "-$")]
    lines += [f"Individual subscribers: {int(seen.accounts[~firms].sum()):,}"]
    lines += [f"Enterprise seats subscribed: {seen.enterprise_seats:,}"]
    lines += [f"Open issues: {int(seen.open_issues.sum()):,}", ""]
    if week is not None:
        lines += ["THE PAST WEEK", *_week(week), ""]
    lines += ["CONFIGURATION"]
    lines += ["List prices, USD/month per seat: " + _plans(company.price_usd, ",.2f")]
    lines += ["Model tiers: " + _plans(company.model_tier, "d")]
    lines += ["Quotas, units/day: " + _plans(company.quota_units, ",.0f")]
    lines += [f"Capacity tier: {company.capacity_tier}"]
    lines += [f"Shared support: ${company.operations_usd:,.2f}/day"]
    lines += [f"Shared development: ${company.development_usd:,.2f}/day", ""]
    lines += ["DELIVERED QUALITY", *_quality(world, seen), ""]
    if extended:
        lines += [*_extended(world), ""]
    lines += ["ENTERPRISE INBOX", *_inbox(world, seen, week)]
    return "\n".join(lines) + "\n"


def week_number(day: int) -> int:
    """Number of the week that ends on a day, or holds it; 0 before the first."""
    return (day + WEEK_DAYS - 1) // WEEK_DAYS


def week_numbers(week: DayResult) -> dict[str, Any]:
    """The numbers that the report of a week shows, by name.

    Units: cash USD, usage units served in the week, overload and error rate as shares, latency
    ms, downtime minutes.
    """
    return {
        "week": week_number(week.day),
        "day": week.day,
        "cash": week.cash_usd,
        "individual_subscribers": week.individual_subscribers,
        "enterprise_seats": week.enterprise_subscription_seats,
        "open_issues": week.open_issues,
        "usage": week.usage_units,
        "new_individual_leads": week.new_individual_leads,
        "new_enterprise_leads": week.new_enterprise_leads,
        "new_individual_subscribers": week.new_individual_subscribers,
        "new_enterprise_seats": week.new_enterprise_subscribers_seats,
        "cancellations": week.cancellations,
        "upgrades": week.upgrades,
        "downgrades": week.downgrades,
        "overload_peak": week.overload_peak,
        "outage": week.outage_days > 0,
        "downtime_minutes": week.downtime_minutes,
        "latency_p95_ms": week.latency_p95_ms,
        "error_rate": week.error_rate,
        "threads_opened": week.new_enterprise_leads + week.customer_requests,
        "new_lead_seats": week.new_enterprise_lead_seats,
        "customer_replies": week.customer_replies,
    }


def _week(week: DayResult) -> list[str]:
    seen = week_numbers(week)
    overload = f"{100 * seen['overload_peak']:.1f}%" if seen["overload_peak"] > 0 else "none"
    outage = f"yes, {seen['downtime_minutes']:,.0f} minutes down" if seen["outage"] else "no"
    return [
        f"Usage served: {seen['usage']:,.0f} units",
        f"New leads: {seen['new_individual_leads']:,} individual, "
        f"{seen['new_enterprise_leads']:,} enterprise",
        f"New subscriptions: {seen['new_individual_subscribers']:,} individual, "
        f"{seen['new_enterprise_seats']:,} enterprise seats",
        f"Cancellations: {seen['cancellations']:,}",
        f"Plan changes: {seen['upgrades']:,} up, {seen['downgrades']:,} down",
        f"Highest overload: {overload}",
        f"Outage: {outage}",
        f"Highest p95 latency: {seen['latency_p95_ms']:,.0f} ms",
        f"Highest error rate: {100 * seen['error_rate']:.2f}%",
    ]


def _plans(values: Any, form: str) -> str:
    return ", ".join(f"{p} {v:{form}}" for p, v in zip(PLANS, values.tolist()))


def _quality(world: World, seen: Observation) -> list[str]:
    groups, bonus = world.params.groups, world.market.quality_group
    lines = [
        f"Base: {world.params.product.base_quality:.4f}",
        f"Shared bonus: {seen.shared_quality:+.4f}",
    ]
    for g in np.flatnonzero(seen.known).tolist():
        plans = ", ".join(f"{p} {q:.4f}" for p, q in zip(PLANS, seen.quality[:, g].tolist()))
        lines.append(f"{groups.ids[g]} {groups.name[g]}: {plans} (own bonus {bonus[g]:+.4f})")
    return lines


def _inbox(world: World, seen: Observation, week: DayResult | None) -> list[str]:
    """Up to three lines; new leads that wait for a first offer are only in the first."""
    waiting = seen.waiting
    answers = int(np.count_nonzero((waiting.kind != NEW_LEAD) | (waiting.turn > 0)))
    opened, seats = _opened(world, week)
    lines = []
    if opened:
        lines.append(f"Negotiations opened: {opened:,} ({seats:,} seats)")
    if week is not None and week.customer_replies:
        lines.append(f"Replies from customers: {week.customer_replies:,}")
    if answers:
        lines.append(f"Threads in which a customer has the last word: {answers:,}")
    return lines or ["nothing new"]


def _opened(world: World, week: DayResult | None) -> tuple[int, int]:
    """Threads that anybody opened since the week began, and the seats of their first messages."""
    if week is None:
        return 0, 0
    if not world.history.business:  # no messages are kept: what the weekly totals tell
        return week.new_enterprise_leads + week.customer_requests, week.new_enterprise_lead_seats
    rows = world.history.messages
    first = int(np.searchsorted(rows.day, week.day - week.days, side="right"))
    opening = rows.turn[first:] == 0
    return int(np.count_nonzero(opening)), int(rows.seats[first:][opening].sum())


def _extended(world: World) -> list[str]:
    lines = ["OTHER SETTINGS IN FORCE"]
    for name, value in settings.in_force(world).items():
        if name not in _SHOWN_ABOVE:
            entries = {scope: entry for scope, entry in value.items() if entry}
            lines.append(f"{name}: {json.dumps(entries) if entries else 'none'}")
    last = world.day - (world.history.weeks[-1].days if world.history.weeks else 0)
    for number, post in enumerate(world.market.own_posts, start=1):
        if post.judged and post.day >= last:
            replies = int(np.count_nonzero(world.history.posts.reply_to == number))
            lines.append(
                f"Own post of day {post.day}: {post.views.sum():,.0f} views, {replies} replies"
            )
    if world.history.business:
        count = int(np.count_nonzero(world.history.notice_rows.day > last))
        lines.append(f"Notices this week: {count:,}")
    return lines
