"""Named random streams: one seed, one generator per subject.

A stream is addressed by a name and optional whole-number indices, ``streams("satisfaction")`` or
``streams("customer_normals", group)``. Its seed depends on the episode's seed, the name and the
indices alone, never on which other streams exist or in which order they are first asked for. So a
decision that makes one subject draw more often cannot shift the draws of another, and adding a
stream to a world leaves all others as they were.
"""

from __future__ import annotations

from typing import Any
from zlib import crc32

import numpy as np


class Streams:
    """The random generators of one episode, made on first use.

    Args:
        seed: whole number >= 0.

    Raises:
        ValueError: if the seed is not a whole number >= 0.
    """

    def __init__(self, seed: int) -> None:
        if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
            raise ValueError(f"seed must be a whole number >= 0, not {seed!r}")
        self.seed = int(seed)
        self._open: dict[tuple[str, tuple[int, ...]], np.random.Generator] = {}

    def __call__(self, name: str, *index: int) -> np.random.Generator:
        """The generator of this stream, continuing where its last use stopped."""
        key = (name, index)
        generator = self._open.get(key)
        if generator is None:
            generator = self._open[key] = self.fresh(name, *index)
        return generator

    def fresh(self, name: str, *index: int) -> np.random.Generator:
        """A generator at the start of a stream, for draws keyed by what they are for.

        ``streams.fresh("research_project", tier, count)`` gives the same draws whenever it is
        called.
        """
        sequence = np.random.SeedSequence(self.seed, spawn_key=(crc32(name.encode()), *index))
        return np.random.Generator(np.random.PCG64(sequence))

    def get_state(self) -> dict[str, Any]:
        """Seed and positions of all open streams, as plain data."""
        return {
            "seed": self.seed,
            "open": [[*key, g.bit_generator.state] for key, g in self._open.items()],
        }

    @classmethod
    def from_state(cls, state: dict[str, Any]) -> Streams:
        """Streams that continue exactly where `get_state` was taken."""
        streams = cls(state["seed"])
        for name, index, position in state["open"]:
            streams(name, *index).bit_generator.state = position
        return streams
