"""Cash, survival and the deepest fall."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from ceo_gym.evaluation.analysis import scores
from tests.evaluation.analysis.records import days, record


def test_a_company_that_lives() -> None:
    made = record(days=days(100.0, 150.0, 90.0, 160.0, 130.0))
    assert scores.final_cash(made).value == 130.0
    assert scores.final_cash_floor0(made).value == 130.0
    assert scores.survival_days(made).value == 4
    assert scores.bankrupt(made).value == 0
    assert scores.max_drawdown(made).value == 60.0  # 150 down to 90


def test_a_company_that_plays_on_below_zero_survived_to_its_first_day_there() -> None:
    made = record(days=days(100.0, 50.0, -10.0, -30.0, -20.0))
    assert scores.final_cash(made).value == -20.0
    assert scores.final_cash_floor0(made).value == 0.0
    assert scores.survival_days(made).value == 2
    assert scores.bankrupt(made).value == 1
    assert scores.max_drawdown(made).value == 130.0


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=30))
def test_the_deepest_fall_is_one_of_all_falls(cash: list[float]) -> None:
    found = scores.max_drawdown(record(days=days(*cash))).value
    falls = [cash[i] - cash[j] for i in range(len(cash)) for j in range(i, len(cash))]
    assert found == max(falls)
    assert found is not None
    assert found >= max(0.0, cash[0] - cash[-1])
    assert np.isfinite(found)
