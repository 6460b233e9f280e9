"""How spending was split, and cash by category of the ledger (harness.md 7)."""

from __future__ import annotations

from ceo_gym.evaluation.analysis.measures import SHARE, USD, Measure, known, ratio, unknown
from ceo_gym.runs import RunRecord

LEDGER = "ledger_"


def targeted_dev_share(record: RunRecord) -> Measure:
    """Development spent on single groups / all daily development; research projects do not count.

    Both over the whole game, USD; together they are the category ``development`` of the ledger.
    """
    return _targeted_share(record, "development")


def targeted_ops_share(record: RunRecord) -> Measure:
    """Support spent on groups, plans and accounts / all support, over the whole game."""
    return _targeted_share(record, "operations")


def cash_by_category(record: RunRecord) -> dict[str, Measure]:
    """Sum of the ledger over the game by category, USD; income above 0, costs below.

    They sum to the final cash, the initial funding included.
    """
    columns = [name for name in record.days if name.startswith(LEDGER)]
    return {name.removeprefix(LEDGER): known(record.days[name].sum(), USD) for name in columns}


def _targeted_share(record: RunRecord, what: str) -> Measure:
    columns = [f"spent_{what}_{how}_usd" for how in ("targeted", "shared")]
    if not set(columns) <= set(record.weeks):
        return unknown(SHARE, f"weeks.csv has no {columns[0]}")
    targeted, shared = (record.weeks[name].sum() for name in columns)
    return ratio(targeted, targeted + shared, SHARE, f"nothing was spent on {what}")


MEASURES = (targeted_dev_share, targeted_ops_share)
