"""Where a week's time goes: the phases of `World.step_day`, timed from outside.

The phases are read from the text of that method, which has one line a phase, so that the table
follows the simulator.
"""

from __future__ import annotations

import ast
import gc
import inspect
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from benchmarks.companies import growing, settled
from benchmarks.tables import Row
from benchmarks.weeks import rounds_for
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


def week_by_phase(snapshot: bytes, rounds: int) -> dict[str, float]:
    """Seconds of each phase of one and the same week, each the least of some plays."""
    least: dict[str, float] = {}
    for _ in range(rounds):
        world = World.restore(snapshot)
        world.step_week()
        gc.collect()
        with timed_phases() as spent:
            start = time.perf_counter()
            world.step_week()
            seconds = time.perf_counter() - start
        for name, part in (*spent.items(), (REST, seconds - sum(spent.values()))):
            least[name] = min(least.get(name, part), part)
    return least


def shares(sizes: Sequence[int], rounds: int) -> Iterator[Row]:
    """A row a phase with its percentage of the week, by kind and size of the company.

    Args:
        sizes: customers of the companies.
        rounds: plays of each week.
    """
    columns: dict[str, dict[str, float]] = {}
    for kind, maker in (("settled", settled), ("growing", growing)):
        for size in sizes:
            if size or kind == "settled":
                snapshot = maker(size, record="none").save()
                columns[f"{kind}_{size}"] = week_by_phase(snapshot, rounds_for(size, rounds))
    names = [name for name, *_ in phases()] + [REST]
    totals = {column: sum(spent.values()) for column, spent in columns.items()}
    small = [
        name
        for name in names[:-1]
        if all(spent.get(name, 0.0) < SHOWN_FROM * totals[c] for c, spent in columns.items())
    ]
    for name in (n for n in names if n not in small):
        parts = [name, *small] if name == REST else [name]
        yield {"phase": name} | {
            column: 100 * sum(spent.get(part, 0.0) for part in parts) / totals[column]
            for column, spent in columns.items()
        }
    yield {"phase": "week, ms"} | {column: 1e3 * total for column, total in totals.items()}
