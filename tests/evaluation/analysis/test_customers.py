"""Customers and negotiations."""

import pytest

from ceo_gym.evaluation.analysis import customers
from tests.evaluation.analysis.records import record, weeks

THREADS = ("threads", "answered", "accepted", "rejected", "lost", "open", "open_unanswered")


def threads(kind: str, *counts: int) -> dict[str, object]:
    return {"kind": kind} | dict(zip(THREADS, counts))


def test_cost_of_an_account_and_churn() -> None:
    made = record(
        weeks=weeks(
            2,
            cost_advertising=[800.0, 0.0],
            cost_lead_acquisition_cost=[100.0, 100.0],
            new_individual_subscribers=[40.0, 5.0],
            new_enterprise_accounts=[0.0, 5.0],
            individual_subscribers=[40.0, 43.0],
            enterprise_accounts=[0.0, 5.0],
            cancellations=[0.0, 2.0],
            enterprise_cancellations=[0.0, 0.0],
        )
    )
    assert customers.cac(made).value == pytest.approx(1000 / 50)
    # (0 + 40) / 2 and (40 + 48) / 2 accounts over 7 days each
    assert customers.churn(made).value == pytest.approx(2 / ((20 + 44) * 7 / 30))


def test_quota_outages_and_groups() -> None:
    made = record(
        weeks=weeks(
            2,
            quota_full_account_days=[3.0, 7.0],
            served_account_days=[15.0, 25.0],
            outage_days=[1.0, 2.0],
            discovered_groups=[6.0, 8.0],
        )
    )
    assert customers.quota_hit_share(made).value == 0.25
    assert customers.outage_days(made).value == 3
    assert customers.discovered_groups(made).value == 8


def test_negotiations() -> None:
    made = record(
        negotiations=[
            threads("new_lead", 20, 10, 4, 1, 9, 6, 4),
            threads("churn_prevention", 5, 2, 1, 0, 4, 0, 0),
            threads("renegotiation", 5, 5, 1, 0, 3, 1, 0),
        ]
    )
    # 25 threads of theirs, of which 4 still wait for a first answer
    assert customers.response_rate(made).value == pytest.approx(12 / 21)
    assert customers.win_rate(made).value == pytest.approx(6 / 23)
    # 30 - 17 - 4 = 9 threads ended unanswered
    assert customers.win_rate_answered(made).value == pytest.approx(6 / 14)


def test_nothing_to_divide_by_has_a_reason() -> None:
    reasons = {measure.__name__: measure(record()).reason for measure in customers.MEASURES}
    assert reasons == {
        "cac": "no account was won",
        "churn": "there were no accounts",
        "quota_hit_share": "there were no accounts",
        "outage_days": "",
        "discovered_groups": "",
        "response_rate": "no enterprise waited for an answer",
        "win_rate": "no negotiation has ended",
        "win_rate_answered": "no answered negotiation has ended",
    }
