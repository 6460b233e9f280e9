"""The loop of an agent: ask the model, do what it wants, tell it what came of it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ceo_gym.llm import notes, prompts
from ceo_gym.llm.conversation import (
    ARGUMENT_CHARACTERS,
    FENCE,
    PLAY,
    SUMMARY,
    Conversation,
)
from ceo_gym.llm.messages import Client, ModelError, Reply, ToolUse
from ceo_gym.llm.options import AgentOptions, Budget
from ceo_gym.sessions import Session
from ceo_gym.sessions.session import RUNNING
from ceo_gym.wrappers.desk import NEXT_WEEK, Refused, code_of
from ceo_gym.wrappers.tool_calls import CallError, json_value, parse
from ceo_gym.wrappers.workspace import cut

TRUNCATED = "truncated"
_FORCED = "the turns of this week were used up"
_PYTHON = re.compile(r"```python[ \t]*\n(.*?)```", re.DOTALL)
_SUMMARY_CHARACTERS = 20_000


class Agent:
    """A model that plays the game of a session to its end.

        with Session.create(Path("runs/mine"), seed=42) as session:
            print(Agent(session, client).play())

    Every reply of the model is written to the journal of the session before anything is done with
    it, and so is every answer, so that a run goes on after a kill where it was: no reply is asked
    (and paid) twice, and no call is done twice. A program that was under way when the process was
    killed is run again, see `Session.run_again`.

    Entries in the journal beside those of the session: ``system`` (the rules), ``context`` (a new
    conversation: reason, week, prompt), ``model`` (a reply: turn, text, calls, tool_calls, usage,
    cost_usd, seconds, elapsed, attempts, finish), ``observed`` (an answer: turn, id, text),
    ``invalid`` (what was wrong with a reply or a call), ``notes`` (the notes, when they changed),
    ``stopped`` (why a run ended before its time).

    Args:
        session: the game.
        client: the model.
        options: how it plays.
        budget: what it may spend.
        each_turn: is called after every turn with the conversation.
    """

    def __init__(
        self,
        session: Session,
        client: Client,
        options: AgentOptions | None = None,
        budget: Budget | None = None,
        each_turn: Callable[[Conversation], object] | None = None,
    ) -> None:
        self.session, self.client = session, client
        self.options, self.budget = options or AgentOptions(), budget or Budget()
        self._each_turn = each_turn
        entries = session.history()
        self.conversation = Conversation.read(entries)
        self._done_before = {e["by"]: e for e in entries if "by" in e}
        self._outputs = {e["number"]: e for e in entries if e["kind"] == "output"}
        self._notes = next((e["text"] for e in reversed(entries) if e["kind"] == "notes"), "")
        self._begun = time.monotonic() - self.conversation.spent.seconds

    def play(self) -> str:
        """Play until the game is over or a budget is used up.

        Returns:
            ``"completed"``, ``"bankrupt"`` or ``"truncated"``.

        Raises:
            ModelError: if the model has no reply; the run can be gone on with.
            ValueError: if there is a budget of dollars or tokens, and these are not known.
        """
        if not self.conversation.system:
            self._note("system", text=prompts.system(self.session, self.options))
        if self.conversation.pending is not None:
            self._do(self.conversation.pending)
        while self.session.status["status"] == RUNNING:
            used_up = self.conversation.turns_of_week >= self.options.turns_a_week
            if used_up and not self._is_week_over():
                self.session.advance(_FORCED)
                continue
            if reason := self._must_stop():
                self._note("stopped", reason=reason)
                return TRUNCATED
            self._renew_context()
            self._do(self._ask())
            if self._each_turn is not None:
                self._each_turn(self.conversation)
        return str(self.session.status["status"])

    def _must_stop(self) -> str:
        conversation = self.conversation
        if conversation.idle >= self.options.idle_replies:
            return f"the last {conversation.idle} replies did nothing"
        return conversation.spent.beyond(self.budget)

    # --- the conversation ---

    def _note(self, kind: str, **about: Any) -> None:
        """Write an entry, and take it in as it would be read again."""
        self.session.note(kind, **about)
        self.conversation.take({"kind": kind, **about})

    def _renew_context(self) -> None:
        """Begin a new conversation where it is due."""
        conversation, week = self.conversation, self.session.status["week"]
        if not conversation.messages:
            self._begin("begin", week)
        elif self.options.context == "weekly" and conversation.week != week:
            self._begin("week", week)
        elif (
            self.options.context == "rolling" and conversation.length > self.options.context_tokens
        ):
            self._begin("length", week, self._summary())

    def _begin(self, reason: str, week: int, summary: str = "") -> None:
        prompt = prompts.beginning(self.session, summary)
        self._note("context", reason=reason, week=week, prompt=prompt)

    def _summary(self) -> str:
        if not self.conversation.summary:
            request = {"role": "user", "content": prompts.SUMMARISE}
            try:
                self._completed([*self.conversation.messages, request], [], SUMMARY)
            except ModelError as error:
                if not error.is_too_long:
                    raise
                return ""  # the notes have to do
        return cut(self.conversation.summary, _SUMMARY_CHARACTERS)

    def _ask(self) -> Reply:
        tools = prompts.schemas(self.session, self.options)
        try:
            return self._completed(self.conversation.messages, tools)
        except ModelError as error:
            if not error.is_too_long or len(self.conversation.messages) <= 2:
                raise
            self._begin("too long for the model", self.session.status["week"])
            return self._completed(self.conversation.messages, tools)

    def _completed(self, messages: Any, tools: Any, purpose: str = PLAY) -> Reply:
        begun = time.monotonic()
        reply = _distinct(self.client.complete(messages, tools))
        now, usage = time.monotonic(), reply.usage
        self._note(
            "model",
            turn=self.conversation.turn + 1,
            week=self.session.status["week"],
            purpose=purpose,
            text=reply.text,
            calls=[call.name for call in reply.calls],
            tool_calls=[vars(call) for call in reply.calls],
            usage={"input_tokens": usage.input_tokens, "output_tokens": usage.output_tokens},
            cost_usd=usage.cost_usd,
            seconds=round(now - begun, 3),
            elapsed=round(now - self._begun, 3),
            attempts=reply.attempts,
            finish=reply.finish,
        )
        return reply

    # --- what a reply wants done ---

    def _do(self, reply: Reply) -> None:
        """Do what is not done yet of a reply, and tell the model."""
        if reply.calls:
            for k, call in enumerate(reply.calls):
                if call.id not in self.conversation.answered:
                    self._observe(call.id, self._called(call, k))
        elif FENCE not in self.conversation.answered:
            self._observe(FENCE, self._text_done(reply.text))
        self._keep_notes()

    def _is_week_over(self) -> bool:
        """Whether the week in which the last reply came has been played, maybe by this reply."""
        return bool(self.session.status["week"] != self.conversation.week_of_reply)

    def _observe(self, id: str, text: str) -> None:
        text = cut(text, self.options.answer_characters)
        if self.conversation.turns_of_week == self.options.turns_a_week - 1:
            text = f"{text}\n\n{prompts.LAST_TURN}"
        self._note("observed", turn=self.conversation.turn, id=id, text=text)

    def _called(self, call: ToolUse, k: int) -> str:
        """Do a call; returns the answer."""
        if len(call.arguments) > ARGUMENT_CHARACTERS:
            return self._invalid(f"arguments have at most {ARGUMENT_CHARACTERS:,} characters")
        try:
            arguments = json_value(call.arguments) if call.arguments.strip() else {}
            if not isinstance(arguments, dict):
                raise CallError("arguments are a JSON object")
        except CallError as error:
            return self._invalid(f"the arguments of {call.name[:60]!r}: {error}")
        return self._act(call.name, arguments, k)

    def _text_done(self, text: str) -> str:
        """Do what a text without calls asks: programs in it, or calls written as JSON."""
        if self.options.act != "tools" and (blocks := _PYTHON.findall(text)):
            return "\n".join(
                self._act(prompts.RUN_PYTHON, {"code": code}, k) for k, code in enumerate(blocks)
            )
        try:
            calls = parse(text)
        except CallError:
            return self._invalid(prompts.IDLE, idle=1)
        return "\n".join(
            self._invalid(c.error) if c.error else self._act(c.tool, c.arguments, k)
            for k, c in enumerate(calls)
        )

    def _act(self, name: str, arguments: dict[str, Any], k: int) -> str:
        by = f"turn {self.conversation.turn} call {k + 1}"
        if by in self._done_before:
            return self._told_again(self._done_before[by])
        if self._is_week_over():
            return prompts.SKIPPED
        self.session.caller = by
        try:
            if name == prompts.WRITE_NOTES:
                return self._write_notes(arguments)
            if name == prompts.RUN_PYTHON and self.options.act != "tools":
                return self._run(arguments)
            if name != NEXT_WEEK and self.options.act == "programs":
                return self._invalid(f"use {prompts.RUN_PYTHON}: nm.call({name[:60]!r}, ...)")
            return _shown(self.session.call(name, arguments))
        except Refused as error:
            return f"error ({code_of(error)}): {error}"
        finally:
            self.session.caller = ""

    def _run(self, arguments: Mapping[str, Any]) -> str:
        code = arguments.get("code")
        if not isinstance(code, str) or set(arguments) != {"code"}:
            return self._invalid(f'{prompts.RUN_PYTHON} takes {{"code": "…"}}')
        return _printed(self.session.run(code)._asdict())

    def _write_notes(self, arguments: Mapping[str, Any]) -> str:
        text = arguments.get("text")
        if not isinstance(text, str) or set(arguments) != {"text"}:
            return self._invalid(f'{prompts.WRITE_NOTES} takes {{"text": "…"}}')
        try:
            notes.write(self.session.folder, text)
        except ValueError as error:
            return self._invalid(str(error))
        return "kept"

    def _told_again(self, entry: Mapping[str, Any]) -> str:
        """The answer to what was done before the process was killed."""
        if entry["kind"] == "program":
            output = self._outputs.get(entry["number"])
            return _printed(output or self.session.run_again(entry)._asdict())
        if "error" in entry:
            return f"error ({entry['code']}): {entry['error']}"
        return _shown(entry["result"]) if "result" in entry else str(entry["result_part"])

    def _invalid(self, error: str, idle: int = 0) -> str:
        self._note("invalid", turn=self.conversation.turn, error=error, idle=idle)
        return error

    def _keep_notes(self) -> None:
        text = notes.read(self.session.folder)
        if text != self._notes:
            self._notes = text
            self._note("notes", text=text)


def _distinct(reply: Reply) -> Reply:
    """A reply in which no two calls have the same id; some servers number them all 0."""
    ids = [call.id for call in reply.calls]
    if len(set(ids)) == len(ids) and FENCE not in ids:
        return reply
    calls = tuple(replace(call, id=f"{call.id}_{k}") for k, call in enumerate(reply.calls))
    return replace(reply, calls=calls)


def _shown(answer: Mapping[str, Any]) -> str:
    """An answer as the model reads it."""
    if set(answer) == {"success", "day", "dashboard"}:
        return str(answer["dashboard"])
    return json.dumps(answer, ensure_ascii=False)


def _printed(outcome: Mapping[str, Any]) -> str:
    text = f"{outcome['stdout']}{outcome['stderr']}"
    status = f"exit status {outcome['exit_code']}"
    return text if text and not outcome["exit_code"] else f"{text}({status})"
