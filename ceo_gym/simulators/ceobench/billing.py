"""Monthly bills (customers.md 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ceo_gym.simulators.ceobench import satisfaction
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS
from ceo_gym.simulators.common.rows import Bools, Floats, Ints, portions

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


class Bills(NamedTuple):
    """What a day's bills charge and leave behind, one entry an account."""

    payment_usd: Floats
    listed_usd: Floats
    promotion_usd: Floats
    effective_usd: Floats  # until the next bill, per seat


def price_bills(
    enterprise: Bools | None,
    listed: Floats,
    list_price: Floats,
    effective: Floats,
    first_bill_done: Bools,
    stored_promotion: Floats,
    ongoing_promotion: Floats,
    seats: Floats,
) -> Bills:
    """Prices of a set of bills.

    Individuals pay the lower of stored and list price, so cuts reach them and rises never do;
    enterprises pay what was agreed. The first bill takes the stored promotion (the lead promotion
    included), or for an enterprise the effective price of the deal. `enterprise` None says that
    there is none.
    """
    price = np.minimum(listed, list_price)
    first = np.maximum(0.0, price - stored_promotion)
    if enterprise is not None:
        price = np.where(enterprise, listed, price)
        first = np.where(enterprise, effective, first)
    later = np.maximum(0.0, price - ongoing_promotion)
    paid = np.where(first_bill_done, later, first)
    return Bills(paid * seats, price, ongoing_promotion, later)


def usage_rates(world: World, usage: Floats, seats: Floats) -> Floats:
    """Sampled usage of the coming month, units a day for all seats."""
    sd = world.params.sampling.usage_rate_relative_sd
    noise = world.streams("usage").standard_normal(len(usage))
    return np.maximum(0.0, usage * (1.0 + sd * noise)) * seats


def bill(world: World) -> None:
    """Step 15a of the day: all accounts with today's anchor, today's sign-ups included."""
    rows = (world.population.anchor == world.day % MONTH_DAYS).nonzero()[0]
    if not len(rows):
        return
    for some in portions(rows):
        _draw_usage(world, some)
    if len(world.today.suspended_leads):
        paying = ~_suspended(world, rows)
        world.history.record_bills(world, rows[~paying], 0.0, suspended=True)
        rows = rows[paying]
    payment = np.concatenate([_charge(world, some) for some in portions(rows)])
    total = float(world.population.times_weight(payment, rows).sum())
    world.book("subscription_payment", total, world.population.customers(rows))
    world.history.record_bills(world, rows, payment)


def _draw_usage(world: World, rows: Ints) -> None:
    """What accounts will use a day until the next bill."""
    population = world.population
    population.rate[rows] = usage_rates(
        world, population.usage[rows], population.whole_seats.take(rows)
    )


def _charge(world: World, rows: Ints) -> Floats:
    """Bill accounts; returns the payment of each, USD."""
    population, plan = world.population, world.population.plan.take(rows)
    seats = population.whole_seats.take(rows)
    bills = price_bills(
        population.lead[rows] >= 0 if len(world.negotiations.leads) else None,
        population.listed_usd[rows],
        world.company.price_usd.take(plan),
        population.effective_usd.take(rows),
        population.first_bill_done.take(rows),
        population.promotion_usd[rows],
        world.ongoing_promotion(rows, plan),
        seats,
    )
    population.listed_usd[rows] = bills.listed_usd
    population.promotion_usd[rows] = bills.promotion_usd
    population.effective_usd[rows] = bills.effective_usd
    population.first_bill_done[rows] = True
    population.billed_seats[rows] = seats
    population.reference_budget[rows] = _reference_budget(world, rows)
    satisfaction.refresh_demanded(world, rows)
    return bills.payment_usd


def _suspended(world: World, rows: Ints) -> Bools:
    """Enterprises whose churn-prevention thread was open when the negotiations began."""
    return np.isin(world.population.lead[rows], world.today.suspended_leads)


def _reference_budget(world: World, rows: Ints) -> Floats:
    """The budget that satisfaction uses until the next bill (quirk C2: with the shift)."""
    population = world.population
    budget = population.budget[rows]
    if world.rules.budget_shift_stored:
        shift = world.today.view.budget_shift.astype(population.real)
        budget = budget + shift.take(population.group.take(rows))
    return np.maximum(world.params.sampling.budget_floor_usd, budget)
