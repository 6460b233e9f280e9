"""The file of an evaluation: one JSON object, always whole, that finished games are added to."""

from __future__ import annotations

import json
import math
import platform
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import scipy

from ceo_gym.evaluation.identity import differences
from ceo_gym.evaluation.play import Episode
from ceo_gym.evaluation.statistics import summarise
from ceo_gym.runs.files import write_atomically

FORMAT, VERSION = "ceo-gym evaluation", 1


@dataclass
class Evaluation:
    """Games of one policy in one env.

    Attributes:
        identity: env, arguments, policy and version, see `identity.identity`.
        seeds: asked for, ascending.
        by_seed: finished games by seed.
        made_with: versions of Python, NumPy and SciPy that played them: one set, or several if a
            run went on under others. Noted, not compared: outcomes hold across these but for the
            last digits.
    """

    identity: dict[str, Any]
    seeds: tuple[int, ...]
    by_seed: dict[int, Episode] = field(default_factory=dict)
    made_with: list[dict[str, str]] = field(default_factory=list)

    def add(self, episode: Episode) -> None:
        """Take in a game that this process, or one of its workers, has finished."""
        self.by_seed[episode.seed] = episode
        here = {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "scipy": scipy.__version__,
        }
        if here not in self.made_with:
            self.made_with.append(here)

    @property
    def episodes(self) -> list[Episode]:
        """Finished games in the order of their seeds."""
        return [self.by_seed[seed] for seed in self.seeds if seed in self.by_seed]

    @property
    def missing(self) -> tuple[int, ...]:
        """Seeds that are not played yet."""
        return tuple(seed for seed in self.seeds if seed not in self.by_seed)

    @property
    def complete(self) -> bool:
        """Whether every seed is played."""
        return not self.missing

    @property
    def summary(self) -> dict[str, Any]:
        """The figures of the finished games, see `statistics.summarise`.

        Raises:
            ValueError: if no game is finished.
        """
        return summarise(self.episodes)

    def as_dict(self) -> dict[str, Any]:
        """What is written; the summary only when every seed is played."""
        return {
            "format": FORMAT,
            "version": VERSION,
            "identity": self.identity,
            "seeds": list(self.seeds),
            "complete": self.complete,
            "summary": self.summary if self.complete else None,
            "episodes": [asdict(episode) for episode in self.episodes],
            "made_with": self.made_with,
        }

    def write(self, path: Path) -> None:
        """Write the file so that a reader, or a kill, never meets half of one.

        Raises:
            OSError: if it cannot be written.
        """
        text = json.dumps(self.as_dict(), indent=1, allow_nan=False)
        write_atomically(path, f"{text}\n".encode())

    @classmethod
    def read(cls, path: Path) -> Evaluation:
        """Read a file, finished or not.

        Raises:
            ValueError: if it is not the file of an evaluation, or of another version.
            OSError: if it cannot be read.
        """
        try:
            stored = json.loads(path.read_text(encoding="utf-8"))
        except ValueError as error:
            raise ValueError(f"{path} is not the file of an evaluation: {error}") from error
        if not isinstance(stored, dict) or stored.get("format") != FORMAT:
            raise ValueError(
                f'{path} is not the file of an evaluation: it lacks "format": "{FORMAT}"'
            )
        if stored.get("version") != VERSION:
            raise ValueError(
                f"{path} has version {stored.get('version')!r} of the file format; this ceo-gym "
                f"reads version {VERSION}"
            )
        try:
            episodes = [_episode(row) for row in stored["episodes"]]
            found = cls(
                dict(stored["identity"]),
                tuple(int(seed) for seed in stored["seeds"]),
                {episode.seed: episode for episode in episodes},
                [dict(versions) for versions in stored["made_with"]],
            )
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(
                f"{path} is a damaged file of an evaluation ({type(error).__name__}: {error})"
            ) from error
        strangers = found.by_seed.keys() - set(found.seeds)
        if strangers or len(found.by_seed) < len(episodes):
            raise ValueError(f"{path} is a damaged file of an evaluation: seeds do not add up")
        return found


def begun(path: Path, identity: dict[str, Any], seeds: Iterable[int]) -> Evaluation:
    """What a file has of an evaluation, or a fresh one if there is no file.

    More seeds than the file was made for may be asked for, which extends it.

    Raises:
        ValueError: if the file belongs to another game or version, or has seeds that are not asked
            for; the file stays as it is.
        OSError: if it cannot be read.
    """
    seeds = tuple(seeds)
    if not path.exists():
        return Evaluation(identity, seeds)
    found = Evaluation.read(path)
    other = differences(found.identity, identity)
    if other:
        raise ValueError(
            f"{path} belongs to another evaluation: {'; '.join(other)}. Give another file, or "
            "remove this one to begin anew"
        )
    dropped = sorted(found.by_seed.keys() - set(seeds))
    if dropped:
        more = f" and {len(dropped) - 5} more" if len(dropped) > 5 else ""
        raise ValueError(
            f"{path} has finished games of seeds that are not asked for "
            f"({', '.join(map(str, dropped[:5]))}{more}): ask for these too, or give another file"
        )
    return Evaluation(identity, seeds, found.by_seed, found.made_with)


def _episode(row: dict[str, Any]) -> Episode:
    if set(row) != {part.name for part in fields(Episode)}:
        raise ValueError(f"an episode with the keys {sorted(row)}")
    cash = tuple(float(usd) for usd in row["weekly_cash_usd"])
    episode = Episode(**row | {"weekly_cash_usd": cash})
    if not math.isfinite(episode.final_cash_usd):
        raise ValueError(f"final cash of seed {episode.seed} is not finite")
    return episode
