"""Recorded runs for the tests: an agent's, with everything that a journal may hold."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ceo_gym.sandbox.conversation import Outcome
from ceo_gym.sessions import Session
from ceo_gym.simulators.ceobench import InvalidDecision

HOSTILE = (
    "</script><script>alert(1)</script><img src=x onerror=alert(2)> <!-- <script> "
    "\u2028\u2029 \ud800 \udfff \u202e \x00 {{library}} {{data}} &lt;b&gt;"
)


def forecast(cash: float, width: float = 1e5) -> dict[str, Any]:
    """The same interval around the present cash at every horizon."""
    one = {"point": cash, "lower": cash - width, "upper": cash + width}
    return {f"cash_{horizon}": one for horizon in ("1wk", "4wk", "12wk", "26wk")}


def talk(directory: Path, *, weeks: int = 3, horizon_days: int = 28, text: str = "") -> Path:
    """A session of calls, refused ones too, and of what an agent's loop notes.

    Args:
        directory: of the session.
        weeks: to play.
        horizon_days: of the game.
        text: stands in every text of it.
    """
    params = {"clock.horizon_days": horizon_days}
    about = {"model": f"model {text}"}
    with Session.create(directory, seed=3, env_args={"params": params}, about=about) as session:
        for week in range(weeks):
            note_all(session, week, text)
            session.call("set_prices", {"A": 30 + week, "B": 80})
            session.call("set_targeted_ad_spend", {"targeted_spend": {"search_ads": {"S1": 900}}})
            session.call("query", {"sql": f"SELECT day, amount, '{week}' FROM ledger"})
            for arguments in ({"A": -1}, {"A": text or "many"}):
                refused(session, "set_prices", arguments)
            arguments = {
                "predictions": forecast(session.status["cash_usd"]),
                "rationale": f"rationale {week} {text}",
            }
            session.call("next_week", arguments)
    return directory


def refused(session: Session, tool: str, arguments: Any) -> None:
    """A call that is an error."""
    try:
        session.call(tool, arguments)
    except InvalidDecision:
        return
    raise AssertionError(f"{tool} took {arguments}")


def note_all(session: Session, week: int, text: str) -> None:
    """The entries of an agent's loop."""
    session.note(
        "model",
        turn=week,
        text=f"model text {week} {text}",
        calls=["set_prices", text],
        usage={"input_tokens": 1200, "output_tokens": 34},
        cost_usd=0.25,
        seconds=1.5,
    )
    session.note("notes", text=f"notes file {week} {text}")
    session.note("context", reason=f"context {week} {text}")
    session.note("invalid", turn=week, error=f"invalid {week} {text}")
    session.note("remark", of=f"another kind {week} {text}")


def pretend_program(session: Session, code: str, outcome: Outcome, number: int = 1) -> None:
    """What a session writes about a program, without running one."""
    journal = session._journal
    about = {"day": session.desk.day, "number": number}
    journal.add("program", **about, name="program.py", arguments=[], code=code, at="")
    session.caller = f"program {number}"
    session.call("get_current_config")
    session.caller = ""
    journal.add("output", **about, **outcome._asdict())
