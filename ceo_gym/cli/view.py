"""``ceo-gym view``: a page of recorded runs."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from ceo_gym.cli.arguments import Commands, look_here


def add(commands: Commands) -> None:
    """Add the subcommand."""
    view = commands.add_parser(
        "view",
        help="a page of recorded runs, week by week",
        description="Plays recorded runs again, verifies them, and writes one HTML file that shows "
        "every week of them: numbers, decisions, programs, texts and messages. The file needs no "
        "network and no other file.",
    )
    view.set_defaults(run=_view)
    view.add_argument(
        "runs", nargs="+", type=Path, metavar="RUN", help="directory of a session or a run"
    )
    view.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="the HTML file to write (default: view.html in the directory of the first run)",
    )
    view.add_argument("--open", action="store_true", help="show it in the browser")


def _view(arguments: argparse.Namespace) -> int:
    from ceo_gym.viewer import load, write

    look_here()
    runs = []
    for directory, name in zip(arguments.runs, _names(arguments.runs)):
        run = load(directory, name)
        print(f"{name}: {run.verdict.text}", flush=True)
        runs.append(run)
    out = write(runs, arguments.out or arguments.runs[0] / "view.html")
    print(f"written: {out} ({out.stat().st_size / 1e3:,.0f} kB)")
    if arguments.open:
        import webbrowser

        webbrowser.open(out.resolve().as_uri())
    return 0


def _names(directories: Sequence[Path]) -> list[str]:
    """The last part of each path, more where that is the same for two."""
    found = [directory.resolve() for directory in directories]
    short = Counter(path.name for path in found)
    return [path.name if short[path.name] == 1 else "/".join(path.parts[-2:]) for path in found]
