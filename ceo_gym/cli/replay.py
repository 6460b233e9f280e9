"""``ceo-gym replay``: audit a recorded run."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ceo_gym.cli.arguments import Commands, look_here

if TYPE_CHECKING:
    from ceo_gym.evaluation.recording import RunRecorder


def add(commands: Commands) -> None:
    """Add the subcommand."""
    replay = commands.add_parser(
        "replay",
        help="do a recorded run again and verify its score",
        description="Does all decisions of a recorded run again, that of an agent from its journal "
        "or that of a policy from its configuration, and verifies every week bit for bit.",
    )
    replay.set_defaults(run=_replay)
    replay.add_argument("run_directory", type=Path, metavar="DIR", help="of a session or a run")
    replay.add_argument(
        "--out",
        type=Path,
        help="directory for the tables of an agent's run, which analyse and plot take",
    )


def _replay(arguments: argparse.Namespace) -> int:
    from ceo_gym.runs.journal import JOURNAL

    look_here()
    directory: Path = arguments.run_directory
    if (directory / JOURNAL).exists():
        return _journal(directory, arguments.out)
    return _policy(directory)


def _journal(directory: Path, out: Path | None) -> int:
    from ceo_gym.evaluation.recording import RunRecorder
    from ceo_gym.sessions import replay
    from ceo_gym.sessions.decisions import rationale

    recorder: RunRecorder | None = None

    def watch(env: Any) -> None:
        nonlocal recorder
        recorder = RunRecorder(env)

    def listen(entry: Mapping[str, Any]) -> None:
        if recorder is not None and (text := rationale(entry)):
            recorder.said(text)

    found = replay(directory, watch=watch, each=listen)
    end = "the game is over" if found.ended else "the game goes on"
    print(
        f"verified: {found.weeks} weeks to day {found.day}, {found.decisions} decisions, "
        f"final cash ${found.final_cash_usd:,.2f}, bit for bit ({end})"
    )
    if out is not None and recorder is not None:
        _write(out, recorder, found.begin)
    return 0


def _write(out: Path, recorder: RunRecorder, begin: Mapping[str, Any]) -> None:
    record = recorder.record()
    env_args = dict(begin["env_args"])
    record.config.update(
        ceo_gym=begin["ceo_gym"],
        world=begin["world"],
        env=begin["env"],
        parameters=env_args.pop("params", {}),
        env_args=env_args,
        policy="an agent",
        seed=begin["seed"],
    )
    files = record.write(out)
    print(f"written to {out}: {', '.join(file.name for file in files)}")


def _policy(directory: Path) -> int:
    from ceo_gym.evaluation.audit import refuse_other
    from ceo_gym.evaluation.recording import record_run
    from ceo_gym.runs import RunRecord

    stored = RunRecord.read(directory)
    config = stored.config
    again = record_run(
        config["env"],
        config["policy"],
        config["seed"],
        env_args={**config["env_args"], "params": config["parameters"]},
        policy_args=config["policy_args"],
    )
    refuse_other(stored, again)
    result = again.config["result"]
    print(
        f"verified: {len(again.weeks)} weeks to day {result['day']} under {config['policy']}, "
        f"final cash ${result['final_cash_usd']:,.2f}, bit for bit"
    )
    return 0
