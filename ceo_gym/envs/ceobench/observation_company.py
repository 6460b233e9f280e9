"""Blocks of the observation about the company as a whole: clock, money, service and plans."""

from __future__ import annotations

import numpy as np

from ceo_gym.envs.ceobench.blocks import USD, Block, Field, Observation, count, share, usd
from ceo_gym.envs.ceobench.books import CATEGORIES, Books, ratio, reported
from ceo_gym.simulators.ceobench import Params, World
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS, PLANS, WEEK_DAYS
from ceo_gym.simulators.ceobench.tally import LAST

YEAR_WEEKS = 52
DAYS = tuple(f"day{k + 1}" for k in range(WEEK_DAYS))

TIME = Block(
    "time",
    "the calendar",
    (
        share("elapsed", "share of the horizon that is over"),
        share("remaining", "share of the horizon that is left"),
        Field("month_sin", "1", -1.0, 1.0, "sine of the day of the 30-day month"),
        Field("month_cos", "1", -1.0, 1.0, "cosine of the day of the 30-day month"),
        Field("year_sin", "1", -1.0, 1.0, "sine of the week of the year"),
        Field("year_cos", "1", -1.0, 1.0, "cosine of the week of the year"),
    ),
)
COMPANY = Block(
    "company",
    "the company at this moment",
    (
        usd("cash", "cash", low=-USD),
        usd("cash_change", "change of cash over the last week, purchases included", low=-USD),
        usd("individual_mrr", "monthly recurring revenue of individuals", "USD/month"),
        usd("enterprise_mrr", "monthly recurring revenue of enterprises", "USD/month"),
        count("individuals", "accounts", "subscribed individuals"),
        count("enterprises", "accounts", "subscribed enterprises"),
        count("enterprise_seats", "seats", "seats of subscribed enterprises now"),
        count("open_issues", "tickets", "open issues"),
        count("issue_age", "days", "mean age of the open issues, 0 on the day they open"),
        count("threads_waiting", "threads", "negotiations that wait for the player"),
        count("threads_pending", "threads", "negotiations that wait for the customer"),
        count("undiscovered", "groups", "customer groups not yet discovered"),
    ),
)
WEEK = Block(
    "week",
    "the last week; zero before the first",
    (
        count("usage", "units", "units served"),
        count("individual_leads", "prospects", "individuals who looked at the product"),
        count("enterprise_leads", "leads", "enterprises that asked for an offer"),
        count("enterprise_lead_seats", "seats", "seats of these enterprises"),
        count("new_individuals", "accounts", "individuals who subscribed"),
        count("new_seats", "seats", "seats of enterprises that subscribed"),
        count("cancellations", "accounts", "individuals who cancelled"),
        count("upgrades", "accounts", "changes to a higher plan"),
        count("downgrades", "accounts", "changes to a lower plan"),
        count("overload_peak", "share", "highest daily usage above capacity, relative to it"),
        Field("outage_days", "days", 0.0, 7.0, "days with an outage"),
        count("downtime", "min", "minutes of outages"),
        count("p95_peak", "ms", "highest daily 95th percentile latency"),
        count("p95_mean", "ms", "mean daily 95th percentile latency"),
        share("error_peak", "highest daily error rate"),
        share("error_mean", "mean daily error rate"),
        count("utilisation_mean", "share", "mean daily usage over capacity"),
        count("utilisation_peak", "share", "highest daily usage over capacity"),
        count("customer_replies", "messages", "counter-offers of enterprises"),
        count("deals", "deals", "deals of every kind"),
    ),
)
LEDGER = Block(
    "ledger_week",
    "money of the last week by category, purchases planned for it included",
    tuple(
        usd(name, f"income (+) or cost (-): {name.replace('_', ' ')}", low=-USD)
        for name in CATEGORIES
    ),
)
SERVICE = Block(
    "service",
    "the days of the last week, oldest first; zero for days that were not played",
    (
        count("p95", "ms", "95th percentile latency"),
        share("error_rate", "share of failed requests"),
        count("downtime", "min", "minutes of outage"),
        count("utilisation", "share", "usage over capacity"),
    ),
    (DAYS,),
)
PLAN_CONFIG = Block(
    "plan_config",
    "the plans as they are offered",
    (
        usd("price", "list price per seat", "USD/month"),
        Field("model_tier", "tier", 0.0, 5.0, "model tier"),
        count("quota", "units/day", "quota of an account"),
        usd("unit_cost", "compute cost of a unit at this tier", "USD/unit"),
    ),
    (PLANS,),
)
PLAN_STATS = Block(
    "plan_stats",
    "accounts by plan",
    (
        count("individuals", "accounts", "subscribed individuals"),
        count("enterprise_seats", "seats", "billed seats of subscribed enterprises"),
        usd("mrr", "monthly recurring revenue", "USD/month"),
        count("started", "accounts", "accounts that started in the last week"),
        count("cancelled", "accounts", "accounts that cancelled in the last week"),
        count("usage", "units/day", "mean usage of an account and day in the last week"),
        share("at_quota", "share of these account-days with the quota used up"),
    ),
    (PLANS,),
)
CAPACITY = Block(
    "capacity",
    "the platform",
    (
        Field("tier", "tier", 0.0, 7.0, "capacity tier"),
        count("capacity", "units/day", "units it serves without overload"),
        usd("cost", "its cost", "USD/day"),
    ),
)
SPEND = Block(
    "spend",
    "shared spends in force",
    (
        usd("operations", "shared support and operations", "USD/day"),
        usd("development", "shared development", "USD/day"),
    ),
)
QUALITY = Block(
    "quality",
    "product quality before tier and group effects",
    (
        Field("base", "quality", -1e6, 1e6, "base quality"),
        Field("shared_bonus", "quality", -1e6, 1e6, "bonus that every group gets"),
    ),
)


def blocks(params: Params) -> tuple[Block, ...]:
    """The blocks of this room, in order; none depends on the parameters."""
    del params
    return (TIME, COMPANY, WEEK, LEDGER, SERVICE, PLAN_CONFIG, PLAN_STATS, CAPACITY, SPEND, QUALITY)


def fill(out: Observation, world: World, books: Books) -> None:
    """Write the blocks of this room into arrays of zeros."""
    company, params, history = world.company, world.params, world.history
    horizon = params.clock.horizon_days
    month = 2.0 * np.pi * (world.day % MONTH_DAYS) / MONTH_DAYS
    week = -(-world.day // WEEK_DAYS)  # the report's number, which counts a short week as one
    year = 2.0 * np.pi * (week % YEAR_WEEKS) / YEAR_WEEKS
    elapsed = world.day / horizon
    out["time"][:] = (
        elapsed,
        1.0 - elapsed,
        np.sin(month),
        np.cos(month),
        np.sin(year),
        np.cos(year),
    )
    firms = books.firms
    accounts = books.accounts.sum(axis=1)
    revenue = books.revenue_usd.sum(axis=1)
    issues = books.issues.sum()
    cash = history.cash_by_week
    out["company"][:] = (
        company.cash_usd,
        cash[-1] - cash[-2] if len(cash) > 1 else 0.0,
        revenue[~firms].sum(),
        revenue[firms].sum(),
        accounts[~firms].sum(),
        accounts[firms].sum(),
        books.enterprise_seats,
        issues,
        books.issue_days.sum() / max(issues, 1.0),
        len(books.threads_waiting),
        len(books.threads_pending),
        np.count_nonzero(~books.known),
    )
    out["ledger_week"][:] = books.ledger_usd
    _fill_week(out, world, books)
    _fill_plans(out, world, books)
    tiers, tier = params.capacity_tiers, company.capacity_tier
    out["capacity"][:] = tier, tiers.capacity_units_per_day[tier], tiers.cost_usd_per_day[tier]
    out["spend"][:] = company.operations_usd, company.development_usd
    out["quality"][:] = reported(
        np.array([params.product.base_quality, world.market.quality_shared])
    )


def _fill_week(out: Observation, world: World, books: Books) -> None:
    week = books.week
    if week is None:
        return
    days = slice(books.first_day + 1, week.day + 1)
    service = world.history.service[days]  # fields of ServiceDay
    capacity = world.params.capacity_tiers.capacity_units_per_day
    utilisation = service[:, 0] / capacity[world.history.capacity_tier[days]]
    daily = out["service"][: week.days]
    daily[:, 0], daily[:, 1], daily[:, 2] = service[:, 4], service[:, 5], service[:, 3]
    daily[:, 3] = utilisation
    out["week"][:] = (
        week.usage_units,
        week.new_individual_leads,
        week.new_enterprise_leads,
        week.new_enterprise_lead_seats,
        week.new_individual_subscribers,
        week.new_enterprise_subscribers_seats,
        week.cancellations,
        week.upgrades,
        week.downgrades,
        week.overload_peak,
        week.outage_days,
        week.downtime_minutes,
        week.latency_p95_ms,
        service[:, 4].mean(),
        week.error_rate,
        service[:, 5].mean(),
        utilisation.mean(),
        week.utilisation_peak,
        week.customer_replies,
        week.deals,
    )


def _fill_plans(out: Observation, world: World, books: Books) -> None:
    company, tally = world.company, world.history.tally
    config, stats = out["plan_config"], out["plan_stats"]
    config[:, 0], config[:, 1] = company.price_usd, company.model_tier
    config[:, 2] = company.quota_units
    config[:, 3] = world.params.model_tiers.cost_usd_per_unit[company.model_tier - 1]
    stats[:, 0] = books.accounts[~books.firms].sum(axis=0)
    stats[:, 1] = books.seats[books.firms].sum(axis=0)
    stats[:, 2] = books.revenue_usd.sum(axis=0)
    stats[:, 3], stats[:, 4] = tally.started_plan[LAST], tally.cancelled_plan[LAST]
    days = books.used_days.sum(axis=0)
    stats[:, 5] = ratio(books.used.sum(axis=0), days)
    stats[:, 6] = ratio(books.full_days.sum(axis=0), days)
