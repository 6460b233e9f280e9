"""Enterprise sales: leads, threads, replies, deals, losses, triggers (enterprise.md 5 to 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import (
    billing,
    customers,
    enterprise,
    finance,
    renewal,
    reputation,
    satisfaction,
    service,
    social,
)
from ceo_gym.simulators.ceobench.codes import (
    ACCEPTED,
    AGENT,
    CANCELLED,
    CHURN_PREVENTION,
    COUNTER_OFFER,
    CUSTOMER,
    LEAD,
    LEAD_LOST,
    LOST,
    NEW_LEAD,
    NONE,
    OPEN,
    PLAN_CHANGE,
    REASON_LOST_THREAD,
    REASON_REJECTED,
    REJECTED,
    RENEGOTIATION,
    SUBSCRIBED,
    SYSTEM,
)
from ceo_gym.simulators.ceobench.customers import Prospects
from ceo_gym.simulators.ceobench.enterprise import ACCEPT, COUNTER, GHOST, Preferences
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS, PLANS
from ceo_gym.simulators.ceobench.state import View, truncated
from ceo_gym.simulators.common.rows import Bools, Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


# --- step 12 of the day --------------------------------------------------------------------------


def negotiate(world: World) -> None:
    """Step 12: deadlines, replies, then threads that customers open (enterprise.md 7)."""
    sales = world.negotiations
    if not len(sales.leads):
        return
    threads = sales.threads
    listed = (threads.state == OPEN).nonzero()[0]
    busy = np.zeros(len(sales.leads), np.bool_)
    busy[threads.lead[listed]] = True
    churning = listed[threads.kind[listed] == CHURN_PREVENTION]
    world.today.suspended_leads = threads.lead[churning].copy()

    _miss_deadlines(world, listed)
    _repeat_losses(world)
    _reply(world, listed)
    _trigger(world, busy)


def _miss_deadlines(world: World, listed: Ints) -> None:
    threads, limit = world.negotiations.threads, world.params.enterprise.deadline_days
    age = world.day - threads.day[listed]
    late = listed[(threads.sender[listed] != AGENT) & (age >= limit)]
    if not len(late):
        return
    for_good = not world.rules.lost_threads_fire_daily
    # the message before the last one now stands for the thread; if it waits for the player and is
    # old enough, the loss repeats from tomorrow on
    exposed = np.isin(threads.previous_sender[late], (SYSTEM, CUSTOMER))
    first = np.maximum(world.day + 1, threads.previous_day[late] + limit)
    threads.repeats_from[late] = np.where(exposed & (not for_good), first, NONE)
    _lose(world, late, silent=False)


def _repeat_losses(world: World) -> None:
    """Quirk N5: lost threads whose earlier message still waits fire again every day."""
    sales, day = world.negotiations, world.day
    threads = sales.threads
    rows = ((threads.repeats_from >= 0) & (threads.repeats_from <= day)).nonzero()[0]
    if not len(rows):
        return
    of_leads = threads.kind[rows] == NEW_LEAD
    if world.rules.lead_lost_notice_daily:
        _notice_lost_leads(world, rows[of_leads])
    _damage(world, rows[~of_leads])


def _lose(world: World, rows: Ints, *, silent: bool) -> None:
    """Threads end in a loss: leads are lost, accounts cancelled (enterprise.md 9)."""
    sales = world.negotiations
    threads, leads = sales.threads, sales.leads
    of_leads = threads.kind[rows] == NEW_LEAD
    threads.state[rows] = LOST
    leads.thread[threads.lead[rows]] = NONE
    lost = rows[of_leads]
    leads.status[threads.lead[lost]] = LEAD_LOST
    world.today.lost_leads += len(lost)
    _notice_lost_leads(world, lost)
    world.history.record_lost_leads(world, threads.lead[lost])

    gone = rows[~of_leads]
    if len(gone):
        _damage(world, gone)
        who = threads.lead[gone]
        accounts = leads.account[who]
        leads.status[who] = CANCELLED
        reason = _churn_reason(world, accounts, silent=silent)
        world.history.record_departures(world, accounts, REASON_LOST_THREAD, reason)
        world.today.cancelled_enterprises += len(gone)
        world.remove_accounts(accounts)


def _notice_lost_leads(world: World, rows: Ints) -> None:
    sales = world.negotiations
    sales.lead_lost_notices += len(rows)
    ids = sales.leads.customer_id[sales.threads.lead[rows]]
    world.history.notices(world.day, "lead_lost", ids)


def _damage(world: World, rows: Ints, accounts: Ints | None = None) -> None:
    """Reputation damage of lost accounts, and their candidacy for a public post.

    Args:
        world: the world.
        rows: threads of the accounts.
        accounts: [G] active accounts that share the damage; those of this morning unless given.
    """
    if not len(rows):
        return
    leads = world.negotiations.leads
    who = world.negotiations.threads.lead[rows]
    group = leads.group[who]
    damage = reputation.loss_damage(
        world.streams("loss_damage").random(len(rows)),
        (world.today.accounts_at_start if accounts is None else accounts)[group],
        world.params.reputation,
    )
    reputation.harm(world, group, damage)
    if accounts is None:
        social.offer_losses(world, who)


def _churn_reason(world: World, accounts: Ints, *, silent: bool) -> Ints:
    """Hidden label (customers.md 15): 0 price, 1 extended issue, 2 quality, 3 quota."""
    population, params = world.population, world.params
    p, market = params.enterprise, world.market
    multiplier = params.model_tiers.quality_multiplier[world.company.model_tier - 1]
    plan = population.plan[accounts]
    shared = multiplier[plan] * (params.product.base_quality + market.quality_shared)
    if silent:
        bonus = customers.relationship_bonus(population.relationship[accounts], params.perceived)
        shared = np.clip(shared + bonus, -1.0, 1.0)
    over_quota = population.rate[accounts] > service.account_quota(world)[accounts]
    return np.select(
        [
            population.issue_days[accounts] >= p.reason_issue_days,
            shared < p.reason_quality_below,
            over_quota & silent,
        ],
        [1, 2, 3],
        0,
    ).astype(np.int8)


# --- replies -------------------------------------------------------------------------------------


def _reply(world: World, listed: Ints) -> None:
    """Customers answer the messages whose day has come, with the state of today."""
    threads, leads = world.negotiations.threads, world.negotiations.leads
    due = listed[
        (threads.state[listed] == OPEN)
        & (threads.sender[listed] == AGENT)
        & (threads.reply_day[listed] == world.day)
    ]
    if not len(due):
        return
    who = threads.lead[due]
    plan, price = threads.offer_plan[due], threads.offer_usd[due]
    decision = enterprise.decide(
        negotiated_quality(world, who, plan, threads.kind[due] == NEW_LEAD),
        price,
        plan != NONE,
        threads.turn[due],
        leads.patience_turns[who],
        leads.offer_factor[who],
        preferences(world, who, live_view(world)),
        world.params,
        world.rules,
    )
    rows = np.arange(len(due))
    chosen = plan[rows, decision.offer]
    accepted, countered, ghosted = (decision.answer == a for a in (ACCEPT, COUNTER, GHOST))
    _counter(world, due[countered], chosen[countered], decision.counter_usd[countered])
    _ghost(world, due[ghosted])
    _close(world, due[accepted], chosen[accepted], price[rows, decision.offer][accepted])


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
    leads, loads = world.negotiations.leads, np.empty(len(who))
    account = leads.account[who]
    subscribed = account >= 0
    by_group = customers.ads_load(finance.group_ads_strength(world.company), world.params.perceived)
    loads[~subscribed] = by_group[leads.group[who[~subscribed]]]
    loads[subscribed] = renewal.decision_loads(world, account[subscribed])
    return loads


def _counter(world: World, rows: Ints, plan: Ints, price: Floats) -> None:
    """Customers ask another price for the best offer's plan."""
    if not len(rows):
        return
    _say(world, rows, CUSTOMER)
    threads = world.negotiations.threads
    threads.asked_plan[rows], threads.asked_usd[rows] = plan, price
    world.today.customer_replies += len(rows)
    world.history.record_messages(world, rows)
    ids = world.negotiations.leads.customer_id[threads.lead[rows]]
    world.history.notices(world.day, "large_customer_message", ids, kind=COUNTER_OFFER)


def _ghost(world: World, rows: Ints) -> None:
    """Customers fall silent; the thread's last message is the player's."""
    if not len(rows):
        return
    threads = world.negotiations.threads
    exposed = np.isin(threads.previous_sender[rows], (SYSTEM, CUSTOMER))
    limit = world.params.enterprise.deadline_days
    first = np.maximum(world.day + 1, threads.previous_day[rows] + limit)
    fires = exposed & world.rules.lost_threads_fire_daily
    threads.repeats_from[rows] = np.where(fires, first, NONE)
    _lose(world, rows, silent=True)


def _close(world: World, rows: Ints, plan: Ints, price: Floats) -> None:
    """Customers accept: sign new accounts, change the terms of old ones (enterprise.md 10)."""
    if not len(rows):
        return
    sales = world.negotiations
    threads, leads = sales.threads, sales.leads
    _say(world, rows, CUSTOMER)
    threads.asked_plan[rows], threads.asked_usd[rows] = plan, price
    threads.state[rows] = ACCEPTED
    who = threads.lead[rows]
    leads.thread[who] = NONE
    sales.deals += len(rows)
    world.today.deals += len(rows)
    fresh = threads.kind[rows] == NEW_LEAD
    if fresh.any():
        _sign(world, who[fresh], plan[fresh], price[fresh])
    leads.contract_end_day[who] = world.day + MONTH_DAYS
    accounts = leads.account[who]
    population = world.population
    population.plan[accounts] = plan
    population.listed_usd[accounts] = price
    promotion = world.ongoing_promotion(accounts, plan)
    population.promotion_usd[accounts] = promotion
    population.effective_usd[accounts] = np.maximum(0.0, price - promotion)
    satisfaction.refresh_demanded(world, accounts)
    world.history.record_messages(world, rows)
    world.history.record_terms(world, accounts, starts=fresh)
    world.history.notices(world.day, "deal_won", leads.customer_id[who], value=price)


def _sign(world: World, who: Ints, plan: Ints, price: Floats) -> None:
    """Turn leads into accounts; the billing anchor is that of the lead's first day."""
    leads, population = world.negotiations.leads, world.population
    seats = truncated(leads.seats[who])
    rate = billing.usage_rates(world, leads.usage[who], seats)
    bonus = world.params.enterprise.deal_relationship_bonus
    rows = population.append(
        len(who),
        customer_id=leads.customer_id[who],
        group=leads.group[who],
        plan=plan,
        anchor=leads.created_day[who] % MONTH_DAYS,
        start_day=world.day,
        issue_days=0,
        lead=who,
        first_bill_done=False,
        left=leads.left[who],
        right=leads.right[who],
        budget=leads.budget[who],
        q_floor=leads.q_floor[who],
        q_ceiling=leads.q_ceiling[who],
        joined_shift=leads.joined_shift[who],
        usage=leads.usage[who],
        annoyance=leads.annoyance[who],
        ads_yield=leads.ads_yield[who],
        seats=leads.seats[who],
        whole_seats=seats,
        listed_usd=price,
        promotion_usd=0.0,
        effective_usd=price,
        reference_budget=leads.budget[who],
        demanded=0.0,
        rate=rate,
        satisfaction=world.params.sampling.initial_satisfaction,
        relationship=np.minimum(1.0, leads.relationship[who] + bonus),
    )
    leads.account[who] = np.arange(rows.start, rows.stop)
    leads.status[who] = SUBSCRIBED
    population.accounts += np.bincount(leads.group[who], minlength=len(population.accounts))
    world.today.new_enterprises += len(who)
    world.today.new_enterprise_seats += int(seats.sum())


# --- threads that customers open ----------------------------------------------------------------


def _trigger(world: World, busy: Bools) -> None:
    """Idle subscribers complain or wish for another plan (enterprise.md 8)."""
    leads, population = world.negotiations.leads, world.population
    idle = ((leads.status == SUBSCRIBED) & ~busy[: len(leads)]).nonzero()[0]
    if not len(idle):
        return
    accounts = leads.account[idle]
    quality, curve = _trigger_quality(world, accounts), preferences(world, idle, world.today.view)
    plan = population.plan[accounts]
    rows = np.arange(len(idle))

    price = np.broadcast_to(world.company.price_usd, quality.shape).copy()
    price[rows, plan] = population.listed_usd[accounts]
    surplus = enterprise.offer_surplus(quality, price, curve, world.params.curve)
    own = surplus[rows, plan]
    unhappy = own < 0.0
    if not world.rules.offers_above_budget_accepted:
        unhappy |= price[rows, plan] > curve.budget
    _open(world, idle[unhappy], CHURN_PREVENTION, np.full(int(unhappy.sum()), NONE))

    p = world.params.enterprise
    affordable = price <= curve.budget[:, None]
    other = np.where(affordable & (surplus > 0.0) & (surplus > own[:, None]), surplus, -np.inf)
    other[rows, plan] = -np.inf
    best = other.argmax(axis=1)
    gain = (other[rows, best] - own) / np.maximum(p.plan_change_gain_floor, np.abs(own))
    tempted = (~unhappy & (gain > p.plan_change_min_gain)).nonzero()[0]
    roll = world.streams("plan_change").random(len(tempted))
    asking = tempted[roll < p.plan_change_probability]
    _open(world, idle[asking], PLAN_CHANGE, best[asking])


def _trigger_quality(world: World, accounts: Ints) -> Floats:
    """[n, 3] quality of all plans in view V5, with the values of this morning."""
    population, p = world.population, world.params.perceived
    view, group = world.today.view, population.group[accounts]
    bonus = satisfaction.standing(world, accounts, zero_is_neutral=True)
    demand = population.rate[accounts] * world.today.weekday
    quota = np.broadcast_to(world.company.quota_units, (len(accounts), len(PLANS)))
    if not world.rules.quota_per_account:
        quota = quota * population.whole_seats[accounts][:, None]
    return customers.subscriber_quality(
        view.delivered[:, group].T + bonus[:, None],
        customers.quota_factor(quota, demand[:, None]),
        population.issue_days[accounts][:, None],
        population.annoyance[accounts][:, None],
        renewal.decision_loads(world, accounts)[:, None],
        p,
    )


def _open(world: World, who: Ints, kind: int, wanted: Ints) -> None:
    """Subscribers open threads: a system and a customer message of the same day."""
    if not len(who):
        return
    rows = _new_threads(world, who, kind, SYSTEM)
    world.history.record_messages(world, rows)
    _say(world, rows, CUSTOMER)
    world.negotiations.threads.asked_plan[rows] = wanted
    world.today.opened_by_customers += len(who)
    world.history.record_messages(world, rows)
    ids = world.negotiations.leads.customer_id[who]
    world.history.notices(world.day, "large_customer_message", ids, kind=kind)


# --- opening and moving threads ------------------------------------------------------------------


def open_leads(world: World, prospects: Prospects, ids: Ints) -> None:
    """Enterprises that passed the gate become leads with a thread each."""
    if not len(ids):
        return
    leads = world.negotiations.leads
    rows = leads.append(
        len(ids),
        customer_id=ids,
        group=prospects.group,
        status=LEAD,
        created_day=world.day,
        contract_end_day=NONE,
        account=NONE,
        thread=NONE,
        left=prospects.left,
        right=prospects.right,
        budget=prospects.budget,
        q_floor=prospects.q_floor,
        q_ceiling=prospects.q_ceiling,
        joined_shift=prospects.joined_shift,
        usage=prospects.usage,
        lockin=prospects.lockin,
        annoyance=prospects.annoyance,
        ads_yield=prospects.ads_yield,
        seats=prospects.seats,
        decision_noise=prospects.decision_noise,
        reply_mean_days=prospects.reply_mean_days,
        reply_sd_days=prospects.reply_sd_days,
        offer_factor=prospects.offer_factor,
        patience_turns=prospects.patience_turns,
        relationship=world.params.sampling.initial_relationship,
    )
    who = np.arange(rows.start, rows.stop)
    threads = _new_threads(world, who, NEW_LEAD, SYSTEM)
    world.today.new_lead_seats += int(prospects.seats.sum())
    world.history.record_messages(world, threads)
    world.history.notices(world.day, "large_customer_message", ids, kind=NEW_LEAD)


def _new_threads(world: World, who: Ints, kind: int, sender: int) -> Ints:
    """Open a thread for each of `who` with a first message of today."""
    sales = world.negotiations
    rows = sales.threads.append(
        len(who),
        lead=who,
        kind=kind,
        state=OPEN,
        turn=0,
        sender=sender,
        day=world.day,
        previous_sender=NONE,
        previous_day=NONE,
        customer_day=NONE,
        reply_day=NONE,
        offer_plan=NONE,
        offer_usd=np.nan,
        asked_plan=NONE,
        asked_usd=np.nan,
        repeats_from=NONE,
    )
    numbers = np.arange(rows.start, rows.stop)
    sales.leads.thread[who] = numbers
    return numbers


def _say(world: World, rows: Ints, sender: int) -> None:
    """Add a message of today to each thread."""
    threads = world.negotiations.threads
    threads.previous_sender[rows] = threads.sender[rows]
    threads.previous_day[rows] = threads.day[rows]
    threads.turn[rows] += 1
    threads.sender[rows] = sender
    threads.day[rows] = world.day
    if sender == CUSTOMER:
        threads.customer_day[rows] = world.day
        threads.reply_day[rows] = NONE


# --- what the player does ------------------------------------------------------------------------


def send(world: World, who: Ints, plan: Ints, price: Floats) -> None:
    """Put offers to enterprises: in their open thread, or in a new renegotiation.

    Args:
        world: the world.
        who: [n] distinct rows in ``negotiations.leads`` that may be written to.
        plan: [n, 3] plan positions, `NONE` where there is no offer.
        price: [n, 3] price per seat.
    """
    sales = world.negotiations
    threads, leads = sales.threads, sales.leads
    fresh = leads.thread[who] == NONE
    if fresh.any():
        _new_threads(world, who[fresh], RENEGOTIATION, AGENT)
    old = leads.thread[who[~fresh]]
    _penalise_late_reply(world, old)
    _say(world, old, AGENT)
    rows = leads.thread[who]
    threads.offer_plan[rows], threads.offer_usd[rows] = plan, price
    noise = world.streams("reply_delay").standard_normal(len(who))
    delay = np.rint(leads.reply_mean_days[who] + leads.reply_sd_days[who] * noise)
    threads.reply_day[rows] = world.day + np.maximum(1.0, delay)
    world.history.record_messages(world, rows)


def _penalise_late_reply(world: World, rows: Ints) -> None:
    """A customer message that waited more than a day costs goodwill (enterprise.md 6)."""
    sales, p = world.negotiations, world.params.enterprise
    threads, leads = sales.threads, sales.leads
    age = world.day - threads.customer_day[rows] - p.late_reply_free_days
    late = (threads.sender[rows] != AGENT) & (threads.customer_day[rows] >= 0) & (age > 0)
    penalty = p.late_reply_penalty_per_day * age[late]
    who = threads.lead[rows[late]]
    account = leads.account[who]
    subscribed = account >= 0
    for table, at, loss in (
        (leads, who[~subscribed], penalty[~subscribed]),
        (world.population, account[subscribed], penalty[subscribed]),
    ):
        table.relationship[at] = np.maximum(0.0, table.relationship[at] - loss)


def reject(world: World, who: Ints) -> None:
    """Close the open threads of `who`; new leads are lost, subscribers stay (enterprise.md 11)."""
    sales = world.negotiations
    threads, leads = sales.threads, sales.leads
    rows = leads.thread[who]
    _say(world, rows, AGENT)
    threads.offer_plan[rows], threads.offer_usd[rows] = NONE, np.nan
    threads.reply_day[rows] = NONE
    threads.state[rows] = REJECTED
    leads.thread[who] = NONE
    world.history.record_messages(world, rows)
    lost = who[threads.kind[rows] == NEW_LEAD]
    leads.status[lost] = LEAD_LOST
    world.history.record_lost_leads(world, lost)
    sales.rejected_leads += len(lost)
    if not world.rules.rejected_churn_threat_stays:
        threats = rows[threads.kind[rows] == CHURN_PREVENTION]
        gone = leads.account[threads.lead[threats]]
        if len(gone):
            # a rejection costs what a missed deadline would
            _damage(world, threats, world.population.accounts)
            leads.status[threads.lead[threats]] = CANCELLED
            sales.rejected_accounts += len(gone)
            world.history.record_departures(world, gone, REASON_REJECTED)
            world.remove_accounts(gone)


def waiting_for_player(world: World) -> Ints:
    """Open threads whose last message is not the player's."""
    threads = world.negotiations.threads
    return ((threads.state == OPEN) & (threads.sender != AGENT)).nonzero()[0]
