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
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}: {task.completed:.0f} of {task.total:.0f} games"),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    ) as bar:
        task = bar.add_task(title, total=1, visible=False)

        def show(finished: int, every: int) -> None:
            bar.update(task, completed=finished, total=every, visible=True)

        yield show
