"""``ceo-gym train``: a policy learned by PPO."""

from __future__ import annotations

import argparse
import math
import shlex
import sys
from pathlib import Path
from typing import Any

from ceo_gym.cli.arguments import Commands, add_env_args, entry_of, key_values
from ceo_gym.training.settings import ALGORITHMS, STARTS, Settings

_OURS = {name: getattr(Settings, name) for name in ("env", "algorithm", "start", "envs", "seed")}


def add(commands: Commands) -> None:
    """Add the subcommand."""
    train = commands.add_parser("train", help="learn a policy by PPO")
    train.set_defaults(run=_train)
    train.add_argument("--env", default=_OURS["env"], help="id (default %(default)s)")
    train.add_argument(
        "--algo", default=_OURS["algorithm"], help=f"{', '.join(ALGORITHMS)} (default %(default)s)"
    )
    train.add_argument("--steps", type=int, help="budget of weeks played")
    train.add_argument("--minutes", type=float, help="budget of wall time, over all starts")
    train.add_argument(
        "--envs", type=int, default=_OURS["envs"], help="companies side by side (default 16)"
    )
    train.add_argument(
        "--workers",
        type=int,
        default=1,
        help="1 plays all companies in this process, 2 or more each in its own (default 1)",
    )
    train.add_argument("--seed", type=int, default=_OURS["seed"], help="(default %(default)s)")
    train.add_argument(
        "--start", default=_OURS["start"], help=f"{', '.join(STARTS)} (default %(default)s)"
    )
    train.add_argument(
        "--out",
        type=Path,
        required=True,
        help="directory of the run; the same command again goes on where it stopped",
    )
    train.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="another setting of the run, such as learning_rate=0.001; may be repeated",
    )
    add_env_args(train)
    train.add_argument("--quiet", action="store_true", help="no progress bar")


def _train(arguments: argparse.Namespace) -> int:
    from ceo_gym.training import train
    from ceo_gym.training.progress import training_bar

    more = key_values("--set", arguments.set)
    for name in more:
        if name in _OURS or name == "env_args":
            raise ValueError(f"--set {name}: {name} has an option of its own")
    settings = Settings.from_dict(
        {
            "env": arguments.env.removeprefix("ceo_gym:"),
            "algorithm": arguments.algo,
            "start": arguments.start,
            "envs": arguments.envs,
            "seed": arguments.seed,
            "env_args": key_values("--env-arg", arguments.env_arg),
        }
        | more
    )
    entry_of(settings.env)
    budget: dict[str, Any] = {"steps": arguments.steps, "minutes": arguments.minutes}
    try:
        with training_bar(quiet=arguments.quiet) as shown:
            state = train(
                settings, arguments.out, workers=arguments.workers, progress=shown, **budget
            )
    except KeyboardInterrupt:
        print(f"ceo-gym: interrupted; {arguments.out} keeps the last checkpoint", file=sys.stderr)
        return 130  # as shells report Ctrl-C
    mean = "-" if math.isnan(state.mean_usd) else f"${state.mean_usd:,.0f}"
    print(
        f"{settings.algorithm} in {settings.env}, start {settings.start}: {state.steps:,} weeks in "
        f"{state.seconds / 60:.1f} minutes; mean final cash on tuning seeds {mean}, "
        f"best ${state.best_usd:,.0f}"
    )
    print(f"written: {arguments.out / 'best.npz'}, {arguments.out / 'curve.csv'}")
    command = ["ceo-gym", "evaluate", "--env", settings.env, "--policy", "ceo_gym.training:Trained"]
    command += ["--policy-arg", f"model={arguments.out / 'best.npz'}", "--seeds", "evaluation"]
    print(shlex.join(command))
    return 0
