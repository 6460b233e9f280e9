"""Choices that follow from what they are for: a keyed hash in place of random draws."""

from __future__ import annotations

import hashlib
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Hashes: TypeAlias = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)


def keyed(seed: int, subject: str, numbers: NDArray[np.integer[Any]]) -> Hashes:
    """[n] hashes of (seed, subject, number), evenly spread over 64 bits.

    Args:
        seed: of the episode.
        subject: what is chosen; different subjects are independent.
        numbers: [n] ids >= 0 of what it is chosen for.
    """
    digest = hashlib.blake2b(f"{seed}/{subject}".encode(), digest_size=8).digest()
    key = np.uint64(int.from_bytes(digest, "little"))
    # the finaliser of SplitMix64; products wrap around on purpose
    x = numbers.astype(np.uint64) * _STEP + key
    x = (x ^ (x >> np.uint64(30))) * _MIX_1
    x = (x ^ (x >> np.uint64(27))) * _MIX_2
    return x ^ (x >> np.uint64(31))


def choices(
    seed: int, subject: str, numbers: NDArray[np.integer[Any]], count: int
) -> NDArray[np.int64]:
    """[n] positions 0 to count - 1, one for each number."""
    return (keyed(seed, subject, numbers) >> np.uint64(11)).astype(np.int64) % count
