"""Writes docs/conformance.md: how the world compares with the recordings of the published program.

python -m tests.conformance.ceobench.report [--seeds 32] [--out docs/conformance.md]
"""

import argparse
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.progress import Progress

from tests.conformance.ceobench.compare import (
    FAMILIES,
    LIVING,
    SHUFFLES,
    Cells,
    Permutation,
    bankruptcies,
    cells,
    family,
    permutation,
)
from tests.conformance.ceobench.runner import (
    EARLY,
    EARLY_DAYS,
    FIRST_SEED,
    HORIZON,
    MAIN,
    Runs,
    played,
    recorded,
)
from tests.conformance.shared import SHARED

FIRST_DAY = 14
JUDGED = ("P1", "P2", "P3", "P4", "P7", "P8")
MANY_SEEDS = ("P1", "P2", "P3", "P4")  # those of the early file
WHAT = {
    "P0": "passive",
    "P1": "small business, meant to fail slowly",
    "P2": "growth, then living off the base",
    "P3": "targeted, with research and group search",
    "P4": "price probe, promotions, in-app ads",
    "P6": "scale-up (one recorded seed)",
    "P7": "explorer of unknown groups, meant to fail",
    "P8": "enterprise negotiations, meant to fail",
}
FAMILY_LEVEL = 0.01  # for all families of all policies together (Bonferroni)
WORST = 30
SURGE_DAYS = 200


class Verdict(NamedTuple):
    """The comparison of one policy."""

    policy: str
    ours: Runs
    theirs: Runs  # all recorded seeds that go on to the end
    early: Cells
    early_seeds: int
    whole: Permutation  # from day 14 to the first stop
    later: Permutation | None  # from day 120
    log_rank: float

    @property
    def early_passes(self) -> bool:
        square = np.mean(self.early.z[self.early.varied] ** 2)
        return bool(self.early.agree[self.early.varied].mean() >= 0.98 and square <= 2.0)

    @property
    def later_passes(self) -> bool:
        judged = [p for p in (self.whole, self.later) if p is not None]
        return all(p.mean_square <= p.limit for p in judged) and self.log_rank >= 0.01


def judge(policy: str, ours: Runs) -> Verdict:
    """Compare our runs of a policy with the recorded ones."""
    theirs = recorded(policy, MAIN)
    seeds = recorded(policy, MAIN, EARLY) if policy in MANY_SEEDS else theirs
    days = np.arange(FIRST_DAY, EARLY_DAYS + 1)
    stop = int(min(ours.last_day.min(), theirs.last_day.min()))
    return Verdict(
        policy,
        ours,
        theirs,
        cells(ours.upto(EARLY_DAYS), seeds.upto(EARLY_DAYS), days),
        len(seeds.values),
        permutation(ours, theirs, FIRST_DAY),
        permutation(ours, theirs, EARLY_DAYS + 1) if stop > EARLY_DAYS else None,
        bankruptcies(ours, theirs, HORIZON),
    )


# --- the page ------------------------------------------------------------------------------------


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
    lines += [f"| {' | '.join(map(str, row))} |" for row in rows]
    return "\n".join(lines)


def _verdict(good: bool) -> str:
    return "passes" if good else "fails"


def early_table(verdicts: Sequence[Verdict]) -> str:
    rows = []
    for v in verdicts:
        varied = v.early.varied
        rows.append(
            (
                v.policy,
                WHAT[v.policy],
                len(v.ours.values),
                v.early_seeds,
                f"{len(varied):,} ({varied.sum():,})",
                f"{100 * v.early.agree.mean():.2f} % ({100 * v.early.agree[varied].mean():.2f} %)",
                f"{np.mean(v.early.z[varied] ** 2):.2f}",
                _verdict(v.early_passes) if v.policy in MANY_SEEDS else "reported",
            )
        )
    head = ("", "policy", "our seeds", "recorded", "cells (varying)", "agree", "mean z²", "verdict")
    return table(head, rows)


def later_table(verdicts: Sequence[Verdict]) -> str:
    rows = []
    for v in verdicts:
        for name, found in (("14", v.whole), ("120", v.later)):
            if found is None:
                rows.append((v.policy, "120", "-", "-", "-", "-", "an episode has stopped by then"))
                continue
            rows.append(
                (
                    v.policy,
                    f"{name} to {found.last_day}",
                    f"{found.cells:,}",
                    f"{found.mean_square:.2f}",
                    f"{found.limit:.2f}",
                    f"{100 * found.share_above:.1f} %",
                    _verdict(found.mean_square <= found.limit),
                )
            )
    head = ("", "days", "cells", "mean z²", "99th percentile", "shuffles above", "verdict")
    return table(head, rows)


def stops_table(verdicts: Sequence[Verdict]) -> str:
    rows = []
    for v in verdicts:
        cells_ = [v.policy]
        for runs in (v.ours, v.theirs):
            last = runs.last_day
            stopped = np.sort(last[last < HORIZON])
            median = f", median day {np.median(stopped):.0f}" if len(stopped) else ""
            cells_.append(f"{len(stopped)} of {len(last)}{median}")
        rows.append((*cells_, f"{v.log_rank:.3f}", _verdict(v.log_rank >= 0.01)))
    return table(("", "ours bankrupt", "recorded", "log-rank p", "verdict"), rows)


def family_table(verdicts: Sequence[Verdict]) -> tuple[str, list[str]]:
    """Mean z by family and policy with its share of shuffles beyond, and what stands out."""
    tests = sum(len(v.whole.by_family) for v in verdicts)
    rows, odd = [], []
    for name in FAMILIES:
        row: list[object] = [name]
        for v in verdicts:
            if name not in v.whole.by_family:
                row.append("-")
                continue
            mean, share = v.whole.by_family[name]
            row.append(f"{mean:+.2f} ({share:.2f})")
            if share < FAMILY_LEVEL / tests:
                odd.append(f"{name} under {v.policy}")
        rows.append(row)
    return table(("family", *(v.policy for v in verdicts)), rows), odd


def square_table(verdicts: Sequence[Verdict]) -> str:
    rows = []
    for name in FAMILIES:
        row: list[object] = [name]
        for v in verdicts:
            mine = np.array([family(v.ours.metrics[m]) == name for m in v.early.metric])
            mine &= v.early.varied
            row.append(f"{np.mean(v.early.z[mine] ** 2):.2f}" if mine.any() else "-")
        rows.append(row)
    return table(("family", *(v.policy for v in verdicts)), rows)


def worst_table(verdicts: Sequence[Verdict]) -> str:
    """The worst cell of each policy and metric, worst first."""
    best: dict[tuple[str, str], tuple[float, list[object]]] = {}
    for v in verdicts:
        early = v.early
        for k in np.argsort(np.abs(early.z)):
            key = (v.policy, v.ours.metrics[early.metric[k]])
            row = [
                v.policy,
                key[1],
                early.day[k],
                f"{early.ours[k]:,.4g} ± {early.our_error[k]:.2g}",
                f"{early.theirs[k]:,.4g} ± {early.their_error[k]:.2g}",
                f"{early.z[k]:+.2f}",
                "agrees" if early.agree[k] else "does not agree",
            ]
            best[key] = (abs(early.z[k]), row)
    rows = [row for _, row in sorted(best.values(), key=lambda pair: -pair[0])[:WORST]]
    return table(("", "metric", "day", "ours", "recorded", "z", "verdict"), rows)


def surge_table(v: Verdict) -> str:
    """How much demand surges, which nobody controls, decide about survival."""
    rows = []
    for name, runs in (("ours", v.ours), ("recorded", v.theirs)):
        surge, last = runs.of("surge")[:, :SURGE_DAYS], runs.last_day
        share = 100 * np.nanmean(surge > 1.0, where=np.isfinite(surge))
        early = (surge > 1.0).any(axis=1)
        cells_ = [
            f"{np.count_nonzero(last[mine] < HORIZON)} of {np.count_nonzero(mine)}"
            for mine in (early, ~early)
        ]
        rows.append((name, f"{share:.1f} %", *cells_))
    head = (
        "",
        f"surge days to day {SURGE_DAYS}",
        "bankrupt, of seeds with such a day",
        "of the others",
    )
    return table(head, rows)


def single_table(ours: Runs, theirs: Runs) -> str:
    """One recorded seed among ours: its rank by metric and day."""
    rows = []
    for day in (30, 90, 180, 270, 365, 500):
        for metric in ("cash", "subs", "leads_all", "usage"):
            mine, value = ours.of(metric)[:, day - 1], theirs.of(metric)[0, day - 1]
            mine = mine[np.isfinite(mine)]
            rank = np.count_nonzero(mine < value)
            spread = f"{np.median(mine):,.0f} ({mine.min():,.0f} to {mine.max():,.0f})"
            rows.append((day, metric, f"{value:,.0f}", spread, f"{rank} of {len(mine)}"))
    return table(("day", "metric", "recorded seed", "ours, median (range)", "ours below it"), rows)


def page(verdicts: Sequence[Verdict], passive: Runs, scale_up: Runs, minutes: float) -> str:
    """The whole page."""
    theirs0, theirs6 = recorded("P0", MAIN), recorded("P6", MAIN)
    same = (passive.of("cash")[:1] == theirs0.of("cash")).all()
    families, odd = family_table(verdicts)
    seeds = len(verdicts[0].ours.values)
    early = [v for v in verdicts if v.policy in MANY_SEEDS]
    failed = [v.policy for v in verdicts if not v.later_passes]
    failed += [v.policy for v in early if not v.early_passes]
    outcome = "All judged policies pass." if not failed else f"Not passed: {', '.join(failed)}."
    return f"""# Conformance

Does `CEOBench-v0` behave as the published program does? The published program was recorded without
any language model under scripted policies: one row a day with {len(passive.metrics)} metrics, some
of them hidden from a player. The same policies are played here through the tools, on other seeds
(from {FIRST_SEED} on), and the two sets of runs are compared as samples of one distribution.
This page is written by `make conformance`, which needs the recordings beside the checkout; no
constant was fitted to them. The last run took {minutes:.0f} minutes.

**{outcome}**

The passive company (P0) has the recorded cash on every day to {HORIZON}:
{"yes, to the dollar" if same else "NO"}.

## Days {FIRST_DAY} to {EARLY_DAYS}

A cell is a metric on a day. It agrees if the two means differ by at most three standard errors or
three per cent. Cells that no seed varies (mostly zeros) agree trivially, so the figures of the
varying cells stand beside. Asked: 98 % agree and a mean z² of at most 2; judged for policies with
24 recorded seeds, reported for the others. P4, P7 and P8 were first looked at when P1 to P3 had
passed.

{early_table(verdicts)}

Mean z² by family of metrics, varying cells:

{square_table(verdicts)}

## To the first bankruptcy

Later levels have heavy tails, so a policy is judged as a whole: the mean z² over weekly cells, from
day {FIRST_DAY} and from day {EARLY_DAYS + 1} on, against its distribution when whole seeds are
shuffled between the two sets ({SHUFFLES:,} times). Only recorded seeds that go on to the end count.
Days after the first bankruptcy in either set are left out, because means over survivors are
biased, and so are cells with fewer than {LIVING} values.

{later_table(verdicts)}

Days of bankruptcy, a log-rank test:

{stops_table(verdicts)}

Under P3 more of our companies end. Demand surges decide much of that, and nobody controls them:

{surge_table(next(v for v in verdicts if v.policy == "P3"))}

## Is a family of metrics off in one direction?

Mean z over the cells of a family from day {FIRST_DAY} on, in brackets the share of shuffles with a
mean that far from 0. With {sum(len(v.whole.by_family) for v in verdicts)} such tests, shares below
{FAMILY_LEVEL / sum(len(v.whole.by_family) for v in verdicts):.5f} would stand out:
{", ".join(odd) if odd else "none does"}.

{families}

## The worst cells

The worst day of each metric and policy to day {EARLY_DAYS}, worst first.

{worst_table(verdicts)}

## A large company

P6 was recorded with one seed, so it is shown and not judged. Ours: {len(scale_up.values)} seeds.

{single_table(scale_up, theirs6)}

All of this is of {seeds} seeds a policy; `python -m tests.conformance.ceobench.report --seeds N`
plays others.
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=32, help="seeds a policy (default 32)")
    parser.add_argument("--out", type=Path, default=Path("docs/conformance.md"))
    arguments = parser.parse_args()
    if not (SHARED / MAIN).exists():
        print(f"needs {MAIN} in the folder shared beside the checkout", file=sys.stderr)
        return 2
    start = time.monotonic()
    with Progress() as progress:
        runs = {p: played(p, arguments.seeds, progress=progress) for p in JUDGED}
        passive = played("P0", 1, progress=progress)
        scale_up = played("P6", min(arguments.seeds, 8), progress=progress)
        judging = progress.add_task("judging", total=len(runs))
        verdicts = []
        for policy, ours in runs.items():
            verdicts.append(judge(policy, ours))
            progress.advance(judging)
    minutes = (time.monotonic() - start) / 60
    arguments.out.write_text(page(verdicts, passive, scale_up, minutes), encoding="utf-8")
    print(f"written: {arguments.out}")
    good = all(v.later_passes and (v.policy not in MANY_SEEDS or v.early_passes) for v in verdicts)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
