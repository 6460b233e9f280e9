"""The entries of a journal as a page shows them: by week, in order, long texts cut."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from ceo_gym.sessions import decisions
from ceo_gym.tools import ceobench as tools
from ceo_gym.viewer.told import mark, real, whole

BUDGET = 4_000_000  # characters of one run; beyond it texts are cut shorter
SHORTEST = 0.02  # of the limits
WIDTH = 90  # of arguments that stay on one line

Item = dict[str, Any]


class Limits(NamedTuple):
    """Characters that are shown of each kind of text."""

    arguments: int = 2_500
    result: int = 1_500
    code: int = 12_000
    printed: int = 6_000
    text: int = 12_000

    def times(self, share: float) -> Limits:
        """Shorter ones."""
        return Limits(*(max(80, int(limit * share)) for limit in self))


def by_week(entries: Sequence[Mapping[str, Any]], budget: int = BUDGET) -> list[list[Item]]:
    """Entries by the week that was being planned when they were written.

    Args:
        entries: of a journal, its first one included.
        budget: characters of all of them as JSON, about; texts are cut until they fit.

    Returns:
        A list for each week, from the first on, and one more if the last week is not played yet.
    """
    share = 1.0
    while True:
        weeks = _by_week(entries, Limits().times(share))
        if share <= SHORTEST or len(json.dumps(weeks)) <= budget:
            return weeks
        share /= 2.0


def cut(text: str, limit: int) -> str | list[Any]:
    """A text; one that is too long as [its beginning, all its characters]."""
    return text if len(text) <= limit else [text[:limit], len(text)]


def rationales(entries: Iterable[Mapping[str, Any]]) -> list[list[str]]:
    """What the player said about its decisions, by week as in `by_week`."""
    weeks: list[list[str]] = [[]]
    for entry in entries:
        if entry.get("kind") == "week":
            weeks.append([])
        elif entry.get("kind") == "call" and (text := _rationale(entry)):
            weeks[-1].append(text)
    return weeks


def _rationale(entry: Mapping[str, Any]) -> str:
    arguments = entry.get("args")
    return decisions.rationale(entry) if isinstance(arguments, dict) else ""


def _by_week(entries: Sequence[Mapping[str, Any]], limits: Limits) -> list[list[Item]]:
    weeks: list[list[Item]] = [[]]
    programs: dict[Any, Item] = {}
    for entry in entries:
        kind = str(entry.get("kind"))
        if kind == "week":
            weeks.append([])
        elif kind == "output":  # belongs to its program, in whatever week that began
            program = programs.get(mark(entry.get("number")))
            if program is not None:
                program |= _output(entry, limits)
        elif kind == "end":
            if len(weeks) > 1 and not weeks[-1]:
                weeks.pop()  # no further week is planned: what is asked now belongs to the last
            weeks[-1].append({"k": "end", "text": str(entry.get("status", ""))})
        elif kind not in _LEFT_OUT:
            item = _SHOWN.get(kind, _other)(entry, limits)
            item |= {"k": kind, "day": whole(entry.get("day"))}
            weeks[-1].append(item)
            if kind == "program":
                programs[mark(entry.get("number"))] = item
    return weeks if weeks[-1] or len(weeks) == 1 else weeks[:-1]


# what a model saw of an answer stands with the call, and the rules are the same for everybody
_LEFT_OUT = ("begin", "observed", "system")

# --- one kind of entry each ----------------------------------------------------------------------


def _call(entry: Mapping[str, Any], limits: Limits) -> Item:
    tool = str(entry.get("tool"))
    item: Item = {
        "tool": tool,
        "does": "time" if tool in decisions.PLAYS else _kind_of(tool),
        "args": cut(_json(entry.get("args")), limits.arguments),
    }
    if by := entry.get("by"):
        item["by"] = str(by)
    if "error" in entry:
        item |= {"error": cut(str(entry["error"]), limits.result), "code": str(entry.get("code"))}
    elif "result_part" in entry:
        part = str(entry["result_part"])[: limits.result]
        item["result"] = [part, whole(entry.get("characters")) or len(part)]
    else:
        item["result"] = cut(_answer(entry.get("result")), limits.result)
    return item


def _kind_of(tool: str) -> str:
    return tools.TOOLS[tool].kind if tool in tools.TOOLS else ""


def _answer(result: Any) -> str:
    """A result in words where it has some, as the report of a week does."""
    if isinstance(result, dict) and isinstance(result.get("dashboard"), str):
        return str(result["dashboard"])
    return _json(result)


def _program(entry: Mapping[str, Any], limits: Limits) -> Item:
    arguments = entry.get("arguments")
    words = [str(word) for word in arguments] if isinstance(arguments, list) else []
    return {
        "number": mark(entry.get("number")),
        "name": " ".join([str(entry.get("name", "")), *words])[:200],
        "code": cut(str(entry.get("code", "")), limits.code),
    }


def _output(entry: Mapping[str, Any], limits: Limits) -> Item:
    return {
        "stdout": cut(str(entry.get("stdout", "")), limits.printed),
        "stderr": cut(str(entry.get("stderr", "")), limits.printed),
        "exit": whole(entry.get("exit_code")),
        "seconds": real(entry.get("seconds")),
    }


def _model(entry: Mapping[str, Any], limits: Limits) -> Item:
    usage, calls = entry.get("usage"), entry.get("calls")
    usage = usage if isinstance(usage, dict) else {}
    return {
        "turn": mark(entry.get("turn")),
        "text": cut(str(entry.get("text") or ""), limits.text),
        "calls": [str(name)[:80] for name in calls] if isinstance(calls, list) else [],
        "tokens": [real(usage.get(name)) for name in ("input_tokens", "output_tokens")],
        "cost_usd": real(entry.get("cost_usd")),
        "seconds": real(entry.get("seconds")),
    }


def _text(entry: Mapping[str, Any], limits: Limits) -> Item:
    """Entries that are one text: the notes file, errors of a model, reasons."""
    found = next((entry[name] for name in ("text", "error", "reason") if name in entry), "")
    return {"text": cut(str(found), limits.text), "turn": mark(entry.get("turn"))}


def _other(entry: Mapping[str, Any], limits: Limits) -> Item:
    """Whatever else somebody noted."""
    known = ("n", "kind", "day", "check")
    rest = {name: value for name, value in entry.items() if name not in known}
    return {"text": cut(_json(rest), limits.text), "other": True}


def _json(value: Any) -> str:
    """JSON on one line if it is short, else indented."""
    try:
        text = json.dumps(value, ensure_ascii=False)
        return text if len(text) <= WIDTH else json.dumps(value, ensure_ascii=False, indent=1)
    except RecursionError:
        return "(nested too deeply to be shown)"


_SHOWN = {
    "call": _call,
    "program": _program,
    "model": _model,
    "context": _text,
    "notes": _text,
    "invalid": _text,
    "stopped": _text,
}
