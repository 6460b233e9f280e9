"""Money: the ledger's categories, the costs of a day, the cash test, forecasts (day_loop.md 6)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import customers
from ceo_gym.simulators.ceobench.sections import PLANS, WEEK_DAYS
from ceo_gym.simulators.ceobench.tally import RUNNING
from ceo_gym.simulators.common.rows import Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.state import Company
    from ceo_gym.simulators.ceobench.world import World

CATEGORIES = (
    "initial_funding",
    "subscription_payment",
    "capacity",
    "compute",
    "operations",
    "development",
    "advertising",
    "ad_revenue",
    "lead_acquisition_cost",
    "market_research",
    "group_research",
    "research_project",
)
CATEGORY = {name: i for i, name in enumerate(CATEGORIES)}
DAILY_COSTS = ("capacity", "compute", "operations", "development", "advertising")

HORIZONS_DAYS = (7, 28, 84, 182)  # of the cash forecasts


def group_ads_strength(company: Company) -> Floats:
    """[G] in-app ads strength, global plus group, before the cap at 1."""
    return company.ads_strength_global + company.ads_strength_group


def account_values(values: dict[int, float], customer_id: Ints) -> Floats:
    """[n] the customer-scope setting of each account, 0 where there is none."""
    if not values:
        return np.zeros(len(customer_id))
    ids = np.array(sorted(values))
    amounts = np.array([values[i] for i in ids.tolist()])
    at = np.minimum(np.searchsorted(ids, customer_id), len(ids) - 1)
    return np.where(ids[at] == customer_id, amounts[at], 0.0)


def _shows_ads(company: Company) -> bool:
    """Whether anybody may see in-app advertising."""
    by_group = company.ads_strength_global > 0.0 or company.ads_strength_group.any()
    return bool(by_group or company.ads_strength_customer)


def account_loads(world: World, rows: Ints | slice, *, own: bool = True) -> Floats | None:
    """[n] in-app ads load of accounts; None if there is no in-app advertising.

    Args:
        world: the world.
        rows: the accounts.
        own: count the accounts' own settings.
    """
    company, population, perceived = world.company, world.population, world.params.perceived
    if not _shows_ads(company):
        return None
    by_group, values = group_ads_strength(company).astype(population.real), None
    if own and company.ads_strength_customer:
        values = account_values(company.ads_strength_customer, population.customer_id[rows])
    if values is None:
        return customers.ads_load(by_group, perceived).take(population.group[rows])
    return customers.ads_load(by_group.take(population.group[rows]) + values, perceived)


def book_costs(world: World) -> None:
    """Step 15b of the day: running costs, then in-app ads revenue."""
    company, params, day_use = world.company, world.params, world.today.usage_by_plan
    unit_cost = params.model_tiers.cost_usd_per_unit[company.model_tier - 1]
    world.book("capacity", -float(params.capacity_tiers.cost_usd_per_day[company.capacity_tier]))
    world.book("compute", -float((day_use * unit_cost).sum()))
    _book_with_targeted(world, "operations", company.operations_usd, company.targeted_support_usd)
    targeted = float(company.development_group_usd.sum())
    _book_with_targeted(world, "development", company.development_usd, targeted)
    advertising = float(company.ads_spend_usd.sum())
    if advertising > 0.0:
        world.book("advertising", -advertising)
    _book_in_app_income(world)


def _book_in_app_income(world: World) -> None:
    population = world.population
    if not len(population):
        return
    sums = np.zeros(len(PLANS) * len(population.accounts))
    for part in population.chunks():
        loads = account_loads(world, part)
        if loads is None:
            return
        income = population.ads_yield[part] * loads * population.whole_seats[part]
        sums += population.by_cell(income, part)
    by_group = sums.reshape(len(PLANS), -1).sum(axis=0)
    world.history.tally.ads_usd[RUNNING] += by_group
    if by_group.any():
        world.book("ad_revenue", float(by_group.sum()))


def _book_with_targeted(world: World, category: str, shared: float, targeted: float) -> None:
    world.book(category, -shared)
    if targeted > 0.0:
        world.book(category, -targeted)


def monthly_recurring_revenue(world: World, firms: Ints) -> float:
    """Effective price times whole seats over all active accounts, USD a month.

    Args:
        world: the world.
        firms: rows of the enterprises.
    """
    population = world.population
    # individuals have one seat
    total = float(population.times_weight(population.effective_usd).sum())
    if len(firms):
        total += float(
            (population.effective_usd[firms] * (population.whole_seats[firms] - 1.0)).sum()
        )
    return total


def test_cash(world: World) -> None:
    """Step 17 of the day: below zero the run is over, unless the world plays on."""
    if world.params.company.ends_when_bankrupt and world.company.cash_usd < 0.0:
        world.bankrupt = True


def forecast(cash: float, cash_by_week: list[float]) -> Floats:
    """[4, 3] the built-in forecast: point, lower, upper for 1, 4, 12 and 26 weeks (USD).

    Point = cash + weeks x mean weekly change of the last four weeks; half-width = 1.96 standard
    deviations of that change times the root of the weeks, at least 1 % of cash
    (observation.md 5.7).

    Args:
        cash: present cash, purchases of the running week taken off.
        cash_by_week: cash at the end of each week so far, the start included.
    """
    changes = np.diff(cash_by_week[-5:])
    mean = float(changes.mean()) if len(changes) else 0.0
    sd = float(changes.std()) if len(changes) else 0.0
    weeks = np.array(HORIZONS_DAYS) / WEEK_DAYS
    point = cash + weeks * mean
    half = np.maximum(1.96 * sd * np.sqrt(weeks), 0.01 * abs(cash))
    return np.stack([point, point - half, point + half], axis=1)
