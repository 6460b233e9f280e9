"""Lags after competitor events."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceo_gym.evaluation.analysis import adaptation
from ceo_gym.runs import RunRecord
from tests.evaluation.analysis.records import record, weeks


def spent(a_day: list[float], events: list[int], **more: Any) -> RunRecord:
    """Development of these amounts a day in weeks of 7 days, a quarter of it shared."""
    return record(
        weeks=weeks(
            len(a_day),
            spent_development_shared_usd=[7 * usd / 4 for usd in a_day],
            spent_development_targeted_usd=[7 * usd * 3 / 4 for usd in a_day],
        ),
        hidden_competitor_events=[{"day": day, "shift": 0.1} for day in events],
        **more,
    )


def test_the_first_change_of_a_tenth_counts() -> None:
    made = spent([100.0, 100.0, 109.0, 110.0, 110.0, 110.0], [8, 14, 15, 42])
    rows = adaptation.development_lags(made)
    assert rows["day"].tolist() == [8, 14, 15]  # the last one comes in the last week
    assert rows["week"].tolist() == [2, 2, 3]
    assert rows["lag_weeks"].tolist()[:2] == [2.0, 2.0]
    assert math.isnan(rows["lag_weeks"].tolist()[2])  # 109 to 110 is less than a tenth
    assert adaptation.event_lag(made).value == 2.0
    assert adaptation.event_answer_share(made).value == pytest.approx(2 / 3)
    assert adaptation.competitor_events(made).value == 4


def test_a_cut_and_a_beginning_are_changes_too() -> None:
    assert adaptation.event_lag(spent([100.0, 90.0], [1])).value == 1.0
    assert adaptation.event_lag(spent([0.0, 0.0, 1.0], [7])).value == 2.0


def test_a_spend_of_zero_that_stays_is_no_change() -> None:
    measure = adaptation.event_lag(spent([0.0, 0.0, 0.0], [7]))
    assert measure.value is None
    assert measure.reason == "development spend never changed by 10 % after an event"


def test_mentions() -> None:
    texts = [
        {"week": 1, "text": "A rival may come."},
        {"week": 2, "text": "Prices as before."},
        {"week": 4, "text": "Two COMPETITORS are better now."},
    ]
    made = spent([1.0] * 5, [3, 20, 28], texts=texts)
    assert adaptation.mention_lags(made)["lag_weeks"].tolist()[:2] == [3.0, 1.0]
    assert adaptation.event_lag_in_texts(made).value == 2.0
    assert adaptation.event_mention_share(made).value == pytest.approx(2 / 3)
    assert adaptation.event_lag_in_texts(made, ["prices"]).value == 1.0
    assert "no text names" in adaptation.event_lag_in_texts(made, ["(yes)"]).reason
    with pytest.raises(ValueError, match="at least one keyword"):
        adaptation.mention_lags(made, [])


def test_what_is_missing_is_named() -> None:
    quiet = spent([1.0, 1.0], [])
    assert adaptation.event_lag(quiet).reason == "no competitor event before the last week"
    assert adaptation.event_answer_share(quiet).value is None
    assert adaptation.event_lag_in_texts(quiet).reason == "the record has no texts.csv"
    public = record(hidden_competitor_events=None, texts=[{"week": 1, "text": "rival"}])
    for measure in adaptation.MEASURES:
        assert measure(public).reason == "the record has no hidden_competitor_events.csv"


@given(
    st.lists(st.floats(0.0, 1e6), min_size=2, max_size=12),
    st.lists(st.integers(1, 84), max_size=5, unique=True),
)
def test_lags_lie_within_the_record(a_day: list[float], events: list[int]) -> None:
    made = spent(a_day, sorted(day for day in events if day <= 7 * len(a_day)))
    rows = adaptation.development_lags(made)
    for week, lag in zip(rows["week"], rows["lag_weeks"]):
        assert math.isnan(lag) or 1 <= lag <= len(a_day) - week
    share = adaptation.event_answer_share(made).value
    assert share is None or 0.0 <= share <= 1.0
