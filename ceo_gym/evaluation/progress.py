"""A bar of finished games on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def seed_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """A context that gives a function of the numbers of finished games and of all games.

    Args:
        title: stands before the bar.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}: {task.completed:.0f} of {task.total:.0f} games"),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as bar:
        tasks: list[TaskID] = []

        def show(finished: int, every: int) -> None:
            if not tasks:
                # games of an earlier run are no measure of the speed of this one
                tasks.append(bar.add_task(title, completed=finished, total=every))
            bar.update(tasks[0], completed=finished)

        yield show
