"""How good a policy is: published seeds, games in several processes, figures with intervals."""

from ceo_gym.evaluation.api import compare, evaluate
from ceo_gym.evaluation.play import Episode, EpisodeFailed
from ceo_gym.evaluation.results import Evaluation
from ceo_gym.evaluation.seeds import SEED_SETS, parse_seeds

__all__ = [
    "SEED_SETS",
    "Episode",
    "EpisodeFailed",
    "Evaluation",
    "compare",
    "evaluate",
    "parse_seeds",
]
