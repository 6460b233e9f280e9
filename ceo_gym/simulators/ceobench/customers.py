"""What a customer is: drawn attributes, the price-quality curve, perceived quality, plan choice.

Pure functions on arrays; nothing here changes the world. Symbols follow customers.md 1: ``price``
is C, ``budget`` c, ``left`` and ``right`` the steepnesses s^L and s^R, ``floor`` and ``ceiling``
q^min and q^max.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.rules import Rules
from ceo_gym.simulators.ceobench.sections import Curve, Perceived
from ceo_gym.simulators.common.rows import Bools, Floats, Ints
from ceo_gym.simulators.common.streams import Streams

# stands for a demand or quota of nothing, so that the share is defined: 1 for both
LEAST_UNITS = 1e-30
MOST_UNITS = 1e30  # what a larger quota counts as: nobody uses as much, and float32 can hold it
NO_PLAN = -1  # result of a plan choice that found nothing acceptable
OUT_OF_REACH = 1e30  # taken off the surplus of a plan that cannot be afforded

INDIVIDUAL_NORMALS = 7
ENTERPRISE_NORMALS = 11


# --- the price-quality curve (customers.md 4) ---------------------------------------------------


def demand_share(
    price: ArrayLike, left: ArrayLike, right: ArrayLike, budget: ArrayLike, curve: Curve
) -> Floats:
    """psi(C): the share of the span between floor and ceiling that a price calls for, in (0, 1].

    Two logistic halves with a jump at half the budget; 1 above the budget.
    """
    # masks are multiplied in: a choice by `np.where` costs several times as much where the answers
    # alternate, as processors guess them
    ratio: Floats = np.divide(price, budget)
    dear: Floats = np.greater_equal(ratio, curve.knee).astype(ratio.dtype)
    steepness = np.asarray(left) + dear * np.subtract(right, left)
    centre = curve.left_centre + dear * (curve.right_centre - curve.left_centre)
    share = 0.5 / (1.0 + np.exp(-curve.gain * steepness * (ratio - centre))) + 0.5 * dear
    return np.maximum(share, np.greater(price, budget))  # 1 above the budget


def required_quality(
    price: ArrayLike,
    left: ArrayLike,
    right: ArrayLike,
    budget: ArrayLike,
    floor: ArrayLike,
    ceiling: ArrayLike,
    curve: Curve,
) -> Floats:
    """Q^req(C): the quality a customer demands at a monthly price (per seat for enterprises)."""
    span = np.asarray(ceiling) - np.asarray(floor)
    return np.asarray(floor) + span * demand_share(price, left, right, budget, curve)


# --- perceived quality (customers.md 5) ---------------------------------------------------------


def delivered_quality(tier_multiplier: Floats, product_quality: Floats) -> Floats:
    """[P, G] delivered quality of every plan for every group.

    Args:
        tier_multiplier: [P] quality multiplier of each plan's model tier.
        product_quality: [G] base + shared + group quality.
    """
    return tier_multiplier[:, None] * product_quality[None, :]


def quota_factor(quota: ArrayLike, demand: ArrayLike) -> Floats:
    """phi(Q, D): the served share of the demand; 1 where nothing is demanded."""
    demand = np.maximum(demand, LEAST_UNITS)
    return np.minimum(demand, np.maximum(quota, LEAST_UNITS)) / demand


def ads_load(strength: ArrayLike, perceived: Perceived) -> Floats:
    """L(a) of summed in-app ads strengths, in [0, 1]."""
    strength = np.minimum(np.maximum(strength, 0.0), 1.0)
    return np.log1p(perceived.ads_curve * strength) / math.log1p(perceived.ads_curve)


def read_relationship(relationship: Floats, rules: Rules, perceived: Perceived) -> Floats:
    """The relationship as satisfaction, support and negotiation read it (quirk C3)."""
    if not rules.zero_relationship_reads_neutral:
        return relationship
    zero = relationship == 0.0
    return (
        np.where(zero, perceived.relationship_neutral, relationship) if zero.any() else relationship
    )


def relationship_bonus(relationship: ArrayLike, perceived: Perceived) -> Floats:
    """b(rho), between -0.45 and 0.45."""
    return perceived.relationship_gain * (np.asarray(relationship) - perceived.relationship_neutral)


def tenure_bonus(days: ArrayLike, perceived: Perceived) -> Floats:
    """theta(d) for d days since the subscription started; 0 on the first day."""
    return perceived.tenure_gain * np.log1p(np.maximum(days, 0) / perceived.tenure_scale_days)


def subscriber_quality(
    core: ArrayLike,
    factor: ArrayLike,
    issue_days: ArrayLike,
    annoyance: ArrayLike,
    load: ArrayLike | None,
    perceived: Perceived,
) -> Floats:
    """Q of views V1, V2, V5 and V6 before any clip: core x phi - issues - in-app ads.

    Args:
        core: what the quota scales: delivered quality, relationship, tenure, service penalty.
        factor: phi of `quota_factor`.
        issue_days: age of the open issue in days, 0 if there is none.
        annoyance: eta, quality lost per unit of ads load.
        load: L of `ads_load`, None where there is no in-app advertising.
        perceived: parameters.
    """
    quality = np.multiply(core, factor)
    quality -= perceived.issue_penalty_per_day * np.asarray(issue_days)
    if load is not None:
        quality -= np.asarray(annoyance) * np.asarray(load)
    return quality


# --- plan choice (customers.md 6, 8.2) ----------------------------------------------------------


def first_plan(surplus: Floats, affordable: Bools) -> Ints:
    """The plan a new individual looks at: largest positive surplus, plan A if there is none.

    Args:
        surplus: [3, n] perceived minus required quality, without noise.
        affordable: [3, n] price within the budget.

    Returns:
        [n] plan positions; the earlier plan wins ties.
    """
    value = surplus - OUT_OF_REACH * ~affordable
    return value.argmax(axis=0) * (value.max(axis=0) > 0.0)  # 0 is plan A


def best_plan(surplus: Floats, affordable: Bools) -> Ints:
    """[n] the plan chosen at renewal: largest surplus >= 0, `NO_PLAN` if there is none.

    Arguments as of `first_plan`.
    """
    value = surplus - OUT_OF_REACH * ~affordable
    return np.where(value.max(axis=0) >= 0.0, value.argmax(axis=0), NO_PLAN)


# --- drawing customers (customers.md 3, enterprise.md 2) ----------------------------------------


@dataclass
class Prospects:
    """A day's new prospects as arrays [n], in canonical group order."""

    group: Ints
    left: Floats
    right: Floats
    budget: Floats  # USD/month per seat
    q_floor: Floats
    q_ceiling: Floats
    usage: Floats  # units/day per seat
    lockin: Floats  # quality per contract month beyond the first
    annoyance: Floats  # quality per unit of ads load
    ads_yield: Floats  # USD/day per seat and unit of ads load
    joined_shift: Floats  # the quality shift stored in floor and ceiling
    decision_noise: Floats  # factor on quality at the first decision
    source_draw: Floats  # uniform, picks the source
    seats: Floats  # 1 for individuals
    weight: Floats  # customers each stands for
    reply_mean_days: Floats  # nan for individuals, like the next three
    reply_sd_days: Floats
    offer_factor: Floats
    patience_turns: Floats

    def __len__(self) -> int:
        return len(self.group)

    def take(self, rows: Ints | Bools) -> Prospects:
        """A selection of the prospects."""
        return Prospects(**{name: column[rows] for name, column in vars(self).items()})


def draw_prospects(
    counts: Ints,
    params: Params,
    streams: Streams,
    *,
    quality_shift: Floats,
    budget_shift: Floats,
    deal_velocity: Floats,
) -> Prospects:
    """Draw `counts[g]` prospects of every group g.

    Each group has a stream a distribution and each prospect a fixed number of draws from it, so
    the n-th prospect of a group is the same whatever happened before.

    Args:
        counts: [G] prospects a group.
        params: the world's parameters.
        streams: the episode's streams.
        quality_shift: [G] shift stored in floor and ceiling.
        budget_shift: [G] shift stored in the budget, USD/month.
        deal_velocity: [G] multiplier of the business cycle that divides the mean reply delay.
    """
    groups = counts.nonzero()[0]
    firms = bool(params.groups.is_enterprise[groups].any())
    normals, exponentials, uniforms = [], [], []
    for g in groups.tolist():
        n = int(counts[g])
        is_firm = params.groups.is_enterprise[g]
        width = ENTERPRISE_NORMALS if is_firm else INDIVIDUAL_NORMALS
        block = streams("customer_normals", g).standard_normal((n, width))
        if firms and not is_firm:
            block = np.pad(block, ((0, 0), (0, ENTERPRISE_NORMALS - width)))
        normals.append(block)
        exponentials.append(streams("customer_exponentials", g).standard_exponential((n, 2)))
        uniforms.append(streams("customer_uniforms", g).random((n, 3)))
    if not normals:
        normals, exponentials, uniforms = (
            [np.empty((0, width))] for width in (INDIVIDUAL_NORMALS, 2, 3)
        )
    people = _shape(
        groups.repeat(counts[groups]),
        np.concatenate(normals),
        np.concatenate(exponentials),
        np.concatenate(uniforms),
        params,
        quality_shift,
        budget_shift,
    )
    if firms:
        _shape_firms(
            people, np.concatenate(normals), np.concatenate(uniforms), params, deal_velocity
        )
    return people


def _shape(
    group: Ints,
    z: Floats,
    e: Floats,
    u: Floats,
    params: Params,
    quality_shift: Floats,
    budget_shift: Floats,
) -> Prospects:
    """Raw draws to the attributes that all customers have (customers.md 3)."""
    s, table = params.sampling, params.attributes
    drawn = table.mean[group] + table.sd[group] * z[:, :INDIVIDUAL_NORMALS]
    budget, q_floor, span, usage, lockin, annoyance, ads_yield = np.maximum(drawn, table.floor).T
    left, right = np.minimum(
        np.maximum(e * table.steepness_mean + table.steepness_shift, table.steepness_min),
        table.steepness_max,
    ).T
    shift = quality_shift[group]
    if shift.any():
        q_floor = q_floor + shift
    if budget_shift.any():
        budget = np.maximum(s.budget_floor_usd, budget + budget_shift[group])
    noise_span = s.decision_noise_high - s.decision_noise_low
    unknown = np.full(len(group), np.nan)
    return Prospects(
        group=group,
        left=left,
        right=right,
        budget=budget,
        q_floor=q_floor,
        q_ceiling=q_floor + span,
        usage=usage,
        lockin=lockin,
        annoyance=annoyance,
        ads_yield=ads_yield,
        joined_shift=shift,
        decision_noise=s.decision_noise_low + noise_span * u[:, 1],
        source_draw=u[:, 0],
        seats=np.ones(len(group)),
        weight=np.ones(len(group)),
        reply_mean_days=unknown,
        reply_sd_days=unknown,
        offer_factor=unknown,
        patience_turns=unknown,
    )


def _shape_firms(
    people: Prospects, z: Floats, u: Floats, params: Params, deal_velocity: Floats
) -> None:
    """Fill in what enterprises have besides (enterprise.md 2)."""
    g, ent, group = params.groups, params.enterprise, people.group
    firm = g.is_enterprise[group]
    low, high = g.seats_min[group], g.seats_max[group]
    people.seats = np.where(firm, low + np.floor(u[:, 2] * (high - low + 1.0)), 1.0)
    delay_sd = g.reply_delay_sd_days[group]
    delay = g.reply_delay_mean_days[group] / deal_velocity[group]
    delay = delay + ent.reply_mean_sd_factor * delay_sd * z[:, 7]
    spread = delay_sd + ent.reply_sd_sd_factor * delay_sd * z[:, 8]
    factor = ent.offer_factor_mean + ent.offer_factor_sd * z[:, 9]
    patience = np.rint(g.patience_mean_turns[group] + g.patience_sd_turns[group] * z[:, 10])
    people.reply_mean_days = np.where(firm, np.maximum(ent.reply_mean_min_days, delay), np.nan)
    people.reply_sd_days = np.where(firm, np.maximum(ent.reply_sd_min_days, spread), np.nan)
    factor = np.minimum(np.maximum(factor, ent.offer_factor_min), ent.offer_factor_max)
    people.offer_factor = np.where(firm, factor, np.nan)
    patience = np.maximum(float(ent.patience_min_turns), patience)
    people.patience_turns = np.where(firm, patience, np.nan)
