"""The score of a company in Inspect: its recorded session is audited, and that is what counts.

Needs the extra ``inspect``.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

try:
    from anyio import to_thread
    from inspect_ai.scorer import Score, mean, metric, scorer, stderr
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'the Inspect task needs inspect-ai: pip install "ceo-gym[inspect]"'
    ) from error

from ceo_gym.evaluation.analysis import forecasts
from ceo_gym.evaluation.recording import RunRecorder
from ceo_gym.evaluation.statistics import bootstrap_interval
from ceo_gym.sessions import Verified, replay

SESSION = "session"  # in the metadata of a sample: the directory of its session
MONTH_DAYS = 28
NAN = math.nan  # Inspect leaves it out of the metrics, and counts it as unscored


class Audit(NamedTuple):
    """What a session is found to have come to.

    Attributes:
        verified: its record, done again.
        bankrupt: whether the company is.
        coverage: share of the forecasts whose interval of 95 % held the cash; NaN without any.
        error_28d: median of abs(point - cash) / max(abs(cash), 10^4 USD) of the forecasts for 28
            days later; NaN without any.
    """

    verified: Verified
    bankrupt: bool
    coverage: float
    error_28d: float


def audit(directory: Path) -> Audit:
    """Do a session again, and measure it.

    Raises:
        DamagedJournal: if its journal was changed.
        DifferentOutcome: if it comes to something else than it says.
    """
    watched: list[RunRecorder] = []
    verified = replay(directory, watch=lambda env: watched.append(RunRecorder(env)))
    (recorder,) = watched
    bankrupt = bool(recorder.company.world.bankrupt)
    if not verified.weeks:
        return Audit(verified, bankrupt, NAN, NAN)
    rows = forecasts.scored(recorder.record())
    month = rows["abs_error"][rows["horizon_days"] == MONTH_DAYS]
    # means and medians of nothing are NaN
    return Audit(verified, bankrupt, float(rows["covered"].mean()), float(month.median()))


@metric
def bootstrap() -> Any:
    """A 95 % interval of the mean by the percentile bootstrap over samples: ``low``, ``high``."""

    def measure(scores: list[Any]) -> dict[str, float]:
        values = np.array([each.score.as_float() for each in scores])
        low, high = bootstrap_interval(values, np.mean) if len(values) else (NAN, NAN)
        return {"low": low, "high": high}

    return measure


@scorer(
    metrics={
        "final_cash_usd": [mean(), stderr(), bootstrap()],
        "survived": [mean()],
        "finished": [mean()],
        "survival_days": [mean()],
        "coverage_95": [mean()],
        "error_28d": [mean()],
    }
)
def game_score() -> Any:
    """Scores a company by the audited record of its session.

    ``final_cash_usd``; ``survived``, 0 if it went bankrupt; ``finished``, 0 if the game was left
    before its end, so that the cash is that of an earlier day; ``survival_days``; of the forecasts
    that can be scored ``coverage_95`` and ``error_28d``, see `Audit`.
    """

    async def score(state: Any, target: Any) -> Any:
        directory = Path(state.metadata[SESSION])
        found = await to_thread.run_sync(audit, directory)
        game = found.verified
        return Score(
            value={
                "final_cash_usd": game.final_cash_usd,
                "survived": float(not found.bankrupt),
                "finished": float(game.ended),
                "survival_days": float(game.day),
                "coverage_95": found.coverage,
                "error_28d": found.error_28d,
            },
            explanation=_in_words(found, directory),
            metadata={SESSION: str(directory), "weeks": game.weeks, "decisions": game.decisions},
        )

    return score


def _in_words(found: Audit, directory: Path) -> str:
    game = found.verified
    end = "bankrupt" if found.bankrupt else "the end" if game.ended else "left before the end"
    return (
        f"${game.final_cash_usd:,.2f} on day {game.day} ({end}); verified by doing all "
        f"{game.decisions} decisions again: ceo-gym replay {directory}"
    )
