"""Which settings of a policy are moved, and how far."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ceo_gym.simulators.common.parameters import nearest

NEAR_SHARE, NEAR_STEP = 1 / 3, 0.1


@dataclass(frozen=True)
class Space:
    """The settings of a policy that a search moves.

    A class can be tuned if it takes ``settings``, a mapping by name, and has ``tunable()``, which
    gives for each name a dictionary with ``default``, ``low``, ``high``, and ``log`` for settings
    that are moved by factors.

    Attributes:
        ranges: name -> low, high, log, of those that are moved.
        start: all settings, to begin with.
    """

    ranges: dict[str, tuple[float, float, bool]]
    start: dict[str, float]

    @classmethod
    def of(
        cls,
        policy: Any,
        name: str,
        start: Mapping[str, float] | None = None,
        only: Iterable[str] = (),
    ) -> Space:
        """The space of a policy's class.

        Raises:
            ValueError: if the class cannot be tuned, or for unknown names.
        """
        if not hasattr(policy, "tunable"):
            raise ValueError(f"the policy {name} has no settings to tune; rule_based has")
        known = policy.tunable()
        for asked in [*(start or {}), *only]:
            if asked not in known:
                raise ValueError(f"no setting {asked!r}; {nearest(asked, known)}")
        moved = tuple(only) or tuple(known)
        values = {key: float(each["default"]) for key, each in known.items()}
        values |= {key: float(value) for key, value in (start or {}).items()}
        ranges = {}
        for key in moved:
            # a start outside of the usual range widens it
            low = min(float(known[key]["low"]), values[key])
            high = max(float(known[key]["high"]), values[key])
            ranges[key] = (low, high, bool(known[key]["log"]))
        return cls(ranges, values)

    def suggest(self, trial: Any) -> dict[str, float]:
        """All settings of a candidate: those that are moved from the trial, the others fixed."""
        moved = {
            name: trial.suggest_float(name, low, high, log=log)
            for name, (low, high, log) in self.ranges.items()
        }
        return self.start | moved

    def near(self, rng: np.random.Generator) -> dict[str, float]:
        """A candidate near the start: about a third of the settings, by a tenth of their range."""
        found = {}
        for name, (low, high, log) in self.ranges.items():
            value = self.start[name]
            step = NEAR_STEP * rng.standard_normal() * (rng.random() < NEAR_SHARE)
            moved = value * (high / low) ** step if log else value + step * (high - low)
            found[name] = float(min(max(moved, low), high))
        return found

    @property
    def first(self) -> dict[str, float]:
        """What the first candidate has of the settings that are moved."""
        return {name: self.start[name] for name in self.ranges}
