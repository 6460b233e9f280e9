"""The tables agree with the world, whenever they are asked, and never change it."""

import json
from collections.abc import Iterator

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.sql.ceobench import BusinessDatabase, schema
from tests.sql.ceobench.companies import RULES, company, play, played

BIG = 10**9


def rows(books: BusinessDatabase, sql: str) -> list[tuple]:
    return [tuple(row.values()) for row in books.query(sql)["rows"]]


def one(books: BusinessDatabase, sql: str) -> object:
    return rows(books, sql)[0][0]


@pytest.fixture(params=RULES)
def books(request: pytest.FixtureRequest) -> Iterator[BusinessDatabase]:
    database = BusinessDatabase(played(request.param), row_cap=BIG)
    yield database
    database.close()


@pytest.mark.parametrize("rules", RULES)
def test_weekly_queries_change_nothing_and_agree_with_one_at_the_end(rules: str) -> None:
    """Checks 5 and 8: after every week and between decisions, and against a world left alone."""
    watched, alone = company(rules), company(rules)
    often = BusinessDatabase(watched, row_cap=BIG)
    for week in range(10):
        for table in schema.table_names():
            often.query(f"SELECT * FROM {table}")
        play(watched, 1)
        if week == 7:
            watched.research_group("S2")  # bought after queries of the same day, see below
        assert one(often, "SELECT SUM(amount) FROM ledger") == pytest.approx(
            watched.company.cash_usd, rel=1e-9, abs=1e-4
        )
        assert one(often, "SELECT COUNT(*) FROM service_day") == watched.day
        live = one(
            often,
            "SELECT COUNT(*) FROM issues i JOIN subscriptions s USING (customer_id) "
            "WHERE i.status = 'open' AND s.status = 'subscribed'",
        )
        assert live == watched.history.weeks[-1].open_issues
        individuals = one(
            often,
            "SELECT COUNT(*) FROM subscriptions JOIN customers USING (customer_id) "
            "WHERE status = 'subscribed' AND customer_type = 'small'",
        )
        assert individuals == watched.history.weeks[-1].individual_subscribers
        play(alone, 1)
        if week == 7:
            alone.research_group("S2")
    assert watched.save() == alone.save()
    fresh = BusinessDatabase(watched, row_cap=BIG)
    for table in schema.table_names():
        sql = f"SELECT * FROM {table}"
        assert often.query(sql) == fresh.query(sql), table


def test_row_counts(books: BusinessDatabase) -> None:
    history, world = books.world.history, books.world
    for table, count in {
        "ledger": history.ledger_count.sum(),
        "customers": 1 + len(history.arrivals),
        "subscriptions": (history.arrivals.outcome != 3).sum(),
        "issues": (~history.issues.closed).sum(),
        "ad_channel_leads": len(history.channel_leads),
        "enterprise_turns": len(history.messages) + world.negotiations.deals,
        "notifications": len(history.notice_rows),
        "config_overrides": len(history.overrides),
        "group_info_levels": 26,
        "segment_discovery": len(history.discoveries),
        "research_projects": 1,
        "macroeconomic_conditions": len(world.market.published),
        "social_media_posts": len(history.posts),
        "agent_social_media_posts": len(world.market.own_posts),
        "predictions": 4 * len(history.weeks),
    }.items():
        assert one(books, f"SELECT COUNT(*) FROM {table}") == count, table


def test_ledger_follows_the_daily_sums(books: BusinessDatabase) -> None:
    found = rows(books, "SELECT day, SUM(amount) FROM ledger GROUP BY day ORDER BY day")
    expected = books.world.history.ledger_usd[: books.world.day + 1].sum(axis=1)
    assert [day for day, _ in found] == list(range(books.world.day + 1))
    assert [usd for _, usd in found] == pytest.approx(expected.tolist(), abs=1e-6)
    assert one(books, "SELECT DISTINCT amount FROM ledger WHERE category LIKE 'lead%'") == -0.5


def test_usage_is_a_window_that_adds_up(books: BusinessDatabase) -> None:
    day = books.world.day
    found = rows(
        books,
        "SELECT day, SUM(usage_units), MAX(total_usage_units) FROM daily_usage "
        "JOIN service_day USING (day) GROUP BY day",
    )
    assert [row[0] for row in found] == list(range(day // 10 * 10 - 30, day + 1))
    assert all(of_accounts == total for _, of_accounts, total in found)


def test_ads_revenue_adds_up(books: BusinessDatabase) -> None:
    found = rows(
        books,
        "SELECT SUM(revenue), amount FROM ads_revenue a JOIN ledger l "
        "ON a.day = l.day AND l.category = 'ad_revenue' GROUP BY a.day",
    )
    assert len(found) == np.count_nonzero(books.world.history.ledger_usd[:, 7])
    assert all(sum_ == pytest.approx(amount) for sum_, amount in found)


def test_ads_revenue_has_a_row_for_an_account_and_day(books: BusinessDatabase) -> None:
    # day 22 is the first after the ads were switched on; promotion and price leave them alone
    keys = rows(books, "SELECT day, customer_id FROM ads_revenue")
    assert len(set(keys)) == len(keys) > 1_000
    assert min(day for day, _ in keys) == 22
    last = rows(
        books, "SELECT customer_id FROM ads_revenue WHERE day = (SELECT MAX(day) FROM ledger)"
    )
    assert {c for (c,) in last} <= set(books.world.population.customer_id.tolist())
    loads = rows(books, "SELECT group_id, ads_strength FROM ads_revenue GROUP BY 1, 2")
    assert len(loads) > 3
    for group, load in loads:
        strength = 0.3 if group == "S1" else 0.2
        assert load == pytest.approx(np.log10(1 + 9 * strength)), group


def test_subscriptions_are_the_accounts(books: BusinessDatabase) -> None:
    world = books.world
    accounts = world.population
    found = rows(
        books,
        "SELECT customer_id, plan, listed_price, promotion, effective_price, start_day, "
        "billing_day_mod30 FROM subscriptions WHERE status = 'subscribed' ORDER BY customer_id",
    )
    order = accounts.customer_id.argsort()
    columns = (
        accounts.customer_id,
        np.array(PLANS)[accounts.plan],
        accounts.listed_usd,
        accounts.promotion_usd,
        accounts.effective_usd,
        accounts.start_day,
        accounts.anchor,
    )
    assert found == list(zip(*(column[order].tolist() for column in columns)))
    lost = one(
        books, "SELECT COUNT(*) FROM subscriptions WHERE status = 'lost' AND end_day IS NULL"
    )
    assert bool(lost) is world.rules.declined_without_end_day  # decision D10
    ended = one(
        books,
        "SELECT COUNT(*) FROM subscriptions WHERE (status = 'cancelled') AND end_day IS NULL",
    )
    assert ended == 0
    late = one(
        books,
        "SELECT COUNT(*) FROM subscriptions WHERE seat_count < 1 OR (status = 'lead') "
        "<> (plan = 'pending' AND end_day IS NULL)",
    )
    assert late == 0


def test_tickets_age(books: BusinessDatabase) -> None:
    accounts = books.world.population
    waiting = accounts.issue_days > 0
    age = dict(zip(accounts.customer_id[waiting].tolist(), accounts.issue_days[waiting].tolist()))
    found = rows(books, "SELECT customer_id, days_open FROM issues WHERE status = 'open'")
    assert {c: days + 1 for c, days in found if c in age} == age
    closed = rows(books, "SELECT open_day, days_open, resolved_day FROM issues WHERE days_open < 0")
    assert closed == []


def test_lost_threads_close_in_repaired_rules_only(books: BusinessDatabase) -> None:
    """Decision D7."""
    reasons = {r for (r,) in rows(books, "SELECT DISTINCT close_reason FROM enterprise_turns")}
    assert {"", "accepted", "agent_rejected"} <= reasons
    assert ("lost" in reasons) is not books.world.rules.lost_threads_fire_daily
    open_ids = {t for (t,) in rows(books, "SELECT thread_id FROM enterprise_turns WHERE closed=0")}
    truly = set((books.world.negotiations.threads.state == 0).nonzero()[0] + 1)
    assert truly <= open_ids
    assert (truly == open_ids) is not books.world.rules.lost_threads_fire_daily


@pytest.mark.parametrize("rules", RULES)
def test_settings_can_be_read_back_and_restored(rules: str) -> None:
    """Check 7."""
    world = company(rules)
    play(world, 4)
    world.set_targeted_ad_spend({"linkedin": {"S1": 5.0, "E1": 7.0}})
    world.set_usage_quotas(B=12.5)
    books = BusinessDatabase(world)
    books.query("SELECT * FROM config_history")
    books.world = World.restore(world.save())
    for _ in range(2):
        company_ = books.world.company
        now = books.query("SELECT * FROM config_history ORDER BY day DESC LIMIT 1")["rows"][0]
        assert [now[f"price_{p}"] for p in PLANS] == company_.price_usd.tolist()
        assert [now[f"tier_{p}"] for p in PLANS] == company_.model_tier.tolist()
        assert [now[f"quota_{p}"] for p in PLANS] == company_.quota_units.tolist()
        spends = company_.ads_spend_usd.sum(axis=1).tolist()
        assert [now[f"ad_spend_{c}"] for c in CHANNELS] == spends  # decision D9
        assert now["spend_advertising"] == sum(spends)
        assert now["capacity_tier"] == company_.capacity_tier
        assert now["spend_operations"] == company_.operations_usd
        state = {
            kind: json.loads(text)
            for kind, text in rows(
                books, "SELECT setting_type, settings_json FROM config_overrides ORDER BY id"
            )
        }
        assert state["targeted_ad_spend"] == {"linkedin": {"S1": 5.0, "E1": 7.0}}
        assert state["promotion"]["global"] == company_.promotion_global
        books.world.set_prices(C=61.0)  # the row of the day is replaced
    assert one(books, "SELECT MAX(price_C) FROM config_history") == 61.0


def test_forecasts_carry_simulated_time(books: BusinessDatabase) -> None:
    assert one(books, "SELECT SUM(submitted_at <> submit_day * 86400.0) FROM predictions") == 0


def test_addresses_and_personas_do_not_depend_on_when_they_are_asked(
    books: BusinessDatabase,
) -> None:
    wrong = one(
        books,
        "SELECT COUNT(*) FROM enterprise_turns e JOIN customers c USING (customer_id) "
        "WHERE e.email <> CASE WHEN e.sender = 'agent' THEN '' ELSE c.email END",
    )
    assert wrong == 0
