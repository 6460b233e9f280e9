"""CEO-Bench: run a subscription-software company for 500 days (arXiv 2606.18543).

from ceo_gym.simulators.ceobench import World

world = World(seed=1)
world.set_prices(A=40)
world.step_week()
"""

from ceo_gym.simulators.ceobench.offers import Offers
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.results import DayResult
from ceo_gym.simulators.ceobench.rules import Rules
from ceo_gym.simulators.ceobench.validation import InvalidDecision
from ceo_gym.simulators.ceobench.world import World
from ceo_gym.simulators.common.parameters import ParameterError
from ceo_gym.simulators.common.snapshots import SnapshotError

__all__ = [
    "DayResult",
    "InvalidDecision",
    "Offers",
    "ParameterError",
    "Params",
    "Rules",
    "SnapshotError",
    "World",
]
