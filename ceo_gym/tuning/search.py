"""The search: candidates from Optuna, games in processes, and a journal to go on from."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from ceo_gym.evaluation.identity import differences
from ceo_gym.evaluation.parallel import follow_parent
from ceo_gym.evaluation.play import EpisodeFailed, Game
from ceo_gym.tuning.space import Space

NAME = "ceo-gym"
IDENTITY = "identity"
SPACE, FIXED, SEEDS = "ranges of settings", "fixed settings", "seeds"
STARTUP_TRIALS = 20  # candidates near the start, before a model of the good ones is trusted
PRUNE_P, PRUNE_GAMES = 0.15, 3  # of the Wilcoxon test, and games before it may speak


@dataclass(frozen=True)
class Best:
    """A candidate that played all seeds.

    Attributes:
        number: of the candidate.
        settings: all of them.
        score: geometric mean of its final cash in USD.
    """

    number: int
    settings: dict[str, float]
    score: float


class Search:
    """One search, kept in a journal file.

    Args:
        game: env and policy.
        seeds: games of a candidate.
        space: settings to move.
        journal: file that keeps every finished game; made if it is not there.
        identity: of the game; a journal of another one is refused.
        seed: of the search's own randomness.

    Raises:
        ValueError: if the journal belongs to another search.
        ModuleNotFoundError: without optuna, naming the pip line.
    """

    def __init__(
        self,
        game: Game,
        seeds: tuple[int, ...],
        space: Space,
        journal: Path,
        identity: dict[str, Any],
        seed: int,
    ) -> None:
        try:
            import optuna
            from optuna.storages import JournalStorage
            from optuna.storages.journal import JournalFileBackend
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError('tuning needs optuna: pip install "ceo-gym[tune]"') from error
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        self._states = optuna.trial.TrialState
        self._game, self._seeds, self._space = game, seeds, space
        storage = JournalStorage(JournalFileBackend(str(journal)))
        if not storage.get_all_studies():
            optuna.create_study(study_name=NAME, storage=storage, direction="maximize")
        with warnings.catch_warnings():
            # marked as experimental: the test that stops candidates, and modelling jointly
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            self._study = optuna.load_study(
                study_name=NAME,
                storage=storage,
                sampler=optuna.samplers.TPESampler(
                    seed=seed, multivariate=True, n_startup_trials=STARTUP_TRIALS
                ),
                pruner=optuna.pruners.WilcoxonPruner(
                    p_threshold=PRUNE_P, n_startup_steps=PRUNE_GAMES
                ),
            )
        self._claim(journal, identity, seed)
        # candidates that a kill left in the middle go on with the games that they have
        self._left = [
            optuna.trial.Trial(self._study, trial._trial_id)
            for trial in self._study.get_trials(False, (self._states.RUNNING,))
        ]

    @property
    def finished(self) -> int:
        """Candidates that are done, those that were stopped included."""
        return len(self._study.get_trials(False, (self._states.COMPLETE, self._states.PRUNED)))

    @property
    def games(self) -> int:
        """Games that were played."""
        done = self._study.get_trials(False, (self._states.COMPLETE, self._states.PRUNED))
        return sum(len(trial.intermediate_values) for trial in done)

    def run(
        self, trials: int, workers: int, progress: Callable[[int, int, float | None], None]
    ) -> list[Best]:
        """Try candidates until there are so many; returns the complete ones, the best first.

        Raises:
            EpisodeFailed: if a game or a process failed; the journal keeps finished games.
        """
        progress(self.finished, trials, self._best_usd())
        if self.finished < trials:
            with _players(workers) as pool:
                self._fill(pool, trials, workers, progress)
        return self._ranking()

    # --- inside ---

    def _fill(
        self,
        pool: Executor,
        trials: int,
        workers: int,
        progress: Callable[[int, int, float | None], None],
    ) -> None:
        """Keep as many candidates in play as there are workers."""
        playing: dict[Future[Any], _Candidate] = {}
        while True:
            while len(playing) < workers and self.finished + len(playing) < trials:
                candidate = self._next()
                if candidate.over:  # it was killed after its last game
                    self._close(candidate)
                    continue
                playing[candidate.submit(pool)] = candidate
            if not playing:
                return
            done, _ = wait(playing, return_when=FIRST_COMPLETED)
            for future in done:
                candidate = playing.pop(future)
                candidate.add(future.result().final_cash_usd)
                if candidate.over or candidate.trial.should_prune():
                    self._close(candidate)
                    progress(self.finished, trials, self._best_usd())
                else:
                    playing[candidate.submit(pool)] = candidate

    def _next(self) -> _Candidate:
        trial = self._left.pop(0) if self._left else self._study.ask()
        settings = self._space.suggest(trial)
        candidate = _Candidate(
            trial, replace(self._game, policy_args={"settings": settings}), self._seeds
        )
        reported = self._study._storage.get_trial(trial._trial_id).intermediate_values
        candidate.logarithms += [reported[step] for step in sorted(reported)]
        return candidate

    def _close(self, candidate: _Candidate) -> None:
        if candidate.over:
            self._study.tell(candidate.trial, float(np.mean(candidate.logarithms)))
        else:
            self._study.tell(candidate.trial, state=self._states.PRUNED)

    def _claim(self, journal: Path, identity: dict[str, Any], seed: int) -> None:
        """Check that the journal is of this search, or make it so."""
        played_as = {name: value for name, value in identity.items() if name != "policy_args"}
        fixed = {k: x for k, x in self._space.start.items() if k not in self._space.ranges}
        mine = {
            IDENTITY: played_as,
            SPACE: {name: list(each) for name, each in self._space.ranges.items()},
            FIXED: fixed,
            SEEDS: list(self._seeds),
        }
        if not self._study.get_trials(False):  # new, or killed before it had begun
            for name, value in mine.items():
                self._study.set_user_attr(name, value)
            self._study.enqueue_trial(self._space.first)
            rng = np.random.default_rng(seed)
            for _ in range(STARTUP_TRIALS - 1):
                self._study.enqueue_trial(self._space.near(rng))
            return
        there = self._study.user_attrs
        found = differences(there.get(IDENTITY, {}), played_as)
        found += [
            f"other {name}" for name in (SPACE, FIXED, SEEDS) if there.get(name) != mine[name]
        ]
        if found:
            raise ValueError(
                f"{journal} belongs to another search: {'; '.join(found)}. Give another file, or "
                "remove it to begin anew"
            )

    def _ranking(self) -> list[Best]:
        complete = self._study.get_trials(False, (self._states.COMPLETE,))
        return sorted(
            (
                Best(trial.number, self._space.start | trial.params, 10.0**trial.value)
                for trial in complete
                if trial.value is not None
            ),
            key=lambda best: -best.score,
        )

    def _best_usd(self) -> float | None:
        best = self._ranking()
        return best[0].score if best else None


@contextmanager
def _players(workers: int) -> Iterator[Executor]:
    """Where games are played: here for one worker, else in spawned processes."""
    if workers == 1:
        yield _Here()
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), initializer=follow_parent)
    try:
        yield pool
    except BrokenProcessPool as error:
        raise EpisodeFailed(f"a worker ended while it played: {error}") from error
    finally:
        for process in list((pool._processes or {}).values()):
            process.terminate()  # a game takes seconds; nobody waits for its end
        pool.shutdown(cancel_futures=True)


class _Here(Executor):
    """Plays in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """What `fn` gives, at once."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@dataclass
class _Candidate:
    """A candidate in play: one game after the other."""

    trial: Any
    game: Game
    seeds: tuple[int, ...]

    def __post_init__(self) -> None:
        self.logarithms: list[float] = []

    @property
    def over(self) -> bool:
        return len(self.logarithms) == len(self.seeds)

    def submit(self, pool: Executor) -> Future[Any]:
        return pool.submit(self.game.play, self.seeds[len(self.logarithms)])

    def add(self, cash_usd: float) -> None:
        """Note a game; a bankrupt company counts as one dollar."""
        logarithm = math.log10(max(cash_usd, 1.0))
        self.trial.report(logarithm, len(self.logarithms))
        self.logarithms.append(logarithm)
