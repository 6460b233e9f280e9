"""Scores of forecasts, against numbers worked out by hand."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceo_gym.evaluation.analysis import forecasts
from tests.evaluation.analysis.records import days, forecast, record

CASH = days(*[1e6] * 7, 2e6, *[2e6] * 6, 4e6)  # 2 M on day 7, 4 M on day 14


def test_scores_of_each_forecast() -> None:
    made = record(
        days=CASH,
        forecasts=[
            forecast(0, 7, 2.5e6, 1.5e6, 3.0e6),  # y = 2 M, inside
            forecast(7, 7, 3.0e6, 2.0e6, 3.5e6),  # y = 4 M, 0.5 M above
            forecast(14, 7, 9e6, 9e6, 9e6),  # never comes
        ],
    )
    rows = forecasts.scored(made)
    assert rows["error"].tolist() == pytest.approx([0.25, -0.25])
    assert rows["covered"].tolist() == [1.0, 0.0]
    assert rows["sharpness"].tolist() == pytest.approx([0.75, 0.375])
    # 1.5 / 2, and (1.5 + 40 x 0.5) / 4
    assert rows["interval_score"].tolist() == pytest.approx([0.75, 5.375])
    found = forecasts.forecast_scores(made)
    assert found["7d_scored"].value == 2
    assert found["7d_coverage"].value == 0.5
    assert found["7d_error_mean"].value == pytest.approx(0.0)
    assert found["7d_abs_error_median"].value == pytest.approx(0.25)
    assert found["7d_sharpness_median"].value == pytest.approx(0.5625)
    assert found["7d_interval_score_mean"].value == pytest.approx(3.0625)


def test_below_the_interval_counts_as_much_as_above() -> None:
    made = record(days=CASH, forecasts=[forecast(0, 7, 2.6e6, 2.5e6, 3e6)])
    assert forecasts.scored(made)["interval_score"].tolist() == pytest.approx([(0.5 + 20.0) / 2.0])


def test_cash_near_zero_is_divided_by_ten_thousand() -> None:
    made = record(days=days(*[1e6] * 7, -100.0), forecasts=[forecast(0, 7, 1900.0, 0.0, 2000.0)])
    row = forecasts.scored(made).iloc[0]
    assert row["error"] == pytest.approx(0.2)
    assert row["sharpness"] == pytest.approx(0.2)
    assert row["interval_score"] == pytest.approx((2000.0 + 40.0 * 100.0) / 1e4)


def test_the_built_in_forecast_is_scored_by_the_same_rule() -> None:
    made = record(days=CASH, forecasts=[forecast(0, 7, 2e6, 2e6, 2e6)])
    found = forecasts.forecast_scores(made, forecasts.BUILT_IN)
    assert found["7d_error_median"].value == -1.0
    assert found["7d_coverage"].value == 0.0
    assert forecasts.own_forecasts(made).value == 1.0


def test_a_horizon_that_never_comes_has_a_reason() -> None:
    made = record(days=CASH, forecasts=[forecast(0, 182, 2e6, 2e6, 2e6)])
    found = forecasts.forecast_scores(made)
    assert found["182d_scored"].value == 0
    assert found["182d_coverage"].value is None
    assert found["182d_abs_error_median"].reason == "the record ends within 182 days"
    assert forecasts.forecast_scores(record()) == {}
    assert forecasts.own_forecasts(record()).reason == "no forecast was handed in"


amounts = st.floats(-1e9, 1e9)


@given(st.lists(amounts, min_size=8, max_size=22), st.lists(amounts, min_size=3, max_size=3))
def test_scores_are_finite_and_coverage_is_a_share(cash: list[float], three: list[float]) -> None:
    lower, point, upper = sorted(three)
    asked = [forecast(day, 7, point, lower, upper) for day in range(len(cash) - 7)]
    found = forecasts.forecast_scores(record(days=days(*cash), forecasts=asked))
    assert found["7d_scored"].value == len(asked)
    for name, measure in found.items():
        assert measure.value is not None, name
        assert abs(measure.value) < 1e9
    coverage, error = found["7d_coverage"].value, found["7d_abs_error_mean"].value
    assert coverage is not None
    assert 0.0 <= coverage <= 1.0
    assert error is not None
    assert error >= 0.0


@given(st.lists(amounts, min_size=8, max_size=22))
def test_a_perfect_forecast_scores_nothing(cash: list[float]) -> None:
    asked = [forecast(d, 7, cash[d + 7], cash[d + 7], cash[d + 7]) for d in range(len(cash) - 7)]
    found = forecasts.forecast_scores(record(days=days(*cash), forecasts=asked))
    assert found["7d_coverage"].value == 1.0
    for score in forecasts.SCORES:
        assert found[f"7d_{score}_mean"].value == 0.0
