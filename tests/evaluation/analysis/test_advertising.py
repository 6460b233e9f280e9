"""Best channels: shares by hand, with an effectiveness that changes in the middle of a week."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceo_gym.evaluation.analysis import advertising
from tests.evaluation.analysis.records import record, weeks


def truth(from_day: int, **by_channel: float) -> list[dict[str, Any]]:
    return [
        {"from_day": from_day, "channel": channel, "group": group, "effectiveness": value}
        for channel, value in by_channel.items()
        for group in ("S1", "S2")
    ]


def spend(week: int, channel: str, group: str, usd: float) -> dict[str, Any]:
    return {"week": week, "channel": channel, "group": group, "spend_usd": usd}


def test_share_and_efficiency() -> None:
    made = record(
        advertising=[spend(1, "a", "S1", 300.0), spend(1, "b", "S1", 100.0)],
        hidden_effectiveness=truth(0, a=2.0, b=4.0, c=1.0),
    )
    assert advertising.ad_best_channel_share(made).value == pytest.approx(100 / 400)
    assert advertising.ad_efficiency(made).value == pytest.approx((600 + 400) / (400 * 4))


def test_decisions_count_alike_and_ties_in_parts() -> None:
    made = record(
        advertising=[
            spend(1, "a", "S1", 300.0),
            spend(1, "b", "S1", 100.0),
            spend(2, "a", "S2", 5.0),
            spend(2, "b", "S2", 5.0),
            spend(2, "b", "S1", 1.0),
        ],
        hidden_effectiveness=truth(0, a=2.0, b=4.0),
    )
    # S1 in week 1 is wrong, S2 in week 2 half right, S1 in week 2 right
    assert advertising.ad_best_channel_decisions(made).value == pytest.approx(1.5 / 3)


def test_an_effectiveness_holds_from_its_day_on() -> None:
    # week 1: days 1 to 7. From day 5 on a is best, so on three of seven days
    made = record(
        weeks=weeks(1),
        advertising=[spend(1, "a", "S1", 700.0)],
        hidden_effectiveness=[*truth(0, a=1.0, b=2.0), *truth(5, a=4.0, b=2.0)],
    )
    rows = advertising.spend_by_day(made).sort_values("day")
    assert rows["day"].tolist() == list(range(1, 8))
    assert rows["spend_usd"].tolist() == pytest.approx([100.0] * 7)
    assert rows["effectiveness"].tolist() == [1.0] * 4 + [4.0] * 3
    assert advertising.ad_best_channel_share(made).value == pytest.approx(3 / 7)
    assert advertising.ad_efficiency(made).value == pytest.approx((4 * 1 + 3 * 4) / (4 * 2 + 3 * 4))


def test_a_short_last_week_has_its_days() -> None:
    made = record(
        weeks=weeks(2, days=3),
        advertising=[spend(2, "a", "S2", 300.0)],
        hidden_effectiveness=truth(0, a=1.0),
    )
    rows = advertising.spend_by_day(made)
    assert sorted(rows["day"]) == [8, 9, 10]
    assert rows["spend_usd"].tolist() == pytest.approx([100.0] * 3)


def test_equally_good_channels_are_all_the_best() -> None:
    made = record(
        advertising=[spend(1, "a", "S1", 1.0), spend(2, "b", "S1", 1.0)],
        hidden_effectiveness=truth(0, a=3.0, b=3.0),
    )
    assert advertising.ad_best_channel_share(made).value == 1.0


def test_no_number_has_a_reason() -> None:
    hidden = record(advertising=[spend(1, "a", "S1", 1.0)], hidden_effectiveness=None)
    none = record(hidden_effectiveness=truth(0, a=1.0))
    for measure in advertising.MEASURES:
        assert measure(hidden).reason == "the record has no hidden_effectiveness.csv"
        assert measure(none).reason == "nothing was spent on advertising"
    with pytest.raises(ValueError, match="no hidden_effectiveness"):
        advertising.spend_by_day(hidden)


@given(
    st.lists(st.floats(0.1, 100.0), min_size=3, max_size=3),
    st.lists(st.floats(0.1, 1e6), min_size=3, max_size=3),
)
def test_shares_are_shares(values: list[float], usd: list[float]) -> None:
    made = record(
        advertising=[spend(1, channel, "S1", amount) for channel, amount in zip("abc", usd)],
        hidden_effectiveness=truth(0, **dict(zip("abc", values))),
    )
    share = advertising.ad_best_channel_share(made).value
    efficiency = advertising.ad_efficiency(made).value
    assert share is not None
    assert efficiency is not None
    assert 0.0 < share <= 1.0 + 1e-12
    assert share - 1e-9 <= efficiency <= 1.0 + 1e-12
