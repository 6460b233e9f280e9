"""The command ``ceo-gym``."""

from __future__ import annotations

import argparse
import inspect
import json
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

import gymnasium as gym

from ceo_gym import __version__
from ceo_gym.registration import ENVIRONMENTS, Entry
from ceo_gym.simulators.common.parameters import nearest

DEFAULTS: dict[str, Any] = {
    "env": "CEOBench-v0",
    "policy": "steady",
    "seed": 0,
    "parameters": {},
}


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; returns the exit status."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    try:
        return int(arguments.run(arguments))
    except (ValueError, OSError, ModuleNotFoundError) as error:
        print(f"ceo-gym: {error}", file=sys.stderr)
        return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="ceo-gym", description="Worlds of running an organisation over a long horizon."
    )
    parser.add_argument("--version", action="version", version=f"ceo-gym {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    every = commands.add_parser("list", help="the environments")
    every.set_defaults(run=_list)

    describe = commands.add_parser("describe", help="what an environment shows and takes")
    describe.set_defaults(run=_describe)
    describe.add_argument("id", help="id of an environment, see ceo-gym list")
    describe.add_argument("--actions", default="full", help="full, core or manager (default full)")
    describe.add_argument("--obs", default="full", help="full or compact (default full)")
    describe.add_argument("--json", action="store_true", help="every single cell, as JSON")

    run = commands.add_parser("run", help="play one company under a built-in policy")
    run.set_defaults(run=_run)
    run.add_argument("--env", help="id of the environment (default CEOBench-v0)")
    run.add_argument("--policy", help="passive or steady (default steady)")
    run.add_argument("--seed", type=int, help="whole number >= 0 (default 0)")
    run.add_argument("--days", type=int, help="horizon of the game in days (default 500)")
    run.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change a number of the world, e.g. competitors.catch_up_max=0.3; may be repeated",
    )
    run.add_argument("--config", type=Path, help="play the run of this directory or config.json")
    run.add_argument("--out", type=Path, help="directory for weeks.csv, config.json and run.png")
    run.add_argument("--quiet", action="store_true", help="print the last line only")

    evaluate = commands.add_parser("evaluate", help="play a policy over many seeds")
    evaluate.set_defaults(run=_evaluate)
    evaluate.add_argument(
        "--env", default=DEFAULTS["env"], help="id of the environment (default %(default)s)"
    )
    evaluate.add_argument("--policy", required=True, help="name of a policy, such as steady")
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
    evaluate.add_argument(
        "--env-arg",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="argument of the environment, the value as JSON or a word, e.g. start=configured or "
        "params='{\"clock.horizon_days\": 28}'; may be repeated",
    )
    evaluate.add_argument(
        "--compare", type=Path, metavar="OTHER.json", help="pair with the games of another file"
    )
    evaluate.add_argument("--quiet", action="store_true", help="no progress bar")
    return parser


def _entry(env_id: str) -> Entry:
    """What is registered under an id.

    Raises:
        ValueError: if nothing is, with the nearest id.
    """
    if env_id not in ENVIRONMENTS:
        raise ValueError(f"no environment {env_id!r}; {nearest(env_id, ENVIRONMENTS)}")
    return ENVIRONMENTS[env_id]


# --- list and describe ---------------------------------------------------------------------------


def _list(arguments: argparse.Namespace) -> int:
    width = max(map(len, ENVIRONMENTS))
    for env_id, entry in ENVIRONMENTS.items():
        print(f"{env_id:<{width}}  {entry.summary}")
    return 0


def _describe(arguments: argparse.Namespace) -> int:
    entry = _entry(arguments.id)
    env: Any = gym.make(
        arguments.id, actions=arguments.actions, obs=arguments.obs, record="none"
    ).unwrapped
    described = env.describe()
    if arguments.json:
        print(json.dumps(described, indent=1))
        return 0
    from ceo_gym.envs.listing import key_rows
    from ceo_gym.terminal import print_keys

    print(f"{arguments.id}: {entry.summary}\n")
    print(inspect.getdoc(type(env)))
    for part, named in (("Observation", arguments.obs), ("Action", arguments.actions)):
        rows = key_rows(described[part.lower()])
        print_keys(f"{part} ({named}): {len(rows)} keys", rows)
    return 0


# --- run -----------------------------------------------------------------------------------------


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Defaults, then the configuration file, then what the command line says."""
    from ceo_gym.runs import read_config

    settings = dict(DEFAULTS, parameters={})
    if arguments.config is not None:
        stored = read_config(arguments.config)
        settings |= {name: stored[name] for name in DEFAULTS if name in stored}
    for name in ("env", "policy", "seed"):
        if getattr(arguments, name) is not None:
            settings[name] = getattr(arguments, name)
    parameters = dict(settings["parameters"])
    for item in arguments.set:
        name, equals, text = item.partition("=")
        if not equals:
            raise ValueError(f"--set takes NAME=VALUE, not {item!r}")
        try:
            parameters[name] = json.loads(text)
        except json.JSONDecodeError as error:
            raise ValueError(f"--set {name}: {text!r} is not a number, true or false") from error
    if arguments.days is not None:
        parameters["clock.horizon_days"] = arguments.days
    settings["parameters"] = parameters
    return settings


def _run(arguments: argparse.Namespace) -> int:
    from ceo_gym.baselines import make_policy
    from ceo_gym.envs.ceobench import CEOBenchEnv
    from ceo_gym.simulators.ceobench import weekly
    from ceo_gym.terminal import WeeklyTable

    settings = _settings(arguments)
    _entry(settings["env"])
    if settings["seed"] < 0:
        raise ValueError(f"the seed must be a whole number >= 0, not {settings['seed']}")
    env = gym.make(settings["env"], params=settings["parameters"], record="none")
    policy, company = make_policy(settings["policy"], env), cast(CEOBenchEnv, env.unwrapped)
    start, weeks, ended = time.perf_counter(), [], False
    observation, info = env.reset(seed=settings["seed"])
    policy.reset(settings["seed"])
    horizon_days = company.world.params.clock.horizon_days
    with WeeklyTable(horizon_days, quiet=arguments.quiet) as table:
        while not ended:
            action = policy.act(observation, info)
            observation, _, ended, _, info = env.step(action)
            table.add(company.world.history.weeks[-1])
            weeks.append(weekly.row(company.world))
    seconds = time.perf_counter() - start

    day, score = info["day"], info["cash_usd"]
    end = "bankrupt" if info["bankrupt"] else "horizon reached"
    print(
        f"{settings['policy']}, seed {settings['seed']}, {settings['env']}: "
        f"final cash ${score:,.2f} on day {day} ({end}; {seconds:.1f} s)"
    )
    if arguments.out is not None:
        _save(arguments.out, settings, day, score, end, weeks)
    return 0


def _save(
    out: Path,
    settings: dict[str, Any],
    day: int,
    score: float,
    end: str,
    weeks: list[dict[str, float]],
) -> None:
    from ceo_gym.plots import plot_run
    from ceo_gym.runs import write_config, write_weeks

    command = ["ceo-gym", "run", "--config", str(out)]
    result = {"day": day, "end": end, "final_cash_usd": score}
    write_config(
        out,
        settings
        | {"ceo_gym": __version__, "world": "CEO-Bench", "command": shlex.join(command)}
        | {"result": result},
    )
    write_weeks(out, weeks)
    title = f"{settings['policy']} policy, seed {settings['seed']}, {settings['env']}"
    picture = plot_run(weeks, out / "run.png", title=title)
    print(f"written: {out / 'config.json'}, {out / 'weeks.csv'}, {picture}")


# --- evaluate ------------------------------------------------------------------------------------


def _evaluate(arguments: argparse.Namespace) -> int:
    from ceo_gym.evaluation import Evaluation, compare, evaluate
    from ceo_gym.evaluation.api import check_pair, planned
    from ceo_gym.terminal import print_comparison, print_evaluation

    env_args = _env_args(arguments.env_arg)
    other = None if arguments.compare is None else Evaluation.read(arguments.compare)
    if other is not None:
        # before anything is played, so that a wrong file costs no games
        check_pair(planned(arguments.env, arguments.policy, arguments.seeds, env_args), other)
    try:
        evaluation = evaluate(
            arguments.env,
            arguments.policy,
            arguments.seeds,
            workers=arguments.workers,
            out=arguments.out,
            env_args=env_args,
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


def _env_args(items: Sequence[str]) -> dict[str, Any]:
    """Arguments of an environment from KEY=VALUE; what is not JSON is a word."""
    found: dict[str, Any] = {}
    for item in items:
        name, equals, text = item.partition("=")
        if not (name and equals):
            raise ValueError(f"--env-arg takes KEY=VALUE, not {item!r}")
        if name in found:
            raise ValueError(f"--env-arg {name} is given twice")
        try:
            found[name] = json.loads(text)
        except json.JSONDecodeError as error:
            if not text or text[0] in '{["':
                raise ValueError(f"--env-arg {name}: {text!r} is not JSON: {error}") from error
            found[name] = text
    return found


if __name__ == "__main__":
    sys.exit(main())
