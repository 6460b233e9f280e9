"""Doing nothing: the company of day 0 pays for its smallest platform and nobody ever comes."""

from __future__ import annotations

from ceo_gym.simulators.ceobench import World


class Passive:
    """Makes no decision."""

    def decide(self, world: World) -> None:
        """Nothing."""
