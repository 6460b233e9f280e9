"""Running a program again that was interrupted, without doing again what it had done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ceo_gym.sessions.decisions import ADVANCE
from ceo_gym.tools.declaration import plain
from ceo_gym.wrappers.desk import Desk
from ceo_gym.wrappers.tool_calls import CallError, json_value

OTHERWISE = (
    "this program was interrupted from outside, and does not do the same when it is run again; "
    "what it had done by then stays done"
)


class Remembered:
    """Answers a program's calls as they were answered before, and those after them by the desk.

    A program that does the same again comes to the point where it was interrupted with the same
    answers and no second effect. One that calls something else, or was told more than the journal
    keeps, is refused from there on.

    Args:
        calls: entries of the journal, in the order in which the program made them.
        desk: of the company, which has seen them all.
    """

    def __init__(self, calls: Sequence[Mapping[str, Any]], desk: Desk) -> None:
        self._calls, self._desk = calls, desk
        self._next, self._differs = 0, False

    def __call__(self, request: str) -> Mapping[str, Any]:
        """Answer a request."""
        if self._differs:
            return _refused()
        if self._next == len(self._calls):
            return self._desk.answer(request)
        call = self._calls[self._next]
        try:
            asked = json_value(request)
        except CallError:
            return self._desk.answer(request)  # refuses it, and keeps no entry of it
        if not isinstance(asked, dict):
            return self._desk.answer(request)
        if asked.get("tool") == "vars":
            return {"data": {"current_day": call["day"]}}
        if not _same(asked, call) or not ("result" in call or "error" in call):
            self._differs = True
            return _refused()
        self._next += 1
        if "error" in call:
            return {"error": call["error"], "code": call["code"]}
        return {"data": call["result"]}


def _same(asked: Mapping[str, Any], call: Mapping[str, Any]) -> bool:
    arguments = plain(asked.get("args"))
    if call["tool"] == ADVANCE:
        rationale = arguments.get("rationale") if isinstance(arguments, dict) else None
        arguments = {"rationale": rationale or ""}
    return bool(asked.get("tool") == call["tool"] and arguments == call["args"])


def _refused() -> Mapping[str, Any]:
    return {"error": OTHERWISE, "code": "internal"}
