"""The environments by id: one table, registered when the package is imported.

Entry points are strings, so nothing of an environment is imported before it is made.
"""

from __future__ import annotations

from typing import Any

import gymnasium as gym

_CEOBENCH = "ceo_gym.envs.ceobench.env:CEOBenchEnv"

# id -> entry point, arguments
ENVIRONMENTS: dict[str, tuple[str, dict[str, Any]]] = {
    # the published rules, odd ones included
    "CEOBench-v0": (_CEOBENCH, {"rules": "published"}),
    # the repaired rules: recommended for training
    "CEOBench-Repaired-v0": (_CEOBENCH, {"rules": "repaired"}),
    # ablations, all on published rules
    "CEOBench-Short-v0": (_CEOBENCH, {"variant": {"clock.horizon_days": 50}}),
    "CEOBench-NoCompetitors-v0": (_CEOBENCH, {"variant": {"competitors.enabled": False}}),
    "CEOBench-WeakCompetitors-v0": (
        _CEOBENCH,
        {"variant": {"competitors.catch_up_min": 0.1, "competitors.catch_up_max": 0.1}},
    ),
    "CEOBench-HardCompetitors-v0": (
        _CEOBENCH,
        {"variant": {"competitors.catch_up_min": 0.5, "competitors.catch_up_max": 0.8}},
    ),
}


def register_environments() -> None:
    """Make the ids known to Gymnasium; those that are known already are left alone."""
    for env_id, (entry_point, arguments) in ENVIRONMENTS.items():
        if env_id not in gym.registry:
            gym.register(env_id, entry_point=entry_point, kwargs=arguments)
