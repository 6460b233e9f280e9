"""Whether two sets of runs come from the same world: cells, permutations, bankruptcies."""

import warnings
from typing import NamedTuple

import numpy as np
from scipy import stats

from tests.conformance.ceobench.runner import Runs

ERRORS, SHARE = 3.0, 0.03  # a cell agrees within so many standard errors or this share
DIGITS = 1e-5  # the recordings have six significant digits; what varies less is constant
LIVING = 6  # episodes a cell needs
SHUFFLES = 2_000

FAMILIES = {
    "cash and revenue": ("cash", "mrr", "rev_"),
    "costs": ("cost_",),
    "subscribers": ("subs", "ent_seats"),
    "prospects": ("leads_", "n_discovered"),
    "coming and going": ("new_", "cancel_", "churn_", "upgrades", "downgrades"),
    "service": ("usage", "capacity", "overload", "outage", "downtime"),
    "quality": ("q_shared", "qbonus_", "rnd_done"),
    "satisfaction": ("sat_",),
    "reputation": ("rep_",),
    "issues": ("open_issues",),
    "negotiations": ("open_threads", "threads_wait_agent", "deals_cum", "lead_lost_notes_cum"),
    "exogenous": ("pmi", "surge", "comp_events", "bank", "qdrift_"),
}


def family(metric: str) -> str:
    return next(name for name, heads in FAMILIES.items() if metric.startswith(heads))


class Cells(NamedTuple):
    """Comparison of means by day and metric."""

    day: np.ndarray  # [cells]
    metric: np.ndarray  # [cells] position in the metrics
    ours: np.ndarray  # [cells] means
    theirs: np.ndarray
    our_error: np.ndarray  # [cells] standard errors of the means
    their_error: np.ndarray

    @property
    def varied(self) -> np.ndarray:
        """[cells] whether the values differ between seeds, so that there is something to judge."""
        size = np.maximum(np.abs(self.ours), np.abs(self.theirs))
        return np.hypot(self.our_error, self.their_error) > DIGITS * size

    @property
    def z(self) -> np.ndarray:
        """[cells] difference over its standard error; of constants 0 if equal, else inf."""
        gap, error = self.ours - self.theirs, np.hypot(self.our_error, self.their_error)
        equal = np.isclose(self.ours, self.theirs, rtol=DIGITS, atol=1e-9)
        return np.divide(gap, error, out=np.where(equal, 0.0, np.inf), where=self.varied)

    @property
    def agree(self) -> np.ndarray:
        """[cells] whether the means agree within three errors or three per cent."""
        within = np.abs(self.ours - self.theirs) <= SHARE * np.abs(self.theirs)
        return within | (np.abs(self.z) <= ERRORS)


def cells(ours: Runs, theirs: Runs, days: np.ndarray, least: int = LIVING) -> Cells:
    """All cells of the given days in which at least `least` episodes of both have a value."""
    assert ours.metrics == theirs.metrics
    a, b = ours.values[:, days - 1], theirs.values[:, days - 1]
    enough = (np.isfinite(a).sum(axis=0) >= least) & (np.isfinite(b).sum(axis=0) >= least)
    day, metric = enough.nonzero()
    moments = []
    for values in (a[:, day, metric], b[:, day, metric]):
        n = np.isfinite(values).sum(axis=0)
        moments += [np.nanmean(values, axis=0), np.nanstd(values, axis=0, ddof=1) / n**0.5]
    return Cells(days[day], metric, moments[0], moments[2], moments[1], moments[3])


class Permutation(NamedTuple):
    """Mean square of z against its distribution when seeds are shuffled between the two sets."""

    mean_square: float
    limit: float  # 99th percentile
    share_above: float  # of the shuffles at or above the real one
    cells: int
    last_day: int
    by_family: dict[str, tuple[float, float]]  # mean z, two-sided share of shuffles beyond it


def permutation(ours: Runs, theirs: Runs, first_day: int, every: int = 7) -> Permutation:
    """The test of DESIGN section 9: whole seeds shuffled, days on which all of them live."""
    last = int(min(ours.last_day.min(), theirs.last_day.min()))
    days = np.arange(first_day, last + 1, every)
    assert len(days), f"an episode has stopped on day {last}"
    pool = np.concatenate([ours.values[:, days - 1], theirs.values[:, days - 1]])
    n, mine = len(pool), len(ours.values)
    flat = pool.reshape(n, -1)
    whole = np.isfinite(flat).all(axis=0)  # a mean without members has no value
    varied = np.ptp(flat[:, whole], axis=0) > DIGITS * np.abs(flat[:, whole]).max(axis=0)
    columns = whole.nonzero()[0][varied]
    data = flat[:, columns] - flat[:, columns].mean(axis=0)
    metric = columns % pool.shape[2]
    square = data**2
    total, total_square = data.sum(axis=0), square.sum(axis=0)
    families = {name: [] for name in FAMILIES}
    for k, m in enumerate(metric):
        families[family(ours.metrics[m])].append(k)

    def z_of(rows: np.ndarray) -> np.ndarray:
        sums, squares = data[rows].sum(axis=0), square[rows].sum(axis=0)
        parts = []
        for count, s, q in (
            (mine, sums, squares),
            (n - mine, total - sums, total_square - squares),
        ):
            mean = s / count
            parts.append((mean, np.maximum(q - count * mean**2, 0.0) / (count - 1) / count))
        gap, error = parts[0][0] - parts[1][0], np.sqrt(parts[0][1] + parts[1][1])
        return np.divide(gap, error, out=np.zeros_like(gap), where=error > 0.0)

    rng = np.random.default_rng(7)
    real = z_of(np.arange(mine))
    used = {name: np.array(k) for name, k in families.items() if k}
    squares, means = np.empty(SHUFFLES), {name: np.empty(SHUFFLES) for name in used}
    for k in range(SHUFFLES):
        z = z_of(rng.permutation(n)[:mine])
        squares[k] = np.mean(z**2)
        for name, at in used.items():
            means[name][k] = z[at].mean()
    by_family = {
        name: (float(real[at].mean()), float((abs(means[name]) >= abs(real[at].mean())).mean()))
        for name, at in used.items()
    }
    mean_square = float(np.mean(real**2))
    return Permutation(
        mean_square,
        float(np.quantile(squares, 0.99)),
        float((squares >= mean_square).mean()),
        len(columns),
        int(days[-1]),
        by_family,
    )


def bankruptcies(ours: Runs, theirs: Runs, horizon: int) -> float:
    """p of the log-rank test on the days of bankruptcy; 1 if there are none."""

    def survival(runs: Runs) -> stats.CensoredData:
        last = runs.last_day
        cash = runs.of("cash")[np.arange(len(last)), last - 1]
        stopped = cash < 0.0
        return stats.CensoredData(
            uncensored=last[stopped], right=np.full((~stopped).sum(), horizon)
        )

    a, b = survival(ours), survival(theirs)
    if not a._uncensored.size and not b._uncensored.size:
        return 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(stats.logrank(a, b).pvalue)
