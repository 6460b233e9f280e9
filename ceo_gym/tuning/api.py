"""Tuning the settings of a policy: the door from Python."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ceo_gym.baselines import policy_class
from ceo_gym.evaluation import evaluate
from ceo_gym.evaluation.identity import identity
from ceo_gym.evaluation.parallel import checked_workers
from ceo_gym.evaluation.play import Game
from ceo_gym.evaluation.seeds import SEED_SETS, parse_seeds
from ceo_gym.runs.files import write_atomically
from ceo_gym.tuning.search import Best, Search
from ceo_gym.tuning.space import Space

FORMAT, VERSION = "ceo-gym tuning", 1
Progress = Callable[[int, int, float | None], None]


@dataclass(frozen=True)
class Tuning:
    """What a search found.

    Attributes:
        settings: the winning settings, all of them by name.
        score: geometric mean of the final cash in USD: on the seeds of the finals if there were
            any, else on those of the search.
        trials: candidates that were tried, those that were stopped early included.
        games: games that were played for it.
        identity: env, arguments, policy and code, see `ceo_gym.evaluation`.
        seeds: of the search.
        final_seeds: of the finals.
    """

    settings: dict[str, float]
    score: float
    trials: int
    games: int
    identity: dict[str, Any]
    seeds: tuple[int, ...]
    final_seeds: tuple[int, ...]

    def write(self, path: Path, command: str | None = None) -> None:
        """Write the file that the policy ``tuned`` can be given as ``settings``."""
        stored = {
            "format": FORMAT,
            "version": VERSION,
            "command": command,
            "identity": self.identity,
            "seeds": list(self.seeds),
            "final_seeds": list(self.final_seeds),
            "trials": self.trials,
            "games": self.games,
            "score_usd": self.score,
            "settings": self.settings,
        }
        write_atomically(path, f"{json.dumps(stored, indent=1)}\n".encode())


def tune(
    env: str,
    policy: str = "rule_based",
    seeds: str | int | Iterable[int | str] = "1:8",
    *,
    trials: int = 100,
    out: str | os.PathLike[str],
    workers: int = 1,
    only: Iterable[str] = (),
    start: Mapping[str, float] | None = None,
    finalists: int = 0,
    final_seeds: str | int | Iterable[int | str] = "33:48",
    env_args: Mapping[str, Any] | None = None,
    seed: int = 0,
    command: str | None = None,
    progress: Progress | None = None,
) -> Tuning:
    """Search for settings with a high geometric mean of the final cash.

    A candidate plays the seeds one after the other, and is given up as soon as it is clearly worse
    than the best so far on the same seeds (a Wilcoxon test). The first candidate is `start`. With
    one worker the search is the same every time; with more, the order in which games end has a
    part in it. The best on few seeds are lucky as well as good, so the finals play some of them on
    other seeds, and the best there wins.

    Args:
        env: id of an environment.
        policy: name of a policy that has settings to tune (see `ceo_gym.tuning.space.Space`).
        seeds: games of the search, of the tuning seeds (1 to 64).
        trials: candidates in all, earlier runs on the same `out` included.
        out: the file of the result. A journal of the search lies beside it, from which the same
            call goes on after a kill: games that were finished are not played again.
        workers: processes.
        only: names of the settings to move; all of them if empty. The others stay as in `start`.
        start: settings to begin with; those not named have their defaults.
        finalists: how many of the best candidates play the finals; 0 for none.
        final_seeds: games of the finals, of the tuning seeds.
        env_args: arguments of the env, as of `evaluate`.
        seed: of the search's own randomness.
        command: kept in the file.
        progress: called with the numbers of finished candidates and of all, and the best score in
            USD, at the start and after each candidate.

    Returns:
        The winner, see `Tuning`, which is also written to `out`.

    Raises:
        ValueError: for unknown names or values, for seeds that are not tuning seeds, for a policy
            without settings, or if `out` or its journal belongs to another search.
        ModuleNotFoundError: without optuna, naming the pip line.
        OSError: if `out` cannot be written.
        EpisodeFailed: if a game could not be finished.
    """
    asked, last = parse_seeds(seeds), parse_seeds(final_seeds) if finalists else ()
    for name in {*asked, *last} - set(SEED_SETS["tuning"]):
        raise ValueError(
            f"seed {name} is no tuning seed: tune on 1 to 64, so that others remain to report on"
        )
    if set(asked) & set(last):
        raise ValueError("the finals need other seeds than the search")
    for label, value, least in (("trials", trials, 1), ("finalists", finalists, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"{label} must be a whole number from {least}, not {value!r}")
    space = Space.of(policy_class(policy), policy, start, only)
    game = Game.of(env, policy, env_args, {"settings": space.start})
    path = Path(out)
    path.parent.mkdir(parents=True, exist_ok=True)
    played_as = identity(game)
    search = Search(game, asked, space, path.with_suffix(".journal"), played_as, seed)
    best = search.run(trials, checked_workers(workers), progress or (lambda *_: None))
    settings, score, games = best[0].settings, best[0].score, search.games
    if finalists:
        settings, score, more = _finals(best[:finalists], game, last, path, workers)
        games += more
    found = Tuning(settings, score, search.finished, games, played_as, asked, last)
    found.write(path, command)
    return found


def _finals(
    best: list[Best], game: Game, seeds: tuple[int, ...], path: Path, workers: int
) -> tuple[dict[str, float], float, int]:
    """Settings, score and number of games of the candidate that is best on other seeds."""
    results = []
    for each in best:
        found = evaluate(
            game.env,
            game.policy,
            seeds,
            workers=workers,
            out=path.with_suffix(f".final-{each.number}.json"),
            env_args=game.env_args,
            policy_args={"settings": each.settings},
        )
        results.append((found.summary["geometric"]["mean_usd"], each.settings))
    score, settings = max(results, key=lambda result: result[0])
    return settings, score, len(results) * len(seeds)
