"""Many runs of one agent, in several processes, and what they come to together."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ceo_gym import __version__
from ceo_gym.evaluation.parallel import checked_workers, play_many
from ceo_gym.evaluation.play import EpisodeFailed
from ceo_gym.evaluation.seeds import parse_seeds
from ceo_gym.evaluation.statistics import summarise
from ceo_gym.llm.agent import Agent
from ceo_gym.llm.messages import Client, ModelError, Price
from ceo_gym.llm.options import AgentOptions, Budget
from ceo_gym.llm.results import RUNNING, AgentResult
from ceo_gym.runs.files import write_atomically
from ceo_gym.runs.journal import JOURNAL
from ceo_gym.sandbox import SandboxError
from ceo_gym.sessions import Session

CONFIG, REPORT = "config.json", "report.json"
SCRIPTED, REPLAY, LITELLM = "scripted:", "replay:", "litellm:"


@dataclass(frozen=True)
class ModelChoice:
    """Which model plays, by name, so that any process can reach it. It holds no key.

    Attributes:
        model: its name; ``scripted:module:name`` is a player of the user's own, ``replay:DIR`` the
            model of an earlier run, ``litellm:NAME`` a model through LiteLLM.
        base_url: of a server that speaks chat completions.
        key_variable: environment variable that holds the key.
        price: in USD for a million tokens, input and output.
        parameters: more of each request.
        timeout_s: for one request.
        attempts: requests for one reply at most.
    """

    model: str
    base_url: str = "https://api.openai.com/v1"
    key_variable: str = "OPENAI_API_KEY"
    price: tuple[float, float] | None = None
    parameters: dict[str, Any] = field(default_factory=dict)
    timeout_s: float = 600.0
    attempts: int = 8

    def client(self) -> Client:
        """The client.

        Raises:
            ValueError: for a bad address, price or name.
            ModuleNotFoundError: if LiteLLM is asked for and missing.
        """
        from ceo_gym.llm.offline import Replay, load_scripted
        from ceo_gym.llm.openai_compatible import OpenAICompatible

        if self.model.startswith(SCRIPTED):
            return load_scripted(self.model.removeprefix(SCRIPTED))
        if self.model.startswith(REPLAY):
            return Replay(Path(self.model.removeprefix(REPLAY)))
        asked = {"parameters": self.parameters, "timeout_s": self.timeout_s}
        if self.model.startswith(LITELLM):
            from ceo_gym.llm.litellm_client import LiteLLM

            name = self.model.removeprefix(LITELLM)
            return LiteLLM(name, attempts=self.attempts, **asked)  # type: ignore[arg-type]
        return OpenAICompatible(
            self.model,
            self.base_url,
            key_variable=self.key_variable,
            price=Price(*self.price) if self.price else None,
            attempts=self.attempts,
            **asked,  # type: ignore[arg-type]
        )


@dataclass(frozen=True)
class AgentRuns:
    """Some runs of an agent, one directory each below `out`.

    Attributes:
        out: directory of all.
        model: who plays.
        seeds: of the runs; a seed may stand there more than once.
        env: id of the environment.
        env_args: its arguments.
        options: how the agent plays.
        budget: of each run.
    """

    out: Path
    model: ModelChoice
    seeds: tuple[int, ...]
    env: str = "CEOBench-v0"
    env_args: dict[str, Any] = field(default_factory=dict)
    options: AgentOptions = field(default_factory=AgentOptions)
    budget: Budget = field(default_factory=Budget)

    def directory(self, k: int) -> Path:
        """Directory of the k-th run, from 0."""
        repeats = self.seeds[:k].count(self.seeds[k])
        return self.out / f"seed-{self.seeds[k]}{f'-run-{repeats + 1}' if repeats else ''}"

    def play(self, seed: int) -> AgentResult:
        """Play the run of this number (not the seed: one seed may be played more than once)."""
        directory = self.directory(seed)
        failure = ""
        try:
            self._play(directory)
        except (ModelError, SandboxError) as error:
            failure = str(error)
        except (ValueError, OSError) as error:
            raise EpisodeFailed(f"{directory}: {error}") from error
        return AgentResult.read(directory, failure)

    def _play(self, directory: Path) -> None:
        if (directory / JOURNAL).exists():
            session = Session.open(directory)
        else:
            session = Session.create(
                directory,
                env=self.env,
                env_args=self.env_args,
                seed=self.seeds[self._number(directory)],
                about={"model": self.model.model, "options": self.options.as_dict()},
            )
        with session:
            Agent(session, self.model.client(), self.options, self.budget).play()

    def _number(self, directory: Path) -> int:
        return next(k for k in range(len(self.seeds)) if self.directory(k) == directory)

    @property
    def config(self) -> dict[str, Any]:
        """What makes these runs these: all but the budget and the seeds, which may grow."""
        model = {"model": self.model.model, "parameters": self.model.parameters}
        return {
            "ceo_gym": __version__,
            "env": self.env,
            "env_args": self.env_args,
            "options": self.options.as_dict(),
            **model,
        }


def chosen_seeds(text: str, repeat: int = 1) -> tuple[int, ...]:
    """Seeds of a command line: a number n is the first n seeds of the set ``evaluation``.

    Args:
        text: a number, or whatever `parse_seeds` takes (``42:42`` is the seed 42).
        repeat: how often each is played.

    Raises:
        ValueError: for what it does not take.
    """
    if repeat < 1:
        raise ValueError(f"repeat must be above 0, not {repeat}")
    every = parse_seeds("evaluation")
    if text.isdigit():
        if not 1 <= int(text) <= len(every):
            raise ValueError(
                f"a number of seeds is from 1 to {len(every)}, not {text}; {text}:{text} is the "
                f"seed {text}"
            )
        found = every[: int(text)]
    else:
        found = parse_seeds(text)
    return tuple(int(seed) for seed in found for _ in range(repeat))


def play_runs(
    runs: AgentRuns,
    workers: int = 1,
    each: Callable[[AgentResult], object] | None = None,
) -> dict[str, Any]:
    """Play all runs, going on with those that are begun; returns and writes their report.

    Args:
        runs: what is played.
        workers: processes.
        each: is called with the result of every run.

    Raises:
        ValueError: if `out` holds runs of another agent.
        EpisodeFailed: if a run can neither be played nor gone on with.
    """
    workers = checked_workers(workers)
    _claim(runs)
    results: dict[str, AgentResult] = {}
    games = play_many(runs, range(len(runs.seeds)), workers)
    try:
        for result in games:
            results[result.directory] = result
            if each is not None:
                each(result)
            _write(runs.out / REPORT, report(list(results.values())))
    finally:
        games.close()
    return report([results[str(runs.directory(k))] for k in range(len(runs.seeds))])


def report(results: Sequence[AgentResult]) -> dict[str, Any]:
    """Figures over some runs, and each run.

    Returns:
        ``runs`` (their number), ``status`` (how many of each), ``score`` (see
        `ceo_gym.evaluation.statistics.summarise`; truncated and failed runs count with the cash
        that they have), means ``turns_a_week``, ``error_rate``, ``invalid_a_turn`` over all calls
        and turns, ``forecasts`` by horizon over all forecasts of all runs, ``input_tokens``,
        ``output_tokens``, ``cost_usd`` (each None if one is not known), ``hours``, and ``each``.
    """
    results = [result for result in results if result.status != RUNNING or result.turns]
    if not results:
        raise ValueError("there is no run to report on")
    turns, calls, weeks = (sum(getattr(r, n) for r in results) for n in ("turns", "calls", "weeks"))
    statuses = [result.status for result in results]
    return {
        "runs": len(results),
        "status": {status: statuses.count(status) for status in dict.fromkeys(statuses)},
        "score": summarise([result.episode for result in results]),
        "turns_a_week": turns / weeks if weeks else None,
        "error_rate": sum(r.refused for r in results) / calls if calls else None,
        "invalid_a_turn": sum(r.invalid for r in results) / turns if turns else None,
        "forced_weeks": sum(r.forced_weeks for r in results),
        "forecasts": _forecasts(results),
        "input_tokens": _total([r.input_tokens for r in results]),
        "output_tokens": _total([r.output_tokens for r in results]),
        "cost_usd": _total([r.cost_usd for r in results]),
        "hours": sum(r.hours for r in results),
        "each": [result.as_dict() for result in results],
    }


def _total(values: Sequence[float | None]) -> float | None:
    """A sum, unknown if a part is."""
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _forecasts(results: Sequence[AgentResult]) -> dict[int, dict[str, float | None]]:
    """Coverage over all forecasts, and the mean over runs of their median errors."""
    found: dict[int, dict[str, float | None]] = {}
    for horizon in sorted({h for result in results for h in result.forecasts}):
        some = [r.forecasts[horizon] for r in results if r.forecasts.get(horizon, {}).get("scored")]
        count = sum(f["scored"] or 0.0 for f in some)
        held = sum((f["coverage"] or 0.0) * (f["scored"] or 0.0) for f in some)
        errors = [f["abs_error_median"] for f in some]
        found[horizon] = {
            "scored": count,
            "coverage": held / count if count else None,
            "abs_error_median": float(np.mean(errors)) if errors else None,  # type: ignore[arg-type]
        }
    return found


def _claim(runs: AgentRuns) -> None:
    """Keep in `out` who plays there.

    Raises:
        ValueError: if that is somebody else.
    """
    path = runs.out / CONFIG
    config = json.loads(json.dumps(runs.config))
    if path.exists():
        stored = json.loads(path.read_text(encoding="utf-8"))
        other = [name for name, value in config.items() if stored.get(name) != value]
        if other:
            raise ValueError(
                f"{runs.out} holds runs of another agent: {other[0]} is {stored.get(other[0])!r} "
                f"there, not {config[other[0]]!r}; choose another directory"
            )
        return
    _write(path, config)


def _write(path: Path, value: Mapping[str, Any]) -> None:
    write_atomically(path, f"{json.dumps(value, indent=1)}\n".encode())
