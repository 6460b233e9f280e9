"""A bar of finished candidates on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def trial_bar(title: str, quiet: bool) -> Iterator[Callable[[int, int, float | None], None]]:
    """A context that gives a function of finished candidates, all candidates and the best score.

    Args:
        title: stands before the bar.
        quiet: show nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}: {task.completed:.0f} of {task.total:.0f} candidates"),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("best {task.fields[best]}"),
        console=Console(stderr=True, quiet=quiet),
    ) as bar:
        tasks: list[TaskID] = []

        def show(finished: int, every: int, best_usd: float | None) -> None:
            best = "-" if best_usd is None else f"${best_usd:,.0f}"
            if not tasks:
                tasks.append(bar.add_task(title, completed=finished, total=every, best=best))
            bar.update(tasks[0], completed=finished, best=best)

        yield show
