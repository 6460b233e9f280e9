"""Targeted shares, and the ledger by category."""

import pytest

from ceo_gym.evaluation.analysis import spending
from tests.evaluation.analysis.records import days, record, weeks


def test_targeted_shares() -> None:
    made = record(
        weeks=weeks(
            2,
            spent_development_shared_usd=[700.0, 0.0],
            spent_development_targeted_usd=[700.0, 1400.0],
            spent_operations_shared_usd=[30.0, 30.0],
            spent_operations_targeted_usd=[0.0, 20.0],
        )
    )
    assert spending.targeted_dev_share(made).value == pytest.approx(2100 / 2800)
    assert spending.targeted_ops_share(made).value == pytest.approx(20 / 80)


def test_without_spend_or_columns_there_is_a_reason() -> None:
    assert spending.targeted_dev_share(record()).reason == "nothing was spent on development"
    bare = record(weeks=weeks(1)[["day", "days", "cash_usd"]])
    assert "no spent_operations_targeted_usd" in spending.targeted_ops_share(bare).reason


def test_cash_by_category() -> None:
    ledger = days(100.0, 90.0, 120.0).assign(
        ledger_initial_funding=[100.0, 0.0, 0.0],
        ledger_capacity=[0.0, -10.0, -10.0],
        ledger_subscription_payment=[0.0, 0.0, 40.0],
    )
    found = spending.cash_by_category(record(days=ledger))
    assert {name: measure.value for name, measure in found.items()} == {
        "initial_funding": 100.0,
        "capacity": -20.0,
        "subscription_payment": 40.0,
    }
