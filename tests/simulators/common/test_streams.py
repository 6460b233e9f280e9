"""Named streams: independent of each other and of the order of their use."""

import random

import numpy as np
import pytest

from ceo_gym.simulators.common.streams import Streams


def test_same_seed_and_name_give_the_same_draws() -> None:
    a, b = Streams(7), Streams(7)
    b("other").random(100)
    assert a("service").random(5).tolist() == b("service").random(5).tolist()


@pytest.mark.parametrize("other", [("b",), ("a", 1), ("a", 0, 0)])
def test_names_and_indices_are_different_streams(other: tuple) -> None:
    streams = Streams(7)
    assert streams("a", 0).random() != streams(*other).random()


def test_fresh_starts_over() -> None:
    streams = Streams(7)
    first = streams.fresh("project", 3, 1).random(4)
    streams("project", 3, 1).random(9)
    assert streams.fresh("project", 3, 1).random(4).tolist() == first.tolist()


def test_state_continues() -> None:
    streams = Streams(7)
    streams("a", 2).random(3)
    copy = Streams.from_state(streams.get_state())
    assert copy("a", 2).random(5).tolist() == streams("a", 2).random(5).tolist()
    assert copy("b").random() == streams("b").random()


def test_global_generators_are_untouched() -> None:
    before = np.random.get_state()[1].tolist(), random.getstate()  # noqa: NPY002 - the global one
    Streams(7)("a").random(10)
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # noqa: NPY002


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True, None])
def test_bad_seed(seed: object) -> None:
    with pytest.raises(ValueError, match="whole number >= 0"):
        Streams(seed)  # type: ignore[arg-type]
