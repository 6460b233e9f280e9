"""Blocks of the observation about customer groups and advertising channels."""

from __future__ import annotations

from typing import Any

import numpy as np

from ceo_gym.envs.ceobench.blocks import COUNT, Block, Field, Observation, count, share, usd
from ceo_gym.envs.ceobench.books import Books, ratio, reported
from ceo_gym.simulators.ceobench import Params, World
from ceo_gym.simulators.ceobench.codes import POSTS
from ceo_gym.simulators.ceobench.sections import CHANNELS, MONTH_DAYS, PLANS
from ceo_gym.simulators.ceobench.tally import LAST
from ceo_gym.simulators.common.rows import Floats

STATUS = (
    share("discovered", "whether the group is known", "0 or 1"),
    Field("level", "level", 0.0, 5.0, "information level"),
    count("months_known", "months", "months of 30 days since the discovery"),
    share("research_running", "whether research of the group is running", "0 or 1"),
    count("research_days_left", "days", "days until the running research is done"),
    count("research_age", "days", "days since the last finished research, 0 if there was none"),
)
STATS = (
    count("accounts", "accounts", "subscribed accounts"),
    count("seats", "seats", "their billed seats, one an individual"),
    usd("mrr", "their monthly recurring revenue", "USD/month"),
    count("prospects", "prospects", "prospects of the last week"),
    count("started", "accounts", "sign-ups or first deals of the last week"),
    count("lost", "prospects", "prospects lost in the last week"),
    count("cancelled", "accounts", "accounts that cancelled in the last week"),
    count("open_issues", "tickets", "open issues"),
    count("issue_age", "days", "mean age of the open issues, 0 on the day they open"),
    count("usage", "units/day", "mean usage of an account and day in the last week"),
    usd("ads_income", "in-app advertising income of the last week"),
    count("posts", "posts", "public posts of the last week"),
)
QUALITY = (
    *(Field(f"plan_{p}", "quality", -1e6, 1e6, f"quality delivered by plan {p}") for p in PLANS),
    Field("bonus", "quality", -1e6, 1e6, "bonus of targeted development"),
)
SETTINGS = (
    usd("ads", "advertising over all channels", "USD/day"),
    usd("development", "targeted development", "USD/day"),
    usd("support", "targeted support", "USD/day"),
    share("ads_strength", "strength of in-app advertising, group scope"),
    usd("promotion", "ongoing promotion, group scope", "USD/month"),
    usd("lead_promotion", "promotion of the first bill, group scope"),
)
INSIGHT = (
    usd("willingness_to_pay", "reported willingness to pay", "USD/month"),
    count("usage", "units/day", "reported usage of a seat"),
    Field("quality_floor", "quality", -1e6, 1e6, "reported lowest acceptable quality"),
    Field("lockin_aversion", "1", 0.0, COUNT, "reported aversion to contracts"),
    count("market_cap", "accounts", "reported size of the market"),
    Field("growth", "1/year", 0.0, COUNT, "reported yearly growth of the market"),
    count("seats_min", "seats", "reported fewest seats (enterprises)"),
    count("seats_max", "seats", "reported most seats (enterprises)"),
    count("rounds", "turns", "reported rounds of a negotiation (enterprises)"),
    count("reply_days", "days", "reported days until an answer (enterprises)"),
    share("noise", "half-width of the relative error of the report"),
    count("age", "days", "age of the report"),
)
CHANNEL = (
    usd("spend", "advertising in force", "USD/day"),
    count("prospects", "prospects", "prospects credited in the last week"),
    count("yield", "1/1000 USD", "prospects for 1000 USD over the last eight weeks"),
)
INFLUENCE = (
    # reports do not tell how much a group refers within itself
    Field("network", "1/account", 0.0, COUNT, "reported referrals, first group to second"),
    Field("reputation", "1/account", 0.0, COUNT, "reported reputation effect, likewise"),
)


def blocks(params: Params) -> tuple[Block, ...]:
    """The blocks of this room, in order."""
    groups = params.groups.ids
    by_group = (groups,)
    everywhere = (
        share("ads_strength", "strength of in-app advertising for everybody"),
        usd("promotion", "ongoing promotion for everybody", "USD/month"),
        usd("lead_promotion", "promotion of the first bill for everybody"),
    )
    return (
        Block("group_status", "what is known of each group", STATUS, by_group),
        Block("group_stats", "accounts and events by group", STATS, by_group),
        Block("group_quality", "product quality for each group", QUALITY, by_group),
        Block("group_settings", "settings in force by group", SETTINGS, by_group),
        Block(
            "group_plan_promotion",
            "ongoing promotion in force by group and plan",
            (usd("promotion", "ongoing promotion", "USD/month"),),
            (groups, PLANS),
        ),
        Block("global_settings", "settings in force for everybody", everywhere),
        Block("insight", "the newest report about each group; zero if unknown", INSIGHT, by_group),
        Block(
            "influence",
            "what the reports say about influence between groups; zero if unknown",
            INFLUENCE,
            (groups, groups),
            fields_first=True,
            optional=True,
        ),
        Block(
            "channel_group",
            "advertising by channel and group",
            CHANNEL,
            (CHANNELS, groups),
            fields_first=True,
        ),
        Block(
            "channel_group_lead_promotion",
            "promotion of the first bill by channel (column all) and by channel and group",
            (usd("lead_promotion", "promotion of the first bill"),),
            (CHANNELS, ("all", *groups)),
            optional=True,
        ),
    )


class Reports:
    """The insight reports as rows of numbers; a report stays as it is until new research."""

    def __init__(self) -> None:
        self._rows: dict[int, tuple[tuple[int, ...], Floats]] = {}
        self._influence: dict[int, tuple[tuple[int, ...], Floats]] = {}

    def estimates(self, world: World, group: int) -> Floats:
        """[11] the ten estimates and the noise of a known group, see `INSIGHT`."""
        version = self._version(world, group)
        kept = self._rows.get(group)
        if kept is None or kept[0] != version:
            kept = version, _estimates(world.group_insights(world.params.groups.ids[group]))
            self._rows[group] = kept
        return kept[1]

    def influence(self, world: World, group: int) -> Floats:
        """[2, 2, G] network and reputation, outgoing and incoming, of a known group."""
        # which groups a report names depends on which are known
        version = (*self._version(world, group), int(world.market.discovered.sum()))
        kept = self._influence.get(group)
        if kept is None or kept[0] != version:
            report = world.group_insights(world.params.groups.ids[group])
            kept = version, _influence(report, group, world.params)
            self._influence[group] = kept
        return kept[1]

    def clear(self) -> None:
        """Forget everything, for another company."""
        self._rows.clear()
        self._influence.clear()

    @staticmethod
    def _version(world: World, group: int) -> tuple[int, ...]:
        return int(world.market.info_level[group]), int(world.market.snapshot_day[group])


def _estimates(report: dict[str, Any]) -> Floats:
    known = report["estimates"]
    seats = known.get("seat_range", (0, 0))
    return np.array(
        [
            known["willingness_to_pay"],
            known["usage_volume"],
            known["quality_floor_q_min"],
            known["contract_lockin_aversion"],
            known["market_cap"],
            known["annual_market_cap_growth_rate"],
            seats[0],
            seats[1],
            known.get("decision_rounds", 0),
            known.get("avg_response_days", 0),
            report["noise"],
        ],
        np.float64,
    )


def _influence(report: dict[str, Any], group: int, params: Params) -> Floats:
    values = np.zeros((2, 2, len(params.groups.ids)))
    for kind, name in enumerate(("network_influence", "reputation_influence")):
        for way, side in enumerate(("outgoing", "incoming")):
            for other, value in report[name][side].items():
                values[kind, way, params.groups.index[other]] = value
    return values


def fill(out: Observation, world: World, books: Books, reports: Reports) -> None:
    """Write the blocks of this room into arrays of zeros; unknown groups stay at zero."""
    company, market, tally, known = world.company, world.market, world.history.tally, books.known
    _fill_status(out["group_status"], world)

    stats = out["group_stats"]
    stats[:, 0], stats[:, 1] = books.accounts.sum(axis=1), books.seats.sum(axis=1)
    stats[:, 2] = books.revenue_usd.sum(axis=1)
    stats[:, 3], stats[:, 4] = tally.prospects[LAST], tally.started[LAST]
    stats[:, 5], stats[:, 6] = tally.lost[LAST], tally.cancelled[LAST]
    stats[:, 7], stats[:, 8] = books.issues, ratio(books.issue_days, books.issues)
    stats[:, 9] = ratio(books.used.sum(axis=1), books.used_days.sum(axis=1))
    stats[:, 10], stats[:, 11] = books.ads_usd, _posts_by_group(world, books)
    stats[~known] = 0.0

    quality = out["group_quality"]
    multiplier = world.params.model_tiers.quality_multiplier[company.model_tier - 1]
    quality[:, :3] = reported(market.product_quality(world.params)[:, None] * multiplier)
    quality[:, 3] = reported(market.quality_group)
    quality[~known] = 0.0

    settings = out["group_settings"]
    settings[:, 0] = company.ads_spend_usd.sum(axis=0)
    settings[:, 1], settings[:, 2] = company.development_group_usd, company.support_group_usd
    settings[:, 3], settings[:, 4] = company.ads_strength_group, company.promotion_group
    settings[:, 5] = company.lead_promotion_group
    out["group_plan_promotion"][:] = company.promotion_group_plan
    out["global_settings"][:] = (
        company.ads_strength_global,
        company.promotion_global,
        company.lead_promotion_global,
    )

    insight = out["insight"]
    for g in known.nonzero()[0].tolist():
        insight[g, :11] = reports.estimates(world, g)
        insight[g, 11] = world.day - market.snapshot_day[g]
        if "influence" in out:
            _merge_influence(out["influence"], reports.influence(world, g), g)

    channel = out["channel_group"]
    channel[0], channel[1] = company.ads_spend_usd, tally.channel_prospects[LAST]
    spent = tally.channel_spend_usd[LAST:].sum(axis=0)
    channel[2] = 1000.0 * ratio(tally.channel_prospects[LAST:].sum(axis=0), spent)
    if "channel_group_lead_promotion" in out:
        promotion = out["channel_group_lead_promotion"]
        promotion[:, 0] = company.lead_promotion_channel
        promotion[:, 1:] = company.lead_promotion_channel_group


def _fill_status(status: Floats, world: World) -> None:
    market, day = world.market, world.day
    known = market.discovered
    status[:, 0], status[:, 1] = known, market.info_level
    status[:, 2] = np.where(known, (day - market.discovered_day) / MONTH_DAYS, 0.0)
    studies = market.studies
    running = (~studies.done).nonzero()[0]
    status[studies.group[running], 3] = 1.0
    status[studies.group[running], 4] = np.maximum(0, studies.due_day[running] - day)
    researched = market.researched_day >= 0
    status[:, 5] = np.where(researched, day - market.researched_day, 0.0)


def _posts_by_group(world: World, books: Books) -> Floats:
    posts = world.history.posts
    since = int(np.searchsorted(posts.day, books.first_day, side="right"))
    rows = slice(since, len(posts))
    shown = posts.kind[rows] != POSTS.index("competitor")
    group = posts.group[rows][shown & (posts.group[rows] >= 0)]
    return np.bincount(group, minlength=len(books.known)).astype(np.float64)


def _merge_influence(matrix: Floats, report: Floats, group: int) -> None:
    """A pair is told by both groups' reports; the row group's own report counts where it speaks."""
    outgoing, incoming = report[:, 0], report[:, 1]
    matrix[:, group] = np.where(outgoing > 0.0, outgoing, matrix[:, group])
    column = matrix[:, :, group]
    matrix[:, :, group] = np.where(column > 0.0, column, incoming)
