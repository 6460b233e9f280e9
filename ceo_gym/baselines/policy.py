"""The shape of a policy, and the built-in ones by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from ceo_gym.baselines.passive import Passive
from ceo_gym.baselines.steady import Steady
from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.common.parameters import nearest


class Policy(Protocol):
    """Makes a week's decisions.

    A policy calls the decision methods of the world and reads ``world.observe()``,
    ``world.group_insights(...)`` and the published tables of ``world.params`` (ids, tiers and
    their costs), nothing else of it.
    """

    def decide(self, world: World) -> None:
        """Decide for the coming week."""


POLICIES: dict[str, Callable[[], Policy]] = {"passive": Passive, "steady": Steady}


def make_policy(name: str) -> Policy:
    """A new policy by name.

    Raises:
        ValueError: if there is none of that name.
    """
    if name not in POLICIES:
        raise ValueError(f"no policy {name!r}; {nearest(name, POLICIES)}")
    return POLICIES[name]()
