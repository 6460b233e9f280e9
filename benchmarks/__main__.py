"""Measure everything: progress on stderr, tables on stdout, the figures as JSON beside.

python -m benchmarks [--quick] [--only NAME ...] [--json FILE] [--pages]
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import Progress

from benchmarks import pages, recorded
from benchmarks.sections import FULL, QUICK, SECTIONS
from benchmarks.tables import Row, text
from benchmarks.timing import ROOT, Yardstick
from ceo_gym import __version__


def main(arguments: Sequence[str] | None = None) -> dict[str, Any]:
    """Run the sections that were asked for; returns what is written to the JSON."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small sizes and few rounds")
    parser.add_argument("--only", nargs="+", choices=SECTIONS, metavar="NAME", help="some sections")
    parser.add_argument(
        "--json", type=Path, default=ROOT / "runs/bench.json", help="where figures go"
    )
    parser.add_argument("--pages", action="store_true", help="fill the tables of README and docs")
    asked = parser.parse_args(arguments)
    scope = QUICK if asked.quick else FULL
    names = asked.only or list(SECTIONS)
    started = time.perf_counter()
    yardstick = Yardstick.measured()
    print(
        f"exp of a million numbers: {yardstick.exp_seconds * 1e3:.2f} ms; "
        f"copy of 64 MB: {yardstick.copy_seconds * 1e3:.2f} ms. CPU time unless said otherwise.\n"
        f"{recorded.NOTE}"
    )
    found: dict[str, list[Row]] = {}
    console = Console(stderr=True)
    # tables go to stdout, which may be a file, so that the bar must not take it over
    with Progress(console=console, transient=True, redirect_stdout=False) as progress:
        whole = progress.add_task("benchmarks", total=len(names))
        for name in names:
            section = SECTIONS[name]
            progress.update(whole, description=f"{name}: {section.title}")
            found[name] = []
            for row in section.rows(yardstick, scope):
                found[name].append(row)
                progress.update(whole, description=f"{name}: {len(found[name])} rows")
            progress.advance(whole)
            progress.stop()
            print(f"\n{name}: {section.title}\n{text(found[name])}", flush=True)
            progress.start()
    result = {
        "version": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "quick": asked.quick,
        "exp_ms": yardstick.exp_seconds * 1e3,
        "copy_ms": yardstick.copy_seconds * 1e3,
        "seconds": time.perf_counter() - started,
        "sections": found,
    }
    asked.json.parent.mkdir(parents=True, exist_ok=True)
    asked.json.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    print(f"\n{result['seconds']:.0f} s; figures in {asked.json}")
    if asked.pages:
        pages.fill_all(found)
    return result


if __name__ == "__main__":
    main()
