"""The run of a policy: its record, and what is seen when it is played again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ceo_gym.evaluation.audit import refuse_other
from ceo_gym.evaluation.play import Game
from ceo_gym.evaluation.recording import known_of, play_recorded
from ceo_gym.runs import RunRecord
from ceo_gym.viewer.collect import WeekCollector
from ceo_gym.viewer.run import Run, Verdict

# Messages and notices are kept at this level; it changes no outcome.
RECORD_LEVEL = "business"


def load_policy(directory: Path, name: str) -> Run:
    """The run of a policy, played again; its tables alone if the policy cannot be made here.

    Args:
        directory: of ``ceo-gym run --out``.
        name: to show.

    Raises:
        ValueError: if the directory holds no record of a run.
    """
    record = RunRecord.read(directory)
    config = record.config
    collector: WeekCollector | None = None
    try:
        collector, again = _played(config)
        refuse_other(record, again)
    except (ValueError, KeyError, TypeError, AttributeError, ImportError) as error:
        verdict = Verdict(False, f"not played again: {error}" if not collector else str(error))
    else:
        record = again
        verdict = Verdict(True, f"verified bit for bit: {len(record.weeks)} weeks, played again")
    return Run(
        name=name,
        player=str(config.get("policy")),
        env=str(config.get("env")),
        seed=config.get("seed"),
        horizon_days=collector.horizon_days if collector else None,
        about=f"ceo-gym {config.get('ceo_gym')}",
        verdict=verdict,
        record=record,
        entries=[],
        numbers=collector.numbers if collector and verdict.holds else [],
        happened=collector.happened if collector and verdict.holds else [],
        group_names=collector.group_names if collector else {},
    )


def _played(config: dict[str, Any]) -> tuple[WeekCollector, RunRecord]:
    arguments = {**config["env_args"], "params": config["parameters"], "record": RECORD_LEVEL}
    game = Game.of(config["env"], config["policy"], arguments, config["policy_args"])
    env, policy = game.make()
    try:
        collector = WeekCollector(env)
        return collector, play_recorded(env, policy, config["seed"], known_of(game, config["seed"]))
    finally:
        env.close()
