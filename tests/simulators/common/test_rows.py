"""Growing tables."""

import copy
import pickle
from collections.abc import Callable
from typing import Annotated

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceo_gym.simulators.common.rows import Floats, Ints, Rows, sums_by


class Table(Rows):
    number: Annotated[Ints, np.int32]
    value: Annotated[Floats, np.float64]
    pair: Annotated[Floats, np.dtype((np.float64, 2))]


def filled(n: int) -> Table:
    table = Table(capacity=2)
    table.append(n, number=np.arange(n), value=0.5, pair=np.ones((n, 2)))
    return table


def test_append_grows_and_keeps() -> None:
    table = filled(3)
    rows = table.append(2, number=[7, 8], value=[1.0, 2.0], pair=0.0)
    assert (rows.start, rows.stop, len(table)) == (3, 5, 5)
    assert table.number.tolist() == [0, 1, 2, 7, 8]
    assert table.value.tolist() == [0.5, 0.5, 0.5, 1.0, 2.0]
    assert table.pair.shape == (5, 2)


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)))))
def test_remove_keeps_exactly_the_others(case: tuple[int, set[int]]) -> None:
    n, gone = case
    table = filled(n)
    old, new = table.remove(np.array(sorted(gone), dtype=np.intp))
    assert sorted(table.number.tolist()) == sorted(set(range(n)) - gone)
    assert table.number[new].tolist() == old.tolist()


@pytest.mark.parametrize("columns", [{}, {"number": 1, "value": 1, "pair": 0, "more": 1}])
def test_append_needs_exactly_the_columns(columns: dict) -> None:
    with pytest.raises(TypeError, match="missing or unknown"):
        filled(1).append(1, **columns)


def test_state_round_trip_and_refusal() -> None:
    table, other = filled(4), Table()
    other.set_state(table.get_state())
    assert other.number.tolist() == table.number.tolist()
    with pytest.raises(ValueError, match="not a state"):
        other.set_state({"number": np.arange(3)})


def test_sums_by() -> None:
    assert sums_by(np.array([0, 2, 2]), np.array([1.0, 2.0, 3.0]), 4).tolist() == [1, 0, 5, 0]


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda table: pickle.loads(pickle.dumps(table))])
def test_copies_are_tables_of_their_own(twin: Callable[[Table], Table]) -> None:
    table = filled(40)
    table.remove(np.array([0, 3]))
    other = twin(table)
    for name, column in table.columns().items():
        assert (other.columns()[name] == column).all()
    other.value += 1.0
    assert (other.columns()["value"] == 1.5).all()  # an attribute is a view of the rows
    assert (table.value == 0.5).all()
    other.append(3, number=1, value=2.0, pair=0.0)
    assert (len(other), len(table)) == (41, 38)
    assert len(twin(Table())) == 0
