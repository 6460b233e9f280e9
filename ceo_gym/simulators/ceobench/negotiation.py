"""The negotiations of a day: deadlines, replies, deals, losses, new wishes (enterprise.md 7 to 10).

What an enterprise perceives is in `negotiator`, how it judges offers in `enterprise`, and how
threads open and move in `talks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench import (
    billing,
    customers,
    enterprise,
    negotiator,
    satisfaction,
    service,
    talks,
)
from ceo_gym.simulators.ceobench.codes import (
    ACCEPTED,
    AGENT,
    CANCELLED,
    CHURN_PREVENTION,
    COUNTER_OFFER,
    CUSTOMER,
    LEAD_LOST,
    LOST,
    NEW_LEAD,
    NONE,
    OPEN,
    PLAN_CHANGE,
    REASON_LOST_THREAD,
    SUBSCRIBED,
    SYSTEM,
)
from ceo_gym.simulators.ceobench.enterprise import ACCEPT, COUNTER, GHOST
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS
from ceo_gym.simulators.ceobench.state import truncated
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
    listed = talks.open_threads(world)
    sales.oldest_open = int(listed[0]) if len(listed) else len(threads)
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
    repeats = np.isin(threads.previous_sender[late], (SYSTEM, CUSTOMER))
    if for_good:
        repeats[:] = False
    elif not world.rules.lead_lost_notice_daily:  # then the loss of a lead repeats without effect
        repeats &= threads.kind[late] != NEW_LEAD
    first = np.maximum(world.day + 1, threads.previous_day[late] + limit)
    threads.repeats_from[late] = np.where(repeats, first, NONE)
    sales = world.negotiations
    sales.repeating = np.concatenate([sales.repeating, late[repeats]])
    _lose(world, late, silent=False)


def _repeat_losses(world: World) -> None:
    """Quirk N5: lost threads whose earlier message still waits fire again every day."""
    sales, day = world.negotiations, world.day
    threads = sales.threads
    rows = sales.repeating[threads.repeats_from[sales.repeating] <= day]
    if not len(rows):
        return
    of_leads = threads.kind[rows] == NEW_LEAD
    if world.rules.lead_lost_notice_daily:
        _notice_lost_leads(world, rows[of_leads])
    talks.damage(world, rows[~of_leads])


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
        talks.damage(world, gone)
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
    over_quota = population.rate[accounts] > service.account_quota(world, accounts)
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
        negotiator.negotiated_quality(world, who, plan, threads.kind[due] == NEW_LEAD),
        price,
        plan != NONE,
        threads.turn[due],
        leads.patience_turns[who],
        leads.offer_factor[who],
        negotiator.preferences(world, who, negotiator.live_view(world)),
        world.params,
        world.rules,
    )
    rows = np.arange(len(due))
    chosen = plan[rows, decision.offer]
    accepted, countered, ghosted = (decision.answer == a for a in (ACCEPT, COUNTER, GHOST))
    _counter(world, due[countered], chosen[countered], decision.counter_usd[countered])
    _ghost(world, due[ghosted])
    _close(world, due[accepted], chosen[accepted], price[rows, decision.offer][accepted])


def _counter(world: World, rows: Ints, plan: Ints, price: Floats) -> None:
    """Customers ask another price for the best offer's plan."""
    if not len(rows):
        return
    talks.say(world, rows, CUSTOMER)
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
    talks.say(world, rows, CUSTOMER)
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
    population.set_plan(accounts, plan)
    population.billed_seats[accounts] = population.whole_seats[accounts]
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
        weight=1.0,
        place=world.crowd.register(leads.customer_id[who], np.ones(len(who))),
        billed_seats=seats,
        week_full=0,
        week_units=0.0,
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
        served_share=1.0,
        old_satisfaction=world.params.sampling.initial_satisfaction,
    )
    leads.account[who] = np.arange(rows.start, rows.stop)
    leads.status[who] = SUBSCRIBED
    world.count_accounts(np.arange(rows.start, rows.stop), 1)
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
    quality, curve = (
        negotiator.trigger_quality(world, accounts),
        negotiator.preferences(world, idle, world.today.view),
    )
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


def _open(world: World, who: Ints, kind: int, wanted: Ints) -> None:
    """Subscribers open threads: a system and a customer message of the same day."""
    if not len(who):
        return
    rows = talks.new_threads(world, who, kind, SYSTEM)
    world.history.record_messages(world, rows)
    talks.say(world, rows, CUSTOMER)
    world.negotiations.threads.asked_plan[rows] = wanted
    world.today.opened_by_customers += len(who)
    world.history.record_messages(world, rows)
    ids = world.negotiations.leads.customer_id[who]
    world.history.notices(world.day, "large_customer_message", ids, kind=kind)
