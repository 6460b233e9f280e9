"""What is due and what must be kept, on made figures."""

from dataclasses import replace

import pytest

from ceo_gym.baselines.market_view import MarketView
from ceo_gym.baselines.rule_settings import RuleSettings
from ceo_gym.baselines.runway import STAYING, Runway
from tests.baselines.games import grown


@pytest.fixture(scope="module")
def view() -> MarketView:
    _, policy, observation, info = grown(1)
    return policy.view(observation, info)


def after(view: MarketView, *weeks: tuple[float, float], factor: float = 1.0) -> Runway:
    """Weeks of (revenue, running costs) in USD a week."""
    runway = Runway(RuleSettings(cost_factor=factor))
    for revenue, costs in weeks:
        runway.update(replace(view, revenue_usd=revenue / 7, running_usd=costs / 7))
    return runway


def test_a_week_of_bills_comes_again_after_thirty_days(view: MarketView) -> None:
    runway = after(view, (700.0, 0.0))
    due = [runway.due_usd(week) for week in range(6)]
    # thirty days are four weeks and two days, so that they fall into two weeks
    assert due[:3] == [0.0, 0.0, 0.0]
    assert due[3] == pytest.approx(STAYING * 5 / 7 * 700.0)
    assert due[4] == pytest.approx(STAYING * 700.0, rel=0.3)
    steady = after(view, *[(700.0, 0.0)] * 6)
    assert [steady.due_usd(week) for week in range(6)] == pytest.approx([STAYING * 700.0] * 6)


def test_a_wave_of_sign_ups_needs_a_reserve_until_it_pays_again(view: MarketView) -> None:
    assert after(view, (1e6, 1e5)).reserve_usd() > 3 * 1e5
    assert after(view, (1e6, 1e5), factor=0.5).reserve_usd() > 1.5 * 1e5
    assert after(view, *[(1e6, 1e5)] * 6).reserve_usd() == 0.0
    assert after(view).reserve_usd() == 0.0


def test_costs_that_rise_are_expected_to_rise(view: MarketView) -> None:
    level = after(view, (0.0, 100.0), (0.0, 100.0)).reserve_usd()
    rising = after(view, (0.0, 50.0), (0.0, 100.0)).reserve_usd()
    assert level == pytest.approx(600.0)
    assert rising == pytest.approx(200.0 + 5 * 400.0)
