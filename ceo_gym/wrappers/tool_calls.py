"""Tool calls out of the text of a language model."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

_FENCE = re.compile(r"```[a-zA-Z]*\s*\n(.*?)```", re.DOTALL)
_NAME_KEYS = ("tool", "name", "tool_name", "function")
_ARGUMENT_KEYS = ("args", "arguments", "parameters", "input")

FORM = '{"tool": "set_prices", "args": {"A": 40}}'


class ToolCall(NamedTuple):
    """One call: the name of a tool and its arguments."""

    tool: str
    arguments: dict[str, Any]


class CallError(ValueError):
    """The text holds no call that can be read; the message shows the form."""


def parse(text: str) -> list[ToolCall]:
    """The calls in a text, in order.

    Understood are one JSON object or a list of them, bare or in fenced blocks (several blocks are
    read in order; words around them are ignored), with the spellings of common chat interfaces:
    ``{"tool": …, "args": {…}}``, ``{"name": …, "arguments": {…} or "…"}``,
    ``{"function": {"name": …, "arguments": "…"}}``, ``{"tool_calls": [...]}``.

    Raises:
        CallError: saying what could not be read and what a call looks like.
    """
    if not isinstance(text, str):
        raise CallError(f"an action is a text with tool calls such as {FORM}, not {text!r}")
    blocks = [block.strip() for block in _FENCE.findall(text) if block.strip()]
    calls: list[ToolCall] = []
    for block in blocks or [text.strip()]:
        calls += _calls(_json(block))
    if not calls:
        raise CallError(f"the text names no tool; a call looks like {FORM}")
    return calls


def _json(block: str) -> Any:
    """The JSON value of a block, or the first one that starts within it."""
    try:
        return json.loads(block)
    except json.JSONDecodeError as error:
        first = error
    starts = [i for i in (block.find("{"), block.find("[")) if i > 0]
    if starts and block[0] not in "{[":
        try:
            return json.JSONDecoder().raw_decode(block[min(starts) :])[0]
        except json.JSONDecodeError as error:
            first = error
    raise CallError(f"this is not JSON ({first.msg} at character {first.pos}); use {FORM}")


def _calls(value: Any) -> list[ToolCall]:
    if isinstance(value, list):
        return [call for item in value for call in _calls(item)]
    if not isinstance(value, Mapping):
        raise CallError(f"a call is an object such as {FORM}, not {str(value)[:60]!r}")
    if isinstance(value.get("tool_calls"), list):
        return _calls(value["tool_calls"])
    if isinstance(value.get("function"), Mapping):
        return _calls(value["function"])
    name = next((value[key] for key in _NAME_KEYS if key in value), None)
    if not isinstance(name, str):
        raise CallError(f"a call names its tool, as in {FORM}; got the keys {sorted(value)}")
    arguments = next((value[key] for key in _ARGUMENT_KEYS if key in value), None)
    if isinstance(arguments, str):
        arguments = _json(arguments) if arguments.strip() else {}
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, Mapping):
        raise CallError(f"the arguments of {name} are an object, not {str(arguments)[:60]!r}")
    return [ToolCall(name, dict(arguments))]
