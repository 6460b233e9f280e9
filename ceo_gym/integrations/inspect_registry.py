"""What Inspect finds of this package by its entry point, so that ``ceo_gym/ceobench`` is a task."""

from ceo_gym.integrations.inspect_scorer import bootstrap, game_score
from ceo_gym.integrations.inspect_task import ceobench, company_player

__all__ = ["bootstrap", "ceobench", "company_player", "game_score"]
