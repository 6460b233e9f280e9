"""The keys of the profiles ``full`` and ``core``: every lever of the company, in real units.

Settings stay until changed. A ``*_set`` switch of 1 writes its cell, all other cells keep what is
in force; choices use 0 for "keep" or "nothing". So the zero action changes nothing.
"""

from __future__ import annotations

from ceo_gym.envs.ceobench.arguments import SlotNumbers
from ceo_gym.envs.ceobench.blocks import numbered
from ceo_gym.envs.ceobench.keys import BOX, CHOICE, CHOICES, Key
from ceo_gym.simulators.ceobench import Params
from ceo_gym.simulators.ceobench.finance import HORIZONS_DAYS
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS

MAX_PRICE_USD = 2_000.0
MAX_SPEND_USD = 1_000_000.0
MAX_QUOTA = 1e7
MAX_FORECAST_USD = 1e12
MAX_MARKET_RESEARCH = 10

SWITCH = ("keep", "write")
THREAD_KINDS = ("new_lead", "lead_counter", "churn_or_change", "renegotiation")
BULK_IGNORE, BULK_TABLE, BULK_ACCEPT, BULK_LIST, BULK_REJECT = range(5)
BULK = ("ignore", "table", "accept", "list_price", "reject")
SLOT_BULK, SLOT_OFFER, SLOT_REJECT = range(3)
NO_POST, POST, REPLY = range(3)


def firm_ids(params: Params) -> tuple[str, ...]:
    """Enterprise groups in canonical order: the rows of ``bulk_price``."""
    groups = params.groups
    return tuple(g for g, firm in zip(groups.ids, groups.is_enterprise) if firm)


def promotion_cells(params: Params) -> tuple[str, ...]:
    """Everybody, groups, then groups by plans."""
    groups = params.groups.ids
    return ("global", *groups, *(f"{g}.{p}" for g in groups for p in PLANS))


def lead_promotion_cells(params: Params) -> tuple[str, ...]:
    """Everybody, groups, channels, then channels by groups."""
    groups = params.groups.ids
    return ("global", *groups, *CHANNELS, *(f"{c}.{g}" for c in CHANNELS for g in groups))


def action_keys(
    params: Params,
    profile: str,
    numbers: SlotNumbers = SlotNumbers(),  # noqa: B008 - frozen
) -> tuple[Key, ...]:
    """The keys of ``full``, or those of ``core``, in the order of the specification."""
    every = (
        *_settings(params, numbers),
        *_purchases(params),
        *_sales(params, numbers),
        *_communication(params, numbers),
    )
    if profile == "full":
        return every
    return tuple(_core_form(key) for key in every if key.core)


def _core_form(key: Key) -> Key:
    """``core`` has no reply slots, hence no replies."""
    if key.key != "post_op":
        return key
    return Key(key.key, CHOICE, key.meaning, options=key.options[:REPLY], tool=key.tool)


def _pair(
    name: str,
    meaning: str,
    axes: tuple[tuple[str, ...], ...],
    unit: str,
    high: float,
    tool: str,
    core: bool = True,
    positive: bool = False,
) -> tuple[Key, Key]:
    """A setting and the switches that say which of its cells are written."""
    switch = f"{name}_set"
    return (
        Key(
            name,
            BOX,
            meaning,
            axes,
            unit,
            0.0,
            high,
            companion=switch,
            tool=tool,
            core=core,
            positive=positive,
        ),
        Key(
            switch,
            CHOICES,
            f"which cells of {name} to write",
            axes,
            options=SWITCH,
            tool=tool,
            core=core,
        ),
    )


def _settings(params: Params, numbers: SlotNumbers) -> tuple[Key, ...]:
    groups = (params.groups.ids,)
    slots = numbered(numbers.accounts)
    tiers = tuple(f"tier_{t}" for t in params.model_tiers.ids)
    capacity = tuple(f"tier_{t}" for t in params.capacity_tiers.ids)
    month, day = "USD/month", "USD/day"
    promotion, lead = (promotion_cells(params),), (lead_promotion_cells(params),)
    return (
        *_pair(
            "price",
            "list price per seat, above 0",
            (PLANS,),
            month,
            MAX_PRICE_USD,
            "set_prices",
            positive=True,
        ),
        Key(
            "model_tier",
            CHOICES,
            "model tier behind the plan",
            (PLANS,),
            options=("keep", *tiers),
            tool="set_model_tiers",
        ),
        *_pair(
            "quota",
            "units an account may use, rounded to whole ones",
            (PLANS,),
            "units/day",
            MAX_QUOTA,
            "set_usage_quotas",
        ),
        Key(
            "capacity",
            CHOICE,
            "capacity tier",
            options=("keep", *capacity),
            tool="set_capacity_tier",
        ),
        *_pair(
            "spend",
            "shared spend",
            (("operations", "development"),),
            day,
            MAX_SPEND_USD,
            "set_daily_spend",
        ),
        *_pair(
            "ads",
            "advertising by channel and group",
            (CHANNELS, params.groups.ids),
            day,
            MAX_SPEND_USD,
            "set_targeted_ad_spend",
        ),
        *_pair("dev", "targeted development", groups, day, MAX_SPEND_USD, "set_targeted_dev_spend"),
        *_pair("ops", "targeted support", groups, day, MAX_SPEND_USD, "set_targeted_ops_spend"),
        *_pair(
            "strength",
            "strength of in-app advertising: everybody, then groups",
            (("global", *params.groups.ids),),
            "share",
            1.0,
            "set_ads_strength",
            core=False,
        ),
        *_pair(
            "promotion",
            "ongoing promotion per seat: everybody, groups, groups by plans",
            promotion,
            month,
            MAX_PRICE_USD,
            "set_promotion",
            core=False,
        ),
        *_pair(
            "lead_promotion",
            "promotion of the first bill: everybody, groups, channels, channels by groups",
            lead,
            "USD",
            MAX_PRICE_USD,
            "set_lead_promotion",
            core=False,
        ),
        Key(
            "account_promotion",
            BOX,
            "ongoing promotion of the account in a slot, 0 removes it",
            (slots,),
            month,
            0.0,
            MAX_PRICE_USD,
            companion="account_set",
            tool="set_promotion",
            core=False,
        ),
        Key(
            "account_strength",
            BOX,
            "in-app strength of the account in a slot, 0 removes it",
            (slots,),
            "share",
            companion="account_set",
            tool="set_ads_strength",
            core=False,
        ),
        Key(
            "account_set",
            CHOICES,
            "which account values to write",
            (slots, ("promotion", "strength")),
            options=SWITCH,
            tool="set_promotion, set_ads_strength",
            core=False,
        ),
    )


def _purchases(params: Params) -> tuple[Key, ...]:
    tiers = tuple(params.research_tiers.ids)
    return (
        Key(
            "market_research",
            CHOICE,
            "attempts to find an unknown group; they stop when cash runs out",
            unit="attempts",
            options=numbered(MAX_MARKET_RESEARCH + 1),
            tool="research_market",
        ),
        Key(
            "group_research",
            CHOICES,
            "research of a known group: level 2 or a refresh (default), or to a level",
            (params.groups.ids,),
            options=("none", "default", "level_2", "level_3", "level_4", "level_5"),
            tool="research_group",
        ),
        Key(
            "rnd",
            CHOICES,
            "projects to start",
            (tiers,),
            options=("no", "start"),
            tool="start_research_project",
        ),
    )


def _sales(params: Params, numbers: SlotNumbers) -> tuple[Key, ...]:
    inbox, accounts = numbered(numbers.inbox), numbered(numbers.accounts)
    month, send = "USD/month", "send_enterprise_deal"
    both = f"{send}, reject_enterprise_deal"
    return (
        Key(
            "inbox_op",
            CHOICES,
            "what becomes of the thread in a slot",
            (inbox,),
            options=("bulk_rule", "offer", "reject"),
            tool=both,
            core=False,
        ),
        Key(
            "inbox_price",
            BOX,
            "offered price per seat, where inbox_op says offer",
            (inbox, PLANS),
            month,
            0.0,
            MAX_PRICE_USD,
            companion="inbox_plan",
            tool=send,
            core=False,
            positive=True,
            detail_of="inbox_op",
        ),
        Key(
            "inbox_plan",
            CHOICES,
            "whether the offer includes the plan",
            (inbox, PLANS),
            options=("no", "yes"),
            tool=send,
            core=False,
            detail_of="inbox_op",
        ),
        Key(
            "bulk_op",
            CHOICES,
            "what becomes of every other thread of a kind; accept = the asked price on the asked "
            "plan, the table where nothing is asked",
            (THREAD_KINDS,),
            options=BULK,
            tool=both,
        ),
        Key(
            "bulk_price",
            BOX,
            "price table of the bulk rule, where bulk_op says table; 0 leaves a plan out",
            (firm_ids(params), PLANS),
            month,
            0.0,
            MAX_PRICE_USD,
            tool=send,
            detail_of="bulk_op",
        ),
        Key(
            "account_op",
            CHOICES,
            "whether to open a renegotiation with the account in a slot",
            (accounts,),
            options=("no", "offer"),
            tool=send,
            core=False,
        ),
        Key(
            "account_offer",
            BOX,
            "price per seat offered where account_op says so; 0 leaves a plan out",
            (accounts, PLANS),
            month,
            0.0,
            MAX_PRICE_USD,
            tool=send,
            core=False,
            detail_of="account_op",
        ),
    )


def _communication(params: Params, numbers: SlotNumbers) -> tuple[Key, ...]:
    post = "post_social_media"
    horizons = tuple(f"{days}d" for days in HORIZONS_DAYS)
    most = MAX_FORECAST_USD
    return (
        Key(
            "post_op",
            CHOICE,
            "a public post, or a reply to a customer's, in words made from topic and audience",
            options=("none", "post", "reply"),
            tool=post,
        ),
        Key(
            "post_group",
            CHOICE,
            "audience of a post",
            options=tuple(params.groups.ids),
            tool=post,
            detail_of="post_op",
        ),
        Key(
            "post_topic",
            CHOICE,
            "topic",
            options=tuple(params.posts.topics),
            tool=post,
            detail_of="post_op",
        ),
        Key(
            "post_reply",
            CHOICE,
            "reply slot that is answered",
            options=numbered(numbers.replies),
            tool=post,
            core=False,
            detail_of="post_op",
        ),
        Key(
            "forecast_set",
            CHOICE,
            "which forecast to hand in",
            options=("built_in", "own"),
            tool="next_week",
            core=False,
        ),
        Key(
            "forecast",
            BOX,
            "own cash forecast: the point, and the widths of the interval below and above it",
            (horizons, ("point", "below", "above")),
            "USD",
            (-most, 0.0, 0.0),
            (most, most, most),
            companion="forecast_set",
            tool="next_week",
            core=False,
        ),
    )
