"""The checks at the end of day_loop.md (section 14), each on a world that is played.

Numbers 1 to 14; numbers 2 and 10 (the idle company, the costs of a day) are in `test_checks_money`,
number 15 (trajectories) belongs to the conformance suite.
"""

from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import (
    InvalidDecision,
    acquisition,
    codes,
    talks,
)
from ceo_gym.simulators.ceobench.codes import POSTS
from ceo_gym.simulators.ceobench.finance import CATEGORY
from ceo_gym.simulators.ceobench.results import DayResult
from tests.simulators.ceobench.reference import (
    CALM,
    GROUP,
    NO_REFERRALS,
    PLAN,
    World,
    add_accounts,
    add_enterprises,
    add_leads,
    checks,
    close,
    play,
    rows,
)

CALENDAR = {row["day"]: row for row in rows(checks("customer_checks.toml")["calendar"])}
PLAYED_DAYS = (1, 2, 7, 27, 29, 30, 33)  # of check 1
CERTAIN_CHURN = {"groups.involuntary_churn_mean": np.ones(len(GROUP))}
ENTERPRISE = {"q_floor": 0.3, "q_ceiling": 0.6, "budget": 60.0}  # content at quality 0.8


def open_for_business(seed: int = 1, **changes) -> World:
    """A good product at a low price, with advertising to `S1`, and no chance events."""
    world = World(seed, params=CALM | changes)
    world.market.quality_shared = 0.8
    world.set_prices(A=10, B=1000, C=1000)
    world.set_model_tiers(A=4)
    world.set_usage_quotas(A=1e6)
    world.set_capacity_tier(4)
    world.set_targeted_ad_spend({"referral_program": {"S1": 100}})
    return world


def quality_of(world: World, quality: float) -> None:
    """Deliver a quality on plan A without any quota in the way."""
    world.market.quality_shared = quality - world.params.product.base_quality
    world.company.model_tier[PLAN["A"]] = 4  # multiplier 1
    world.company.quota_units[PLAN["A"]] = 1e7


def bill_days(world: World, customer: int) -> list[int]:
    bills = world.history.bills
    return bills.day[(bills.customer_id == customer) & ~bills.suspended].tolist()


# --- 1, 4: calendar and first effects -------------------------------------------------------------


def test_1_calendar_of_a_played_world():
    world = World()
    for day in play(world, max(PLAYED_DAYS)):
        if day in PLAYED_DAYS:
            expected = CALENDAR[day]
            close(world.today.weekday, expected["weekday"])
            close(acquisition.calendar(day, world.params), expected["weekday"] * expected["month"])


def test_4_settings_of_day_0_bring_prospects_on_day_1_and_usage_on_day_2():
    world = open_for_business()
    first = world.step_day()
    assert first.new_individual_subscribers > 0
    assert first.usage_units == 0.0
    assert world.step_day().usage_units > 0.0


# --- 3, 13: bills and renewals of individuals -----------------------------------------------------


def test_3_bills_on_the_day_of_sign_up_and_every_30_days():
    world = open_for_business()
    for _ in play(world, 65):
        pass
    terms, bills = world.history.terms, world.history.bills
    signed = terms.customer_id[terms.starts], terms.day[terms.starts]
    stayed = np.isin(signed[0], world.population.customer_id)
    early = signed[1] <= 5
    assert (stayed & early).sum() > 20
    for customer, day in zip(signed[0][stayed & early], signed[1][stayed & early]):
        assert bill_days(world, customer) == [day, day + 30, day + 60]
    # payments are booked with the bill
    by_day = np.bincount(bills.day, weights=bills.payment_usd, minlength=66)
    close(world.history.ledger_usd[:66, CATEGORY["subscription_payment"]], by_day, 1e-6)


def test_3_renewal_is_tested_after_30_days_and_not_on_the_day_of_sign_up():
    world = open_for_business(**CERTAIN_CHURN)
    for _ in play(world, 35):
        pass
    terms, left = world.history.terms, world.history.departures
    start = dict(zip(terms.customer_id.tolist(), terms.day.tolist()))
    assert len(left) > 20
    for customer, day in zip(left.customer_id.tolist(), left.day.tolist()):
        assert day == start[customer] + 30
        assert bill_days(world, customer) == [start[customer]]
    # everybody of the first days has gone, nobody later
    assert (world.population.start_day > 35 - 30).all()


def test_13_a_price_rise_never_reaches_a_subscriber_and_a_cut_does():
    world = World(params=CALM | NO_REFERRALS)
    quality_of(world, 1.0)
    add_accounts(world, "S1", anchor=5, listed_usd=40.0, effective_usd=40.0)
    for price, last in ((40, 10), (50, 40), (30, 70)):
        world.set_prices(A=price)
        while world.day < last:
            world.step_day()
    assert world.history.bills.day.tolist() == [5, 35, 65]
    assert world.history.bills.payment_usd.tolist() == [40.0, 40.0, 30.0]


# --- 5, 6: drift, and who sees a better product when ----------------------------------------------


def test_5_preferences_drift_from_day_90_on():
    world = World(params=CALM | NO_REFERRALS)
    quality_of(world, 1.5)
    add_accounts(world, "S1", 3, anchor=1)
    add_enterprises(world, "E1", 3, seats=100.0)
    columns = ("budget", "q_floor", "q_ceiling", "seats", "left")
    start = {name: getattr(world.population, name).copy() for name in columns}
    for day in play(world, 90):
        same = {n: bool((getattr(world.population, n) == start[n]).all()) for n in columns}
        assert all(same.values()) == (day < 90)
    assert not any(same[name] for name in ("budget", "q_floor", "q_ceiling", "seats"))


def world_with_project(finished: int, *, quality: float = 0.1) -> World:
    """A research project that is due on a day, and one satisfied subscriber."""
    world = World(params=CALM | {"satisfaction.weight_of_today": 1.0})
    quality_of(world, 0.7)
    world.market.projects.append(
        1, tier=1, count=0, started_day=0, due_day=finished, finished_day=-1, quality=quality
    )
    add_accounts(world, "S1", anchor=29)
    return world


def test_6_individuals_perceive_finished_research_a_day_later():
    finished, gain = 10, 0.1
    worlds = world_with_project(finished, quality=gain), world_with_project(finished, quality=0.0)
    for day in play(worlds[0], finished + 3):
        worlds[1].step_day()
        better, plain = (float(world.population.satisfaction[0]) for world in worlds)
        close(better - plain, gain if day > finished else 0.0)
        quality = worlds[0].market.quality_shared - worlds[1].market.quality_shared
        close(quality, gain if day >= finished else 0.0)


@pytest.mark.parametrize(("reply_day", "accepted"), [(9, False), (10, True)])
def test_6_offers_see_finished_research_on_the_same_day(reply_day, accepted):
    """An offer whose price is out of reach by 0.05 quality before the project, and not after."""
    world = world_with_project(10)
    who = add_leads(world, "E1", q_floor=0.5, q_ceiling=0.75, budget=60.0)
    customer = int(world.negotiations.leads.customer_id[who[0]])
    threads = world.negotiations.threads
    while world.day < reply_day - 1:
        threads.day[:] = world.day  # keep the deadline away
        world.step_day()
    world.send_offers([[customer, [["A", 60.0]]]])
    assert threads.reply_day[0] == reply_day
    world.step_day()
    assert (threads.state[0] == codes.ACCEPTED) == accepted
    assert world.negotiations.deals == int(accepted)


# --- 7: the cash test -----------------------------------------------------------------------------


def test_7_cash_of_exactly_zero_is_alive():
    world = World()
    world.company.cash_usd = cost_of_an_idle_day(world)
    assert world.step_day().cash_usd == 0.0
    assert not world.ended


def test_7_a_cent_below_zero_ends_the_run_within_the_week():
    world = World()
    world.company.cash_usd = 3 * cost_of_an_idle_day(world) - 0.01
    week = world.step_week()
    assert (week.day, week.days) == (3, 3)
    close(week.cash_usd, -0.01)
    assert world.bankrupt
    assert world.ended
    for step in (world.step_week, world.step_day):
        with pytest.raises(InvalidDecision):
            step()
    assert world.day == 3


def test_7_cash_may_be_negative_inside_a_day():
    """Costs are tested after all flows of the day, payments included."""
    world = World(params=CALM)
    quality_of(world, 1.0)
    world.set_prices(A=40)
    add_accounts(world, "S1", 100, anchor=1)
    world.company.cash_usd = -1000.0
    assert world.step_day().cash_usd > 0.0
    assert not world.ended


def cost_of_an_idle_day(world: World) -> float:
    return float(world.params.capacity_tiers.cost_usd_per_day[0])


# --- 8: results of a week -------------------------------------------------------------------------

LAST, SUM, HIGHEST = "last", "sum", "maximum"
WEEK = {  # field -> column "Week" of day_loop.md 9
    "day": LAST,
    "cash_usd": LAST,
    "mrr_usd": LAST,
    "usage_units": SUM,
    "overload_peak": HIGHEST,
    "latency_p95_ms": HIGHEST,
    "error_rate": HIGHEST,
    "outage_days": SUM,  # "any" is a sum above 0
    "downtime_minutes": SUM,
    "new_leads": SUM,
    "new_individual_leads": SUM,
    "new_enterprise_leads": SUM,
    "new_individual_subscribers": SUM,
    "new_subscribers": SUM,
    "new_enterprise_subscribers_seats": SUM,
    "individual_subscribers": LAST,
    "enterprise_subscription_seats": LAST,
    "cancellations": SUM,
    "upgrades": SUM,
    "downgrades": SUM,
    "payments_usd": SUM,
    "total_costs_usd": SUM,
}


@pytest.fixture(scope="module")
def busy_weeks() -> tuple[list[list[DayResult]], list[DayResult]]:
    """Nine weeks of one company, by days and by weeks, in which every number moves."""

    def company() -> World:
        world = World(4, params={"company.initial_cash_usd": 1e8})
        world.market.quality_shared = 0.5
        world.set_prices(A=20, B=45, C=80)
        world.set_model_tiers(A=3, B=4, C=5)
        world.set_usage_quotas(A=100, B=300, C=1e6)
        world.set_targeted_ad_spend(
            {"referral_program": {"S1": 100, "S3": 100}, "linkedin": {"S2": 300, "E1": 8000}}
        )
        return world

    def between(world: World) -> None:
        """What the player does each week: answer enterprises, move prices now and then."""
        waiting = talks.waiting_for_player(world)
        if len(waiting):
            sales = world.negotiations
            ids = sales.leads.customer_id[sales.threads.lead[waiting]]
            world.send_offers([[int(i), [["C", 25.0]]] for i in ids])
        if world.day == 35:
            world.set_prices(A=35, B=40, C=60)
        if world.day == 49:
            world.set_prices(A=5, B=500, C=500)

    by_days, by_weeks = company(), company()
    days, weeks = [], []
    for _ in range(9):
        between(by_days)
        days.append([by_days.step_day() for _ in range(7)])
        between(by_weeks)
        weeks.append(by_weeks.step_week())
    return days, weeks


@pytest.mark.parametrize("field", WEEK)
def test_8_week_result(busy_weeks, field):
    days, weeks = busy_weeks
    combine = {LAST: lambda v: v[-1], SUM: sum, HIGHEST: max}[WEEK[field]]
    moved = set()
    for week_of_days, week in zip(days, weeks):
        values = [getattr(day, field) for day in week_of_days]
        moved |= set(values)
        close(getattr(week, field), combine(values))
    assert len(moved) > 1, "a number that never moves tests nothing"


def test_8_meaning_of_the_lead_counters(busy_weeks):
    for day in itertools.chain.from_iterable(busy_weeks[0]):
        assert day.new_subscribers == day.new_individual_subscribers + day.new_enterprise_leads
        gated_out = day.new_leads - day.new_individual_leads - day.new_enterprise_leads
        assert gated_out >= 0
        assert day.new_individual_leads >= day.new_individual_subscribers


def test_8_every_field_of_the_result_has_a_rule():
    assert WEEK.keys() <= {field.name for field in dataclasses.fields(DayResult)}
    assert all("week" in field.metadata for field in dataclasses.fields(DayResult))


# --- 9: when competitors strike -------------------------------------------------------------------


def test_9_no_competitor_event_before_day_60_or_after_day_467():
    """With an arrival on every possible day, at the horizon of the specification."""
    world = World(params={"clock.horizon_days": 497, "competitors.mean_interval_days": 0.1})
    days = {day for day in play(world, 497) if event_of(world, day)}
    assert min(days) == 60
    assert max(days) == 497 - 30
    # at least two days apart in the first half, every day in the second
    assert days == set(range(60, 497 // 2, 2)) | set(range(497 // 2, 468)), sorted(days)


def event_of(world: World, day: int) -> bool:
    events = world.market.competitor_events
    return bool(events) and events[-1][0] == day


# --- 11, 12: bills of enterprises -----------------------------------------------------------------


@pytest.mark.parametrize(("deal_day", "first_bill"), [(20, 38), (38, 38)])
def test_11_an_enterprise_is_billed_on_the_day_of_the_month_of_its_lead(deal_day, first_bill):
    """A lead of day 8, answered in time; its answer falls on the day of the deal."""
    world = World(params=CALM)
    quality_of(world, 0.8)
    for _ in play(world, 7):
        pass
    world.day += 1  # a prospect of day 8
    who = add_leads(world, "E1", reply_mean_days=float(deal_day - 14), seats=50.0, **ENTERPRISE)
    world.day -= 1
    customer = int(world.negotiations.leads.customer_id[who[0]])
    for day in play(world, 75 - 7):
        if day == 14:
            world.send_offers([[customer, [["A", 10.0]]]])
        signed = world.negotiations.leads.account[who[0]] >= 0
        assert signed == (day >= deal_day)
    assert bill_days(world, customer) == [first_bill, first_bill + 30]
    assert world.history.bills.payment_usd.tolist() == [10.0 * 50, 10.0 * 50]


def test_12_a_complaining_enterprise_pays_on_the_day_it_complains_and_not_later():
    opened = 5
    world = World(params=CALM)
    quality_of(world, 0.8)
    for _ in play(world, opened - 1):
        pass
    # content on no day: its price is too high, so it complains on its first day, its billing day
    who = add_enterprises(
        world,
        "E1",
        lead={"reply_mean_days": 50.0} | ENTERPRISE,
        anchor=opened,
        seats=50.0,
        listed_usd=1000.0,
        effective_usd=1000.0,
        start_day=opened - 1,
        **ENTERPRISE | {"q_ceiling": 1.2},
    )
    customer = int(world.negotiations.leads.customer_id[who[0]])
    threads = world.negotiations.threads
    rates = []
    for day in play(world, 32):
        rates.append(float(world.population.rate[0]))
        assert threads.kind[-1] == codes.CHURN_PREVENTION
        assert threads.state[-1] == codes.OPEN
        if day == opened:
            assert len(threads) == 2  # its first negotiation and this one
            world.send_offers([[customer, [["A", 10.0]]]])  # the answer will take fifty days
    assert world.day > opened + 30
    assert bill_days(world, customer) == [opened]
    assert world.population.size == 1
    # the usage of the month is drawn anew all the same
    assert len(set(rates)) == 2
    assert rates[30] != rates[29]


# --- 14: posts ------------------------------------------------------------------------------------


def test_14_customers_post_only_on_the_seventh_day_of_a_week():
    world = World(params=CALM)
    quality_of(world, 0.8)
    add_accounts(world, "S1", 50, anchor=29)
    for _ in range(3):
        world.step_week()
    posts = world.history.posts
    days = posts.day[posts.kind == POSTS.index("customer")]
    assert days.tolist() == [7] * 5 + [14] * 5 + [21] * 5
