"""The published sets of seeds, and seeds from words."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

import numpy as np

from ceo_gym.simulators.common.parameters import nearest

# Whoever tunes on seeds of `tuning` may report on those of `evaluation`: the two are disjoint.
SEED_SETS = MappingProxyType(
    {
        "tuning": tuple(range(1, 65)),
        "evaluation": tuple(range(1001, 1033)),
        "paper": (42,),
    }
)
MOST_SEEDS = 1_000_000


def parse_seeds(seeds: str | int | Iterable[int | str]) -> tuple[int, ...]:
    """Seeds from a range, a list or the name of a set.

    Args:
        seeds: ``"A:B"`` (from A up to and including B), a number, the name of one of `SEED_SETS`,
            several of these with commas between them (``"1:4,10,paper"``), or an iterable of them.

    Returns:
        The seeds in ascending order.

    Raises:
        ValueError: for a word that is none of these, a negative seed, a seed that is named twice,
            or no seed at all.
    """
    parts: Iterable[int | str]
    if isinstance(seeds, (int, np.integer)):
        parts = [seeds]
    elif isinstance(seeds, str):
        parts = seeds.split(",")
    elif isinstance(seeds, Iterable):
        parts = seeds
    else:
        raise ValueError(_refusal(seeds))
    found = [seed for part in parts for seed in _seeds_of(part)]
    if not found:
        raise ValueError("no seeds: " + _ALLOWED)
    if len(set(found)) < len(found):
        twice = next(seed for seed in found if found.count(seed) > 1)
        raise ValueError(f"seed {twice} is named twice; a game counts once")
    return tuple(sorted(found))


_ALLOWED = (
    "seeds are A:B (B included), a whole number >= 0, "
    f"the name of a set ({', '.join(SEED_SETS)}), or a list of these with commas"
)


def _refusal(word: object) -> str:
    return f"{word!r} does not name seeds: {_ALLOWED}"


def _seeds_of(part: int | str) -> tuple[int, ...] | range:
    if isinstance(part, (int, np.integer)) and not isinstance(part, bool):
        if part < 0:
            raise ValueError(f"a seed is a whole number >= 0, not {part}")
        return (int(part),)
    if not isinstance(part, str):
        raise ValueError(_refusal(part))
    word = part.strip()
    if word in SEED_SETS:
        return SEED_SETS[word]
    first, colon, last = (text.strip() for text in word.partition(":"))
    if not (_digits(first) and (_digits(last) or not colon)):
        named = word.replace("_", "").isalpha()
        raise ValueError(
            f"no set of seeds {word!r}; {nearest(word, SEED_SETS)}" if named else _refusal(part)
        )
    low, high = int(first), int(last if colon else first)
    if high < low:
        raise ValueError(f"{word!r} is empty: A:B goes up from A to B, both included")
    if high - low >= MOST_SEEDS:
        raise ValueError(f"{word!r} is more than {MOST_SEEDS:,} seeds")
    return range(low, high + 1)


def _digits(text: str) -> bool:
    return text.isascii() and text.isdigit()
