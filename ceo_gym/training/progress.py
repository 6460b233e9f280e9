"""A bar of the budget on standard error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from ceo_gym.training.ppo import State


@contextmanager
def training_bar(*, quiet: bool = False) -> Iterator[Callable[[State], None]]:
    """A context that gives a function to call after every update.

    Args:
        quiet: show nothing.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        disable=quiet,
    ) as bar:
        task = bar.add_task("training", total=1.0)

        def show(state: State) -> None:
            words = f"{state.steps:,} weeks, mean final cash ${state.mean_usd / 1e6:,.2f} million"
            bar.update(task, completed=state.share, description=words)

        yield show
