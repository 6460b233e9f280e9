"""Pictures of runs and evaluations. Needs the extra ``plot``."""

from ceo_gym.plots.fans import plot_fans
from ceo_gym.plots.run import plot_run

__all__ = ["plot_fans", "plot_run"]
