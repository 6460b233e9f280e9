"""``ceo-gym run``: one company under a policy."""

from __future__ import annotations

import argparse
import json
import shlex
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ceo_gym.cli.arguments import DEFAULT_ENV, Commands, add_policy, entry_of, key_values, look_here

if TYPE_CHECKING:
    from ceo_gym.runs import RunRecord

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
    run.add_argument(
        "--out",
        type=Path,
        help="directory for the record (config.json, weeks.csv and more tables) and run.png",
    )
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
    from ceo_gym.evaluation.recording import known_of, play_recorded
    from ceo_gym.terminal import WeeklyTable

    settings = _settings(arguments)
    entry_of(settings["env"])
    seed = settings["seed"]
    if seed < 0:
        raise ValueError(f"the seed must be a whole number >= 0, not {seed}")
    look_here()
    world = {"params": settings["parameters"]}
    game = Game.of(settings["env"], settings["policy"], world, settings["policy_args"])
    env, policy = game.make()
    config, out = known_of(game, seed), arguments.out
    if out is not None:
        config["command"] = shlex.join(["ceo-gym", "run", "--config", str(out)])
    horizon_days = cast(CEOBenchEnv, env.unwrapped).world.params.clock.horizon_days
    start = time.perf_counter()
    with WeeklyTable(horizon_days, quiet=arguments.quiet) as table:
        record = play_recorded(env, policy, seed, config, table.add)
    seconds = time.perf_counter() - start

    result = record.config["result"]
    print(
        f"{settings['policy']}, seed {seed}, {settings['env']}: final cash "
        f"${result['final_cash_usd']:,.2f} on day {result['day']} "
        f"({result['end']}; {seconds:.1f} s)"
    )
    if out is not None:
        _save(out, record)
    return 0


def _save(out: Path, record: RunRecord) -> None:
    from ceo_gym.plots import plot_run
    from ceo_gym.runs import read_weeks

    files = record.write(out)
    title = "{policy} policy, seed {seed}, {env}".format(**record.config)
    picture = plot_run(read_weeks(out), out / "run.png", title=title)
    print(f"written to {out}: {', '.join(file.name for file in [*files, picture])}")
