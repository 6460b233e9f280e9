"""The profile ``manager``: 25 numbers that move the settings in force; made for learning.

Every real is in [-1, 1], every choice is small, and zero changes nothing. a is the number given.

=================  =======================================================================
key                what it does
=================  =======================================================================
price (3)          list price times exp(0.2 a); from 0, a > 0 starts it at 30, 80, 150 USD
quota (3)          quota times exp(0.7 a); from 0, a > 0 starts it at 300, 1,000, 200,000
tier (3)           model tier: keep, up, down
capacity           keep, up, down, or by rule: the smallest tier that holds 1.3 times the
                   busiest day of the last week
support            shared support times 2^a; from 0, a > 0 starts it at 100 USD a day
development        shared development, likewise
targeted (2)       targeted development of all known individual and enterprise groups: the
                   total moves likewise and is split evenly
ads (2)            advertising to known individual and enterprise groups, likewise; within a
                   group all goes to the channel that brought most prospects for a dollar in
                   eight weeks, once all five were tried, and evenly before
strength           in-app advertising for everybody, plus 0.1 a
promotion          ongoing promotion for everybody, plus 5 a USD a month
lead_promotion     promotion of the first bill for everybody, plus 5 a USD
market_research    attempts, 0 to 3
group_research     none; the least known group to its next level; a refresh of the group that
                   pays most (level 2 at least). Groups under research, and those that this
                   step's market research finds, are passed over
rnd                none; the cheapest project that is not running; the dearest of these that
                   half of the cash pays
offers             to all waiting enterprises: none, list prices, the asked price (else list
                   prices), a price from the group's report, rejection
offer_level        price of the report's offers: reported willingness to pay times 2^a, on the
                   asked plan (else C), never above an asked price
post               none, or a topic for the known group with most accounts
=================  =======================================================================

Settings stay below the upper bounds of the profile ``full``. A spend that falls below 10 USD a day
stops. An even split is also how a newly found group gets
its part. The numbers of this table are those of this file, not of the world.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ceo_gym.envs.ceobench import manager_choices as choices
from ceo_gym.envs.ceobench import posts
from ceo_gym.envs.ceobench.action_decode import Refusals
from ceo_gym.envs.ceobench.action_keys import (
    MAX_PRICE_USD,
    MAX_QUOTA,
    MAX_SPEND_USD,
)
from ceo_gym.envs.ceobench.action_sales import NOTHING, Letters
from ceo_gym.envs.ceobench.blocks import numbered
from ceo_gym.envs.ceobench.keys import BOX, CHOICE, CHOICES, Key
from ceo_gym.envs.ceobench.manager_choices import ASKED, REJECT, REPORT, UP
from ceo_gym.simulators.ceobench import Params, World
from ceo_gym.simulators.ceobench.observe import waiting
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.ceobench.tally import LAST
from ceo_gym.simulators.common.rows import Bools, Floats

PRICE_RATE, QUOTA_RATE, SPEND_RATE = 0.2, 0.7, float(np.log(2.0))
START_PRICE_USD, START_QUOTA = np.array([30.0, 80.0, 150.0]), np.array([300.0, 1e3, 2e5])
START_SPEND_USD, LEAST_SPEND_USD = 100.0, 10.0
LEAST_PRICE_USD, LEAST_QUOTA = 1.0, 1.0
STRENGTH_STEP, PROMOTION_STEP_USD = 0.1, 5.0
PLAN_C = 2


def keys(params: Params) -> tuple[Key, ...]:
    """The keys of the profile."""

    def reals(name: str, meaning: str, labels: tuple[str, ...]) -> Key:
        return Key(name, BOX, meaning, (labels,), "relative", -1.0, 1.0)

    def choice(name: str, meaning: str, *options: str) -> Key:
        return Key(name, CHOICE, meaning, options=options)

    segments = ("individuals", "enterprises")
    moves = ("keep", "up", "down")
    attempts = numbered(choices.MAX_MARKET_RESEARCH + 1)
    return (
        reals("price", "list price up or down", PLANS),
        reals("quota", "quota up or down", PLANS),
        Key("tier", CHOICES, "model tier up or down", (PLANS,), options=moves),
        choice("capacity", "capacity tier up, down, or by rule", *moves, "by_rule"),
        reals("support", "shared support up or down", ("all",)),
        reals("development", "shared development up or down", ("all",)),
        reals("targeted", "targeted development up or down", segments),
        reals("ads", "advertising up or down", segments),
        reals("strength", "in-app advertising up or down", ("all",)),
        reals("promotion", "ongoing promotion up or down", ("all",)),
        reals("lead_promotion", "promotion of the first bill up or down", ("all",)),
        choice("market_research", "attempts to find a group", *attempts),
        choice("group_research", "research of a known group", "none", "least_known", "best_paying"),
        choice("rnd", "project to start", "none", "cheapest", "dearest"),
        choice(
            "offers",
            "treatment of all waiting enterprises",
            "ignore",
            "list_price",
            "asked",
            "report",
            "reject",
        ),
        Key(
            "offer_level",
            BOX,
            "level of the report's offers",
            (("all",),),
            "relative",
            -1.0,
            1.0,
            detail_of="offers",
        ),
        choice("post", "topic of a post", "none", *params.posts.topics),
    )


def scaled(now: Floats, move: Floats, rate: float, first: Floats, least: float) -> Floats:
    """Settings times exp(rate x move); a setting of 0 starts by a positive move.

    Args:
        now: settings in force.
        move: numbers from -1 to 1.
        rate: largest change of the logarithm.
        first: value that a setting of 0 starts at.
        least: smallest setting.
    """
    moved = np.where(now > 0.0, now * np.exp(rate * move), np.where(move > 0.0, first, 0.0))
    return np.where((moved > 0.0) & (moved < least), least, moved)


def carry_out(world: World, action: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Make all decisions of a checked action, in the canonical order; returns the refusals."""
    refused = Refusals()
    known = world.market.discovered  # a group found in this step is no target yet
    _plans(world, action, refused)
    _spends(world, action, refused)
    _promotions(world, action, refused)
    _research(world, action, refused, known)
    _negotiate(world, action, refused)
    if action["post"]:
        accounts = np.where(world.market.discovered, world.population.accounts, -1)
        topic, earlier = world.params.posts.topics[action["post"] - 1], len(world.market.own_posts)
        text = posts.topic_text(topic, int(np.argmax(accounts)), earlier, world.params)
        refused.attempt("post", None, world.post_social_media, text)
    return refused.entries


def _real(action: Mapping[str, Any], key: str) -> Floats:
    return np.asarray(action[key], np.float64)


def _plans(world: World, action: Mapping[str, Any], refused: Refusals) -> None:
    company, params = world.company, world.params
    move = _real(action, "price")
    price = scaled(company.price_usd, move, PRICE_RATE, START_PRICE_USD, LEAST_PRICE_USD)
    price = np.minimum(price, MAX_PRICE_USD)
    prices = {p: float(price[k]) for k, p in enumerate(PLANS) if move[k] and price[k]}
    if prices:
        refused.attempt("price", None, world.set_prices, **prices)
    tiers = {}
    for k, p in enumerate(PLANS):
        if action["tier"][k]:
            step = 1 if action["tier"][k] == UP else -1
            tier = min(max(int(company.model_tier[k]) + step, 1), len(params.model_tiers.ids))
            if tier != company.model_tier[k]:
                tiers[p] = tier
    if tiers:
        refused.attempt("tier", None, world.set_model_tiers, **tiers)
    move = _real(action, "quota")
    quota = scaled(company.quota_units, move, QUOTA_RATE, START_QUOTA, LEAST_QUOTA)
    quota = np.minimum(np.round(quota), MAX_QUOTA)
    quotas = {p: float(quota[k]) for k, p in enumerate(PLANS) if move[k] and quota[k]}
    if quotas:
        refused.attempt("quota", None, world.set_usage_quotas, **quotas)
    if action["capacity"]:
        tier = choices.capacity_tier(world, action["capacity"])
        if tier != company.capacity_tier:
            refused.attempt("capacity", None, world.set_capacity_tier, tier)


def _spend(now: float, move: float) -> float:
    """A spend moved, stopped where it falls below the least."""
    first = np.array([START_SPEND_USD])
    moved = scaled(np.array([now]), np.array([move]), SPEND_RATE, first, 0.0)
    usd = min(float(moved[0]), MAX_SPEND_USD)
    return usd if usd >= LEAST_SPEND_USD else 0.0


def _spends(world: World, action: Mapping[str, Any], refused: Refusals) -> None:
    company, groups = world.company, world.params.groups
    known = world.market.discovered
    segments = (known & ~groups.is_enterprise, known & groups.is_enterprise)
    support, development = _real(action, "support")[0], _real(action, "development")[0]
    shared = {}
    if support:
        shared["operations"] = _spend(company.operations_usd, support)
    if development:
        shared["development"] = _spend(company.development_usd, development)
    if shared:
        refused.attempt("support", None, world.set_daily_spend, **shared)

    move = _real(action, "ads")
    if move.any():
        ads = company.ads_spend_usd.copy()
        for members, a in zip(segments, move.tolist()):
            if a and members.any():
                each = _spend(float(ads[:, members].sum()), a) / members.sum()
                ads[:, members] = each * _channel_shares(world, members)
        spend = {
            c: {g: usd for g, usd in zip(groups.ids, row.tolist()) if usd}
            for c, row in zip(CHANNELS, ads)
        }
        refused.attempt("ads", None, world.set_targeted_ad_spend, spend)

    move = _real(action, "targeted")
    if move.any():
        dev = company.development_group_usd.copy()
        for members, a in zip(segments, move.tolist()):
            if a and members.any():
                dev[members] = _spend(float(dev[members].sum()), a) / members.sum()
        by_group = {g: usd for g, usd in zip(groups.ids, dev.tolist()) if usd}
        refused.attempt("targeted", None, world.set_targeted_dev_spend, by_group)


def _channel_shares(world: World, members: Bools) -> Floats:
    """[5, members] share of a group's advertising in each channel."""
    tally = world.history.tally
    spent = tally.channel_spend_usd[LAST:, :, members].sum(axis=0)
    prospects = tally.channel_prospects[LAST:, :, members].sum(axis=0)
    shares = np.full(spent.shape, 1.0 / len(CHANNELS))
    tried = (spent > 0.0).all(axis=0)
    if tried.any():
        best = np.argmax(prospects[:, tried] / spent[:, tried], axis=0)
        shares[:, tried] = np.arange(len(CHANNELS))[:, None] == best
    return shares


def _promotions(world: World, action: Mapping[str, Any], refused: Refusals) -> None:
    company = world.company
    for key, now, step, high, call in (
        ("strength", company.ads_strength_global, STRENGTH_STEP, 1.0, world.set_ads_strength),
        (
            "promotion",
            company.promotion_global,
            PROMOTION_STEP_USD,
            MAX_PRICE_USD,
            world.set_promotion,
        ),
        (
            "lead_promotion",
            company.lead_promotion_global,
            PROMOTION_STEP_USD,
            MAX_PRICE_USD,
            world.set_lead_promotion,
        ),
    ):
        move = float(action[key][0])
        if move:
            refused.attempt(key, None, call, min(max(now + step * move, 0.0), high))


def _research(world: World, action: Mapping[str, Any], refused: Refusals, known: Bools) -> None:
    for _ in range(action["market_research"]):
        if refused.attempt("market_research", None, world.research_market) is None:
            break
    if action["group_research"]:
        refused.attempt("group_research", None, _study, world, action["group_research"], known)
    if action["rnd"]:
        refused.attempt("rnd", None, _project, world, action["rnd"])


def _study(world: World, choice: int, known: Bools) -> Any:
    group, level = choices.study(world, choice, known)
    return world.research_group(world.params.groups.ids[group], level)


def _project(world: World, choice: int) -> Any:
    return world.start_research_project(choices.project(world, choice))


def _negotiate(world: World, action: Mapping[str, Any], refused: Refusals) -> None:
    rule, threads = action["offers"], waiting(world)
    if not rule or not len(threads.customer_id):
        return
    letters, who = Letters(), threads.customer_id
    if rule == REJECT:
        letters.reject(who, "offers", who)
        letters.send(world, refused)
        return
    listed = np.where(world.company.price_usd > 0.0, world.company.price_usd, NOTHING)
    prices = np.tile(listed, (len(who), 1))
    plan, asked_usd = threads.asked_plan, threads.asked_usd
    if rule == ASKED:
        asked = (plan >= 0) & (asked_usd > 0.0)
        prices[asked] = NOTHING
        prices[asked, plan[asked]] = asked_usd[asked]
    elif rule == REPORT:
        reported = np.zeros(len(world.params.groups.ids))
        for g in np.unique(threads.group).tolist():
            report = world.group_insights(world.params.groups.ids[g])
            reported[g] = report["estimates"]["willingness_to_pay"]
        level = 2.0 ** float(action["offer_level"][0])
        prices[:] = NOTHING
        # fmin passes over a price that is not asked (nan)
        price = np.fmin(reported[threads.group] * level, asked_usd)
        prices[np.arange(len(who)), np.where(plan >= 0, plan, PLAN_C)] = price
    offered = ~np.isnan(prices).all(axis=1)
    letters.offer(who[offered], prices[offered], "offers", who[offered])
    letters.send(world, refused)
