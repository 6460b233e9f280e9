"""``ceo-gym run``: one company under a policy."""

from __future__ import annotations

import argparse
import json
import os
import shlex
import sys
import time
from pathlib import Path
from typing import Any, cast

from ceo_gym import __version__
from ceo_gym.cli.arguments import DEFAULT_ENV, Commands, add_policy, entry_of, key_values

DEFAULTS: dict[str, Any] = {
    "env": DEFAULT_ENV,
    "policy": "steady",
    "policy_args": {},
    "seed": 0,
    "parameters": {},
}


def add(commands: Commands) -> None:
    """Add the subcommand."""
    run = commands.add_parser("run", help="play one company under a policy")
    run.set_defaults(run=_run)
    run.add_argument("--env", help="id of the environment (default CEOBench-v0)")
    add_policy(run)
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
    if arguments.policy is not None:
        settings["policy_args"] = {}  # those of a configuration belong to its policy
    settings["policy_args"] |= key_values("--policy-arg", arguments.policy_arg)
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
    from ceo_gym.envs.ceobench import CEOBenchEnv
    from ceo_gym.evaluation.play import Game
    from ceo_gym.simulators.ceobench import weekly
    from ceo_gym.terminal import WeeklyTable

    settings = _settings(arguments)
    entry_of(settings["env"])
    if settings["seed"] < 0:
        raise ValueError(f"the seed must be a whole number >= 0, not {settings['seed']}")
    sys.path.append(os.getcwd())  # for a policy of the user's own
    world = {"params": settings["parameters"]}
    env, policy = Game.of(
        settings["env"], settings["policy"], world, settings["policy_args"]
    ).make()
    company = cast(CEOBenchEnv, env.unwrapped)
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
