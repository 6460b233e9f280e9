"""Distributions of single days, times and survivals, where figures would hide a difference."""

from collections.abc import Iterator

import numpy as np
from scipy import stats

from tests.conformance.ceobench import figures as f
from tests.conformance.ceobench.catalogue import EARLY, GROUPS
from tests.conformance.ceobench.figures import Played
from tests.conformance.ceobench.runner import EARLY_DAYS
from tests.conformance.ceobench.seedwise import LEAST, Row, weekly_distance

WEEKLY = np.arange(28, EARLY_DAYS + 1, 7)


def distribution_rows(mine: Played, other: Played) -> Iterator[Row | None]:
    """The rows of one policy; None where there are too few values."""
    if mine.policy in EARLY:
        yield from _weekly_rows(mine, other)
        yield _survival_row(mine, other)
    if mine.policy in ("P3", "P8"):
        yield _time_to_deal_row(mine, other)


def _weekly_rows(ours: Played, theirs: Played) -> Iterator[Row | None]:
    metrics = ["usage", "subs", "open_issues", "deals_cum", "ent_seats"]
    metrics += [f"{head}_{group}" for head in ("leads", "sat", "rep") for group in GROUPS]
    days = WEEKLY[min(x.runs.values.shape[1] for x in (ours, theirs)) >= WEEKLY]
    for metric in metrics:
        mine, other = (x[metric][:, days - 1] for x in (ours, theirs))
        how = f"{metric} every week of days {WEEKLY[0]} to {WEEKLY[-1]}"
        yield weekly_distance(f"distribution of {metric}", ours.policy, how, mine, other)


def _survival_row(ours: Played, theirs: Played) -> Row | None:
    a, b = (1.0 - f.at_renewal(x, "cancel_ind", 31, 60).known.top for x in (ours, theirs))
    if min(len(a), len(b)) < LEAST:
        return None
    test = stats.ks_2samp(a, b)
    figures = (np.median(a), stats.median_abs_deviation(a))
    figures += (np.median(b), stats.median_abs_deviation(b), test.statistic, test.pvalue)
    how = "1 less cancel_ind of days 31-60 over new_ind of days 1-30, by seed"
    name = "survival of the first renewal"
    return Row(name, ours.policy, how, len(a), len(b), *map(float, figures))


def _time_to_deal_row(ours: Played, theirs: Played) -> Row:
    """Log-rank test: a seed without a deal is censored on its last day."""
    sides, middle = [], []
    for x in (ours, theirs):
        day, last = f.first_day(x["new_ent"]), x.runs.last_day
        met = day.bottom > 0
        sides.append(stats.CensoredData(uncensored=day.top[met], right=last[~met]))
        middle.append(float(np.median(np.where(met, day.top, last))))
    test = stats.logrank(*sides)
    figures = (middle[0], np.nan, middle[1], np.nan, test.statistic, test.pvalue)
    n = (len(ours.runs.values), len(theirs.runs.values))
    how = "first day with new_ent; log-rank"
    return Row("day of the first deal", ours.policy, how, *n, *map(float, figures))
