"""What an enterprise perceives when it negotiates (V6) and from day to day (V5).

Source: enterprise.md 3 and 8, customers.md 5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import customers, finance, renewal, satisfaction
from ceo_gym.simulators.ceobench.enterprise import Preferences
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.ceobench.state import View, truncated
from ceo_gym.simulators.common.rows import Bools, Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def live_view(world: World) -> View:
    """What replies to offers see: quirk L2 makes it today's values instead of this morning's."""
    if world.rules.offers_see_live_quality:
        return View.of(world.company, world.market, world.params)
    return world.today.view


def account_values(world: World, who: Ints) -> dict[str, Floats]:
    """[n] current attributes: of the account where there is one, else of the lead."""
    leads, population = world.negotiations.leads, world.population
    account = leads.account[who]
    subscribed = account >= 0
    at = account[subscribed]
    values = {}
    for name in (
        "left",
        "right",
        "budget",
        "q_floor",
        "q_ceiling",
        "annoyance",
        "relationship",
        "seats",
    ):
        column = getattr(leads, name)[who]
        column[subscribed] = getattr(population, name)[at]
        values[name] = column
    for name in ("rate", "issue_days", "start_day"):
        column = np.zeros(len(who))
        column[subscribed] = getattr(population, name)[at]
        values[name] = column
    values["subscribed"] = subscribed
    return values


def preferences(world: World, who: Ints, view: View) -> Preferences:
    """[n] curves of some enterprises with the shifts of a view."""
    leads, now = world.negotiations.leads, account_values(world, who)
    group = leads.group[who]
    shift = view.quality_shift[group]
    floor = world.params.sampling.budget_floor_usd
    return Preferences(
        left=now["left"],
        right=now["right"],
        budget=np.maximum(floor, now["budget"] + view.budget_shift[group]),
        floor=now["q_floor"] + shift,
        ceiling=now["q_ceiling"] + shift,
        lockin=leads.lockin[who],
    )


def negotiated_quality(world: World, who: Ints, plan: Ints, first: Bools) -> Floats:
    """[n, m] quality of plans in the eyes of the negotiator: view V6 (enterprise.md 3).

    Args:
        world: the world.
        who: [n] rows in ``negotiations.leads``.
        plan: [n, m] plan positions; anything outside 0 to 2 has quality 0.
        first: [n] first negotiations, which see the sticky noise.
    """
    p, rules, view = world.params.perceived, world.rules, live_view(world)
    leads, now = world.negotiations.leads, account_values(world, who)
    group = leads.group[who]
    known = (plan >= 0) & (plan < len(PLANS))
    letter = np.where(known, plan, 0)
    relationship = customers.read_relationship(now["relationship"], rules, p)
    bonus = customers.relationship_bonus(relationship, p)
    demand = now["rate"]
    if not rules.offers_ignore_tenure:
        days = np.where(now["subscribed"], world.day - now["start_day"], 0)
        bonus = bonus + customers.tenure_bonus(days, p)
        demand = demand * world.today.weekday
    quota = world.company.quota_units[letter]
    if not rules.quota_per_account:
        quota = quota * truncated(now["seats"])[:, None]
    quality = customers.subscriber_quality(
        view.delivered[letter, group[:, None]] + bonus[:, None],
        customers.quota_factor(quota, demand[:, None]),
        now["issue_days"][:, None],
        now["annoyance"][:, None],
        _loads(world, who)[:, None],
        p,
    )
    limits = world.params.enterprise
    top = limits.quality_max if rules.negotiated_quality_capped else np.inf
    quality = np.clip(np.where(known, quality, 0.0), limits.quality_min, top)
    return quality * np.where(first, leads.decision_noise[who], 1.0)[:, None]


def _loads(world: World, who: Ints) -> Floats:
    """[n] in-app ads load as an enterprise's decisions see it."""
    leads, loads = world.negotiations.leads, np.zeros(len(who))
    by_group = finance.group_ads_strength(world.company)
    account = leads.account[who]
    subscribed = account >= 0
    free = leads.group[who[~subscribed]]
    loads[~subscribed] = customers.ads_load(by_group[free], world.params.perceived)
    of_accounts = renewal.decision_loads(world, account[subscribed])
    if of_accounts is not None:
        loads[subscribed] = of_accounts
    return loads


def trigger_quality(world: World, accounts: Ints) -> Floats:
    """[n, 3] quality of all plans in view V5, with the values of this morning."""
    population, p = world.population, world.params.perceived
    view, group = world.today.view, population.group[accounts]
    bonus = satisfaction.standing(world, accounts, zero_is_neutral=True)
    demand = population.rate[accounts] * world.today.weekday
    quota = np.broadcast_to(world.company.quota_units, (len(accounts), len(PLANS)))
    if not world.rules.quota_per_account:
        quota = quota * population.whole_seats[accounts][:, None]
    loads = renewal.decision_loads(world, accounts)
    return customers.subscriber_quality(
        view.delivered[:, group].T + bonus[:, None],
        customers.quota_factor(quota, demand[:, None]),
        population.issue_days[accounts][:, None],
        population.annoyance[accounts][:, None],
        None if loads is None else loads[:, None],
        p,
    )
