"""The conversation with a model, and how it is read from a journal to go on after a kill."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ceo_gym.llm.messages import Message, Reply, ToolUse
from ceo_gym.llm.offline import recorded_reply
from ceo_gym.llm.options import Spent
from ceo_gym.wrappers.workspace import cut

Number = TypeVar("Number", int, float)
TEXT_CHARACTERS = 100_000  # of a reply that the model sees again
ARGUMENT_CHARACTERS = 200_000
PLAY, SUMMARY = "play", "summary"  # what a reply is for
CHARACTERS_A_TOKEN = 4  # about, in English and JSON
FENCE = "text"  # id of what answers a text rather than a call


@dataclass
class Conversation:
    """What was said since the context began, and what the whole run has spent.

    Attributes:
        messages: for the model; empty before the first context.
        week: weeks played when the context began.
        turn: replies so far, of the whole run.
        turns_of_week: replies in the present week.
        idle: replies in a row that did nothing.
        tokens: length of the context as the model counted it last, 0 if it did not.
        spent: of the whole run.
        system: the rules that the model was told.
        summary: of the conversation before, until a new one begins.
        pending: the last reply, if its calls are not all answered.
        answered: ids of those that are.
        week_of_reply: weeks played when the last reply came.
    """

    messages: list[Message] = field(default_factory=list)
    week: int = -1
    turn: int = 0
    turns_of_week: int = 0
    idle: int = 0
    tokens: int = 0
    spent: Spent = field(default_factory=Spent)
    system: str = ""
    summary: str = ""
    pending: Reply | None = None
    answered: set[str] = field(default_factory=set)
    week_of_reply: int = -1
    _did_nothing: bool = False

    @property
    def length(self) -> int:
        """Tokens of the context, estimated by its characters if the model does not count them."""
        return self.tokens or len(json.dumps(self.messages)) // CHARACTERS_A_TOKEN

    @classmethod
    def read(cls, entries: Iterable[Mapping[str, Any]]) -> Conversation:
        """The conversation that a journal holds."""
        made = cls()
        for entry in entries:
            made.take(entry)
        return made

    def take(self, entry: Mapping[str, Any]) -> None:
        """Take an entry of the journal in; entries that are not of a conversation do nothing."""
        match entry["kind"]:
            case "system":
                self.system = entry["text"]
            case "context":
                self.week, self.pending, self.tokens, self.summary = entry["week"], None, 0, ""
                self.messages = [
                    {"role": "system", "content": self.system},
                    {"role": "user", "content": entry["prompt"]},
                ]
            case "model":
                self._said(entry)
            case "observed":
                self._observed(entry)
            case "invalid":
                self.idle += entry["idle"]
                self._did_nothing |= bool(entry["idle"])

    def _said(self, entry: Mapping[str, Any]) -> None:
        reply = recorded_reply(entry)
        self.turn = entry["turn"]
        self._spend(reply, entry["elapsed"])
        if entry["purpose"] == SUMMARY:
            self.summary = reply.text
            return
        same_week = entry["week"] == self.week_of_reply
        self.turns_of_week = self.turns_of_week + 1 if same_week else 1
        self.week_of_reply = entry["week"]
        if not self._did_nothing:
            self.idle = 0
        self._did_nothing = False
        self.pending, self.answered = reply, set()
        message: Message = {"role": "assistant", "content": cut(reply.text, TEXT_CHARACTERS)}
        if reply.calls:
            message["tool_calls"] = [_sent_again(call) for call in reply.calls]
        self.messages.append(message)

    def _spend(self, reply: Reply, elapsed: float) -> None:
        spent, usage = self.spent, reply.usage
        spent.turns += 1
        spent.input_tokens = _sum(spent.input_tokens, usage.input_tokens)
        spent.output_tokens = _sum(spent.output_tokens, usage.output_tokens)
        spent.cost_usd = _sum(spent.cost_usd, usage.cost_usd)
        spent.seconds = elapsed
        read = usage.input_tokens
        self.tokens = 0 if read is None else read + (usage.output_tokens or 0)

    def _observed(self, entry: Mapping[str, Any]) -> None:
        self.answered.add(entry["id"])
        if entry["id"] == FENCE:
            self.messages.append({"role": "user", "content": entry["text"]})
        else:
            self.messages.append(
                {"role": "tool", "tool_call_id": entry["id"], "content": entry["text"]}
            )
        if self.pending is not None and self.answered >= set(expected_ids(self.pending)):
            self.pending = None


def _sum(one: Number | None, other: Number | None) -> Number | None:
    """A sum, unknown if a part is."""
    return None if one is None or other is None else one + other


def expected_ids(reply: Reply) -> Sequence[str]:
    """What has to be answered after a reply."""
    return [call.id for call in reply.calls] or [FENCE]


def _sent_again(call: ToolUse) -> dict[str, Any]:
    """A call as the model sees it again; servers fail on arguments that are not JSON."""
    arguments = call.arguments
    try:
        if len(arguments) > ARGUMENT_CHARACTERS or not isinstance(json.loads(arguments), dict):
            arguments = "{}"
    except (ValueError, RecursionError):
        arguments = "{}"
    function = {"name": call.name, "arguments": arguments}
    return {"id": call.id, "type": "function", "function": function}
