"""Mechanism by mechanism: our world against the recordings, where means of episodes are too blunt.

`mechanisms` compares figures read from the daily rows of P0 to P4, P7 and P8, `distributions` the
values of single days. P6 is left out: one recorded seed has no error. Runs may stop early; every
figure uses the days that a run has.
"""

from collections.abc import Mapping

import numpy as np

from tests.conformance.ceobench.catalogue import Mechanism
from tests.conformance.ceobench.catalogue_customers import customers
from tests.conformance.ceobench.catalogue_enterprise import enterprise
from tests.conformance.ceobench.catalogue_market import market
from tests.conformance.ceobench.distributions import distribution_rows
from tests.conformance.ceobench.figures import Played
from tests.conformance.ceobench.runner import Runs
from tests.conformance.ceobench.seedwise import Row, compare_figures, holm, total

DIGITS = 6  # significant digits of the recordings


def mechanisms(ours: Mapping[str, Runs], theirs: Mapping[str, Runs]) -> list[Row]:
    """All rows of the policies that both have, with their verdicts."""
    a, b = _rounded(ours), dict(theirs)
    both = [policy for policy in a if policy in b]
    rows: list[Row | None] = []
    for m in catalogue():
        present = [policy for policy in m.policies if policy in both]
        for policies in [present] if m.pooled and present else [[policy] for policy in present]:
            mine, other = (
                total([m.read(Played(policy, runs[policy])) for policy in policies])
                for runs in (a, b)
            )
            rows.append(compare_figures(m.name, " ".join(policies), m.how, mine, other))
    return holm(rows)


def distributions(ours: Mapping[str, Runs], theirs: Mapping[str, Runs]) -> list[Row]:
    """Two-sample rows over seed-days, times and survivals; medians and their spread as figures."""
    a, b = _rounded(ours), dict(theirs)
    both = [policy for policy in a if policy in b]
    rows: list[Row | None] = []
    for policy in both:
        rows += distribution_rows(Played(policy, a[policy]), Played(policy, b[policy]))
    return holm(rows)


def catalogue() -> list[Mechanism]:
    """Every mechanism that is compared."""
    return [*market(), *customers(), *enterprise()]


def _rounded(runs: Mapping[str, Runs]) -> dict[str, Runs]:
    """With as many digits as the recordings, so that nothing differs by rounding alone."""
    found = {}
    for policy, r in runs.items():
        size = np.abs(np.where(r.values == 0.0, 1.0, r.values))
        scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(size)))
        found[policy] = r._replace(values=np.round(r.values * scale) / scale)
    return found
