"""Pictures of runs, evaluations and learning. Needs the extra ``plot``."""

from ceo_gym.plots.fans import plot_fans
from ceo_gym.plots.learning import plot_learning_curve
from ceo_gym.plots.run import plot_run

__all__ = ["plot_fans", "plot_learning_curve", "plot_run"]
