"""All measures of a run at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ceo_gym.evaluation.analysis import (
    adaptation,
    advertising,
    customers,
    diversity,
    forecasts,
    scores,
    spending,
)
from ceo_gym.evaluation.analysis.measures import Measure
from ceo_gym.runs import RunRecord

SUBJECTS = {
    "score": scores.MEASURES,
    "advertising": advertising.MEASURES,
    "spending": spending.MEASURES,
    "customers": customers.MEASURES,
    "competitors": adaptation.MEASURES,
    "actions": diversity.MEASURES,
    "forecasts": (forecasts.own_forecasts,),
}


@dataclass(frozen=True)
class Report:
    """All measures of one run.

    Attributes:
        config: of the record.
        measures: subject -> name -> `Measure`.
    """

    config: dict[str, Any]
    measures: dict[str, dict[str, Measure]]

    def __getitem__(self, name: str) -> Measure:
        """The measure of a name.

        Raises:
            KeyError: if there is none.
        """
        for found in self.measures.values():
            if name in found:
                return found[name]
        raise KeyError(name)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, as JSON takes them; a measure without a number has None."""
        return {
            "config": self.config,
            "measures": {
                subject: {name: vars(measure) for name, measure in found.items()}
                for subject, found in self.measures.items()
            },
        }


def report(record: RunRecord) -> Report:
    """Every measure of a run.

    Returns:
        The measures by subject: those of `SUBJECTS` under the names of their functions, under
        ``forecasts`` also ``forecast_<name>`` and ``built_in_<name>`` for the names of
        `forecasts.forecast_scores`, and under ``cash by category`` ``cash_<category>``.
    """
    found = {
        subject: {function.__name__: function(record) for function in functions}
        for subject, functions in SUBJECTS.items()
    }
    for prefix, made_by in (("forecast_", forecasts.HANDED_IN), ("built_in_", forecasts.BUILT_IN)):
        of_kind = forecasts.forecast_scores(record, made_by)
        found["forecasts"] |= {f"{prefix}{name}": measure for name, measure in of_kind.items()}
    by_category = spending.cash_by_category(record)
    found["cash by category"] = {f"cash_{name}": value for name, value in by_category.items()}
    return Report(record.config, found)
