"""Evenness of tools and action keys."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceo_gym.evaluation.analysis import diversity
from tests.evaluation.analysis.records import record


def calls(*counts: int, kind: str = "tool") -> list[dict[str, object]]:
    return [
        {"week": 1 + at % 2, "kind": kind, "name": f"t{at // 2}", "count": count}
        for at, count in enumerate(counts)
    ]


def test_evenness_by_hand() -> None:
    made = record(actions=[*calls(1, 2, 0, 1), *calls(5, 0, 5, 0, kind="key")])
    assert diversity.tools_used(made).value == 2
    expected = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25)) / np.log(2)
    assert diversity.tool_evenness(made).value == pytest.approx(expected)
    assert diversity.action_evenness(made).value == pytest.approx(1.0)
    assert diversity.keys_used(made).value == 2


@pytest.mark.parametrize("rows", [[], calls(7)])
def test_one_tool_is_not_even_or_uneven(rows: list[dict[str, object]]) -> None:
    made = record(actions=rows)
    assert diversity.tool_evenness(made).value is None
    assert diversity.tool_evenness(made).reason == "fewer than two tools were called"


@given(st.lists(st.integers(0, 10**6), min_size=4, max_size=30))
def test_evenness_is_a_share(counts: list[int]) -> None:
    value = diversity.tool_evenness(record(actions=calls(*counts))).value
    assert value is None or 0.0 <= value <= 1.0
