"""Comparison of figures per seed, whole seeds being the units that are exchanged.

Days of one episode depend on each other, so no day is ever a sample of its own. A figure is a sum
over days above another one, for every seed: shares, rates, means and slopes through the origin.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from scipy import stats

LEVEL = 0.05  # of one false rejection among all rows of a list
SHUFFLES = (999, 39_999)  # first for every row, then for those that look suspicious
SUSPICIOUS = 0.05
DIGITS = 1e-5  # the recordings have six significant digits
LEAST = 4  # seeds a figure needs on either side


class Figure(NamedTuple):
    """Sums of every seed; what is compared is the ratio of their totals."""

    top: np.ndarray  # [seeds]
    bottom: np.ndarray  # [seeds] 0 for a seed without a value

    @property
    def each(self) -> "Figure":
        """The ratio of every seed with equal weight, for figures that grow with the company."""
        some = self.bottom != 0.0
        return Figure(
            np.divide(self.top, self.bottom, out=np.zeros_like(self.top), where=some), some * 1.0
        )

    @property
    def known(self) -> "Figure":
        """Without the seeds that have no value."""
        some = self.bottom != 0.0
        return Figure(self.top[some], self.bottom[some])


class Row(NamedTuple):
    """One comparison."""

    mechanism: str
    policy: str
    how: str  # it is read from the daily rows
    n_ours: int  # seeds
    n_theirs: int
    ours: float
    our_error: float
    theirs: float
    their_error: float
    statistic: float
    p: float
    rejected: bool = False  # at LEVEL, corrected for the number of rows by Holm


def total(figures: Sequence[Figure]) -> Figure:
    """Sums over policies; a seed is one unit whatever number of policies was played with it."""
    size = max(len(figure.top) for figure in figures)
    tops, bottoms = np.zeros((2, len(figures), size))
    for k, figure in enumerate(figures):
        tops[k, : len(figure.top)], bottoms[k, : len(figure.top)] = figure
    return Figure(tops.sum(axis=0), bottoms.sum(axis=0))


def ratio_error(top: np.ndarray, bottom: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ratio of the totals along the last axis, and its standard error by linearisation."""
    n, total_bottom = top.shape[-1], bottom.sum(axis=-1)
    ratio = top.sum(axis=-1) / total_bottom
    rest = top - ratio[..., None] * bottom
    return ratio, np.sqrt((rest**2).sum(axis=-1) * n / (n - 1)) / np.abs(total_bottom)


def p_of_shuffled_seeds(
    statistic: Callable[..., np.ndarray],
    ours: int,
    theirs: int,
    *,
    stages: Sequence[int] = SHUFFLES,
) -> float:
    """p of a statistic of (our seeds, their seeds, axis), large where the two sets differ."""
    seeds = np.arange(ours + theirs)
    p = 1.0
    for shuffles in stages:
        test = stats.permutation_test(
            (seeds[:ours], seeds[ours:]),
            statistic,
            vectorized=True,
            n_resamples=shuffles,
            batch=5_000,
            alternative="greater",
            random_state=np.random.default_rng(7),  # named rng only in newer versions
        )
        p = float(test.pvalue)
        if p > SUSPICIOUS:
            break
    return p


def compare_figures(
    mechanism: str, policy: str, how: str, ours: Figure, theirs: Figure
) -> Row | None:
    """A row by permutation of the studentised difference; None if either side has too few seeds."""
    a, b = ours.known, theirs.known
    if min(len(a.top), len(b.top)) < LEAST:
        return None
    top, bottom = (np.concatenate(parts) for parts in zip(a, b))
    (our, our_error), (their, their_error) = ratio_error(*a), ratio_error(*b)

    def distance(mine: np.ndarray, other: np.ndarray, axis: int = -1) -> np.ndarray:
        first, second = (ratio_error(top[k], bottom[k]) for k in (mine, other))
        gap, error = np.abs(first[0] - second[0]), np.hypot(first[1], second[1])
        return np.divide(gap, error, out=np.where(gap > 0.0, np.inf, 0.0), where=error > 0.0)

    error = np.hypot(our_error, their_error)
    if error <= DIGITS * max(abs(our), abs(their)):  # the same for every seed
        same = np.isclose(our, their, rtol=DIGITS, atol=1e-9)
        z, p = (0.0, 1.0) if same else (np.inf, 0.0)
    else:
        z = (our - their) / error
        p = p_of_shuffled_seeds(distance, len(a.top), len(b.top))
    cells = (len(a.top), len(b.top), our, our_error, their, their_error, z, p)
    return Row(mechanism, policy, how, *(c if isinstance(c, int) else float(c) for c in cells))


def steps(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """[seeds, steps] values of each seed that are not above each point, and [seeds] all of them."""
    points = np.unique(values[np.isfinite(values)])
    counts = np.array([np.searchsorted(np.sort(row), points, side="right") for row in values])
    return counts, np.isfinite(values).sum(axis=1)


def weekly_distance(
    mechanism: str, policy: str, how: str, ours: np.ndarray, theirs: np.ndarray
) -> Row | None:
    """A row by the Kolmogorov-Smirnov distance between [seeds, days] values, averaged over days.

    Each day is compared with itself: growth over the weeks would hide a difference if all days
    were thrown together.
    """
    a, b = (x[np.isfinite(x).any(axis=1)] for x in (ours, theirs))
    if min(len(a), len(b)) < LEAST:
        return None
    pool = np.concatenate([a, b])
    tables = [steps(pool[:, [k]]) for k in range(pool.shape[1])]
    tables = [table for table in tables if table[0].shape[1] > 1]
    if not tables:
        return None

    def distance(mine: np.ndarray, other: np.ndarray, axis: int = -1) -> np.ndarray:
        found = []
        for counts, n in tables:
            side = []
            for k in (mine, other):
                member = np.zeros((*k.shape[:-1], len(n)))
                np.put_along_axis(member, k, 1.0, axis=-1)
                side.append(member @ counts / np.maximum(member @ n, 1.0)[..., None])
            found.append(np.abs(side[0] - side[1]).max(axis=-1))
        return np.mean(found, axis=0)

    real = float(distance(np.arange(len(a)), np.arange(len(a), len(pool))))
    p = p_of_shuffled_seeds(distance, len(a), len(b), stages=(499, 9_999))
    figures = []
    for x in (a, b):
        figures.append(np.nanmedian(x))
        figures.append(stats.median_abs_deviation(x, axis=None, nan_policy="omit"))
    return Row(mechanism, policy, how, len(a), len(b), *map(float, figures), real, p)


def holm(rows: Iterable[Row | None], level: float = LEVEL) -> list[Row]:
    """The rows with their verdicts: the smallest p against level / n, the next one / (n - 1), …"""
    kept = [row for row in rows if row is not None]
    order = np.argsort([row.p for row in kept])
    going = True
    for k, at in enumerate(order):
        going = going and kept[at].p <= level / (len(kept) - k)
        kept[at] = kept[at]._replace(rejected=going)
    return kept
