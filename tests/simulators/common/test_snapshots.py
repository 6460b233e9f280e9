"""Snapshots are exact, and broken ones are refused with a reason."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceo_gym.simulators.common import snapshots
from ceo_gym.simulators.common.snapshots import SnapshotError

plain = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**130), 2**130)
    | st.floats(allow_nan=False)
    | st.text(),
    lambda inner: (
        st.lists(inner)
        | st.dictionaries(st.text(), inner)
        | st.dictionaries(st.integers(), inner, min_size=1)
    ),
    max_leaves=20,
)


@given(plain)
def test_plain_data_comes_back(value: object) -> None:
    assert snapshots.load("x", 1, snapshots.dump("x", 1, value)) == value


@pytest.mark.parametrize("dtype", [np.float64, np.int8, np.bool_, np.int64])
def test_arrays_come_back_bit_for_bit(dtype: type) -> None:
    array = np.arange(12).reshape(3, 4).astype(dtype)
    odd = np.array([math.nan, -0.0, math.inf, 5e-324])
    state = snapshots.load("x", 1, snapshots.dump("x", 1, {"a": array, "b": [odd, odd[:0]]}))
    assert state["a"].dtype == array.dtype
    assert state["a"].tobytes() == array.tobytes()
    assert state["b"][0].tobytes() == odd.tobytes()
    assert state["b"][1].shape == (0,)


def test_objects_are_refused() -> None:
    with pytest.raises(TypeError, match="cannot hold a set"):
        snapshots.dump("x", 1, {"a": {1}})


GOOD = snapshots.dump("world", 3, {"a": np.arange(5)})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a ceo-gym snapshot"),
        (b"PK\x03\x04", "not a ceo-gym snapshot"),
        (GOOD[:-1], "damaged"),
        (GOOD.replace(b"sha256", b"sha25"), "damaged"),
        (GOOD[:-2] + b"\xff\xff", "damaged"),
        (snapshots.dump("lab", 3, 1), "snapshot of 'lab'"),
        (snapshots.dump("world", 2, 1), "version 2; this release of ceo-gym reads version 3"),
        ("text", "a snapshot is bytes, not str"),
    ],
)
def test_broken_snapshots_are_refused(data: bytes, message: str) -> None:
    with pytest.raises(SnapshotError, match=message):
        snapshots.load("world", 3, data)
