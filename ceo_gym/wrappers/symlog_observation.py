"""Observations of a size that networks like."""

from __future__ import annotations

import csv
import re
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ceo_gym.wrappers.base import company_env

LIMIT = 25.0
_RULE = re.compile(r"raw|symlog (?P<size>\d+)|x(?P<times>\d+)|(?:\(x-(?P<less>\d+)\))?/(?P<by>\d+)")


class Rule(NamedTuple):
    """How a number becomes small: symlog of a size, or a shift and a factor if `size` is 0."""

    size: float = 0.0
    shift: float = 0.0
    factor: float = 1.0


class SymlogObservation(gym.ObservationWrapper[Any, Any, Any]):
    """Bring every real number to the order of 1 to 10, within [-25, 25].

    Amounts and counts x of size s become sign(x) ln(1 + |x| / s): with a thousand for the cash in
    dollars, a billion becomes 13.8. Tiers, ages and indices are divided by a constant, shares and
    qualities stay as they are; `normalisation.csv` beside this module lists the rule of every
    field (from the column of observation_space.csv). Masks and labels are untouched. There is no
    running mean, so an observation has the same value in every run.

    Args:
        env: a ceo-gym environment with a Dict observation.

    Raises:
        TypeError: for another environment.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        super().__init__(env)
        described = company_env(env, self, "observation_space").describe()["observation"]
        self._rules: dict[str, tuple[NDArray[Any], ...]] = {}
        new: dict[str, spaces.Space[Any]] = {}
        space: Any = env.observation_space
        for name, part in space.spaces.items():
            new[name] = part
            if isinstance(part, spaces.Box):
                self._rules[name] = _arrays(name, described[name])
                low, high = (self._scaled(name, bound) for bound in (part.low, part.high))
                new[name] = spaces.Box(low, high, dtype=np.float32)
        # pairs, since a dict would be sorted
        self.observation_space = spaces.Dict(list(new.items()))

    def observation(self, observation: Any) -> Any:
        """The observation on the new scale."""
        return {
            name: self._scaled(name, value) if name in self._rules else value
            for name, value in observation.items()
        }

    def _scaled(self, name: str, value: NDArray[Any]) -> NDArray[np.float32]:
        size, shift, factor = self._rules[name]
        logarithm = np.sign(value) * np.log1p(np.abs(value) / np.where(size > 0.0, size, 1.0))
        scaled = np.where(size > 0.0, logarithm, (value - shift) * factor)
        return np.clip(scaled, -LIMIT, LIMIT).astype(np.float32)


@cache
def rules() -> dict[tuple[str, str], Rule]:
    """(key, field) -> rule; the field * stands for all others of the key."""
    text = files("ceo_gym.wrappers").joinpath("normalisation.csv").read_text(encoding="utf-8")
    return {
        (row["key"], row["field"]): parse(row["rule"]) for row in csv.DictReader(text.splitlines())
    }


def parse(rule: str) -> Rule:
    """A rule from its text.

    Raises:
        ValueError: if it is none.
    """
    found = _RULE.fullmatch(rule)
    if found is None:
        raise ValueError(f"no rule: {rule!r}")
    size, times, less, by = (float(found[k] or 0) for k in ("size", "times", "less", "by"))
    return Rule(size, less, times or (1.0 / by if by else 1.0))


def _arrays(key: str, described: dict[str, Any]) -> tuple[NDArray[Any], ...]:
    """Sizes, shifts and factors of all cells of a key."""
    arrays = tuple(np.zeros(described["shape"], np.float32) for _ in Rule._fields)
    for name, cell in described["cells"].items():
        field = name.rsplit(".", 1)[-1]
        rule = rules().get((key, field), rules().get((key, "*"), Rule()))
        for array, number in zip(arrays, rule):
            array[cell["index"]] = number
    return arrays
