"""A run directory: ``config.json`` (what reproduces the run) and ``weeks.csv`` (one row a week).

`record` has the other tables of a run.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CONFIG, WEEKS = "config.json", "weeks.csv"


def write_config(directory: Path, config: Mapping[str, Any]) -> Path:
    """Write the configuration; makes the directory if needed."""
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / CONFIG
    path.write_text(json.dumps(config, indent=2, sort_keys=True) + "\n", encoding="utf-8")
    return path


def read_config(path: Path) -> dict[str, Any]:
    """Read a configuration from a run directory or a file.

    Raises:
        ValueError: if it is not a configuration.
        OSError: if it cannot be read.
    """
    file = path / CONFIG if path.is_dir() else path
    try:
        config = json.loads(file.read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{file} is not a run configuration: {error}") from error
    if not isinstance(config, dict):
        raise ValueError(f"{file} is not a run configuration: expected a JSON object")
    return config


def read_weeks(directory: Path) -> list[dict[str, float]]:
    """Read the weekly rows of a run directory.

    Raises:
        OSError: if there are none.
    """
    with (directory / WEEKS).open(encoding="utf-8", newline="") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
