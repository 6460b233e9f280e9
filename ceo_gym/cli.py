"""The command ``ceo-gym``."""

from __future__ import annotations

import argparse
import json
import shlex
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ceo_gym import __version__


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
    run = commands.add_parser("run", help="play one company under a built-in policy")
    run.set_defaults(run=_run)
    run.add_argument("--policy", help="passive or steady (default steady)")
    run.add_argument("--seed", type=int, help="whole number >= 0 (default 0)")
    run.add_argument("--days", type=int, help="horizon of the game in days (default 500)")
    run.add_argument("--rules", help="published or repaired (default published)")
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
    return parser


DEFAULTS: dict[str, Any] = {
    "policy": "steady",
    "seed": 0,
    "rules": "published",
    "parameters": {},
}


def _settings(arguments: argparse.Namespace) -> dict[str, Any]:
    """Defaults, then the configuration file, then what the command line says."""
    from ceo_gym.runs import read_config

    settings = dict(DEFAULTS, parameters={})
    if arguments.config is not None:
        stored = read_config(arguments.config)
        settings |= {name: stored[name] for name in DEFAULTS if name in stored}
    for name in ("policy", "seed", "rules"):
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
    from ceo_gym.simulators.ceobench import World, weekly
    from ceo_gym.terminal import WeeklyTable

    settings = _settings(arguments)
    world = World(
        settings["seed"],
        params=settings["parameters"],
        rules=settings["rules"],
        record="none",
    )
    policy = make_policy(settings["policy"])
    start, weeks = time.perf_counter(), []
    with WeeklyTable(world.params.clock.horizon_days, quiet=arguments.quiet) as table:
        while not world.ended:
            policy.decide(world)
            table.add(world.step_week())
            weeks.append(weekly.row(world))
    seconds = time.perf_counter() - start

    score = world.company.cash_usd
    end = "bankrupt" if world.bankrupt else "horizon reached"
    print(
        f"{settings['policy']}, seed {settings['seed']}, {settings['rules']} rules: "
        f"final cash ${score:,.2f} on day {world.day} ({end}; {seconds:.1f} s)"
    )
    if arguments.out is not None:
        _save(arguments.out, settings, world.day, score, end, weeks)
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
    title = f"{settings['policy']} policy, seed {settings['seed']}, {settings['rules']} rules"
    picture = plot_run(weeks, out / "run.png", title=title)
    print(f"written: {out / 'config.json'}, {out / 'weeks.csv'}, {picture}")


if __name__ == "__main__":
    sys.exit(main())
