"""Players that need no model: scripted ones, and the model of an earlier run."""

from __future__ import annotations

import importlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from ceo_gym.llm.messages import Message, ModelError, Reply, ToolUse, Usage
from ceo_gym.runs import read_journal

Play = Callable[[Sequence[Message], Sequence[Mapping[str, Any]]], Reply]


class Scripted:
    """A player whose replies are written beforehand, or made by a function.

    Args:
        replies: replies or texts in order, or a function of messages and tools.
        name: for records.
    """

    def __init__(self, replies: Iterable[Reply | str] | Play, name: str = "scripted") -> None:
        self.name = name
        self._play = replies if callable(replies) else None
        self._replies = iter(()) if callable(replies) else iter(replies)

    def complete(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """The next reply.

        Raises:
            ModelError: if there is none left.
        """
        if self._play is not None:
            return self._play(messages, tools)
        try:
            reply = next(self._replies)
        except StopIteration:
            raise ModelError("the script has no more replies") from None
        return reply if isinstance(reply, Reply) else Reply(reply)


class Replay(Scripted):
    """Gives the replies of a recorded run again, to study what else could have come of them.

    Args:
        directory: of the run.

    Raises:
        ValueError: if its journal is damaged, or no model has played.
    """

    def __init__(self, directory: Path) -> None:
        entries = [e for e in read_journal(directory) if e.get("purpose") == "play"]
        if not entries:
            raise ValueError(f"no model has played in {directory}")
        super().__init__(map(recorded_reply, entries), f"replay of {directory.name}")


def recorded_reply(entry: Mapping[str, Any]) -> Reply:
    """The reply that an entry ``model`` of a journal holds."""
    return Reply(
        entry["text"],
        tuple(ToolUse(**call) for call in entry["tool_calls"]),
        Usage(**entry["usage"], cost_usd=entry["cost_usd"]),
        entry["finish"],
        entry["attempts"],
    )


def call(name: str, id: str = "call_0", **arguments: Any) -> ToolUse:
    """A use of a tool, for scripts."""
    return ToolUse(id, name, json.dumps(arguments))


def load_scripted(path: str) -> Scripted:
    """A scripted player by ``module:name``: a function, or a class that is made and called.

    Raises:
        ValueError: if there is no such thing.
    """
    module, colon, name = path.partition(":")
    if not (module and colon and name):
        raise ValueError(f"a scripted player is named module:name, not {path!r}")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError) as error:
        raise ValueError(f"there is no scripted player {path!r}: {error}") from error
    play = found() if isinstance(found, type) else found
    return Scripted(play, f"scripted:{path}")
