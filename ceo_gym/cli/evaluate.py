"""``ceo-gym evaluate``: a policy over many seeds."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from ceo_gym.cli.arguments import (
    DEFAULT_ENV,
    Commands,
    add_env_args,
    add_policy,
    key_values,
    look_here,
)


def add(commands: Commands) -> None:
    """Add the subcommand."""
    evaluate = commands.add_parser("evaluate", help="play a policy over many seeds")
    evaluate.set_defaults(run=_evaluate)
    evaluate.add_argument(
        "--env", default=DEFAULT_ENV, help="id of the environment (default %(default)s)"
    )
    add_policy(evaluate, required=True)
    evaluate.add_argument(
        "--seeds",
        default="evaluation",
        help="A:B (B included), tuning (1:64), evaluation (1001:1032), paper (42), or several of "
        "these with commas (default %(default)s)",
    )
    evaluate.add_argument("--workers", type=int, default=1, help="processes (default 1)")
    evaluate.add_argument(
        "--out", type=Path, help="JSON file; the same command again goes on where it stopped"
    )
    add_env_args(evaluate)
    evaluate.add_argument(
        "--compare", type=Path, metavar="OTHER.json", help="pair with the games of another file"
    )
    evaluate.add_argument("--quiet", action="store_true", help="no progress bar")


def _evaluate(arguments: argparse.Namespace) -> int:
    from ceo_gym.evaluation import Evaluation, compare, evaluate
    from ceo_gym.evaluation.api import check_pair, planned
    from ceo_gym.terminal import print_comparison, print_evaluation

    env_args = key_values("--env-arg", arguments.env_arg)
    policy_args = key_values("--policy-arg", arguments.policy_arg)
    look_here()
    other = None if arguments.compare is None else Evaluation.read(arguments.compare)
    if other is not None:
        # before anything is played, so that a wrong file costs no games
        mine = planned(arguments.env, arguments.policy, arguments.seeds, env_args, policy_args)
        check_pair(mine, other)
    try:
        evaluation = evaluate(
            arguments.env,
            arguments.policy,
            arguments.seeds,
            workers=arguments.workers,
            out=arguments.out,
            env_args=env_args,
            policy_args=policy_args,
            progress=not arguments.quiet,
        )
    except KeyboardInterrupt:
        kept = f"; {arguments.out} keeps the finished games" if arguments.out else ""
        print(f"ceo-gym: interrupted{kept}", file=sys.stderr)
        return 130  # as shells report Ctrl-C
    print_evaluation(evaluation)
    if other is not None:
        print_comparison(compare(evaluation, other))
    if arguments.out is not None:
        print(f"written: {arguments.out}")
    return 0
