"""What a run of an agent comes to, read from its journal alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pandas as pd

from ceo_gym.evaluation.analysis.forecasts import scored
from ceo_gym.evaluation.play import Episode
from ceo_gym.llm.conversation import Conversation
from ceo_gym.llm.options import Spent
from ceo_gym.runs import read_journal
from ceo_gym.sessions import decisions

RUNNING, TRUNCATED, FAILED = "running", "truncated", "failed"


@dataclass(frozen=True)
class AgentResult:
    """What a run comes to. Shares and errors are None where there is nothing to count.

    Attributes:
        directory: of the run.
        seed: of the world.
        status: ``completed``, ``bankrupt``, ``truncated`` (a budget was used up), ``failed`` (the
            model could not be reached any more; can be gone on with) or ``running``.
        why: of a run that was truncated or failed.
        final_cash_usd: cash at its end.
        days: played.
        weeks: played.
        weekly_cash_usd: before the first week, then at the end of each.
        turns: replies of the model.
        turns_a_week: replies for each week played.
        forced_weeks: weeks that were played because the turns of a week were used up.
        calls: of tools and queries, those of programs included.
        refused: of these.
        error_rate: refused calls for each call.
        invalid: replies, or calls in them, that could not be read.
        programs: run.
        failed_programs: of these, those that did not end with exit status 0.
        input_tokens: of all messages, None if the server does not count them.
        output_tokens: of all replies, likewise.
        cost_usd: None if a cost is not known.
        hours: in which the agent has played.
        forecasts: by horizon in days: ``scored`` (how many of its own), ``coverage`` (share of them
            whose interval held the cash), ``abs_error_median`` (relative).
    """

    directory: str
    seed: int
    status: str
    why: str
    final_cash_usd: float
    days: int
    weeks: int
    weekly_cash_usd: tuple[float, ...]
    turns: int
    turns_a_week: float | None
    forced_weeks: int
    calls: int
    refused: int
    error_rate: float | None
    invalid: int
    programs: int
    failed_programs: int
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None
    hours: float
    forecasts: dict[int, dict[str, float | None]]

    @classmethod
    def read(cls, directory: Path, failure: str = "") -> AgentResult:
        """The result of a run.

        Args:
            directory: of the run.
            failure: why it failed, if it did.

        Raises:
            ValueError: if its journal is damaged.
        """
        entries = read_journal(directory)
        begin, of = entries[0], _by_kind(entries)
        weeks, calls, outputs = of("week"), of("call"), of("output")
        refused = sum("error" in call for call in calls)
        spent: Spent = Conversation.read(entries).spent
        status, why = _status(entries, failure)
        cash = [begin["initial_cash_usd"], *(week["cash_usd"] for week in weeks)]
        return cls(
            directory=str(directory),
            seed=begin["seed"],
            status=status,
            why=why,
            final_cash_usd=cash[-1],
            days=weeks[-1]["day"] if weeks else 0,
            weeks=len(weeks),
            weekly_cash_usd=tuple(cash),
            turns=spent.turns,
            turns_a_week=spent.turns / len(weeks) if weeks else None,
            forced_weeks=sum(
                call["tool"] == decisions.ADVANCE and "by" not in call for call in calls
            ),
            calls=len(calls),
            refused=refused,
            error_rate=refused / len(calls) if calls else None,
            invalid=len(of("invalid")),
            programs=len(of("program")),
            failed_programs=sum(output["exit_code"] != 0 for output in outputs),
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            cost_usd=spent.cost_usd,
            hours=spent.seconds / 3600.0,
            forecasts=_forecasts(cash, weeks, calls),
        )

    @property
    def episode(self) -> Episode:
        """The run as a game, for statistics."""
        return Episode(
            seed=self.seed,
            final_cash_usd=self.final_cash_usd,
            survival_days=self.days,
            bankrupt=self.status == "bankrupt",
            reward_sum=(self.final_cash_usd - self.weekly_cash_usd[0]) / 1e6,
            weekly_cash_usd=self.weekly_cash_usd,
            cpu_seconds=0.0,
        )

    def as_dict(self) -> dict[str, Any]:
        """All figures by name."""
        return asdict(self)


def _by_kind(entries: Sequence[Mapping[str, Any]]) -> Any:
    return lambda kind: [entry for entry in entries if entry["kind"] == kind]


def _status(entries: Sequence[Mapping[str, Any]], failure: str) -> tuple[str, str]:
    ended = next((entry for entry in entries if entry["kind"] == "end"), None)
    if ended is not None:
        return ended["status"], ""
    if failure:
        return FAILED, failure
    last = next((e for e in reversed(entries) if e["kind"] in ("stopped", "model")), None)
    if last is not None and last["kind"] == "stopped":
        return TRUNCATED, last["reason"]
    return RUNNING, ""


def _forecasts(
    cash: Sequence[float], weeks: Sequence[Mapping[str, Any]], calls: Sequence[Mapping[str, Any]]
) -> dict[int, dict[str, float | None]]:
    """How good the agent's own forecasts were; those that stood in for it do not count."""
    days = [0, *(week["day"] for week in weeks)]
    own = {c["day"] for c in calls if decisions.plays(c) and (c["args"] or {}).get("predictions")}
    rows = [
        (day, *cells) for day, week in zip(days, weeks) if day in own for cells in week["forecast"]
    ]
    columns = ["day", "horizon_days", "point_usd", "lower_usd", "upper_usd"]
    record = SimpleNamespace(
        days=pd.DataFrame({"day": days, "cash_usd": cash}),
        forecasts=pd.DataFrame(rows, columns=columns).astype({"horizon_days": int}),
    )
    found = scored(record)  # type: ignore[arg-type]
    figures: dict[int, dict[str, float | None]] = {}
    for horizon in sorted({int(row[1]) for row in rows}):
        some = found[found["horizon_days"] == horizon]
        figures[horizon] = {
            "scored": float(len(some)),
            "coverage": float(some["covered"].mean()) if len(some) else None,
            "abs_error_median": float(some["abs_error"].median()) if len(some) else None,
        }
    return figures
