"""``ceo-gym analyse``: the measures of recorded runs."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from ceo_gym.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the subcommand."""
    analyse = commands.add_parser("analyse", help="measures of recorded runs")
    analyse.set_defaults(run=_analyse)
    analyse.add_argument(
        "runs", nargs="+", type=Path, metavar="DIR", help="directory of ceo-gym run --out"
    )
    analyse.add_argument(
        "--json", action="store_true", help="every measure as JSON, with unit and reason"
    )


def _analyse(arguments: argparse.Namespace) -> int:
    from ceo_gym.evaluation.analysis import report
    from ceo_gym.runs import RunRecord
    from ceo_gym.terminal import print_reports

    reports = [report(RunRecord.read(directory)) for directory in arguments.runs]
    names = [str(directory) for directory in arguments.runs]
    if arguments.json:
        found = [{"run": name} | each.as_dict() for name, each in zip(names, reports)]
        print(json.dumps(found, indent=1, allow_nan=False))
    else:
        print_reports(names, reports)
    return 0
