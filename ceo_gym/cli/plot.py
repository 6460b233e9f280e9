"""``ceo-gym plot``: pictures of evaluations."""

from __future__ import annotations

import argparse
from pathlib import Path

from ceo_gym.cli.arguments import Commands


def add(commands: Commands) -> None:
    """Add the subcommand."""
    plot = commands.add_parser("plot", help="cash over seeds, of one or several evaluations")
    plot.set_defaults(run=_plot)
    plot.add_argument(
        "files", nargs="+", type=Path, metavar="FILE.json", help="file of ceo-gym evaluate --out"
    )
    plot.add_argument("--out", type=Path, required=True, help="the PNG to write")
    plot.add_argument("--title", help="a line above the picture")


def _plot(arguments: argparse.Namespace) -> int:
    from ceo_gym.evaluation import Evaluation
    from ceo_gym.plots import plot_fans

    evaluations = [Evaluation.read(file) for file in arguments.files]
    print(f"written: {plot_fans(evaluations, arguments.out, title=arguments.title)}")
    return 0
