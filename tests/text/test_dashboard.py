"""The weekly report: its numbers are those that a player may know (observation.md 2)."""

import re

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.text.ceobench.dashboard import dashboard, week_number, week_numbers
from tests.tools.worlds import busy_world, subscriber_id


def value(text: str, label: str) -> str:
    (found,) = re.findall(rf"^{re.escape(label)}: (.*)$", text, re.MULTILINE)
    return found


def number(text: str) -> float:
    return float(re.sub(r"[$,+%]", "", text.split()[0]))


@pytest.mark.parametrize("rules", ["published", "repaired"])
def test_numbers_are_the_observed_ones(rules: str) -> None:
    world = busy_world(rules)
    text, seen = dashboard(world), world.observe()
    firms = world.params.groups.is_enterprise
    assert text.startswith("WEEK 8 | DAY 56\n")
    assert number(value(text, "Cash")) == round(seen.cash_usd)
    assert number(value(text, "Individual subscribers")) == seen.accounts[~firms].sum() > 0
    assert number(value(text, "Enterprise seats subscribed")) == seen.enterprise_seats > 0
    assert number(value(text, "Open issues")) == seen.open_issues.sum()
    assert number(value(text, "Usage served")) == round(seen.week["usage_units"])
    assert number(value(text, "Cancellations")) == seen.week["cancellations"]
    leads = value(text, "New leads")
    expected = (seen.week["new_individual_leads"], seen.week["new_enterprise_leads"])
    assert leads == f"{expected[0]:,} individual, {expected[1]:,} enterprise"
    sales = value(text, "New subscriptions")
    expected = (
        seen.week["new_individual_subscribers"],
        seen.week["new_enterprise_subscribers_seats"],
    )
    assert sales == f"{expected[0]:,} individual, {expected[1]:,} enterprise seats"
    assert number(value(text, "Shared bonus")) == pytest.approx(seen.shared_quality, abs=5e-5)
    for g in np.flatnonzero(seen.known):
        groups = world.params.groups
        line = value(text, f"{groups.ids[g]} {groups.name[g]}")
        told = [float(q) for q in re.findall(r"[ABC] ([\d.]+)", line)]
        np.testing.assert_allclose(told, seen.quality[:, g], atol=5e-5)
        assert len(told) == len(PLANS)


def test_configuration_is_the_one_in_force() -> None:
    world = busy_world()
    world.set_prices(B=1234.5)
    world.set_daily_spend(operations=12_345)
    text = dashboard(world)
    prices = value(text, "List prices, USD/month per seat")
    assert prices == "A 20.00, B 1,234.50, C 60.00"
    assert value(text, "Model tiers") == "A 3, B 4, C 5"
    assert value(text, "Quotas, units/day") == "A 1,000,000, B 1,000,000, C 1,000,000"
    assert value(text, "Capacity tier") == "5"
    assert value(text, "Shared support") == "$12,345.00/day"
    assert value(text, "Shared development") == "$0.00/day"


def test_sections_come_in_order() -> None:
    text = dashboard(busy_world(), extended=True)
    heads = [line for line in text.splitlines() if line and line == line.upper()]
    assert [head.split(" |")[0] for head in heads] == [
        "WEEK 8",
        "THE PAST WEEK",
        "CONFIGURATION",
        "DELIVERED QUALITY",
        "OTHER SETTINGS IN FORCE",
        "ENTERPRISE INBOX",
    ]


def test_first_report_has_no_past_week() -> None:
    text = dashboard(World(seed=1))
    assert text.startswith("WEEK 0 | DAY 0\n\nCash: $1,000,000\n")
    assert "PAST WEEK" not in text


def test_only_known_groups_are_named() -> None:
    world = busy_world()
    text = dashboard(world)
    for i, known in zip(world.params.groups.ids, world.market.discovered):
        assert (re.search(rf"^{i} ", text, re.MULTILINE) is not None) == known


def test_revenue_and_targeted_settings_are_left_out_unless_extended() -> None:
    world = busy_world()
    short, long = dashboard(world), dashboard(world, extended=True)
    assert "linkedin" not in short
    assert '"linkedin": {"S1": 600.0' in long
    assert "Notices this week" not in short
    notices = world.history.notice_rows.day
    assert number(value(long, "Notices this week")) == (notices > world.day - 7).sum()
    assert "promotion: none" in long
    for word in ("revenue", "satisfaction", "reputation"):
        assert word not in long.lower()


def test_inbox_counts_threads_that_wait_for_an_answer() -> None:
    world = busy_world()
    text, waiting = dashboard(world), world.observe().waiting
    answers = int(((waiting.kind > 0) | (waiting.turn > 0)).sum())
    assert number(value(text, "Threads in which a customer has the last word")) == answers > 0
    week = week_numbers(world.history.weeks[-1])
    assert number(value(text, "Negotiations opened")) == week["threads_opened"]
    rows = world.history.messages
    first = (rows.day > world.day - 7) & (rows.turn == 0)
    seats = int(rows.seats[first].sum())
    assert value(text, "Negotiations opened").endswith(f"({seats:,} seats)")


def test_inbox_counts_threads_of_the_player_too() -> None:
    world = busy_world()
    before = number(value(dashboard(world), "Negotiations opened"))
    world.send_offers([[subscriber_id(world), [["B", 20.0]]]])
    assert number(value(dashboard(world), "Negotiations opened")) == before + 1


def test_a_world_without_books_has_a_report() -> None:
    world = World(seed=1, record="none")
    world.step_week()
    assert "ENTERPRISE INBOX" in dashboard(world, extended=True)


def test_reading_changes_nothing_and_cash_is_live() -> None:
    world = busy_world()
    before = world.save()
    dashboard(world, extended=True)
    assert world.save() == before
    world.research_market()
    assert number(value(dashboard(world), "Cash")) == round(world.company.cash_usd)


def test_the_extended_report_tells_what_came_of_an_own_post() -> None:
    world = busy_world()
    world.post_social_media("We double support for small firms by Friday.")
    world.step_week()
    own = value(dashboard(world, extended=True), "Own post of day 56")
    views = int(world.market.own_posts[-1].views.sum())
    replies = int((world.history.posts.reply_to == len(world.market.own_posts)).sum())
    assert own == f"{views:,} views, {replies} replies"
    assert "Own post" not in dashboard(world)


def test_debts_have_their_sign_before_the_dollar() -> None:
    world = World(seed=1, params={"company.initial_cash_usd": -5000.0})
    assert value(dashboard(world), "Cash") == "-$5,000"


@pytest.mark.parametrize(("day", "week"), [(0, 0), (1, 1), (7, 1), (8, 2), (497, 71), (500, 72)])
def test_weeks_are_numbered_from_one(day: int, week: int) -> None:
    assert week_number(day) == week
