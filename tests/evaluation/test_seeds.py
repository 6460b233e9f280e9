"""Seed sets and words for seeds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceo_gym.evaluation import SEED_SETS, parse_seeds


def test_published_sets() -> None:
    assert SEED_SETS["tuning"] == tuple(range(1, 65))
    assert SEED_SETS["evaluation"] == tuple(range(1001, 1033))
    assert SEED_SETS["paper"] == (42,)
    assert not set(SEED_SETS["tuning"]) & set(SEED_SETS["evaluation"])


@pytest.mark.parametrize(
    ("words", "seeds"),
    [
        ("3:6", (3, 4, 5, 6)),  # B is included
        ("7:7", (7,)),
        ("7", (7,)),
        (7, (7,)),
        (np.int64(7), (7,)),
        ("9,2, 4:5", (2, 4, 5, 9)),
        ("paper,1", (1, 42)),
        ([5, "1:2", np.int64(9)], (1, 2, 5, 9)),
        (range(3), (0, 1, 2)),
        ("evaluation", SEED_SETS["evaluation"]),
    ],
)
def test_words(words: object, seeds: tuple[int, ...]) -> None:
    found = parse_seeds(words)  # type: ignore[arg-type]
    assert found == seeds
    assert all(type(seed) is int for seed in found)


@given(st.integers(0, 10**6), st.integers(0, 50))
def test_a_range_has_both_ends(first: int, more: int) -> None:
    found = parse_seeds(f"{first}:{first + more}")
    assert (found[0], found[-1], len(found)) == (first, first + more, more + 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("evalution", "did you mean evaluation"),
        ("6:3", "goes up from A to B, both included"),
        ("1:", "'1:' does not name seeds: seeds are A:B"),
        ("-1", "does not name seeds"),
        (-1, "whole number >= 0, not -1"),
        ("1.5", "does not name seeds"),
        (1.5, "does not name seeds"),
        ([True], "does not name seeds"),
        ("", "does not name seeds"),
        ([], "no seeds: seeds are A:B"),
        ("1:3,2", "seed 2 is named twice"),
        ("42,paper", "seed 42 is named twice"),
        ("0:999999999999", "more than 1,000,000 seeds"),
    ],
)
def test_other_words_are_refused(words: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_seeds(words)  # type: ignore[arg-type]
