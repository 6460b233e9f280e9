"""Prospects: how many arrive, from where, and what they decide (market.md 3, 5; customers.md 6)."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import pdtr, pdtrik

from ceo_gym.simulators.ceobench import crowd, customers, talks
from ceo_gym.simulators.ceobench.codes import (
    ARRIVAL_GATED_OUT,
    ARRIVAL_LEAD,
    ARRIVAL_LOST,
    ARRIVAL_SUBSCRIBED,
)
from ceo_gym.simulators.ceobench.customers import Prospects
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import CHANNELS, MONTH_DAYS, SOURCES, WEEK_DAYS
from ceo_gym.simulators.common.rows import Bools, Floats, Ints, counts_by
from ceo_gym.simulators.common.streams import Streams

BATCH = 250_000  # prospects drawn and decided at a time

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.state import Company
    from ceo_gym.simulators.ceobench.world import World


# --- the factors of the prospect formula (market.md 3.1) ----------------------------------------


def calendar(day: int, params: Params) -> float:
    """C_t: weekday times day-of-month multiplier."""
    clock = params.clock
    weekday = clock.weekday_multiplier[day % WEEK_DAYS]
    return float(weekday * clock.month_multiplier[day % MONTH_DAYS])


def market_cap(day: int, params: Params) -> Floats:
    """[G] K_{g,t}: accounts a group can hold; grows linearly."""
    g = params.groups
    growth = g.market_cap_growth_per_year * day / params.acquisition.growth_year_days
    return g.market_cap_base * (1.0 + growth)


def saturation(taken: Floats, day: int, params: Params) -> Floats:
    """[G] D_{g,t} = max(0, 1 - (N/K)^2)."""
    share = taken / market_cap(day, params)
    return np.maximum(0.0, 1.0 - share**params.acquisition.saturation_exponent)


def attraction(
    spend_usd: Floats, effectiveness: Floats, accounts: Floats, discovered: Bools, params: Params
) -> Floats:
    """[6, G] the terms inside the bracket of the prospect formula: five channels, then referrals.

    Args:
        spend_usd: [5, G] daily advertising spend.
        effectiveness: [5, G] prospects per spend unit in force.
        accounts: [G] subscribed accounts.
        discovered: [G] groups that exist for the company; others neither refer nor arrive.
        params: the world's parameters.
    """
    paid = spend_usd * effectiveness / params.acquisition.spend_unit_usd
    # no matrix product: the sums of linear algebra libraries differ between processors
    referred = ((accounts * discovered)[:, None] * params.influence.referrals).sum(axis=0)
    terms = np.empty((len(SOURCES), len(accounts)))
    np.multiply(paid, discovered, out=terms[:-1])
    np.multiply(referred, discovered, out=terms[-1])
    return terms


def expected_prospects(
    reputation: Floats,
    saturation_factor: Floats,
    calendar_factor: float,
    macro: Floats,
    own_posts: Floats,
    surge: float,
    terms: Floats,
) -> Floats:
    """[G] lambda of the day's Poisson counts."""
    factor = reputation * saturation_factor * calendar_factor * macro * own_posts * surge
    return factor * terms.sum(axis=0)


def surge_factors(params: Params, streams: Streams, *, from_week_start: bool) -> Floats:
    """[T + 1] Z_t: product of the surges in force on each day (market.md 5).

    Args:
        params: the world's parameters.
        streams: the episode's streams.
        from_week_start: quirk M3; a surge already acts from the first day of its week.
    """
    s, horizon = params.surges, params.clock.horizon_days
    days = -(-horizon // WEEK_DAYS) * WEEK_DAYS  # the last week is drawn whole
    draws = streams.fresh("surges").random((days + 1, 3))
    factor = np.ones(horizon + 1)
    for day in (draws[:, 0] < s.probability_per_day).nonzero()[0]:
        if day == 0:
            continue
        span = s.duration_max_days - s.duration_min_days + 1
        end = day + s.duration_min_days + int(draws[day, 1] * span)
        start = (day - 1) // WEEK_DAYS * WEEK_DAYS + 1 if from_week_start else day
        factor[start:end] *= s.multiplier_min + s.multiplier_span * draws[day, 2]
    return factor


def effectiveness_noise(params: Params, streams: Streams) -> Floats:
    """[months, 5, G] monthly factors on channel effectiveness; month 0 unused (market.md 3.6)."""
    months = params.clock.horizon_days // MONTH_DAYS + 1
    shape = (months, len(CHANNELS), len(params.groups.ids))
    noise = streams.fresh("lead_effectiveness").standard_normal(shape)
    return 1.0 + params.acquisition.effectiveness_noise_sd * noise


def change_effectiveness(world: World) -> None:
    """The second half of step 6 on days 30, 60, …: one step of the effectiveness walk."""
    factor = world.exogenous.effectiveness_noise[world.day // MONTH_DAYS]
    world.market.effectiveness = _moved(world.market.effectiveness, factor)


def effectiveness_so_far(world: World) -> list[tuple[int, Floats]]:
    """Every effectiveness up to today, for study: the day from which it holds, and [5, G] of it.

    Nothing that a company does moves it, so the past can be told from the draws.
    """
    values = world.params.influence.effectiveness.copy()
    found = [(0, values)]
    for month in range(1, world.day // MONTH_DAYS + 1):
        values = _moved(values, world.exogenous.effectiveness_noise[month])
        found.append((month * MONTH_DAYS, values))
    return found


def _moved(effectiveness: Floats, factor: Floats) -> Floats:
    return np.maximum(0.0, effectiveness * factor)


def poisson(uniform: Floats, mean: Floats) -> Ints:
    """Poisson counts by inversion, so that a draw depends on its own mean only.

    A larger mean at the same uniform never gives a smaller count, which keeps runs of different
    policies comparable.
    """
    counts = np.zeros(len(mean), np.int64)
    some = mean > 0.0
    u, lam = uniform[some], mean[some]
    upper = np.maximum(np.ceil(pdtrik(u, lam)), 0.0)
    lower = np.maximum(upper - 1.0, 0.0)
    counts[some] = np.where(pdtr(lower, lam) >= u, lower, upper)
    return counts


# --- step 14 of the day --------------------------------------------------------------------------


def arrive(world: World) -> None:
    """Step 14: draw today's prospects; individuals decide, enterprises pass or fail the gate."""
    counts, terms = _draw_counts(world)
    company, today = world.company, world.today
    today.prospects = counts
    total = int(counts.sum())
    by_source = np.zeros(terms.shape, np.int64)
    if total:
        # customer ids run through the groups in canonical order
        first_ids = company.next_customer_id + counts.cumsum() - counts
        company.next_customer_id += total
        lead_cost = world.params.acquisition.lead_cost_usd
        world.book("lead_acquisition_cost", -lead_cost * total, total)
        firms = world.params.groups.is_enterprise
        scale = crowd.day_scale(world, int(counts[~firms].sum()))
        for chosen, decide, each in ((~firms, _sign_individuals, scale), (firms, _open_leads, 1)):
            for some, ids, weight in _batches(counts * chosen, first_ids, each):
                prospects = _draw_attributes(world, some)
                prospects.weight = weight
                sources = _attribute_sources(prospects, terms)
                outcome = decide(world, prospects, sources, ids)
                world.history.record_arrivals(world, prospects, ids, sources, outcome)
                cell = sources * len(counts) + prospects.group
                by_source += counts_by(cell, weight, by_source.size).reshape(by_source.shape)
    world.history.record_channels(world, by_source)


def _batches(counts: Ints, first_ids: Ints, scale: int) -> Iterator[tuple[Ints, Ints, Floats]]:
    """Prospects in portions that fit in memory; the draws do not notice.

    Args:
        counts: [G] customers.
        first_ids: [G] the first customer id of each group.
        scale: customers that each prospect stands for; the last of a group for those left over.

    Yields:
        [G] number of prospects; and of each prospect the first id and the weight.
    """
    simulated = -(-counts // scale)
    done = np.zeros_like(counts)
    while (left := simulated - done).any():
        # as many of each group as still fit, group by group
        room = np.maximum(0, BATCH - (left.cumsum() - left))
        some = np.minimum(left, room)
        before = crowd.spread(done, some) * scale
        weight = np.minimum(float(scale), np.repeat(counts, some) - before)
        yield some, np.repeat(first_ids, some) + before, weight
        done += some


def _draw_counts(world: World) -> tuple[Ints, Floats]:
    """[G] counts of the day and the [6, G] terms they come from."""
    market, company, params = world.market, world.company, world.params
    accounts = world.population.accounts.astype(np.float64)
    if not (accounts.any() or company.ads_spend_usd.any()):
        shape = (len(SOURCES), len(accounts))
        return np.zeros(len(accounts), np.int64), np.zeros(shape)
    terms = attraction(
        company.ads_spend_usd, market.effectiveness, accounts, market.discovered, params
    )
    if not terms.any():
        return np.zeros(len(params.groups.ids), np.int64), terms
    taken = accounts
    if not world.rules.open_leads_ignored_in_saturation:
        taken = accounts + world.negotiations.open_leads_by_group(len(accounts))
    mean = expected_prospects(
        market.reputation,
        saturation(taken, world.day, params),
        calendar(world.day, params),
        market.multipliers.leads,
        world.own_post_multiplier(),
        float(world.exogenous.surge[world.day]),
        terms,
    )
    ceiling = params.acquisition.max_prospects_per_day
    mean *= min(1.0, ceiling / max(float(mean.sum()), 1.0))
    return poisson(world.exogenous.prospect_uniforms[world.day], mean), terms


def _draw_attributes(world: World, counts: Ints) -> Prospects:
    view, rules = world.today.view, world.rules
    zero = np.zeros(len(counts))
    return customers.draw_prospects(
        counts,
        world.params,
        world.streams,
        quality_shift=view.quality_shift if rules.quality_shift_stored else zero,
        budget_shift=view.budget_shift if rules.budget_shift_stored else zero,
        deal_velocity=world.market.multipliers.deal_velocity,
    )


def _attribute_sources(prospects: Prospects, terms: Floats) -> Ints:
    """[n] the channel (0 to 4) or referral (5) each prospect is credited to."""
    cumulative = terms.cumsum(axis=0)
    total = cumulative[-1]
    # a source without a term has no width and is never picked; from the last one with a term on
    # the bound is out of reach, whatever the division rounds to
    share = cumulative[:-1] / np.where(total > 0.0, total, 1.0)
    bound = np.where(cumulative[:-1] < total, share, np.inf)
    return (prospects.source_draw >= bound[:, prospects.group]).sum(axis=0)


def lead_promotion(company: Company, groups: int) -> Floats:
    """[6, G] dollars off the first bill by source and group (market.md 3.4)."""
    everywhere = company.lead_promotion_global + company.lead_promotion_group
    table = np.empty((len(SOURCES), groups))
    table[:] = everywhere
    table[:-1] += company.lead_promotion_channel[:, None] + company.lead_promotion_channel_group
    return np.maximum(table, 0.0)


def first_decision(
    prospects: Prospects,
    delivered: Floats,
    price: Floats,
    quota: Floats,
    promotion: Floats,
    params: Params,
) -> tuple[Ints, Bools]:
    """Plan looked at and whether it is taken, for individuals (customers.md 6).

    Args:
        prospects: [n] individuals, with expectations as they are felt today.
        delivered: [3, G] delivered quality.
        price: [3] list prices.
        quota: [3] quotas, units/day.
        promotion: [n] lead promotion, USD.
        params: the world's parameters.
    """
    factor = customers.quota_factor(quota[:, None], prospects.usage)
    quality = delivered[:, prospects.group] * factor  # [3, n]
    paid = np.maximum(0.0, price[:, None] - promotion)
    required = customers.required_quality(
        paid,
        prospects.left,
        prospects.right,
        prospects.budget,
        prospects.q_floor,
        prospects.q_ceiling,
        params.curve,
    )
    affordable = paid <= prospects.budget
    plan = customers.first_plan(quality - required, affordable)
    rows = np.arange(len(plan))
    noisy = prospects.decision_noise * quality[plan, rows]
    return plan, affordable[plan, rows] & (noisy >= required[plan, rows])


def passes_gate(
    prospects: Prospects, delivered: Floats, quota: Floats, params: Params, *, per_seat: bool
) -> Bools:
    """Whether an enterprise becomes a lead: some plan satisfies it for free (enterprise.md 2)."""
    demand = prospects.usage * prospects.seats
    units = quota[:, None] * (prospects.seats if per_seat else 1.0)
    quality = delivered[:, prospects.group] * customers.quota_factor(units, demand)  # [3, n]
    required = customers.required_quality(
        0.0,
        prospects.left,
        prospects.right,
        prospects.budget,
        prospects.q_floor,
        prospects.q_ceiling,
        params.curve,
    )
    return np.any(quality >= required, axis=0)


def _felt(prospects: Prospects, world: World) -> Prospects:
    """The prospects with today's expectations, where these are not stored in them (C1, C2)."""
    view, rules, group = world.today.view, world.rules, prospects.group
    if rules.quality_shift_stored and rules.budget_shift_stored:
        return prospects
    felt = copy(prospects)
    if not rules.quality_shift_stored:
        felt.q_floor = felt.q_floor + view.quality_shift[group]
        felt.q_ceiling = felt.q_ceiling + view.quality_shift[group]
    if not rules.budget_shift_stored:
        floor = world.params.sampling.budget_floor_usd
        felt.budget = np.maximum(floor, felt.budget + view.budget_shift[group])
    return felt


def _sign_individuals(world: World, people: Prospects, sources: Ints, ids: Ints) -> Ints:
    """Individuals subscribe or are lost; returns the outcome of each."""
    company, today, params = world.company, world.today, world.params
    promotion = lead_promotion(company, len(params.groups.ids))[sources, people.group]
    plan, taken = first_decision(
        _felt(people, world),
        today.view.delivered,
        company.price_usd,
        company.quota_units,
        promotion,
        params,
    )
    won, lost = taken.nonzero()[0], (~taken).nonzero()[0]
    world.sign_up(people, won, ids[won], plan[won], promotion[won])
    world.history.record_declined(
        world, ids[lost], people.weight[lost], plan[lost], promotion[lost]
    )
    today.new_individuals += int(people.weight[won].sum())
    today.lost_individuals += int(people.weight[lost].sum())
    return np.where(taken, ARRIVAL_SUBSCRIBED, ARRIVAL_LOST)


def _open_leads(world: World, firms: Prospects, sources: Ints, ids: Ints) -> Ints:
    """Enterprises become leads or are gated out; returns the outcome of each."""
    del sources  # lead promotions do not reach enterprises
    passed = passes_gate(
        _felt(firms, world),
        world.today.view.delivered,
        world.company.quota_units,
        world.params,
        per_seat=not world.rules.quota_per_account,
    )
    talks.open_leads(world, firms.take(passed), ids[passed])
    world.today.new_leads_enterprise += int(passed.sum())
    return np.where(passed, ARRIVAL_LEAD, ARRIVAL_GATED_OUT)
