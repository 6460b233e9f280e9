"""Tables of the README and of docs/performance.md, filled from what was measured.

python -m benchmarks.pages FILE.json ...     # from the JSON of earlier runs
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.tables import Row, fill, markdown, pages_with
from benchmarks.timing import ROOT

PAGES: tuple[Path, ...] = (ROOT / "README.md", ROOT / "docs" / "performance.md")


def fill_all(found: dict[str, list[Row]]) -> None:
    """Renew the tables of the sections that were measured; the others stay."""
    for name, table in TABLES.items():
        if rows := found.get(name):
            for page in pages_with(name, PAGES):
                fill(page, name, table(rows))


def _weeks(rows: Sequence[Row]) -> str:
    """Levels beside each other, with the recorded figure."""
    by_size: dict[int, Row] = {}
    for row in rows:
        wide = by_size.setdefault(row["size"], {"size": row["size"]})
        wide[f"{row['record']}_ms"] = row["ms_a_week"]
        if row["record"] == "none":
            wide |= {"ns": row["net_of_empty_week"], "exp": row["times_exp"]}
            wide |= {"recorded": row["recorded_s"], "speed_up": row["speed_up"]}
    heads = {
        "size": "customers",
        "none_ms": '`"none"`, ms',
        "business_ms": '`"business"`, ms',
        "full_ms": '`"full"`, ms',
        "ns": "ns a customer and day, net",
        "exp": "times the kernel",
        "recorded": "published program, s",
        "speed_up": "speed-up, rough",
    }
    return markdown(list(by_size.values()), heads)


def _phases(rows: Sequence[Row]) -> str:
    names = [name for name in rows[0] if name != "phase"]
    heads = {name: " ".join(_kind(name)) for name in names}
    return markdown(rows, {"phase": "phase"} | heads)


def _kind(column: str) -> tuple[str, str]:
    kind, size = column.split("_")
    return f"{int(size):,}", kind


def _env(rows: Sequence[Row]) -> str:
    heads = {
        "actions": "actions",
        "obs": "obs",
        "size": "customers",
        "week_us": "world's week",
        "noop_step_beyond_us": "step beyond it",
        "busy_action_us": "decisions",
        "observation_us": "an observation",
        "mask_us": "a mask",
    }
    return markdown(rows, heads)


def _vectors(rows: Sequence[Row]) -> str:
    heads = {
        "size": "customers",
        "obs_actions": "obs, actions",
        "steps_a_second_one_process": '`"sync"`, steps/s',
        "steps_a_second_two_processes": '`"async"`, steps/s',
        "ratio": "async / sync",
        "ratio_of_plain_arithmetic": "the same of plain arithmetic",
    }
    return markdown(rows, heads)


def _memory(rows: Sequence[Row]) -> str:
    heads = {
        "size": "customers",
        "record": "record",
        "columns_mb": "columns, MB",
        "column_bytes_a_customer": "bytes a customer",
        "peak_mb": "peak of the process, MB",
        "peak_over_base_bytes_a_customer": "peak, bytes a customer",
    }
    return markdown(rows, heads)


def _episodes(rows: Sequence[Row]) -> str:
    heads = {
        "game": "game",
        "record": "record",
        "max_agents": "`max_agents`",
        "most_customers": "most customers",
        "cpu_s": "CPU s",
        "ns_a_customer_and_day": "ns a customer and day",
        "peak_mb": "peak, MB",
        "recorded_s": "published program by a fit, s",
    }
    return markdown(rows, heads)


def _programs(rows: Sequence[Row]) -> str:
    heads = {
        "program": "a program that does",
        "ms": "median, ms",
        "most_ms": "most, ms",
        "us_a_call": "microseconds a call",
    }
    return markdown(rows, heads)


def _crowd(rows: Sequence[Row]) -> str:
    heads = {
        "game": "game",
        "max_agents": "`max_agents`",
        "day": "day",
        "measure": "mean of",
        "everyone": "everyone simulated",
        "merged": "with `max_agents`",
        "difference_percent": "difference, %",
        "difference_errors": "in standard errors",
        "spread_ratio": "spread over seeds, ratio",
        "same_seed_percent": "median difference on a seed, %",
    }
    return markdown(rows, heads)


TABLES: dict[str, Callable[[Sequence[Row]], str]] = {
    "weeks": _weeks,
    "phases": _phases,
    "env": _env,
    "vectors": _vectors,
    "memory": _memory,
    "episodes": _episodes,
    "programs": _programs,
    "crowd": _crowd,
}


if __name__ == "__main__":
    for file in sys.argv[1:]:
        fill_all(json.loads(Path(file).read_text(encoding="utf-8"))["sections"])
