"""The tables of a world's history, one class a kind of event; a row is written once and stays.

Codes stand for labels (see `codes`). Columns named hidden hold what the company's own books would
not; they are there so that tables which the books do have can be derived.
"""

from __future__ import annotations

from typing import Annotated

import numpy as np

from ceo_gym.simulators.common.rows import Bools, Floats, Ints, Rows

F8, F4 = np.float64, np.float32
I1, I2, I4 = np.int8, np.int16, np.int32


class Arrivals(Rows):
    """One row a prospect; of a day, individuals before enterprises."""

    customer_id: Annotated[Ints, I4]
    day: Annotated[Ints, I2]
    group: Annotated[Ints, I1]
    source: Annotated[Ints, I1]  # channel, or 5 for a referral
    outcome: Annotated[Ints, I1]
    seats: Annotated[Ints, I4]
    usage: Annotated[Floats, F8]  # hidden; decides a phrase of the description
    budget: Annotated[Floats, F8]  # hidden; likewise
    ads_yield: Annotated[Floats, F8]  # hidden; income from in-app ads follows from it


class Declined(Rows):
    """Individuals who did not sign up, with the offer they turned down."""

    customer_id: Annotated[Ints, I4]
    day: Annotated[Ints, I2]
    end_day: Annotated[Ints, I2]  # -1 = none (quirk D10)
    plan: Annotated[Ints, I1]
    listed_usd: Annotated[Floats, F8]
    promotion_usd: Annotated[Floats, F8]


class Terms(Rows):
    """Terms of an account from a day on: sign-ups, deals and plan changes."""

    customer_id: Annotated[Ints, I4]
    day: Annotated[Ints, I2]
    plan: Annotated[Ints, I1]
    listed_usd: Annotated[Floats, F8]
    promotion_usd: Annotated[Floats, F8]
    effective_usd: Annotated[Floats, F8]
    rate: Annotated[Floats, F8]  # hidden usage rate
    seats: Annotated[Ints, I4]
    starts: Annotated[Bools, np.bool_]  # whether the subscription begins with it


class Bills(Rows):
    """One row a bill."""

    customer_id: Annotated[Ints, I4]
    day: Annotated[Ints, I2]
    plan: Annotated[Ints, I1]
    payment_usd: Annotated[Floats, F8]
    suspended: Annotated[Bools, np.bool_]  # nothing charged: only the usage rate was drawn anew
    seats: Annotated[Ints, I4]
    rate: Annotated[Floats, F8]  # hidden usage rate of the coming month


class Departures(Rows):
    """One row a cancelled account, with its last terms."""

    customer_id: Annotated[Ints, I4]
    day: Annotated[Ints, I2]
    end_day: Annotated[Ints, I4]  # of the subscription; an enterprise's may lie ahead (N11)
    reason: Annotated[Ints, I1]
    detail: Annotated[Ints, I1]  # hidden label of a lost enterprise
    plan: Annotated[Ints, I1]
    listed_usd: Annotated[Floats, F8]
    promotion_usd: Annotated[Floats, F8]
    effective_usd: Annotated[Floats, F8]
    seats: Annotated[Ints, I4]  # billed ones
    first_bill_done: Annotated[Bools, np.bool_]


class LostLeads(Rows):
    """Enterprises lost before a deal."""

    customer_id: Annotated[Ints, I4]
    day: Annotated[Ints, I2]


class Seats(Rows):
    """Seats of enterprise accounts after each monthly drift."""

    customer_id: Annotated[Ints, I4]
    day: Annotated[Ints, I2]
    seats: Annotated[Floats, F8]


class Issues(Rows):
    """Tickets opened (`closed` false) and resolved (`closed` true)."""

    customer_id: Annotated[Ints, I4]
    day: Annotated[Ints, I2]
    group: Annotated[Ints, I1]
    closed: Annotated[Bools, np.bool_]
    left: Annotated[Bools, np.bool_]  # closed because the account left


class Messages(Rows):
    """Messages of enterprise threads."""

    thread: Annotated[Ints, I4]
    customer_id: Annotated[Ints, I4]
    kind: Annotated[Ints, I1]
    turn: Annotated[Ints, I2]
    sender: Annotated[Ints, I1]
    day: Annotated[Ints, I2]
    offer_plan: Annotated[Ints, np.dtype((I1, 3))]
    offer_usd: Annotated[Floats, np.dtype((F8, 3))]
    asked_plan: Annotated[Ints, I1]
    asked_usd: Annotated[Floats, F8]
    seats: Annotated[Ints, I4]
    state: Annotated[Ints, I1]  # of the thread after the message


class Notices(Rows):
    """Notices to the company."""

    day: Annotated[Ints, I2]
    type: Annotated[Ints, I1]  # position in NOTICES
    ref: Annotated[Ints, I4]  # customer, group, tier or post, by type
    kind: Annotated[Ints, I1]
    value: Annotated[Floats, F8]


class ChannelLeads(Rows):
    """Prospects credited to each channel and group with spend, a day."""

    day: Annotated[Ints, I2]
    channel: Annotated[Ints, I1]
    group: Annotated[Ints, I1]
    prospects: Annotated[Ints, I4]
    spend_usd: Annotated[Floats, F8]


class Settings(Rows):
    """Prices, tiers, quotas, capacity and shared spends as of each day with a change."""

    day: Annotated[Ints, I2]
    price_usd: Annotated[Floats, np.dtype((F8, 3))]
    model_tier: Annotated[Ints, np.dtype((I1, 3))]
    quota_units: Annotated[Floats, np.dtype((F8, 3))]
    capacity_tier: Annotated[Ints, I1]
    operations_usd: Annotated[Floats, F8]
    development_usd: Annotated[Floats, F8]
    ads_usd: Annotated[Floats, np.dtype((F8, 5))]  # targeted totals a channel


class Discoveries(Rows):
    """Attempts to find a group."""

    day: Annotated[Ints, I2]
    cost_usd: Annotated[Floats, F8]
    group: Annotated[Ints, I1]  # -1 = nothing found
    left: Annotated[Ints, I1]  # groups still unknown


class PublicPosts(Rows):
    """Public posts by others."""

    day: Annotated[Ints, I2]
    kind: Annotated[Ints, I1]  # position in POSTS
    customer_id: Annotated[Ints, I4]  # hidden author; 1 = neutral observer
    group: Annotated[Ints, I1]  # -1 = none
    topic: Annotated[Ints, I1]  # position in TOPICS
    sentiment: Annotated[Ints, I1]  # hidden: 1 positive, 0 neutral, -1 negative
    intensity: Annotated[Ints, I1]  # 0 mild, 1 clear, 2 strong
    value: Annotated[Floats, F8]  # size quoted in a competitor post, else nan
    reply_to: Annotated[Ints, I4]  # own post answered, 0 = none


class Purchases(Rows):
    """What the company bought between days, in order."""

    day: Annotated[Ints, I2]
    category: Annotated[Ints, I1]  # position in finance.CATEGORIES
    amount_usd: Annotated[Floats, F8]  # below 0


class Predictions(Rows):
    """Cash forecasts handed in with each week."""

    day: Annotated[Ints, I2]
    horizon_days: Annotated[Ints, I2]
    point_usd: Annotated[Floats, F8]
    lower_usd: Annotated[Floats, F8]
    upper_usd: Annotated[Floats, F8]
