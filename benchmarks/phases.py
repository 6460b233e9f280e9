"""Where a week's time goes: the phases of `World.step_day`, timed from outside.

The phases are read from the text of that method, which has one line a phase, so that the table
follows the simulator.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.companies import growing, settled
from benchmarks.tables import Row
from ceo_gym.simulators.ceobench import World

Owner = Any  # a module, or the class of the world
REST = "all else of the week"
SHOWN_FROM = 0.01  # share of some week; smaller phases are added up


def phases() -> list[tuple[str, Owner, str]]:
    """Name, owner and attribute of every phase, in the order of the day."""
    module = sys.modules[World.__module__]
    (method,) = ast.parse(textwrap.dedent(inspect.getsource(World.step_day))).body
    found: dict[str, tuple[str, Owner, str]] = {}
    for node in ast.walk(method):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        owner, attribute = node.func.value, node.func.attr
        if not isinstance(owner, ast.Name) or attribute == "refuse_if_ended":
            continue
        of = World if owner.id == "self" else getattr(module, owner.id)
        name = attribute.strip("_") if owner.id == "self" else f"{owner.id}.{attribute}"
        found.setdefault(name, (name, of, attribute))
    return list(found.values())


@contextmanager
def timed_phases() -> Iterator[dict[str, float]]:
    """Wall seconds by phase of the weeks that are played in the block."""
    spent: dict[str, float] = {}
    originals = [(owner, name, getattr(owner, name)) for _, owner, name in phases()]

    def wrapped(label: str, phase: Callable[..., Any]) -> Callable[..., Any]:
        def timed(*arguments: Any, **named: Any) -> Any:
            start = time.perf_counter()
            result = phase(*arguments, **named)
            spent[label] = spent.get(label, 0.0) + time.perf_counter() - start
            return result

        return timed

    for (label, owner, name), (*_, original) in zip(phases(), originals):
        setattr(owner, name, wrapped(label, original))
    try:
        yield spent
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


def week_by_phase(snapshot: bytes, rounds: int) -> tuple[float, dict[str, float]]:
    """Seconds of the quickest of some plays of a week, and of its phases."""
    quickest, of_phases = float("inf"), {}
    for _ in range(rounds):
        world = World.restore(snapshot)
        world.step_week()
        with timed_phases() as spent:
            start = time.perf_counter()
            world.step_week()
            seconds = time.perf_counter() - start
        if seconds < quickest:
            quickest, of_phases = seconds, spent
    return quickest, of_phases | {REST: quickest - sum(of_phases.values())}


def shares(sizes: Sequence[int], rounds: int, *, whole: bool = False) -> Iterator[Row]:
    """A row a phase with its percentage of the week, by kind and size of the company.

    Args:
        sizes: customers of the companies.
        rounds: plays of each week.
        whole: list every phase instead of adding up the smallest.
    """
    columns: dict[str, tuple[float, dict[str, float]]] = {}
    for kind, maker in (("settled", settled), ("growing", growing)):
        for size in sizes:
            if size or kind == "settled":
                snapshot = maker(size, record="none").save()
                columns[f"{kind}_{size}"] = week_by_phase(snapshot, rounds)
    names = [name for name, *_ in phases()] + [REST]
    small = [
        name
        for name in names[:-1]
        if not whole
        and all(spent.get(name, 0.0) < SHOWN_FROM * total for total, spent in columns.values())
    ]
    for name in (n for n in names if n not in small):
        parts = [name, *small] if name == REST else [name]
        yield {"phase": name} | {
            column: 100 * sum(spent.get(part, 0.0) for part in parts) / total
            for column, (total, spent) in columns.items()
        }
    yield {"phase": "week, ms"} | {column: 1e3 * total for column, (total, _) in columns.items()}
