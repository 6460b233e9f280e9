"""Entries of a journal by week, with long texts cut."""

from __future__ import annotations

import json
from typing import Any

from ceo_gym.viewer.entries import Limits, by_week, cut, rationales

BEGIN: dict[str, Any] = {"n": 0, "kind": "begin"}


def call(tool: str = "set_prices", **more: Any) -> dict[str, Any]:
    return {"kind": "call", "tool": tool, "args": {"A": 3}, "day": 0, "result": {"ok": 1}} | more


def test_entries_belong_to_the_week_that_was_planned() -> None:
    entries = [BEGIN, call(), {"kind": "week"}, call("query"), {"kind": "week"}, {"kind": "end"}]
    weeks = by_week(entries)
    assert [[item.get("tool") for item in week] for week in weeks] == [
        ["set_prices"],
        ["query", None],
    ]
    assert weeks[1][1]["k"] == "end"


def test_what_was_done_after_the_last_week_has_a_week_of_its_own() -> None:
    weeks = by_week([BEGIN, {"kind": "week"}, call()])
    assert [len(week) for week in weeks] == [0, 1]


def test_a_journal_without_entries_has_one_empty_week() -> None:
    assert by_week([BEGIN]) == [[]]


def test_output_goes_to_its_program_in_an_earlier_week() -> None:
    program = {"kind": "program", "number": 7, "name": "a.py", "code": "1", "arguments": ["x"]}
    output = {"kind": "output", "number": 7, "stdout": "out", "stderr": "", "exit_code": 1}
    (first, second) = by_week([BEGIN, program, {"kind": "week"}, call(), output])
    assert first[0]["name"] == "a.py x"
    assert (first[0]["stdout"], first[0]["exit"]) == ("out", 1)
    assert [item["k"] for item in second] == ["call"]


def test_results_are_words_where_they_have_some() -> None:
    (week,) = by_week([BEGIN, call("advance", result={"dashboard": "WEEK 1", "day": 7})])
    assert week[0]["result"] == "WEEK 1"
    assert week[0]["does"] == "time"


def test_a_refused_call_keeps_its_error() -> None:
    entry = {"kind": "call", "tool": "set_prices", "args": None, "error": "no", "code": "wrong"}
    ((item,),) = by_week([BEGIN, entry])
    assert (item["error"], item["code"]) == ("no", "wrong")
    assert "result" not in item


def test_long_texts_tell_how_long_they_were() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("abcd", 3) == ["abc", 4]
    part = call(result=None, result_part="x" * 2_000, characters=50_000)
    ((item,),) = by_week([BEGIN, part])
    assert item["result"] == ["x" * Limits().result, 50_000]


def test_a_large_journal_is_cut_to_its_budget() -> None:
    entries = [BEGIN, *(call("query", result={"rows": "y" * 15_000}) for _ in range(500))]
    weeks = by_week(entries, budget=200_000)
    assert len(json.dumps(weeks)) <= 200_000
    assert len(weeks[0]) == 500


def test_rationales_by_week() -> None:
    entries = [
        BEGIN,
        call("log_rationale", args={"rationale": "one"}),
        call("next_week", args={"rationale": "two"}),
        {"kind": "week"},
        call("next_week", args=None),
        call("next_week", args={"rationale": "refused"}, error="no"),
    ]
    assert rationales(entries) == [["one", "two"], []]


def test_a_malformed_entry_is_still_shown() -> None:
    entries = [
        BEGIN,
        {"kind": "model", "usage": 3, "calls": "x", "text": None},
        {"kind": "call"},
        {"kind": "program", "arguments": 5},
        {"kind": "remark", "of": {"deep": [1]}},
        {},
    ]
    (week,) = by_week(entries)
    assert [item["k"] for item in week] == ["model", "call", "program", "remark", "None"]


def test_answers_stand_with_their_calls_and_what_follows_the_end_with_the_last_week() -> None:
    entries = [
        {"kind": "begin"},
        {"kind": "system", "text": "the rules", "day": 0},
        {"kind": "call", "tool": "set_prices", "args": {"A": 1}, "result": {}, "day": 0},
        {"kind": "observed", "turn": 1, "id": "a", "text": "{}", "day": 0},
        {"kind": "week", "week": 1, "day": 7},
        {"kind": "call", "tool": "next_week", "args": {}, "result": {}, "day": 7},
        {"kind": "week", "week": 2, "day": 10},
        {"kind": "end", "status": "completed"},
        {"kind": "observed", "turn": 2, "id": "b", "text": "report", "day": 10},
        {"kind": "notes", "text": "done", "day": 10},
    ]
    weeks = [[item["k"] for item in week] for week in by_week(entries)]
    assert weeks == [["call"], ["call", "end", "notes"]]
