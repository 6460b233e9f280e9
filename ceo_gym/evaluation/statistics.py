"""What many games say: averages with their uncertainty, and two policies seed by seed.

`scipy.stats` takes a second to import, so functions do that when they need it: workers never do.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceo_gym.evaluation.play import Episode

Values = NDArray[np.float64]
Statistic = Callable[..., Any]

CONFIDENCE = 0.95
RESAMPLES = 9_999
# Less than this counts as this in geometric figures: a logarithm needs something above zero.
GEOMETRIC_FLOOR_USD = 1.0
_BATCH = 1_000  # resamples at a time, which bounds the memory


def summarise(episodes: Sequence[Episode]) -> dict[str, Any]:
    """The figures of a set of games.

    Args:
        episodes: one or more, of different seeds.

    Returns:
        A dict; money is in USD, intervals are ``[low, high]`` of 95 % (see `bootstrap_interval`).

        * ``seeds``: number of games.
        * ``mean_usd``, ``median_usd``, ``iqm_usd`` of final cash, and ``mean_interval_usd``,
          ``median_interval_usd``, ``iqm_interval_usd``. ``iqm`` is the interquartile mean: of the
          n values, the n // 4 least and the n // 4 greatest are left out.
        * ``sd_usd``: standard deviation with n - 1; None for one game.
        * ``min_usd``, ``max_usd``.
        * ``mean_zero_for_bankrupt_usd``: the mean with 0 for each bankrupt company, as the
          published leaderboard counts them.
        * ``geometric``: see `geometric_summary`.
        * ``bankruptcies``: number of games that ended bankrupt.
        * ``survival_days``: ``mean`` and ``min`` of days played.
        * ``cpu_seconds``: ``total`` and ``mean`` of the games.

    Raises:
        ValueError: if there are no episodes.
    """
    if not episodes:
        raise ValueError("no finished games to summarise")
    # in order of the seeds, since the draws of the bootstrap go by position
    episodes = sorted(episodes, key=lambda episode: episode.seed)
    cash = np.array([episode.final_cash_usd for episode in episodes])
    bankrupt = np.array([episode.bankrupt for episode in episodes])
    days = [episode.survival_days for episode in episodes]
    seconds = [episode.cpu_seconds for episode in episodes]
    figures: dict[str, Any] = {"seeds": len(episodes)}
    for name, statistic in (("mean", np.mean), ("median", np.median), ("iqm", iqm)):
        figures[f"{name}_usd"] = float(statistic(cash))
        figures[f"{name}_interval_usd"] = bootstrap_interval(cash, statistic)
    return figures | {
        "sd_usd": float(cash.std(ddof=1)) if len(cash) > 1 else None,
        "min_usd": float(cash.min()),
        "max_usd": float(cash.max()),
        "mean_zero_for_bankrupt_usd": float(np.where(bankrupt, 0.0, cash).mean()),
        "geometric": geometric_summary(cash),
        "bankruptcies": int(bankrupt.sum()),
        "survival_days": {"mean": float(np.mean(days)), "min": min(days)},
        "cpu_seconds": {"total": float(np.sum(seconds)), "mean": float(np.mean(seconds))},
    }


def iqm(values: Values, axis: int = -1) -> Any:
    """The interquartile mean: without the n // 4 least and the n // 4 greatest values."""
    from scipy import stats

    return stats.trim_mean(values, 0.25, axis=axis)


def bootstrap_interval(values: Values, statistic: Statistic) -> list[float]:
    """A 95 % interval by the percentile bootstrap, from the same draws at every call.

    Args:
        values: shape (n,); one value or n equal ones give an interval of no width.
        statistic: a function of values and ``axis``.

    Returns:
        ``[low, high]`` in the unit of the values.
    """
    from scipy import stats

    if len(values) < 2 or (values == values[0]).all():
        return [float(statistic(values))] * 2
    # percentile: defined for medians and for any distribution, where BCa may give NaN;
    # `random_state` is the name that every SciPy from 1.11 knows
    found = stats.bootstrap(
        (values,),
        statistic,
        n_resamples=RESAMPLES,
        batch=_BATCH,
        vectorized=True,
        confidence_level=CONFIDENCE,
        method="percentile",
        random_state=np.random.default_rng(0),
    ).confidence_interval
    return [float(found.low), float(found.high)]


def geometric_summary(cash: Values) -> dict[str, Any]:
    """The geometric mean of final cash, which a few lucky seeds move little.

    Cash below one dollar, so also that of every bankrupt company, counts as one dollar:
    the mean is ``exp(mean(log(max(cash, 1))))``. One such seed of 32 lowers a mean of $100 million
    to $56 million.

    Args:
        cash: USD, shape (n,).

    Returns:
        ``mean_usd`` and ``interval_usd``; ``sd_factor``, the exponential of the standard deviation
        of the logarithms (None for one game): two thirds of a log-normal lie within a factor of
        it; ``floored``: how many values counted as one dollar.
    """
    logs = np.log(np.maximum(cash, GEOMETRIC_FLOOR_USD))
    low, high = bootstrap_interval(logs, np.mean)
    return {
        "mean_usd": float(np.exp(logs.mean())),
        "interval_usd": [float(np.exp(low)), float(np.exp(high))],
        "sd_factor": float(np.exp(logs.std(ddof=1))) if len(logs) > 1 else None,
        "floored": int((cash < GEOMETRIC_FLOOR_USD).sum()),
    }


def paired(first: Sequence[Episode], second: Sequence[Episode]) -> dict[str, Any]:
    """Two policies on the seeds that both have played; differences are first minus second.

    Exogenous paths are the same for every policy at a seed, so differences vary less than the
    values themselves do.

    Returns:
        A dict: ``seeds`` (those in common) and ``difference_usd`` (one each); ``mean_usd`` and
        ``median_usd`` of the differences with ``mean_interval_usd`` and ``median_interval_usd``
        of 95 %; ``wins``, ``ties``, ``losses`` of the first; ``sign_p`` and ``wilcoxon_p``,
        two-sided probabilities of the sign test and of Wilcoxon's signed-rank test. Ties are left
        out of both tests; where all are ties, both are 1.

    Raises:
        ValueError: if no seed is in common.
    """
    from scipy import stats

    cash = [
        {episode.seed: episode.final_cash_usd for episode in group} for group in (first, second)
    ]
    seeds = sorted(cash[0].keys() & cash[1].keys())
    if not seeds:
        raise ValueError("no seed was played by both, so there is nothing to pair")
    difference = np.array([cash[0][seed] - cash[1][seed] for seed in seeds])
    wins, losses = int((difference > 0.0).sum()), int((difference < 0.0).sum())
    return {
        "seeds": seeds,
        "difference_usd": difference.tolist(),
        "mean_usd": float(difference.mean()),
        "mean_interval_usd": bootstrap_interval(difference, np.mean),
        "median_usd": float(np.median(difference)),
        "median_interval_usd": bootstrap_interval(difference, np.median),
        "wins": wins,
        "ties": len(seeds) - wins - losses,
        "losses": losses,
        "sign_p": float(stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0,
        "wilcoxon_p": _wilcoxon_p(difference[difference != 0.0]),
    }


def _wilcoxon_p(difference: Values) -> float:
    from scipy import stats

    if not difference.size:
        return 1.0
    with warnings.catch_warnings():
        # some versions of SciPy say that few or tied values are few or tied
        warnings.simplefilter("ignore")
        return float(stats.wilcoxon(difference).pvalue)
