"""Renewal of individuals on their billing day: leave, switch plan or stay (customers.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import customers, finance, reputation, satisfaction, social
from ceo_gym.simulators.ceobench.codes import REASON_CHOICE, REASON_INVOLUNTARY
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS
from ceo_gym.simulators.common.rows import Bools, Floats, Ints, portions
from ceo_gym.simulators.common.streams import Streams

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def churn_probability(params: Params, streams: Streams) -> Floats:
    """[months, G] monthly probability of involuntary churn, the same for every policy."""
    g = params.groups
    months = params.clock.horizon_days // MONTH_DAYS + 1
    noise = streams.fresh("involuntary_churn").standard_normal((months, len(g.ids)))
    return np.clip(g.involuntary_churn_mean + g.involuntary_churn_sd * noise, 0.0, 1.0)


def renew(world: World) -> None:
    """Step 11c of the day, for every individual whose billing day it is."""
    population = world.population
    rows = (population.anchor == world.day % MONTH_DAYS).nonzero()[0]
    if len(world.negotiations.leads):
        rows = rows[population.lead[rows] < 0]
    if not len(rows):
        return
    probability = world.exogenous.churn_probability[world.day // MONTH_DAYS]
    unlucky = world.streams("churn").random(len(rows)) < probability[population.group[rows]]
    struck, stayers = rows[unlucky], rows[~unlucky]
    choice = np.concatenate([choose(world, some) for some in portions(stayers)])
    quitters = stayers[choice == customers.NO_PLAN]
    _switch(world, stayers, choice)
    _quit(world, quitters)
    world.today.involuntary = population.customers(struck)
    world.today.cancellations = world.today.involuntary + population.customers(quitters)
    gone = np.concatenate([struck, quitters])
    reason = np.full(len(gone), REASON_CHOICE)
    reason[: len(struck)] = REASON_INVOLUNTARY
    world.history.record_departures(world, gone, reason)
    world.remove_accounts(gone)


def choose(world: World, rows: Ints) -> Ints:
    """The plan each account renews on, or `customers.NO_PLAN`."""
    surplus, affordable = plan_surplus(world, rows)
    return customers.best_plan(surplus, affordable)


def plan_surplus(world: World, rows: Ints) -> tuple[Floats, Bools]:
    """[3, n] surplus and affordability of all plans in view V2, at today's list prices."""
    population, params, view = world.population, world.params, world.today.view
    real, group = population.real, population.group.take(rows).astype(np.intp)
    standing = satisfaction.standing(world, rows, zero_is_neutral=False)
    demand = population.rate.take(rows) * world.today.weekday
    quota = np.minimum(world.company.quota_units, customers.MOST_UNITS).astype(real)
    quality = customers.subscriber_quality(
        view.delivered.astype(real).take(group, axis=1) + standing,
        customers.quota_factor(quota[:, None], demand),
        population.issue_days.take(rows).astype(real),
        population.annoyance.take(rows),
        decision_loads(world, rows),
        params.perceived,
    )
    budget = population.budget[rows] + view.budget_shift.astype(real).take(group)
    budget = np.maximum(params.sampling.budget_floor_usd, budget)
    budget *= world.market.multipliers.budget.astype(real).take(group)
    list_price = world.company.price_usd[:, None]
    if world.company.promotion_customer:
        price = np.maximum(0.0, list_price - world.ongoing_promotion(rows)).astype(real)
    else:
        price_of = np.maximum(0.0, list_price - world.group_promotion()).astype(real)
        price = price_of.take(group, axis=1)
    required = customers.required_quality(
        price,
        population.left[rows],
        population.right[rows],
        budget,
        population.q_floor[rows],
        population.q_ceiling[rows],
        params.curve,
    )
    required += view.quality_shift.astype(real).take(group)
    return quality - required, price <= budget


def decision_loads(world: World, rows: Ints) -> Floats | None:
    """[n] in-app ads load as decisions see it; None if there is no in-app advertising.

    Quirk C10: without the account's own setting.
    """
    return finance.account_loads(world, rows, own=not world.rules.account_ads_hidden_from_decisions)


def _switch(world: World, rows: Ints, choice: Ints) -> None:
    """Move accounts to another plan; the new list price decides whether it is an upgrade."""
    population, company, today = world.population, world.company, world.today
    moved = (choice != customers.NO_PLAN) & (choice != population.plan[rows])
    rows, plan = rows[moved], choice[moved]
    if not len(rows):
        return
    price = company.price_usd[plan]
    today.upgrades = population.customers(rows[price > population.listed_usd[rows]])
    today.downgrades = population.customers(rows) - today.upgrades
    population.set_plan(rows, plan)
    population.listed_usd[rows] = price
    promotion = world.ongoing_promotion(rows, plan)
    population.promotion_usd[rows] = promotion
    population.effective_usd[rows] = np.maximum(0.0, price - promotion)
    # billing, later today, sets the reference budget
    world.history.record_terms(world, rows, starts=False)


def _quit(world: World, rows: Ints) -> None:
    """Damage and post candidates of individuals who leave by choice."""
    if not len(rows):
        return
    population = world.population
    group = population.group[rows]
    damage = reputation.cancel_damage(
        population.satisfaction[rows],
        world.streams("cancel_damage").random(len(rows)),
        world.today.accounts_at_start[group],
        world.params.reputation,
    )
    reputation.harm(world, group, population.times_weight(damage, rows))
    social.offer_leavers(world, rows)
