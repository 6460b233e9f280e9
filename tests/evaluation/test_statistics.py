"""The figures, against values found by hand."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceo_gym.evaluation.statistics import (
    bootstrap_interval,
    geometric_summary,
    iqm,
    paired,
    summarise,
)
from tests.evaluation.games import episode

CASH = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 100.0]
MONEY = st.floats(-1e9, 1e9, allow_nan=False).map(lambda usd: round(usd, 2))


def test_figures_by_hand() -> None:
    figures = summarise([episode(seed, usd) for seed, usd in enumerate(CASH)])
    assert figures["seeds"] == 8
    assert figures["mean_usd"] == 16.0
    assert figures["median_usd"] == 4.5
    assert figures["iqm_usd"] == 4.5  # of 3, 4, 5, 6
    squares = [225, 196, 169, 144, 121, 100, 81, 84**2]
    assert figures["sd_usd"] == pytest.approx(math.sqrt(sum(squares) / 7))
    assert (figures["min_usd"], figures["max_usd"]) == (1.0, 100.0)
    assert figures["geometric"]["mean_usd"] == pytest.approx((math.factorial(7) * 100) ** (1 / 8))
    assert figures["bankruptcies"] == 0
    assert figures["cpu_seconds"] == {"total": 4.0, "mean": 0.5}
    for name in ("mean", "median", "iqm"):
        low, high = figures[f"{name}_interval_usd"]
        assert 1.0 <= low <= figures[f"{name}_usd"] <= high <= 100.0


@pytest.mark.parametrize(
    ("values", "expected"),
    [([9.0], 9.0), ([1.0, 9.0], 5.0), ([0.0, 1.0, 50.0], 17.0), ([0.0, 2.0, 4.0, 90.0], 3.0)],
)
def test_interquartile_mean_leaves_out_a_whole_number(values: list[float], expected: float) -> None:
    assert iqm(np.array(values)) == expected


def test_bankrupt_companies() -> None:
    games = [episode(1, 300.0), episode(2, -60.0, bankrupt=True, days=10), episode(3, 0.5)]
    figures = summarise(games)
    assert figures["bankruptcies"] == 1
    assert figures["survival_days"] == {"mean": 22.0, "min": 10}
    assert figures["mean_usd"] == pytest.approx(240.5 / 3)
    assert figures["mean_zero_for_bankrupt_usd"] == pytest.approx(300.5 / 3)
    # cash below a dollar counts as a dollar, whether above zero or not
    assert figures["geometric"]["mean_usd"] == pytest.approx(300.0 ** (1 / 3))
    assert figures["geometric"]["floored"] == 2


def test_geometric_summary_of_powers_of_ten() -> None:
    found = geometric_summary(np.array([1e2, 1e4, 1e6]))
    assert found["mean_usd"] == pytest.approx(1e4)
    assert found["sd_factor"] == pytest.approx(1e2)
    low, high = found["interval_usd"]
    assert 1e2 <= low < 1e4 < high <= 1e6
    assert found["floored"] == 0


def test_exactly_one_dollar_is_not_floored_and_zero_is() -> None:
    assert geometric_summary(np.array([1.0, 0.0]))["floored"] == 1
    assert geometric_summary(np.array([-5.0, 0.0]))["mean_usd"] == 1.0


def test_what_the_docstring_says_of_one_bankrupt_seed() -> None:
    cash = np.array([1e8] * 31 + [-100.0])
    assert round(geometric_summary(cash)["mean_usd"] / 1e6) == 56


def test_one_game() -> None:
    figures = summarise([episode(1, 7.0)])
    assert figures["sd_usd"] is None
    assert figures["geometric"]["sd_factor"] is None
    assert figures["mean_interval_usd"] == [7.0, 7.0]


def test_equal_games_have_intervals_of_no_width() -> None:
    assert summarise([episode(seed, 7.0) for seed in range(5)])["iqm_interval_usd"] == [7.0, 7.0]


def test_no_games() -> None:
    with pytest.raises(ValueError, match="no finished games"):
        summarise([])


def test_interval_of_the_mean_is_that_of_theory() -> None:
    values = np.random.default_rng(5).normal(10.0, 2.0, 200)
    low, high = bootstrap_interval(values, np.mean)
    error = values.std(ddof=1) / math.sqrt(200)
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)


@settings(max_examples=20, deadline=None)
@given(st.lists(MONEY, min_size=2, max_size=12), st.randoms())
def test_figures_are_ordered_and_blind_to_order(cash: list[float], random: object) -> None:
    games = [episode(seed, usd) for seed, usd in enumerate(cash)]
    figures = summarise(games)
    random.shuffle(games)  # type: ignore[attr-defined]
    assert summarise(games) == figures
    slack = 1e-6
    for name in ("mean", "median", "iqm"):
        low, high = figures[f"{name}_interval_usd"]
        assert figures["min_usd"] - slack <= low <= high <= figures["max_usd"] + slack
        assert figures["min_usd"] - slack <= figures[f"{name}_usd"] <= figures["max_usd"] + slack
    assert 1.0 <= figures["geometric"]["mean_usd"] <= max(1.0, figures["max_usd"]) * (1 + 1e-9)


def test_paired_by_hand() -> None:
    first = [episode(seed, usd) for seed, usd in ((1, 10.0), (2, 20.0), (3, 5.0), (4, 8.0))]
    second = [episode(seed, usd) for seed, usd in ((4, 8.0), (3, 6.0), (2, 10.0), (1, 7.0), (9, 0))]
    found = paired(first, second)
    assert found["seeds"] == [1, 2, 3, 4]
    assert found["difference_usd"] == [3.0, 10.0, -1.0, 0.0]
    assert (found["wins"], found["ties"], found["losses"]) == (2, 1, 1)
    assert found["mean_usd"] == 3.0
    assert found["median_usd"] == 1.5
    # of 3 decided seeds 2 won: every outcome is as likely as this or less
    assert found["sign_p"] == pytest.approx(1.0)
    # ranks 2, 3 and -1: the smaller sum 1 has probability 2/8 below or at it, two-sided 4/8
    assert found["wilcoxon_p"] == pytest.approx(0.5)


def test_a_clear_winner() -> None:
    found = paired(
        [episode(seed, 100.0 + seed) for seed in range(10)],
        [episode(seed, 1.0) for seed in range(10)],
    )
    assert found["wins"] == 10
    assert found["sign_p"] == pytest.approx(2 / 2**10)
    assert found["wilcoxon_p"] == pytest.approx(2 / 2**10)
    assert found["mean_interval_usd"][0] > 99.0


def test_pairing_removes_what_the_seeds_share() -> None:
    shared = np.random.default_rng(3).normal(0.0, 1e6, 12)
    found = paired(
        [episode(seed, usd + 100.0 + seed) for seed, usd in enumerate(shared)],
        [episode(seed, usd) for seed, usd in enumerate(shared)],
    )
    low, high = found["mean_interval_usd"]
    assert 100.0 < low < high < 112.0


def test_all_ties() -> None:
    games = [episode(seed, 5.0) for seed in range(4)]
    found = paired(games, games)
    assert (found["ties"], found["sign_p"], found["wilcoxon_p"]) == (4, 1.0, 1.0)


def test_swapping_turns_the_signs() -> None:
    rng = np.random.default_rng(1)
    first, second = (
        [episode(seed, float(usd)) for seed, usd in enumerate(rng.normal(0, 1, 9))]
        for _ in range(2)
    )
    one, other = paired(first, second), paired(second, first)
    assert one["mean_usd"] == -other["mean_usd"]
    assert (one["wins"], one["sign_p"]) == (other["losses"], other["sign_p"])
    assert one["wilcoxon_p"] == pytest.approx(other["wilcoxon_p"])


def test_nothing_in_common() -> None:
    with pytest.raises(ValueError, match="no seed was played by both"):
        paired([episode(1, 1.0)], [episode(2, 1.0)])
