"""Blocks of the observation about the economy, research, public posts, and the player's memory."""

from __future__ import annotations

import numpy as np

from ceo_gym.envs.ceobench.arguments import SlotNumbers
from ceo_gym.envs.ceobench.blocks import COUNT, USD, Block, Field, Observation, count, share, usd
from ceo_gym.envs.ceobench.blocks import numbered as slots_of
from ceo_gym.envs.ceobench.books import Books, reported
from ceo_gym.envs.ceobench.observation_sales import Slots
from ceo_gym.simulators.ceobench import Params, World
from ceo_gym.simulators.ceobench.codes import POSTS
from ceo_gym.simulators.ceobench.economy import PHASES, TRENDS
from ceo_gym.simulators.ceobench.finance import CATEGORY, HORIZONS_DAYS
from ceo_gym.simulators.ceobench.sections import WEEK_DAYS
from ceo_gym.simulators.common.rows import Floats

TOLD_GROUPS = 3  # groups whose effect the notice about a post names
_KIND = {name: k for k, name in enumerate(POSTS)}

MACRO = Block(
    "macro",
    "the published readings of the business cycle, each a month old when it appears",
    (
        share("available", "whether there is a reading", "0 or 1"),
        count("last", "index", "last reading"),
        Field("change", "index", -COUNT, COUNT, "its change since the one before"),
        count("previous", "index", "the reading before, 0 if there is none"),
        count("age", "days", "days since the measurement"),
        *(share(name, f"whether the trend is {name}", "0 or 1") for name in TRENDS),
        count("readings", "readings", "readings published so far"),
    ),
)
MACRO_PHASE = Block(
    "macro_phase",
    "the phase of the cycle that the last reading names",
    (Field("phase", "0 or 1", 0, 1, "whether this is the phase"),),
    (PHASES,),
    choices=2,
)
RND = (
    usd("cost", "price of a project"),
    share("running", "whether one is running", "0 or 1"),
    count("days_left", "days", "days until it is done"),
    Field("gain", "quality", 0.0, COUNT, "quality it will add"),
    count("finished", "projects", "finished projects"),
)
OWN_POST = Block(
    "posts",
    "the company's last judged post; zero if there is none",
    (
        count("views", "views", "views"),
        count("comments", "posts", "public replies to it"),
        count("weeks", "weeks", "weeks since it"),
    ),
)
EFFECT = (
    Field("effect", "1", -1.0, 1.0, "effect that the notice names, to one decimal"),
    share("told", "whether the notice names the group", "0 or 1"),
)
COMPETITOR = Block(
    "competitor",
    "posts about competitors in the last week",
    (
        count("posts", "posts", "posts"),
        count("largest", "quality", "largest improvement quoted"),
        count("mean", "quality", "mean improvement quoted"),
    ),
)
PAST = (
    usd("cash", "cash at the end of the week", low=-USD),
    usd("revenue", "payments and in-app advertising income"),
    usd("costs", "all costs, purchases included"),
    count("individuals", "accounts", "subscribed individuals"),
    count("enterprise_seats", "seats", "seats of enterprises"),
    count("individual_leads", "prospects", "individuals who looked at the product"),
    count("enterprise_leads", "leads", "enterprises that asked for an offer"),
    count("new_individuals", "accounts", "individuals who subscribed"),
    count("new_seats", "seats", "seats of enterprises that subscribed"),
    count("cancellations", "accounts", "individuals who cancelled"),
    count("open_issues", "tickets", "open issues"),
    count("utilisation_peak", "share", "highest daily usage over capacity"),
    usd("advertising", "advertising"),
    usd("development", "development"),
    usd("support", "support and operations"),
    Field("quality", "quality", -1e6, 1e6, "shared quality bonus"),
)
FORECAST = (
    share("available", "whether a forecast matured today", "0 or 1"),
    usd("point", "its point", low=-USD),
    usd("lower", "its lower end", low=-USD),
    usd("upper", "its upper end", low=-USD),
)


def blocks(params: Params, numbers: SlotNumbers) -> tuple[Block, ...]:
    """The blocks of this room, in order."""
    groups, tiers = params.groups.ids, params.research_tiers.ids
    weeks = tuple(f"week-{k + 1}" for k in range(numbers.history_weeks))
    replies = (slots_of(numbers.replies),)
    author = (Field("group", "group", 0, len(groups), "position of the group + 1, 0 = empty"),)
    return (
        MACRO,
        MACRO_PHASE,
        Block("rnd", "research projects by tier", RND, (tuple(f"tier{t}" for t in tiers),)),
        OWN_POST,
        Block("post_effect", "what the notice about that post says", EFFECT, (groups,)),
        COMPETITOR,
        Block(
            "reply_slots",
            "authors of the newest customer posts, which can be answered",
            author,
            replies,
            choices=len(groups) + 1,
            optional=True,
        ),
        Block("history", "the last weeks, newest first", PAST, (weeks,)),
        Block(
            "forecast",
            "the cash forecasts that matured today",
            FORECAST,
            (tuple(f"{days}d" for days in HORIZONS_DAYS),),
            optional=True,
        ),
    )


def past_week(world: World, books: Books) -> Floats:
    """[16] the numbers of the week that just ended, see `PAST`."""
    week, money = books.week, books.ledger_usd
    assert week is not None  # called at the end of a week
    revenue = money[CATEGORY["subscription_payment"]] + money[CATEGORY["ad_revenue"]]
    return np.array(
        [
            week.cash_usd,
            revenue,
            -money[money < 0.0].sum(),
            week.individual_subscribers,
            week.enterprise_subscription_seats,
            week.new_individual_leads,
            week.new_enterprise_leads,
            week.new_individual_subscribers,
            week.new_enterprise_subscribers_seats,
            week.cancellations,
            week.open_issues,
            week.utilisation_peak,
            -money[CATEGORY["advertising"]],
            -money[CATEGORY["development"]],
            -money[CATEGORY["operations"]],
            float(reported(np.array(world.market.quality_shared))),
        ]
    )


def fill(
    out: Observation, world: World, books: Books, slots: Slots, past: Floats, replies: int
) -> None:
    """Write the blocks of this room into arrays of zeros; `past` is [weeks, 16]."""
    _fill_macro(out, world)
    _fill_projects(out["rnd"], world)
    _fill_own_post(out, world)
    _fill_public(out, world, books, slots, replies)
    out["history"][:] = past
    if "forecast" in out:
        _fill_forecast(out["forecast"], world)


def _fill_macro(out: Observation, world: World) -> None:
    readings = world.market.published
    if not readings:
        return
    last, macro = readings[-1], out["macro"]
    previous = readings[-2].value if len(readings) > 1 else 0.0
    macro[:5] = 1.0, last.value, last.change, previous, world.day - last.day
    macro[5 + TRENDS.index(last.trend)] = 1.0
    macro[10] = len(readings)
    out["macro_phase"][PHASES.index(last.phase)] = 1


def _fill_projects(table: Floats, world: World) -> None:
    projects = world.market.projects
    table[:, 0] = world.params.research_tiers.cost_usd
    if not len(projects):
        return
    running = projects.finished_day < 0
    tier = projects.tier[running] - 1
    table[tier, 1] = 1.0
    table[tier, 2] = np.maximum(0, projects.due_day[running] - world.day)
    table[tier, 3] = projects.quality[running]
    table[:, 4] = np.bincount(projects.tier[~running] - 1, minlength=len(table))


def _fill_own_post(out: Observation, world: World) -> None:
    posts = world.market.own_posts
    number = next((k for k in range(len(posts), 0, -1) if posts[k - 1].judged), 0)
    if not number:
        return
    post, public = posts[number - 1], world.history.posts
    comments = np.count_nonzero((public.kind == _KIND["reply"]) & (public.reply_to == number))
    out["posts"][:] = post.views.sum(), comments, (world.day - post.day) / WEEK_DAYS
    moved = post.effect.nonzero()[0]
    told = moved[np.argsort(-np.abs(post.effect[moved]), kind="stable")][:TOLD_GROUPS]
    # rounded as the notice rounds: NumPy would take 0.35, which is a little less, to 0.4
    out["post_effect"][told, 0] = [round(effect, 1) for effect in post.effect[told].tolist()]
    out["post_effect"][told, 1] = 1.0


def _fill_public(out: Observation, world: World, books: Books, slots: Slots, replies: int) -> None:
    posts = world.history.posts
    rows = slice(int(np.searchsorted(posts.day, books.first_day, side="right")), len(posts))
    quoted = posts.value[rows][posts.kind[rows] == _KIND["competitor"]]
    if len(quoted):
        out["competitor"][:] = len(quoted), np.nanmax(quoted), np.nanmean(quoted)
    by_customers = (posts.kind == _KIND["customer"]).nonzero()[0][::-1][:replies]
    slots.replies = by_customers.astype(np.int64) + 1
    if "reply_slots" in out:
        out["reply_slots"][: len(by_customers)] = posts.group[by_customers].astype(np.int64) + 1


def _fill_forecast(table: Floats, world: World) -> None:
    made = world.history.predictions
    for k, horizon in enumerate(HORIZONS_DAYS):
        rows = (made.day + horizon == world.day) & (made.horizon_days == horizon)
        if rows.any():
            row = int(rows.nonzero()[0][-1])
            table[k] = 1.0, made.point_usd[row], made.lower_usd[row], made.upper_usd[row]
