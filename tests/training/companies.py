"""Short companies and tiny runs for the tests of training."""

from typing import Any

from ceo_gym.training import Settings

SHORT = {"clock.horizon_days": 28}


def tiny(**changed: Any) -> Settings:
    """A run whose updates take a fraction of a second."""
    return Settings(
        **{
            "envs": 2,
            "weeks": 6,
            "batch": 6,
            "epochs": 2,
            "hidden": 8,
            "eval_every": 2,
            "eval_seeds": 2,
            "env_args": {"params": SHORT},
        }
        | changed
    )
