"""Many games in several processes; what they give does not depend on how many there are."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import traceback
from collections.abc import Generator, Sequence
from multiprocessing.connection import wait
from typing import Any, Protocol, TypeVar

from ceo_gym.evaluation.play import EpisodeFailed

Played = TypeVar("Played")
Played_co = TypeVar("Played_co", covariant=True)


class Playable(Protocol[Played_co]):
    """Something that can be played for a seed in any process, such as `Game`."""

    def play(self, seed: int) -> Played_co:
        """Play it; raises `EpisodeFailed` if that cannot be done."""


def play_many(
    game: Playable[Played], seeds: Sequence[int], workers: int = 1
) -> Generator[Played, None, None]:
    """Play one game for each seed; yields each when it is over, in no particular order.

    One worker plays in this process. More are spawned, so a script that asks for them needs the
    usual ``if __name__ == "__main__":``. They end with this process, however it ends, and when the
    iterator is closed.

    Args:
        game: who plays what.
        seeds: a game each.
        workers: number of processes, at most one a seed.

    Raises:
        EpisodeFailed: if a game or a process failed; no more games are begun then.
    """
    if workers == 1 or len(seeds) < 2:
        return (game.play(seed) for seed in seeds)
    return _spread(game, seeds, min(workers, len(seeds)))


def checked_workers(workers: int) -> int:
    """A number of workers.

    Raises:
        ValueError: if it is not a whole number from 1.
    """
    if isinstance(workers, bool) or not isinstance(workers, int) or workers < 1:
        raise ValueError(f"workers must be a whole number from 1, not {workers!r}")
    return workers


def _spread(
    game: Playable[Played], seeds: Sequence[int], workers: int
) -> Generator[Played, None, None]:
    # A pipe to each worker, not a shared queue: a queue that dies with its user wakes nobody.
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(seeds))
    # by our end of the pipe, which has one class on Windows and another elsewhere
    playing: dict[Any, int] = {}
    processes: dict[Any, Any] = {}
    try:
        for _ in range(workers):
            ours, theirs = context.Pipe()
            process = context.Process(target=_work, args=(theirs, game), daemon=True)
            process.start()
            theirs.close()
            processes[ours] = process
            _hand_out(ours, waiting, playing)
        while playing:
            failed: EpisodeFailed | None = None
            for pipe in wait(list(playing)):
                result = _received(pipe, playing.pop(pipe), processes[pipe])
                if isinstance(result, EpisodeFailed):
                    failed = result
                    continue
                if waiting and failed is None:
                    _hand_out(pipe, waiting, playing)
                yield result
            # after those that came with it, so that no finished game is lost
            if failed is not None:
                raise failed
    finally:
        for process in processes.values():
            process.terminate()
        for pipe, process in processes.items():
            process.join()
            pipe.close()


def _hand_out(pipe: Any, waiting: list[int], playing: dict[Any, int]) -> None:
    seed = waiting.pop()
    playing[pipe] = seed
    # a worker that is gone is met when it is read from
    with contextlib.suppress(OSError):
        pipe.send(seed)


def _received(pipe: Any, seed: int, process: Any) -> Any:
    try:
        return pipe.recv()
    except (EOFError, OSError):
        process.join()
        return EpisodeFailed(
            f"a worker ended with exit code {process.exitcode} while it had seed {seed} to play; "
            'was it killed, or is it a script without if __name__ == "__main__"?'
        )


def _work(pipe: Any, game: Playable[Any]) -> None:
    """Play the seeds that come through a pipe until it closes."""
    follow_parent()
    while True:
        try:
            seed = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            pipe.send(game.play(seed))
        except EpisodeFailed as error:
            # an exception loses its cause on the way, and the cause may not go through a pipe
            error.add_note("".join(traceback.format_exception(error.__cause__)))
            pipe.send(error)


def follow_parent() -> None:
    """Make this worker end when its parent does, however that ends, and not by Ctrl-C."""
    # Ctrl-C reaches all processes of a terminal; the first one ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    wait([parent.sentinel])
    os._exit(1)
