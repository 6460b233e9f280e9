"""How an enterprise judges offers: surplus, decision, highest and counter price.

Source: enterprise.md 4.

Pure functions on arrays; the state machine of the threads is in `negotiation`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import expit, logit

from ceo_gym.simulators.ceobench.customers import required_quality
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.rules import Rules
from ceo_gym.simulators.ceobench.sections import Curve, Enterprise
from ceo_gym.simulators.common.rows import Bools, Floats, Ints

ACCEPT, COUNTER, GHOST = 0, 1, 2

# the published search halves [0, budget] fifty times and so ends this far below the price it looks
# for; it decides how a price on a plateau of the curve is rounded
SEARCH_END = 1.0 - 2.0**-50


class Preferences(NamedTuple):
    """The curve of each enterprise as it feels at the moment, [n] each."""

    left: Floats
    right: Floats
    budget: Floats
    floor: Floats
    ceiling: Floats
    lockin: Floats


class Decision(NamedTuple):
    """The answer of each enterprise to its offers, [n] each."""

    answer: Ints  # ACCEPT, COUNTER or GHOST
    offer: Ints  # position of the best offer
    surplus: Floats  # of the best offer
    counter_usd: Floats  # asked price, nan unless COUNTER


def offer_surplus(
    quality: Floats, price: Floats, customer: Preferences, curve: Curve, months: ArrayLike = 1
) -> Floats:
    """[n, m] S = Q - Q^req(C) - lock-in (k - 1) of m offers to each of n enterprises."""
    required = required_quality(
        price,
        customer.left[:, None],
        customer.right[:, None],
        customer.budget[:, None],
        customer.floor[:, None],
        customer.ceiling[:, None],
        curve,
    )
    return quality - required - customer.lockin[:, None] * (np.asarray(months) - 1)


def highest_acceptable_price(quality: Floats, customer: Preferences, curve: Curve) -> Floats:
    """[n] the largest price in [0, budget] whose required quality does not exceed `quality`.

    Closed form of enterprise.md 4.3. Net any lock-in out of the quality first.
    """
    half = 0.5 * (customer.ceiling - customer.floor)
    above = quality - customer.floor
    reach = curve.gain * curve.left_centre  # argument of the left half at price 0
    low, high = (
        half * expit(-reach * customer.left),
        half * expit(curve.gain * (curve.knee - curve.left_centre) * customer.left),
    )
    step = half + half * expit(curve.gain * (curve.knee - curve.right_centre) * customer.right)
    top = half + half * expit(curve.gain * (1.0 - curve.right_centre) * customer.right)
    with np.errstate(divide="ignore", invalid="ignore"):
        cheap = curve.left_centre + logit(above / half) / (curve.gain * customer.left)
        dear = curve.right_centre + logit(above / half - 1.0) / (curve.gain * customer.right)
    share = np.select(
        [above < low, above < high, above < step, above < top], [0.0, cheap, curve.knee, dear], 1.0
    )
    return customer.budget * share * SEARCH_END


def counter_price(highest: Floats, turn: Ints, offer_factor: Floats, params: Enterprise) -> Floats:
    """[n] asked price: the highest acceptable one less a discount that shrinks with the turns."""
    discount = (1.0 - offer_factor) * (1.0 - params.concession_per_turn) ** np.asarray(turn)
    return round_to_cents(highest * (1.0 - discount))


def round_to_cents(usd: Floats) -> Floats:
    """Round to two decimals as the exact decimal value of each number says, half to even.

    `numpy.round` multiplies first and so takes 54.855 (really 54.85499…) for a tie.
    """
    scaled = usd * 100.0
    # what the product above rounded away, exactly: the halves of the number times 100 are exact
    split = usd * 134217729.0  # 2^27 + 1
    high = split - (split - usd)
    lost = (high * 100.0 - scaled) + (usd - high) * 100.0
    whole = np.floor(scaled)
    over = (scaled - whole - 0.5) + lost
    up = (over > 0.0) | ((over == 0.0) & (whole % 2.0 == 1.0))
    return (whole + up) / 100.0


def decide(
    quality: Floats,
    price: Floats,
    offered: Bools,
    turn: Ints,
    patience_turns: Floats,
    offer_factor: Floats,
    customer: Preferences,
    params: Params,
    rules: Rules,
) -> Decision:
    """Answer up to m offers to each of n enterprises (enterprise.md 4.2).

    Args:
        quality: [n, m] quality of each offer's plan in the eyes of the negotiator.
        price: [n, m] offered price per seat.
        offered: [n, m] which entries are offers.
        turn: [n] turn number of the message that is answered.
        patience_turns: [n] turn from which an enterprise leaves.
        offer_factor: [n] opening factor of its counter-offers.
        customer: [n] preferences.
        params: the world's parameters.
        rules: the quirk switches N1 and N4.
    """
    surplus = offer_surplus(quality, price, customer, params.curve)
    if not rules.offers_above_budget_accepted:
        surplus = np.where(price > customer.budget[:, None], -np.inf, surplus)
    value = np.where(offered, surplus, -np.inf)
    best = value.argmax(axis=1)
    # an offer that can never be accepted still gets an answer on its own plan
    best = np.where(np.isneginf(value.max(axis=1)), offered.argmax(axis=1), best)
    rows = np.arange(len(best))
    top, view = surplus[rows, best], quality[rows, best]

    highest = highest_acceptable_price(view, customer, params.curve)
    counter = counter_price(highest, turn, offer_factor, params.enterprise)
    tired, good = np.asarray(turn) >= patience_turns, top > 0.0
    first, second = (tired, GHOST), (good, ACCEPT)
    if not rules.patience_before_acceptance:
        first, second = second, first
    answer = np.select(
        [first[0], second[0], counter > 0.0], [first[1], second[1], COUNTER], GHOST
    ).astype(np.intp)
    return Decision(answer, best, top, np.where(answer == COUNTER, counter, np.nan))
