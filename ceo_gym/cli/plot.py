"""``ceo-gym plot``: pictures of evaluations and of learning."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from ceo_gym.cli.arguments import Commands, key_values


def add(commands: Commands) -> None:
    """Add the subcommand."""
    plot = commands.add_parser("plot", help="cash over seeds of evaluations, or a learning curve")
    plot.set_defaults(run=_plot)
    plot.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="files of ceo-gym evaluate --out, or one curve.csv of ceo-gym train",
    )
    plot.add_argument("--out", type=Path, required=True, help="the PNG to write")
    plot.add_argument("--title", help="a line above the picture")
    plot.add_argument(
        "--level",
        action="append",
        default=[],
        metavar="NAME=USD",
        help="line across a learning curve, to compare with; may be repeated",
    )


def _plot(arguments: argparse.Namespace) -> int:
    from ceo_gym.evaluation import Evaluation
    from ceo_gym.plots import plot_fans

    if any(file.suffix == ".csv" for file in arguments.files):
        return _learning(arguments)
    evaluations = [Evaluation.read(file) for file in arguments.files]
    print(f"written: {plot_fans(evaluations, arguments.out, title=arguments.title)}")
    return 0


def _learning(arguments: argparse.Namespace) -> int:
    from ceo_gym.plots import plot_learning_curve
    from ceo_gym.training import curve

    if len(arguments.files) > 1:
        raise ValueError("a picture of learning takes one curve.csv")
    levels = key_values("--level", arguments.level)
    if not all(isinstance(usd, (int, float)) for usd in levels.values()):
        raise ValueError(f"--level takes NAME=USD, not {arguments.level}")
    (file,) = arguments.files
    points = [asdict(point) for point in curve.read(file)]
    title = arguments.title or f"Learning, {file.parent.name}"
    print(f"written: {plot_learning_curve(points, arguments.out, title=title, levels=levels)}")
    return 0
