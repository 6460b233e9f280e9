"""Usage, capacity and the service of a day (customers.md 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ceo_gym.simulators.ceobench.customers import LEAST_UNITS, MOST_UNITS
from ceo_gym.simulators.ceobench.sections import PLANS, WEEK_DAYS, Service
from ceo_gym.simulators.common.rows import Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


class ServiceDay(NamedTuple):
    """The service of one day, as everybody saw it."""

    usage_units: float
    overload: float
    outage: bool
    downtime_minutes: float
    latency_p95_ms: float
    error_rate: float


def served_units(demand: ArrayLike, quota: ArrayLike) -> Floats:
    """U_i: whole units served, half away from zero: round(min(demand, quota))."""
    return whole_units(np.minimum(demand, np.maximum(quota, 0.0)))


def whole_units(units: ArrayLike) -> Floats:
    """Units rounded, half away from zero."""
    return np.floor(np.add(units, 0.5))


def overload(usage_units: float, capacity_units: float) -> float:
    """o_t: usage over capacity, as a share above 1; 0 if it fits."""
    return max(0.0, usage_units / capacity_units - 1.0)


def outage_probability(operations_usd: float, overload: float, service: Service) -> float:
    """Probability of an outage in a day; only shared operations spend counts. Not capped."""
    calm = service.base_outage_probability * np.exp(-operations_usd / service.operations_scale_usd)
    return float(
        max(service.min_outage_probability, calm) * (1.0 + service.overload_factor * overload)
    )


def mean_latency_ms(overload: float, service: Service) -> float:
    """Expected 95th percentile latency."""
    return service.latency_base_ms + service.latency_per_overload_ms * overload


def mean_error_rate(overload: float, service: Service) -> float:
    """Expected share of failed requests, before the clip to [0, 1]."""
    return service.error_base + service.error_per_overload * overload


def downtime(uniform: float, service: Service) -> float:
    """Minutes of an outage for a uniform draw."""
    reached = service.downtime_probability.cumsum().searchsorted(uniform, side="right")
    return float(service.downtime_minutes[min(int(reached), len(service.downtime_minutes) - 1)])


def serve(world: World) -> None:
    """Step 3 of the day: what every account uses, and how the platform bears it."""
    today, company, params = world.today, world.company, world.params
    today.weekday = float(params.clock.weekday_multiplier[world.day % WEEK_DAYS])
    if len(world.population):
        today.usage_by_plan = _use(world)
    total = float(today.usage_by_plan.sum())

    s = params.service
    capacity = float(params.capacity_tiers.capacity_units_per_day[company.capacity_tier])
    excess = overload(total, capacity)
    # the same draws every day, whatever happens
    outage_draw, downtime_draw = world.streams("outage").random(2)
    latency_noise, error_noise = world.streams("service_noise").standard_normal(2)
    outage = bool(outage_draw < outage_probability(company.operations_usd, excess, s))
    today.service = ServiceDay(
        usage_units=total,
        overload=excess,
        outage=outage,
        downtime_minutes=downtime(float(downtime_draw), s) if outage else 0.0,
        latency_p95_ms=mean_latency_ms(excess, s) + s.latency_sd_ms * float(latency_noise),
        error_rate=min(max(mean_error_rate(excess, s) + s.error_sd * float(error_noise), 0.0), 1.0),
    )


def _use(world: World) -> Floats:
    """[3] units used by plan; accounts keep their week's usage and the share that is served."""
    population, per_seat = world.population, not world.rules.quota_per_account
    quota_of = np.repeat(world.company.quota_units, len(population.accounts))  # by cell
    quota_of = np.clip(quota_of, LEAST_UNITS, MOST_UNITS).astype(population.real)
    sums = np.zeros(len(quota_of))
    for part in population.chunks():
        quota = quota_of.take(population.cell[part])
        used_up = whole_units(quota)
        if per_seat:
            used_up = whole_units(quota * population.billed_seats[part])
            quota *= population.whole_seats[part]
        demand = np.maximum(population.rate[part] * world.today.weekday, LEAST_UNITS)
        served = np.minimum(demand, quota)
        np.divide(served, demand, out=population.served_share[part])
        units = whole_units(served)
        population.week_units[part] += units
        population.week_full[part] += units >= used_up
        sums += population.by_cell(units, part)
    return sums.reshape(len(PLANS), -1).sum(axis=1)


def account_quota(world: World, rows: Ints) -> Floats:
    """[n] daily quota of accounts (quirk C8: per account, or per seat)."""
    population = world.population
    quota = world.company.quota_units[population.plan[rows]]
    if world.rules.quota_per_account:
        return quota
    return quota * population.whole_seats[rows]
