"""What the business record holds is enough to derive the wide tables that are not stored."""

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import REASON_LOST_THREAD
from ceo_gym.simulators.ceobench.service import served_units
from tests.properties.decisions import act, founded


def played(rules: str, record: str = "business", weeks: int = 22) -> World:
    world = founded(21, rules, record, **{"company.ends_when_bankrupt": False})
    for week in range(weeks):
        price = 25.0 if week < 12 else 80.0  # later offers are too dear, so accounts are lost
        act(world, [], (2, price) if week % 3 else None)
        world.step_week()
    return world


def usage_by_day(world: World) -> np.ndarray:
    """Daily units of all accounts from terms, bills, departures, seats and settings alone."""
    history, params = world.history, world.params
    by_day: dict[int, list[tuple]] = {}
    for row in range(len(history.terms)):
        t = history.terms
        by_day.setdefault(int(t.day[row]), []).append(
            ("terms", int(t.customer_id[row]), int(t.plan[row]), float(t.rate[row]))
        )
    for row in range(len(history.bills)):
        b = history.bills
        by_day.setdefault(int(b.day[row]), []).append(
            ("bill", int(b.customer_id[row]), int(b.plan[row]), float(b.rate[row]))
        )
    for row in range(len(history.departures)):
        d = history.departures
        by_day.setdefault(int(d.day[row]), []).append(("gone", int(d.customer_id[row]), 0, 0.0))
    order = {"terms": 0, "gone": 1, "bill": 2}
    settings, accounts, totals = history.settings, {}, np.zeros(world.day + 1)
    seats: dict[int, float] = dict(
        zip(history.arrivals.customer_id.tolist(), history.arrivals.seats.tolist())
    )
    drifted = history.seats
    for day in range(1, world.day + 1):
        quota = settings.quota_units[settings.day < day][-1]
        weekday = float(params.clock.weekday_multiplier[day % 7])
        for customer, (plan, rate) in accounts.items():
            limit = quota[plan]
            if not world.rules.quota_per_account:
                limit = limit * max(1.0, np.floor(seats[customer]))
            totals[day] += served_units(np.float32(rate) * weekday, np.float32(limit))
        now = drifted.day == day
        seats |= dict(zip(drifted.customer_id[now].tolist(), drifted.seats[now].tolist()))
        for kind, customer, plan, rate in sorted(by_day.get(day, []), key=lambda e: order[e[0]]):
            if kind == "gone":
                accounts.pop(customer)
            else:
                accounts[customer] = (plan, rate)
    return totals


@pytest.mark.parametrize("rules", ["published", "repaired"])
def test_daily_usage_follows_from_the_business_record(rules: str) -> None:
    world = played(rules)
    assert world.history.bills.suspended.any()
    recorded = world.history.service[: world.day + 1, 0]
    assert usage_by_day(world) == pytest.approx(recorded, abs=1e-6)


@pytest.mark.parametrize("rules", ["published", "repaired"])
def test_tickets_add_up(rules: str) -> None:
    world = played(rules)
    issues = world.history.issues
    opened = np.bincount(issues.customer_id[~issues.closed], minlength=1)
    closed = np.bincount(issues.customer_id[issues.closed], minlength=len(opened))
    still = opened - closed
    assert set(still.tolist()) <= {0, 1}
    live = set(world.population.customer_id[world.population.issue_days > 0].tolist())
    open_ids = set(still.nonzero()[0].tolist())
    assert live <= open_ids
    gone = set(world.history.departures.customer_id.tolist())
    assert open_ids - live <= gone
    assert bool(open_ids - live) is world.rules.departed_issues_stay_open  # quirk C16


def test_end_days_of_enterprises_may_lie_ahead() -> None:
    """Quirk N11; the daily churn column counts a subscription on its own end day."""
    world = played("published", "full")
    departures = world.history.departures
    lost = departures.reason == REASON_LOST_THREAD
    assert lost.any()
    assert (departures.end_day >= departures.day).all()
    ended = np.bincount(departures.end_day, minlength=world.day + 1)[1 : world.day + 1]
    assert world.history.day_rows()["churn_all"].tolist() == ended.tolist()


def test_full_record_agrees_with_the_results() -> None:
    world = played("published", "full", weeks=10)
    rows = world.history.day_rows()
    assert rows["day"].tolist() == list(range(1, 71))
    weeks = world.history.weeks
    assert rows["cash"][6::7].tolist() == [week.cash_usd for week in weeks]
    for column, field in (("leads_all", "new_leads"), ("new_ind", "new_individual_subscribers")):
        assert rows[column].reshape(-1, 7).sum(axis=1).tolist() == [
            getattr(week, field) for week in weeks
        ]
    with pytest.raises(ValueError, match='record="full"'):
        World().history.day_rows()


def test_messages_of_the_player_show_one_seat_in_published_rules_only() -> None:
    seats = {}
    for rules in ("published", "repaired"):
        messages = played(rules, weeks=8).history.messages
        seats[rules] = set(messages.seats[messages.sender == 2].tolist())
    assert seats["published"] == {1}
    assert min(seats["repaired"]) > 1
