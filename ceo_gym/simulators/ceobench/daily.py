"""One row a day of everything, hidden state included, for conformance and study.

Column names are those of the published recordings: ``S1`` to ``E3`` are the groups known from the
start, ``disc`` stands for all others together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import support
from ceo_gym.simulators.ceobench.codes import AGENT, OPEN
from ceo_gym.simulators.ceobench.finance import CATEGORY
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.common.rows import Floats, sums_by

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World

GROUPS = ("S1", "S2", "S3", "E1", "E2", "E3")
WITH_DISC = (*GROUPS, "disc")


def _each(prefix: str, groups: tuple[str, ...] = GROUPS) -> tuple[str, ...]:
    return tuple(f"{prefix}_{group}" for group in groups)


COLUMNS = (
    "day",
    "cash",
    "subs",
    "subs_ind",
    "subs_ent",
    "ent_seats",
    *_each("subs", WITH_DISC),
    *(f"subs_{plan}" for plan in PLANS),
    "leads_ind",
    "leads_ent",
    "leads_all",
    *_each("leads", WITH_DISC),
    "new_ind",
    "new_ent",
    "new_ent_seats",
    "cancel_ind",
    "upgrades",
    "downgrades",
    "mrr",
    "usage",
    "capacity",
    "overload",
    "outage",
    "downtime",
    "q_shared",
    *_each("qbonus", WITH_DISC),
    *_each("sat", WITH_DISC),
    *_each("rep"),
    "open_issues",
    "open_threads",
    "threads_wait_agent",
    "deals_cum",
    "lead_lost_notes_cum",
    "pmi",
    "surge",
    "comp_events",
    "bank",
    "qdrift_global",
    *_each("qdrift"),
    "n_discovered",
    "rnd_done",
)

_MONEY = {
    "rev_subs": "subscription_payment",
    "rev_ads": "ad_revenue",
    "cost_compute": "compute",
    "cost_capacity": "capacity",
    "cost_advert": "advertising",
    "cost_ops": "operations",
    "cost_dev": "development",
    "cost_leadacq": "lead_acquisition_cost",
    "cost_mktres": "market_research",
    "cost_grpres": "group_research",
    "cost_rnd": "research_project",
}


def money(ledger_usd: Floats) -> dict[str, Floats]:
    """Revenue and cost columns as positive numbers, from daily ledger sums [days, 12]."""
    return {name: np.abs(ledger_usd[:, CATEGORY[category]]) for name, category in _MONEY.items()}


def row(world: World) -> list[float]:
    """The values of `COLUMNS` at the end of a day."""
    population, market, today = world.population, world.market, world.today
    sales, groups = world.negotiations, world.params.groups
    enterprise = population.lead >= 0
    first = len(GROUPS)
    accounts, arrivals = population.accounts, today.prospects
    moods = population.times_weight(population.satisfaction)
    satisfaction = sums_by(population.group, moods, len(groups.ids))
    firms = int(enterprise.sum())
    open_threads = sales.threads.state == OPEN
    waiting = open_threads & (sales.threads.sender != AGENT)

    def mean(total: float, count: int) -> float:
        return total / count if count else np.nan

    return [
        world.day,
        world.company.cash_usd,
        accounts.sum(),
        accounts.sum() - firms,
        firms,
        population.whole_seats[enterprise].sum(),
        *accounts[:first],
        accounts[first:].sum(),
        *population.customers_by(population.plan, slice(None), len(PLANS)),
        today.new_individuals + today.lost_individuals,
        today.new_leads_enterprise,
        arrivals.sum(),
        *arrivals[:first],
        arrivals[first:].sum(),
        today.new_individuals,
        today.new_enterprises,
        today.new_enterprise_seats,
        today.cancellations,
        today.upgrades,
        today.downgrades,
        today.mrr_usd,
        today.service.usage_units,
        world.params.capacity_tiers.capacity_units_per_day[world.company.capacity_tier],
        today.service.overload,
        today.service.outage,
        today.service.downtime_minutes,
        market.quality_shared,
        *market.quality_group[:first],
        market.quality_group[first:].sum(),
        *(mean(satisfaction[g], int(accounts[g])) for g in range(first)),
        mean(satisfaction[first:].sum(), int(accounts[first:].sum())),
        *market.reputation[:first],
        support.open_issues(world),
        open_threads.sum(),
        waiting.sum(),
        sales.deals,
        sales.lead_lost_notices,
        market.index,
        world.exogenous.surge[world.day],
        len(market.competitor_events),
        market.bank_shared,
        market.shift_shared,
        *market.shift_group[:first],
        market.discovered[first:].sum(),
        np.count_nonzero(market.projects.finished_day >= 0),
    ]
