"""Evaluating a policy, and comparing two: the doors from Python."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from ceo_gym.evaluation.identity import identity
from ceo_gym.evaluation.parallel import checked_workers, play_many
from ceo_gym.evaluation.play import Game
from ceo_gym.evaluation.results import Evaluation, begun
from ceo_gym.evaluation.seeds import parse_seeds
from ceo_gym.evaluation.statistics import paired

Progress = Callable[[int, int], None]


def evaluate(
    env: str,
    policy: str,
    seeds: str | int | Iterable[int | str] = "evaluation",
    *,
    workers: int = 1,
    out: str | os.PathLike[str] | None = None,
    env_args: Mapping[str, Any] | None = None,
    policy_args: Mapping[str, Any] | None = None,
    progress: bool | Progress = False,
) -> Evaluation:
    """Play one game for each seed and say what they give.

    The policy is made with the env, for names and shapes, and is given observation and info to act
    on. A game is the same, bit for bit, whatever the number of workers and the order; only its CPU
    seconds are not.

    Args:
        env: id of an environment, ``"CEOBench-v0"``.
        policy: name of a policy, see `ceo_gym.baselines.POLICIES`, or ``"module:Class"`` for
            a class of your own (see `ceo_gym.baselines.Policy`).
        seeds: ``"A:B"`` (B included), the name of one of `SEED_SETS`, a number, or a list of these;
            one game each, played as ``env.reset(seed=seed)`` and ``policy.reset(seed)``.
        workers: processes. With more than one, a script needs ``if __name__ == "__main__":``.
        out: file to write, anew after every finished game. If it is there, its finished games are
            kept and not played again; more seeds than it has may be asked for. None keeps nothing.
        env_args: arguments of the env, plain JSON values, such as
            ``{"params": {"clock.horizon_days": 28}}``; ``record`` is ``"none"`` unless given.
        policy_args: arguments of the policy, plain JSON values. A file that one names belongs to
            the identity with its content.
        progress: True for a bar on standard error, or a function that is called with the numbers
            of finished games and of all games, at the start and after each.

    Returns:
        An `Evaluation`: ``summary`` (a dict of figures in USD, days and seconds, see
        `statistics.summarise`), ``episodes`` (an `Episode` a seed, ascending: final cash in USD,
        days survived, whether bankrupt, sum of rewards, cash of every week in USD with shape
        (weeks + 1,), CPU seconds), ``seeds`` and ``identity``.

    Raises:
        ValueError: for an unknown env, policy, argument or seed, for an env that the policy cannot
            play, or if `out` is the file of something else, which it then stays.
        OSError: if `out` cannot be read or written.
        EpisodeFailed: if a game could not be finished; finished ones are in `out`.
    """
    asked, workers = parse_seeds(seeds), checked_workers(workers)
    game = Game.of(env, policy, env_args, policy_args)
    played_as = identity(game)
    path = None if out is None else Path(out)
    evaluation = Evaluation(played_as, asked) if path is None else begun(path, played_as, asked)
    if path is not None and evaluation.missing:
        # now rather than after the first game: a place that cannot be written to costs no games
        evaluation.write(path)
    if callable(progress):
        _play(game, evaluation, workers, path, progress)
    elif progress:
        from ceo_gym.evaluation.progress import seed_bar

        with seed_bar(f"{policy} in {game.env}") as shown:
            _play(game, evaluation, workers, path, shown)
    else:
        _play(game, evaluation, workers, path, lambda finished, every: None)
    return evaluation


def compare(
    first: Evaluation | str | os.PathLike[str],
    second: Evaluation | str | os.PathLike[str],
    *,
    other_world: bool = False,
) -> dict[str, Any]:
    """Compare two evaluations on the seeds that both have; differences are first minus second.

    Args:
        first: an evaluation, or its file. Unfinished ones count with the games they have.
        second: likewise.
        other_world: allow other numbers or rules of the world, to see what these do. Other
            observations, actions or starts are no other world.

    Returns:
        See `statistics.paired`: mean and median difference in USD with 95 % intervals, wins, ties
        and losses of the first, probabilities of two tests, the seeds and their differences.
        ``first`` and ``second`` say what was compared, ``same_code`` whether the same code of
        ceo-gym played both.

    Raises:
        ValueError: if no seed is in common, or the worlds differ.
        OSError: if a file cannot be read.
    """
    one, other = (
        given if isinstance(given, Evaluation) else Evaluation.read(Path(given))
        for given in (first, second)
    )
    check_pair(one, other, other_world=other_world)
    return {
        "first": one.identity,
        "second": other.identity,
        "same_code": one.identity["code"] == other.identity["code"],
    } | paired(one.episodes, other.episodes)


def planned(
    env: str,
    policy: str,
    seeds: str | int | Iterable[int | str],
    env_args: Mapping[str, Any] | None = None,
    policy_args: Mapping[str, Any] | None = None,
) -> Evaluation:
    """An evaluation of which nothing is played yet; arguments and errors as of `evaluate`."""
    return Evaluation(identity(Game.of(env, policy, env_args, policy_args)), parse_seeds(seeds))


def check_pair(first: Evaluation, second: Evaluation, *, other_world: bool = False) -> None:
    """Check that two evaluations, played or still to be played, can be compared.

    Raises:
        ValueError: if the worlds differ, or no seed is in common.
    """
    names = [f"{each.identity['policy']} in {each.identity['env']}" for each in (first, second)]
    if first.identity["world"] != second.identity["world"] and not other_world:
        raise ValueError(
            f"{names[0]} and {names[1]} play by other numbers or rules of the world; "
            "compare(..., other_world=True) compares them all the same"
        )
    if not set(first.seeds) & set(second.seeds):
        raise ValueError(f"{names[0]} and {names[1]} have no seed in common, so nothing to pair")


def _play(
    game: Game, evaluation: Evaluation, workers: int, path: Path | None, progress: Progress
) -> None:
    """Play what is missing; every finished game is kept before the next one is waited for."""
    every = len(evaluation.seeds)
    progress(len(evaluation.by_seed), every)
    games = play_many(game, evaluation.missing, workers)
    try:
        for episode in games:
            evaluation.add(episode)
            if path is not None:
                evaluation.write(path)
            progress(len(evaluation.by_seed), every)
    finally:
        games.close()  # ends the workers
