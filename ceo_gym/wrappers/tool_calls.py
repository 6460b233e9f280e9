"""Tool calls out of the text of a language model."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from ceo_gym.simulators.ceobench.validation import shown

FORM = '{"tool": "set_prices", "args": {"A": 40}}'
MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 20  # of lists and objects in each other; no call needs half of it
MAX_DIGITS = 400  # a longer whole number is beyond every float

_NAME_KEYS = ("tool", "name", "tool_name", "function")
_ARGUMENT_KEYS = ("args", "arguments", "parameters", "input")
_WRAPPING_KEYS = ("function", "function_call", "functionCall")
# what chat interfaces and talkative models put beside a call; everything else beside it is taken
# for an argument in the wrong place
_IDLE_KEYS = {"id", "type", "index", "call_id", "tool_call_id", "role", "content", "status"} | {
    "thought",
    "thoughts",
    "reasoning",
    "reason",
    "comment",
    "explanation",
}

_THOUGHT = re.compile(r"\s*<(think|thinking)>.*?</\1>", re.DOTALL)
_FENCE = re.compile(r"```[ \t]*([\w+-]*)")
_CALL_FENCES = frozenset(
    ("", "json", "jsonl", "tool", "tools", "tool_call", "tool_calls", "function_call")
)
_VALUE = re.compile(r"[\[{]")
_VALUE_IN_PROSE = re.compile(r'\{\s*"|\[\s*\{\s*"')


class ToolCall(NamedTuple):
    """One call: the name of a tool and its arguments, or what is wrong with it."""

    tool: str
    arguments: dict[str, Any]
    error: str = ""


class CallError(ValueError):
    """The text holds no call that can be read; the message shows the form."""


def parse(text: str) -> list[ToolCall]:
    """The calls in a text, in order.

    Understood are JSON objects and lists of them, one after the other, bare or in fenced blocks.
    If there are fenced blocks with JSON, words and JSON around them are ignored, and so are blocks
    marked as another language and a ``<think>`` block at the beginning. The spellings of common
    chat interfaces are read: ``{"tool": …, "args": {…}}``, ``{"name": …, "arguments": {…}}`` with
    the arguments as an object or as a text, ``{"function": {…}}`` around such a call,
    ``{"tool_calls": [...]}``, and a message whose content lists ``tool_use`` parts.

    Returns:
        The calls; one that is JSON but no call has an `error` and leaves the others as they are.

    Raises:
        CallError: if the JSON is broken, or nothing in the text can be read, saying what is wrong
            and what a call looks like.
    """
    if not isinstance(text, str):
        raise CallError(f"an action is a text with tool calls such as {FORM}, not {shown(text)}")
    if len(text) > MAX_CHARACTERS:
        raise CallError(f"an action has at most {MAX_CHARACTERS:,} characters, not {len(text):,}")
    if thought := _THOUGHT.match(text):
        text = text[thought.end() :]
    calls = [call for value in _values(text) for call in _calls(value)]
    if not calls:
        raise CallError(f"the text names no tool; a call looks like {FORM}")
    if all(call.error for call in calls):
        raise CallError(calls[0].error)
    return calls


# --- JSON out of text ----------------------------------------------------------------------------


def _values(text: str) -> list[Any]:
    """The JSON values in the fenced blocks of a text, or outside of them if they hold none."""
    inside: list[Any] = []
    outside: list[str] = []
    languages: list[str] = []
    at = 0
    while opening := _FENCE.search(text, at):
        outside.append(text[at : opening.start()])
        at, language = opening.end(), opening[1].lower()
        if language in _CALL_FENCES:
            at = _read_block(text, at, inside)
        else:
            languages.append(language)
        end = text.find("```", at)
        at = len(text) if end < 0 else end + 3
    if inside:
        return inside
    found = list(_scan(" ".join([*outside, text[at:]])))
    if not found:
        advice = f"; a {languages[0]} block is not carried out here" if languages else ""
        raise CallError(f"this is not JSON{advice}; use {FORM}")
    return found


def _read_block(text: str, at: int, found: list[Any]) -> int:
    """Add the values of a block that begins at a position; returns where the last of them ends.

    The end of the block is looked for behind each value, since a text in it may hold a fence.
    """
    while True:
        end = text.find("```", at)
        start = _VALUE.search(text, at, len(text) if end < 0 else end)
        if start is None:
            return at
        value, at = _decode(text, start.start())
        found.append(value)


def _scan(text: str) -> Iterator[Any]:
    """The values in a text: one it begins with, and whatever looks like a call further on."""
    text = text.strip()
    start = _VALUE.match(text) or _VALUE_IN_PROSE.search(text)
    while start:
        value, at = _decode(text, start.start())
        yield value
        start = _VALUE_IN_PROSE.search(text, at)


def _decode(text: str, at: int) -> tuple[Any, int]:
    """The JSON value that starts at a position, and where it ends."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except json.JSONDecodeError as error:
        near = shown(text[max(error.pos - 20, 0) : error.pos + 20])
        raise CallError(f"this is not JSON ({error.msg} near {near}); use {FORM}") from error
    except RecursionError as error:
        raise CallError(f"this is nested too deeply; use {FORM}") from error
    if _deeper_than(value, MAX_DEPTH):
        raise CallError(f"this is nested too deeply; use {FORM}")
    return value, end


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; which of two entries of one name is meant cannot be known."""
    entries = dict(pairs)
    if len(entries) < len(pairs):
        # once through: an object of a hostile program may have hundreds of thousands of names
        twice = Counter(name for name, _ in pairs).most_common(1)[0][0]
        raise CallError(f"{shown(twice)} stands twice in one object; use it once, as in {FORM}")
    return entries


def _whole(digits: str) -> int | float:
    return int(digits) if len(digits) <= MAX_DIGITS else float(digits)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_int=_whole)


def _deeper_than(value: Any, depth: int) -> bool:
    level = [value]
    for _ in range(depth):
        level = [
            item
            for group in level
            if isinstance(group, (dict, list))
            for item in (group.values() if isinstance(group, dict) else group)
        ]
    return bool(level)


# --- calls out of JSON ---------------------------------------------------------------------------


def _calls(value: Any) -> list[ToolCall]:
    """The calls in a JSON value."""
    if isinstance(value, list):
        return [call for item in value for call in _calls(item)]
    if not isinstance(value, Mapping):
        return [_unreadable(f"a call is an object such as {FORM}, not {shown(value)}")]
    if isinstance(value.get("tool_calls"), list):
        return _calls(value["tool_calls"])
    if isinstance(value.get("content"), list):
        return _calls([part for part in value["content"] if _is_use(part)])
    for key in _WRAPPING_KEYS:
        if isinstance(value.get(key), Mapping):
            return _calls(value[key])
    return [_call(value)]


def _is_use(part: Any) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "tool_use"


def _call(value: Mapping[str, Any]) -> ToolCall:
    name_key = next((key for key in _NAME_KEYS if key in value), None)
    if name_key is None:
        return _unreadable(
            f"a call names its tool, as in {FORM}; got the keys {shown(sorted(value))}"
        )
    name = value[name_key]
    if not isinstance(name, str):
        return _unreadable(f"the name of a tool is a text, as in {FORM}, not {shown(name)}")
    argument_key = next((key for key in _ARGUMENT_KEYS if key in value), None)
    beside = [key for key in value if key not in {name_key, argument_key} | _IDLE_KEYS]
    if beside:
        return ToolCall(
            name,
            {},
            f"{shown(beside[0])} stands beside the tool, where it has no effect; write "
            f'{{"tool": "{name[:40]}", "args": {{"{beside[0][:40]}": …}}}}',
        )
    arguments = value[argument_key] if argument_key is not None else {}
    if isinstance(arguments, str):
        try:
            arguments = json_value(arguments) if arguments.strip() else {}
        except CallError as error:
            return ToolCall(name, {}, f"the arguments of {shown(name)}: {error}")
    if arguments is None:
        arguments = {}
    if not isinstance(arguments, Mapping):
        return ToolCall(
            name, {}, f"the arguments of {shown(name)} are an object, not {shown(arguments)}"
        )
    return ToolCall(name, dict(arguments))


def json_value(text: str) -> Any:
    """The one JSON value that a text is.

    Raises:
        CallError: if it is not JSON, or more than that.
    """
    text = text.strip()
    value, end = _decode(text, 0)
    if text[end:].strip():
        raise CallError(f"there is more than JSON: {shown(text[end:].strip())}")
    return value


def _unreadable(why: str) -> ToolCall:
    return ToolCall("", {}, why)
