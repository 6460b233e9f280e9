"""Memory of a company: what its customers' columns hold, and the peak of a process that plays it.

python -m benchmarks.memory SIZE RECORD     # one company, printed as JSON
"""

from __future__ import annotations

import json
import resource
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.companies import settled
from benchmarks.tables import Row
from benchmarks.timing import in_fresh_process

WEEKS = 3  # played after making the company


def peak_bytes() -> int:
    """Most memory this process has held, in bytes."""
    status = Path("/proc/self/status")
    if status.exists():
        # Linux hands the peak of getrusage on to a program that replaces another; this one is new
        (line,) = (line for line in status.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def use(sizes: Sequence[int], levels: Sequence[str]) -> Iterator[Row]:
    """Rows by record level and size, each measured in a process of its own."""
    for record in levels:
        for size in sizes:
            yield in_fresh_process("benchmarks.memory", str(size), record)


def measured(size: int, record: str) -> Row:
    """Memory of one company in this process, which must be fresh."""
    settled(0, record=record)  # so that what is loaded and cached once is in the base
    base = peak_bytes()
    world = settled(size, record=record)
    for _ in range(WEEKS):
        world.step_week()
    customers, held = len(world.population), world.population.nbytes
    peak = peak_bytes()
    return {
        "record": record,
        "size": size,
        "customers": customers,
        "columns_mb": held / 1e6,
        "column_bytes_a_customer": held / customers if customers else None,
        "base_mb": base / 1e6,
        "peak_mb": peak / 1e6,
        "peak_over_base_bytes_a_customer": (peak - base) / customers if customers else None,
    }


if __name__ == "__main__":
    print(json.dumps(measured(int(sys.argv[1]), sys.argv[2])))
