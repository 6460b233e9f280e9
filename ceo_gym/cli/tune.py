"""``ceo-gym tune``: better settings for a policy."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from ceo_gym.cli.arguments import DEFAULT_ENV, Commands, add_env_args, key_values, look_here


def add(commands: Commands) -> None:
    """Add the subcommand."""
    tune = commands.add_parser("tune", help="search for better settings of a policy")
    tune.set_defaults(run=_tune)
    tune.add_argument("--env", default=DEFAULT_ENV, help="id of the environment (%(default)s)")
    tune.add_argument(
        "--policy", default="rule_based", help="a policy with settings (default %(default)s)"
    )
    tune.add_argument("--seeds", default="1:8", help="games of a candidate (default %(default)s)")
    tune.add_argument("--trials", type=int, default=100, help="candidates (default %(default)s)")
    tune.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    tune.add_argument(
        "--out",
        type=Path,
        required=True,
        help="JSON file of the result; the same command again goes on where it stopped",
    )
    tune.add_argument(
        "--only", default="", metavar="NAME,NAME", help="settings to move (default all)"
    )
    tune.add_argument(
        "--start", type=Path, metavar="FILE", help="begin with the settings of such a file"
    )
    tune.add_argument(
        "--finalists", type=int, default=5, help="candidates in the finals (default %(default)s)"
    )
    tune.add_argument(
        "--final-seeds", default="33:48", help="games of the finals (default %(default)s)"
    )
    tune.add_argument("--seed", type=int, default=0, help="of the search itself (default 0)")
    add_env_args(tune)
    tune.add_argument("--quiet", action="store_true", help="no progress bar")


def _tune(arguments: argparse.Namespace) -> int:
    from ceo_gym.baselines.tuned import read_settings
    from ceo_gym.tuning import tune
    from ceo_gym.tuning.progress import trial_bar

    look_here()
    start = None if arguments.start is None else read_settings(arguments.start)
    try:
        with trial_bar(f"{arguments.policy} in {arguments.env}", arguments.quiet) as show:
            found = tune(
                arguments.env,
                arguments.policy,
                arguments.seeds,
                trials=arguments.trials,
                out=arguments.out,
                workers=arguments.workers,
                only=[name for name in arguments.only.split(",") if name],
                start=start,
                finalists=arguments.finalists,
                final_seeds=arguments.final_seeds,
                env_args=key_values("--env-arg", arguments.env_arg),
                seed=arguments.seed,
                command=arguments.command,
                progress=show,
            )
    except KeyboardInterrupt:
        print(f"ceo-gym: interrupted; {arguments.out} goes on from its journal", file=sys.stderr)
        return 130  # as shells report Ctrl-C
    print(json.dumps(found.settings, indent=1))
    where = "finals" if found.final_seeds else "search"
    print(
        f"{found.trials} candidates, {found.games} games; geometric mean of the final cash on the "
        f"seeds of the {where} ${found.score:,.0f}"
    )
    print(f"written: {arguments.out}")
    return 0
