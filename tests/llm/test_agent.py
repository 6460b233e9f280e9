"""The loop of an agent: what it does with replies, what it keeps, when it stops."""

import json
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.llm import (
    Agent,
    AgentOptions,
    Budget,
    ModelError,
    OpenAICompatible,
    Replay,
    Reply,
    Scripted,
    ToolUse,
    Usage,
)
from ceo_gym.llm import notes as notes_file
from ceo_gym.llm.offline import call
from ceo_gym.llm.results import AgentResult
from ceo_gym.runs import read_journal
from ceo_gym.sessions import Session, replay
from tests.llm.player import HORIZONS, play
from tests.llm.server import breaks_off, completion, gives, hangs, serving
from tests.sandbox_here import NEEDS_BOX

FORECAST = {name: {"point": 1e6, "lower": 9e5, "upper": 1.1e6} for name in HORIZONS}
WEEK = call("next_week", "w", predictions=FORECAST, rationale="go")


@pytest.fixture
def session(tmp_path: Path) -> Iterator[Session]:
    params = {"clock.horizon_days": 28}
    with Session.create(tmp_path / "run", seed=5, env_args={"params": params}) as made:
        yield made


def of_kind(session: Session, kind: str) -> list[dict[str, Any]]:
    return [entry for entry in read_journal(session.directory) if entry["kind"] == kind]


def agent(
    session: Session, *replies: Reply | str, options: AgentOptions | None = None, **budget: Any
) -> Agent:
    return Agent(session, Scripted(replies), options, Budget(**budget))


def one_turn(session: Session, reply: Reply | str, **options: Any) -> str:
    """What the model sees after a reply."""
    made = agent(session, reply, options=AgentOptions(**options), turns=1)
    assert made.play() == "truncated"
    return "\n".join(m["content"] for m in made.conversation.messages[3:])


# --- what replies do -----------------------------------------------------------------------------


def test_calls_act_and_their_answers_come_back(session: Session) -> None:
    seen = one_turn(session, Reply("", (call("set_prices", "a", A=40), call("get_cost_info", "b"))))
    assert '"current": {"A": 40.0' in seen
    assert '"model_tiers"' in seen
    assert session.call("get_current_config")["prices"]["A"] == 40


def test_a_refused_call_teaches_and_the_next_is_made(session: Session) -> None:
    seen = one_turn(session, Reply("", (call("set_prices", "a", A=-1), call("nope", "b"))))
    assert "error (out_of_range): the price of A must be above 0" in seen
    assert "error (not_found): there is no tool 'nope'" in seen


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ('{"A": 40', "not JSON"),
        ("", "give at least one of A, B, C"),
        ("[1]", "arguments are a JSON object"),
        ('{"A": 1, "A": 2}', "stands twice"),
        ('{"A": ' + "9" * 300_000 + "}", "at most 200,000 characters"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_arguments_that_are_broken(session: Session, arguments: str, words: str) -> None:
    seen = one_turn(session, Reply("", (ToolUse("a", "set_prices", arguments),), finish="length"))
    assert re.search(words, seen)
    sent_again = Agent(session, Scripted([])).conversation.messages[2]["tool_calls"][0]
    # servers fail on what is no JSON, also when it comes back to them
    assert isinstance(json.loads(sent_again["function"]["arguments"]), dict)


def test_the_calls_after_a_week_are_not_made_blindly(session: Session) -> None:
    seen = one_turn(session, Reply("", (WEEK, call("set_prices", "a", A=40))))
    assert "WEEK 1 | DAY 7" in seen
    assert "not done: the week was over" in seen
    assert session.call("get_current_config")["prices"]["A"] == 0


def test_calls_written_in_the_text_are_made(session: Session) -> None:
    text = 'I set prices:\n```json\n{"tool": "set_prices", "args": {"A": 40}}\n```'
    assert '"current"' in one_turn(session, text)


def test_calls_in_a_text_after_its_week_are_not_made_blindly(session: Session) -> None:
    week = json.dumps({"tool": "next_week", "args": json.loads(WEEK.arguments)})
    seen = one_turn(session, f'[{week}, {{"tool": "set_prices", "args": {{"A": 40}}}}]')
    assert "WEEK 1 | DAY 7" in seen
    assert "not done: the week was over" in seen


@NEEDS_BOX
def test_programs_written_in_the_text_are_run(session: Session) -> None:
    text = (
        "Let me see.\n```python\nimport novamind_api as nm\nprint('day', nm.vars.current_day)\n```"
    )
    assert "day 0" in one_turn(session, text)


@NEEDS_BOX
def test_a_program_tells_what_it_printed_and_its_status(session: Session) -> None:
    seen = one_turn(
        session,
        Reply(
            "",
            (
                call("run_python", "a", code="print('fine')"),
                call("run_python", "b", code="pass"),
                call("run_python", "c", code="1 / 0"),
                call("run_python", "d", code="x" * 1_000_001),
                call("run_python", "e", source="1"),
            ),
        ),
    )
    assert "fine\n" in seen
    assert "(exit status 0)" in seen
    assert "ZeroDivisionError: division by zero\n(exit status 1)" in seen
    assert "arguments have at most 200,000 characters" in seen
    assert 'run_python takes {"code": "…"}' in seen


def test_an_empty_reply_and_idle_talk_are_counted_and_end_a_run(session: Session) -> None:
    made = agent(session, *["", "hm", "let me think"] * 9, options=AgentOptions(idle_replies=4))
    assert made.play() == "truncated"
    assert len(of_kind(session, "invalid")) == 4
    assert of_kind(session, "stopped")[-1]["reason"] == "the last 4 replies did nothing"
    assert "use a tool" in made.conversation.messages[-1]["content"]


def test_idle_replies_count_in_a_row(session: Session) -> None:
    do = Reply("", (call("get_cost_info"),))
    made = agent(
        session, "", "", do, "", "", do, "", "", do, options=AgentOptions(idle_replies=3), turns=9
    )
    made.play()
    assert "budget of 9 turns" in of_kind(session, "stopped")[-1]["reason"]


def test_long_answers_are_cut(session: Session) -> None:
    seen = one_turn(session, Reply("", (call("describe_tables"),)), answer_characters=2_000)
    assert len(seen) < 2_200
    assert "characters are left out" in seen


def test_a_very_long_reply_is_seen_again_in_part(session: Session) -> None:
    made = agent(session, "x" * 5_000_000, turns=1)
    made.play()
    assert len(made.conversation.messages[2]["content"]) < 101_000
    assert len(of_kind(session, "model")[0]["text"]) == 5_000_000


@pytest.mark.parametrize("act", ["tools", "programs"])
def test_the_form_of_acting_can_be_chosen(session: Session, act: str) -> None:
    seen: list[Any] = []

    def look(messages: Any, tools: Any) -> Reply:
        seen.extend(tool["function"]["name"] for tool in tools)
        return Reply("", (call("set_prices", "a", A=40), call("run_python", "b", code="print(1)")))

    made = Agent(session, Scripted(look), AgentOptions(act=act), Budget(turns=1))
    made.play()
    answers = [m["content"] for m in made.conversation.messages[3:]]
    if act == "tools":
        assert "run_python" not in seen
        assert "there is no tool 'run_python'" in answers[1]
    else:
        assert seen == ["write_notes", "run_python", "next_week"]
        assert "use run_python" in answers[0]


def test_ids_that_repeat_are_told_apart(session: Session) -> None:
    reply = Reply("", (call("set_prices", "0", A=40), call("set_prices", "0", B=80)))
    made = agent(session, reply, turns=1)
    made.play()
    assert session.call("get_current_config")["prices"] == {"A": 40, "B": 80, "C": 0}
    assert len({m["tool_call_id"] for m in made.conversation.messages[3:]}) == 2


# --- weeks, contexts, notes ----------------------------------------------------------------------


def test_a_week_without_end_is_ended(session: Session) -> None:
    do = Reply("", (call("get_cost_info"),))
    made = agent(session, *[do] * 12, options=AgentOptions(turns_a_week=3))
    assert made.play() == "completed"
    assert len(of_kind(session, "model")) == 12
    result = AgentResult.read(session.directory)
    assert (result.forced_weeks, result.weeks, result.turns_a_week) == (4, 4, 3.0)
    told = [e["text"] for e in of_kind(session, "observed")]
    assert ["last turn but one" in text for text in told] == [False, True, False] * 4
    assert result.forecasts == {}  # those that stood in are not the agent's


def test_each_week_begins_a_new_conversation(session: Session) -> None:
    lengths = []

    def look(messages: Any, _: Any) -> Reply:
        lengths.append(len(messages))
        return Reply("", (call("write_notes", "n", text=f"seen {len(lengths)}"), WEEK))

    assert Agent(session, Scripted(look)).play() == "completed"
    assert lengths == [2, 2, 2, 2]
    contexts = of_kind(session, "context")
    assert [c["reason"] for c in contexts] == ["begin", "week", "week", "week"]
    assert "There are none yet" in contexts[0]["prompt"]
    assert "seen 3" in contexts[3]["prompt"]
    assert "WEEK 3 | DAY 21" in contexts[3]["prompt"]
    assert [n["text"] for n in of_kind(session, "notes")] == [f"seen {k}" for k in (1, 2, 3, 4)]


def test_a_rolling_conversation_is_compacted(session: Session) -> None:
    prompts = []

    def look(messages: Any, tools: Any) -> Reply:
        if not tools:
            assert "begun anew" in messages[-1]["content"]
            return Reply("the summary", usage=Usage(9_000, 100))
        prompts.append((len(messages), messages[1]["content"]))
        return Reply("", (WEEK,), usage=Usage(400 * len(messages), 10))

    options = AgentOptions(context="rolling", context_tokens=2_000)
    assert Agent(session, Scripted(look), options).play() == "completed"
    assert [length for length, _ in prompts] == [2, 4, 6, 2]
    assert "the summary" in prompts[3][1]
    assert [c["reason"] for c in of_kind(session, "context")] == ["begin", "length"]
    assert AgentResult.read(session.directory).input_tokens == 400 * (2 + 4 + 6 + 2) + 9_000


def test_a_conversation_whose_tokens_nobody_counts_is_compacted_by_its_characters(
    session: Session,
) -> None:
    def look(messages: Any, tools: Any) -> Reply:
        return Reply("", (WEEK,)) if tools else Reply("the summary")

    options = AgentOptions(context="rolling", context_tokens=7_000)
    assert Agent(session, Scripted(look), options).play() == "completed"
    assert "length" in [c["reason"] for c in of_kind(session, "context")]


def test_a_conversation_too_long_for_the_model_is_begun_anew(session: Session) -> None:
    def look(messages: Any, _: Any) -> Reply:
        if len(messages) > 2:
            raise ModelError("too long", is_too_long=True)
        return Reply("", (call("get_cost_info"),))

    Agent(session, Scripted(look), budget=Budget(turns=3)).play()
    assert [c["reason"] for c in of_kind(session, "context")] == [
        "begin",
        "too long for the model",
        "too long for the model",
    ]


@pytest.mark.parametrize("what", ["link", "pipe", "folder", "long", "odd"])
def test_notes_can_be_anything_that_a_program_made_of_them(tmp_path: Path, what: str) -> None:
    path = tmp_path / notes_file.NAME
    if what == "link":
        path.symlink_to("/etc/hostname")
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "long":
        path.write_text("x" * 100_000)
    else:
        path.write_bytes(b"\xff\x00ok")
    text = notes_file.read(tmp_path)
    if what == "long":
        assert len(text) < 40_100
    elif what == "odd":
        assert text == "\ufffd\0ok"
    else:
        assert text == ""
    if what == "folder":
        with pytest.raises(ValueError, match="cannot be written"):
            notes_file.write(tmp_path, "mine")
    else:
        notes_file.write(tmp_path, "mine")
        assert notes_file.read(tmp_path) == "mine"


# --- budgets -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "words", "turns"),
    [
        ({"turns": 3}, "3 turns", 3),
        ({"tokens": 2_500}, "2500 tokens", 3),
        ({"cost_usd": 0.02}, "0.02 dollars", 2),
        ({"hours": 1e-9}, "hours", 1),
    ],
)
def test_budgets_end_a_run_cleanly(
    session: Session, budget: dict[str, Any], words: str, turns: int
) -> None:
    reply = Reply("", (call("get_cost_info"),), Usage(900, 100, 0.01))
    assert agent(session, *[reply] * 9, **budget).play() == "truncated"
    assert words in of_kind(session, "stopped")[-1]["reason"]
    result = AgentResult.read(session.directory)
    assert (result.status, result.turns) == ("truncated", turns)
    assert words in result.why
    # a larger budget goes on
    assert agent(session, *[reply] * 9, turns=turns + 1).play() == "truncated"
    assert AgentResult.read(session.directory).turns == turns + 1


def test_a_budget_of_dollars_needs_a_cost(session: Session) -> None:
    with pytest.raises(ValueError, match="give its price"):
        agent(session, *[Reply("", (call("get_cost_info"),))] * 3, cost_usd=1.0).play()
    assert AgentResult.read(session.directory).cost_usd is None


def test_tokens_that_nobody_counts_are_unknown_and_not_zero(session: Session) -> None:
    agent(session, Reply("", (call("get_cost_info"),)), turns=1).play()
    result = AgentResult.read(session.directory)
    assert (result.input_tokens, result.output_tokens) == (None, None)
    with pytest.raises(ValueError, match="does not count the tokens"):
        agent(session, tokens=1_000).play()


def test_options_and_budgets_are_checked() -> None:
    for wrong in ({"act": "dance"}, {"context": "none"}, {"turns_a_week": 0}):
        with pytest.raises(ValueError, match=r"one of|above 0"):
            AgentOptions(**wrong)
    with pytest.raises(ValueError, match="above 0"):
        Budget(turns=0)


# --- going on ------------------------------------------------------------------------------------


def decided(directory: Path) -> list[tuple[Any, ...]]:
    """All calls of a run, each of which must be made once."""
    calls = (e for e in read_journal(directory) if e["kind"] == "call")
    return [(e["day"], e["tool"], e["args"], e.get("by")) for e in calls]


class Stop(Exception):
    """Stands for a kill."""


@NEEDS_BOX
@pytest.mark.parametrize(
    "where", ["model", "observed", "call", "program", "output", "week", "notes"]
)
@pytest.mark.parametrize("count", [1, 3])
def test_a_run_that_dies_after_any_entry_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, count: int
) -> None:
    """No reply is asked for twice, no call is made twice, and the score is the same."""
    arguments: dict[str, Any] = {"seed": 5, "env_args": {"params": {"clock.horizon_days": 21}}}
    with Session.create(tmp_path / "whole", **arguments) as session:
        Agent(session, Scripted(play)).play()
        cash, wanted = session.status["cash_usd"], of_kind(session, "model")

    from ceo_gym.runs import Journal

    left, add = [count], Journal.add

    def dies(self: Journal, kind: str, **about: Any) -> dict[str, Any]:
        entry = add(self, kind, **about)
        left[0] -= kind == where
        if kind == where and left[0] == 0:
            raise Stop
        return entry

    directory = tmp_path / "killed"
    session = Session.create(directory, **arguments)
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "add", dies)
        with pytest.raises(Stop):
            Agent(session, Scripted(play)).play()
    if session._workspace is not None:
        session._workspace.close()
    session._lock.release()
    session._journal.close()
    with Session.open(directory) as session:
        assert Agent(session, Scripted(play)).play() == "completed"
        assert session.status["cash_usd"] == cash
        models = of_kind(session, "model")
        assert [m["turn"] for m in models] == [m["turn"] for m in wanted]
        assert decided(directory) == decided(tmp_path / "whole")
    assert replay(directory).final_cash_usd == cash


def test_the_model_of_a_run_can_be_replayed(tmp_path: Path, session: Session) -> None:
    script = [Reply("", (call("set_prices", "a", A=40 + k), WEEK)) for k in range(4)]
    assert agent(session, *script).play() == "completed"
    arguments: dict[str, Any] = {"seed": 5, "env_args": session.begin["env_args"]}
    with Session.create(tmp_path / "again", **arguments) as again:
        assert Agent(again, Replay(session.directory)).play() == "completed"
        assert again.status == session.status
    Session.create(tmp_path / "nothing").close()
    with pytest.raises(ValueError, match="no model has played"):
        Replay(tmp_path / "nothing")


def test_a_model_that_cannot_be_reached_leaves_a_run_to_go_on_with(session: Session) -> None:
    with pytest.raises(ModelError, match="no more replies"):
        agent(session, Reply("", (WEEK,))).play()
    assert AgentResult.read(session.directory, "gone").status == "failed"
    assert agent(session, *[Reply("", (WEEK,))] * 3).play() == "completed"


# --- over the wire -------------------------------------------------------------------------------


def test_a_game_against_a_failing_server(session: Session) -> None:
    """429, 500, time-out, malformed JSON, cut arguments, an empty reply, a reply of 5 MB."""
    week = gives(completion("", [{"name": "next_week", "arguments": WEEK.arguments}]))
    cut_call = [{"name": "set_prices", "arguments": '{"A": 4'}]
    faults: list[Callable[..., None]] = [
        gives({"error": "slow down"}, 429, Retry_After="0"),
        gives({"error": "oops"}, 500),
        hangs(0.4),
        gives(b'{"choices": ['),
        breaks_off,
        gives(completion("", cut_call, "length")),
        gives(completion("")),
        gives(completion("x" * 5_000_000)),
    ]
    with serving(*faults, week) as server:
        model = OpenAICompatible("m", server.url, timeout_s=0.3, sleep=lambda _: None)
        model._timeout_s = 0.3
        assert Agent(session, model).play() == "completed"
        assert len(server.requests) == len(faults) + 4
    models = of_kind(session, "model")
    assert [m["attempts"] for m in models] == [6, 1, 1, 1, 1, 1, 1]
    assert len(models[2]["text"]) == 5_000_000
    assert len(of_kind(session, "invalid")) == 3
    result = AgentResult.read(session.directory)
    assert (result.weeks, result.turns, result.invalid) == (4, 7, 3)
    assert (result.input_tokens, result.output_tokens, result.cost_usd) == (700, 140, None)
    assert result.forecasts[7]["scored"] == 4
    assert replay(session.directory).ended
