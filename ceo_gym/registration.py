"""The environments by id: one table, registered when the package is imported.

Entry points are strings, so nothing of an environment is imported before it is made.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import gymnasium as gym

_CEOBENCH = "ceo_gym.envs.ceobench.env:CEOBenchEnv"


class Entry(NamedTuple):
    """What an id stands for."""

    entry_point: str
    summary: str  # how it differs from its siblings
    arguments: dict[str, Any]


ENVIRONMENTS: dict[str, Entry] = {
    "CEOBench-v0": Entry(
        _CEOBENCH, "the published rules, odd ones included", {"rules": "published"}
    ),
    "CEOBench-Repaired-v0": Entry(
        _CEOBENCH, "the repaired rules; recommended for training", {"rules": "repaired"}
    ),
    # ablations, all on published rules
    "CEOBench-Short-v0": Entry(
        _CEOBENCH, "a horizon of 50 days", {"variant": {"clock.horizon_days": 50}}
    ),
    "CEOBench-NoCompetitors-v0": Entry(
        _CEOBENCH, "no competitors", {"variant": {"competitors.enabled": False}}
    ),
    "CEOBench-WeakCompetitors-v0": Entry(
        _CEOBENCH,
        "competitors make up for a tenth of one's improvements",
        {"variant": {"competitors.catch_up_min": 0.1, "competitors.catch_up_max": 0.1}},
    ),
    "CEOBench-HardCompetitors-v0": Entry(
        _CEOBENCH,
        "competitors make up for half to four fifths of one's improvements",
        {"variant": {"competitors.catch_up_min": 0.5, "competitors.catch_up_max": 0.8}},
    ),
}


def register_environments() -> None:
    """Make the ids known to Gymnasium; those that are known already are left alone."""
    for env_id, entry in ENVIRONMENTS.items():
        if env_id not in gym.registry:
            gym.register(env_id, entry_point=entry.entry_point, kwargs=entry.arguments)
