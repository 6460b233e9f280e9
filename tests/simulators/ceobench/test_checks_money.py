"""Bills, daily costs and the idle company.

Covers ``customer_checks.toml``: billing.*, day_costs, idle_run (customers.md 21, numbers 18 and 22;
day_loop.md 14, numbers 2 and 10).
"""

from __future__ import annotations

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import billing, finance
from tests.simulators.ceobench.reference import (
    CALM,
    GROUP,
    PLAN,
    World,
    add_accounts,
    add_enterprises,
    checks,
    close,
    morning,
)

CHECKS = checks("customer_checks.toml")
DAY = 37  # any day; the account's anchor is set to it


def booked(world: World, category: str) -> float:
    """What the ledger holds for today in a category."""
    return float(world.history.ledger_usd[world.day, finance.CATEGORY[category]])


@pytest.mark.parametrize("name", CHECKS["billing"])
def test_billing(name):
    case = CHECKS["billing"][name]
    given, after = case["input"], case["after"]
    enterprise = name.startswith("enterprise")
    world = World(params=CALM)
    world.company.price_usd[PLAN["B"]] = given["list"]
    world.company.promotion_global = given["ongoing_promotion"]
    columns = {
        "plan": PLAN["B"],
        "anchor": DAY % 30,
        "seats": given.get("seats", 1.0),
        "listed_usd": given["stored"],
        "promotion_usd": given["stored_promotion"],
        "effective_usd": max(0.0, given["stored"] - given["stored_promotion"]),
        "first_bill_done": given["first_bill_done"],
    }
    (add_enterprises if enterprise else add_accounts)(
        world, "E1" if enterprise else "S1", **columns
    )
    morning(world, DAY)
    cash = world.company.cash_usd
    billing.bill(world)

    close(booked(world, "subscription_payment"), case["payment"])
    close(world.company.cash_usd - cash, case["payment"])
    account = world.population
    close(account.listed_usd, after["stored"])
    close(account.promotion_usd, after["promotion"])
    close(account.effective_usd, after["effective"])
    assert account.first_bill_done[0] == after["first_bill_done"]
    close(account.whole_seats, after["seats"])
    assert world.history.bills.seats.tolist() == [after["seats"]]


@pytest.mark.parametrize("name", CHECKS["billing"])
def test_billing_formula(name):
    case = CHECKS["billing"][name]
    given, after = case["input"], case["after"]
    bills = billing.price_bills(
        enterprise=np.array([name.startswith("enterprise")]),
        listed=np.array([given["stored"]]),
        list_price=np.array([given["list"]]),
        effective=np.array([given["stored"] - given["stored_promotion"]]),
        first_bill_done=np.array([given["first_bill_done"]]),
        stored_promotion=np.array([given["stored_promotion"]]),
        ongoing_promotion=np.array([given["ongoing_promotion"]]),
        seats=np.array([float(after["seats"])]),
    )
    close(bills.payment_usd, case["payment"])
    close(bills.listed_usd, after["stored"])
    close(bills.promotion_usd, after["promotion"])
    close(bills.effective_usd, after["effective"])


def test_first_bill_of_an_enterprise_is_the_price_of_the_deal():
    """Promotions of today or of the deal do not enter (customers.md 9, step 3)."""
    agreed, seats = 31.0, 120.0
    bills = billing.price_bills(
        enterprise=np.array([True]),
        listed=np.array([33.0]),
        list_price=np.array([90.0]),
        effective=np.array([agreed]),
        first_bill_done=np.array([False]),
        stored_promotion=np.array([5.0]),
        ongoing_promotion=np.array([4.0]),
        seats=np.array([seats]),
    )
    close(bills.payment_usd, agreed * seats)


def test_day_costs():
    expected = CHECKS["day_costs"]
    world = World(params=CALM)
    # the state that the comment of the section describes
    world.set_capacity_tier(2)
    world.set_model_tiers(A=3, B=4, C=5)
    world.set_daily_spend(operations=100, development=500)
    world.set_ads_strength(0.1, by_group={"E1": 0.2})
    add_accounts(world, "S1", ads_yield=0.15)
    add_accounts(world, "S3", ads_yield=0.15)
    add_enterprises(world, "E1", seats=99.7, ads_yield=0.15)
    morning(world, DAY)
    world.today.usage_by_plan = np.array([500.0, 700.0, 300.0])
    finance.book_costs(world)

    for category, amount in expected["ledger"].items():
        close(booked(world, category), amount)
    close(-sum(booked(world, name) for name in finance.DAILY_COSTS), expected["total_costs"])
    others = set(finance.CATEGORIES) - set(expected["ledger"])
    assert all(booked(world, category) == 0.0 for category in others)


def test_day_costs_of_a_played_day():
    """The day result's total holds running costs, but neither lead costs nor purchases."""
    world = World(seed=3, params=CALM)
    world.set_capacity_tier(2)
    world.set_daily_spend(operations=100, development=500)
    world.set_targeted_ad_spend({"linkedin": {"S1": 2000}})
    world.set_targeted_dev_spend({"S1": 50})
    world.set_targeted_ops_spend({"S2": 25})
    for _ in range(6):
        world.step_day()
    world.research_market()  # booked on day 6
    before = world.company.cash_usd
    day = world.step_day()
    capacity = float(world.params.capacity_tiers.cost_usd_per_day[2])
    assert day.lead_costs_usd > 0.0
    close(day.total_costs_usd, capacity + 100 + 500 + 2000 + 50 + 25)
    close(world.company.cash_usd - before, -day.total_costs_usd - day.lead_costs_usd, 1e-6)


@pytest.mark.parametrize("seed", [0, 1, 2026])
def test_idle_run(seed):
    """Without the player: nobody comes, and a day costs the smallest capacity."""
    expected = CHECKS["idle_run"]
    world = World(seed, record="none")
    while world.day < 497:
        week = world.step_week()
        assert week.new_leads == 0
        if world.day == 21:
            close(world.company.cash_usd, expected["cash_after_21_days"])
    close(world.company.cash_usd, expected["cash_after_497_days"])
    daily = ["capacity", "compute", "operations", "development"]
    counts = world.history.ledger_count[1:498]
    for category, position in finance.CATEGORY.items():
        assert (counts[:, position] == (category in daily)).all(), category
    assert (world.market.reputation[list(GROUP.values())] == 0.5).all()
