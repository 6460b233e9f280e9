"""Perceived quality in its views, and the decisions that follow from it.

Covers ``customer_checks.toml``: perceived_quality_state, renewal_view, daily_view, offer_view,
relationship_zero, shift_at_creation, first_decision, renewal_decision (customers.md 21, numbers 5
to 12).
"""

from __future__ import annotations

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import (
    acquisition,
    codes,
    customers,
    negotiation,
    negotiator,
    renewal,
    satisfaction,
    social,
)
from tests.simulators.ceobench.reference import (
    CALM,
    GROUP,
    PARAMS,
    PLAN,
    World,
    add_accounts,
    add_enterprises,
    checks,
    close,
    draw,
    morning,
    prospects,
)

CHECKS = checks("customer_checks.toml")
STATE = CHECKS["perceived_quality_state"]
INSTANT = {"satisfaction.weight_of_today": 1.0}  # satisfaction becomes perceived - required quality


def subscriber(params=CALM, *, enterprise=False, today=None, **changes) -> World:
    """A world with the one account of the table, on the morning of its day.

    Args:
        params: numbers of the world.
        enterprise: an `E1` account instead of an `S1` account.
        today: state of service and day, see `morning`.
        changes: of the entries of the table.
    """
    state = STATE | changes
    group = "E1" if enterprise else "S1"
    world = World(params=params)
    company, market = world.company, world.market
    for plan, position in PLAN.items():
        company.model_tier[position] = state["model_tier"][plan]
        company.quota_units[position] = state["quota"][plan]
    company.ads_strength_global = state["ads_global"]
    market.quality_shared = state["shared_bonus"]
    market.quality_group[GROUP[group]] = state["group_bonus"]
    market.shift_shared = state.get("global_shift", 0.0)
    market.shift_group[GROUP[group]] = state.get("group_shift", 0.0)
    market.budget_shift[GROUP[group]] = state.get("budget_shift", 0.0)
    columns = {
        "plan": PLAN[state["plan"]],
        "start_day": state["start_day"],
        "annoyance": state["ads_annoyance"],
        "relationship": state["relationship"],
        "issue_days": state["open_issue_days"],
        "rate": state["usage_rate"],
        "left": state["left"],
        "right": state["right"],
        "budget": state["budget"],
        "q_floor": state["q_floor"],
        "q_ceiling": state["q_ceiling"],
        "effective_usd": state["effective_price"],
        "satisfaction": state["old_satisfaction"],
        "seats": 10.7 if enterprise else 1.0,  # of the comment on offer_view
    }
    (add_enterprises if enterprise else add_accounts)(world, group, **columns)
    morning(world, **({"day": state["day"]} | (today or {})))
    return world


def required_today(world: World) -> float:
    """Q^req of the account at what it pays, with the shifts of the day."""
    account, view, g = world.population, world.today.view, world.population.group
    return float(
        customers.required_quality(
            account.effective_usd,
            account.left,
            account.right,
            account.reference_budget + view.budget_shift[g],
            account.q_floor + view.quality_shift[g],
            account.q_ceiling + view.quality_shift[g],
            world.params.curve,
        )[0]
    )


def after_satisfaction(world: World) -> float:
    satisfaction.update(world)
    return float(world.population.satisfaction[0])


# --- V1, daily satisfaction -----------------------------------------------------------------------

DAILY = CHECKS["daily_view"]
CASES = {
    "calm": ({}, {}),
    "stressed": ({}, {k: DAILY["stressed"][k] for k in ("overload", "outage")}),
    "shifted": (
        {k: DAILY["shifted"][k] for k in ("global_shift", "group_shift", "budget_shift")},
        {},
    ),
}


def test_weekday_of_the_state():
    close(subscriber().today.weekday, STATE["weekday_multiplier"])


@pytest.mark.parametrize("case", CASES)
def test_daily_view(case):
    changes, today = CASES[case]
    expected = {"required": DAILY["required"]} | DAILY[case]
    today = {"day": STATE["day"]} | today

    instant_world = subscriber(CALM | INSTANT, today=today, **changes)
    close(required_today(instant_world), expected["required"])
    instant = after_satisfaction(instant_world)
    if "instant" in expected:
        close(instant, expected["instant"])
    if "perceived" in expected:
        close(instant + expected["required"], expected["perceived"])

    close(after_satisfaction(subscriber(today=today, **changes)), expected["new_satisfaction"])


@pytest.mark.parametrize("fixed", range(len(DAILY["stressed"]["tags"])))
def test_tags_of_a_bad_day(fixed):
    """On a sampling day the first trouble that has not been fixed is what the account posts about.

    Day 56 ends a week; its usage still exceeds the quota of plan B.
    """
    tags = DAILY["stressed"]["tags"]
    bad = {tag: tag not in tags[:fixed] for tag in tags}
    world = subscriber(
        today={
            "day": 56,
            "overload": DAILY["stressed"]["overload"] * bad["overload"],
            "outage": bad["outage"],
        },
        open_issue_days=STATE["open_issue_days"] * bad["issue"],
    )
    satisfaction.update(world)
    social.consider_accounts(world)
    (poster,) = world.today.posters
    assert poster[3] == tags[fixed]


# --- V2, renewal ----------------------------------------------------------------------------------


def perceived_at_renewal(world: World) -> np.ndarray:
    """[3] Q^V2: the surplus once the account demands nothing."""
    world.population.q_floor[:] = world.population.q_ceiling[:] = 0.0
    return renewal.plan_surplus(world, np.array([0]))[0][:, 0]


def test_renewal_view():
    quality = perceived_at_renewal(subscriber())
    close(quality, [CHECKS["renewal_view"][plan] for plan in PLAN])


@pytest.mark.parametrize(
    "row", CHECKS["renewal_decision"], ids=lambda row: f"budget x {row['budget_multiplier']}"
)
def test_renewal_decision(row):
    world = subscriber()
    world.company.price_usd[:] = 20.0, 40.0, 90.0  # of the section's comment
    world.market.multipliers.budget[:] = row["budget_multiplier"]
    account = np.array([0])
    close(renewal.plan_surplus(world, account)[0][:, 0], [row[f"surplus_{plan}"] for plan in PLAN])
    assert renewal.choose(world, account)[0] == PLAN.get(row["plan"], customers.NO_PLAN)

    world.population.anchor[:] = STATE["day"] % 30
    renewal.renew(world)
    assert world.population.plan.tolist() == ([PLAN[row["plan"]]] if row["plan"] in PLAN else [])
    assert world.today.cancellations == (row["plan"] == "none")


# --- a relationship of exactly zero ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("relationship", "daily", "at_renewal"),
    list(
        zip(
            *(
                CHECKS["relationship_zero"][k]
                for k in ("relationship", "daily_view", "renewal_view")
            )
        )
    ),
)
def test_relationship_zero(relationship, daily, at_renewal):
    world = subscriber(CALM | INSTANT, relationship=relationship)
    close(after_satisfaction(world) + DAILY["required"], daily)
    close(perceived_at_renewal(subscriber(relationship=relationship))[PLAN["B"]], at_renewal)


# --- V6, offers -----------------------------------------------------------------------------------


def test_offer_view():
    world = subscriber(enterprise=True)
    plans = np.array([[0, 1, 2]])
    quality = negotiator.negotiated_quality(world, np.array([0]), plans, np.array([False]))
    close(quality[0], [CHECKS["offer_view"][plan] for plan in PLAN])


# --- V5, triggers of enterprises ------------------------------------------------------------------


def complains(demanded: float, **changes) -> bool:
    """Whether the account, as an enterprise that demands a fixed quality, opens a complaint."""
    world = subscriber(enterprise=True, q_floor=demanded, q_ceiling=demanded, **changes)
    negotiation.negotiate(world)
    return codes.CHURN_PREVENTION in world.negotiations.threads.kind


@pytest.mark.parametrize("plan", PLAN)
def test_trigger_view(plan):
    """V5 is V2 wherever the relationship is not 0 (customers.md 5)."""
    quality = CHECKS["renewal_view"][plan]
    assert complains(quality + 1e-9, plan=plan)
    assert not complains(quality - 1e-9, plan=plan)


def test_trigger_view_reads_a_relationship_of_zero_as_neutral():
    zero = CHECKS["relationship_zero"]
    assert zero["relationship"][0] == 0.0
    quality = zero["daily_view"][0]  # V5 is V1 on a calm day
    assert complains(quality + 1e-9, relationship=0.0)
    assert not complains(quality - 1e-9, relationship=0.0)


# --- the first decision ---------------------------------------------------------------------------


def test_shift_at_creation():
    # the shifts of the section's comment; only a budget above its floor can move freely
    count, shift, budget_shift = 2000, 0.05 + 0.01, -2.0
    expected = CHECKS["shift_at_creation"]
    before = draw("S1", count)
    after = draw("S1", count, shift=shift, budget_shift=budget_shift)
    close(after.q_floor - before.q_floor, expected["q_floor_difference"])
    close(after.q_ceiling - before.q_ceiling, expected["q_ceiling_difference"])
    floor = PARAMS.sampling.budget_floor_usd
    free = after.budget > floor
    assert free.sum() > count / 2
    close((after.budget - before.budget)[free], expected["budget_difference"])
    close(after.budget[~free], floor)
    for name in ("left", "right", "usage", "annoyance", "ads_yield", "lockin", "decision_noise"):
        np.testing.assert_array_equal(getattr(after, name), getattr(before, name))


@pytest.mark.parametrize(
    ("row", "noise", "accepts"),
    [
        pytest.param(row, noise, accepts, id=f"case {number}, noise {noise}")
        for number, row in enumerate(CHECKS["first_decision"])
        for noise, accepts in zip(row["noise"], row["accepts"])
    ],
)
def test_first_decision(row, noise, accepts):
    # the comment of the section
    price, quota = np.array([20.0, 50.0, 90.0]), np.array([100.0, 300.0, 1000.0])
    multiplier = PARAMS.model_tiers.quality_multiplier[np.array([3, 4, 5]) - 1]
    curve = {"left": 0.8, "right": 1.6, "budget": 100.0, "q_floor": 0.2, "q_ceiling": 0.8}
    person = prospects("S1", usage=row["usage"], decision_noise=noise, **curve)
    delivered = customers.delivered_quality(
        multiplier, np.full(len(PARAMS.groups.ids), row["product_quality"])
    )
    promotion = np.array([row["lead_promotion"]])
    plan, taken = acquisition.first_decision(person, delivered, price, quota, promotion, PARAMS)
    p = PLAN[row["plan"]]
    assert plan[0] == p
    assert taken[0] == accepts
    close(delivered[p, 0] * customers.quota_factor(quota[p], row["usage"]), row["perceived"])
    close(
        customers.required_quality(price[p] - row["lead_promotion"], *curve.values(), PARAMS.curve),
        row["required"],
    )
