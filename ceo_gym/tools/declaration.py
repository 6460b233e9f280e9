"""What a tool is. One declaration gives its schema, the check of its arguments and its docs.

The check is about names and JSON types only. What a number may be is a rule of the world and is
tested by the world's own method, so that every door refuses the same things in the same words.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import Any

import numpy as np

from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.ceobench.validation import SHOWN_CHARACTERS, InvalidDecision, shown
from ceo_gym.simulators.common.parameters import nearest

Handler = Callable[[Any, dict[str, Any]], dict[str, Any]]


@dataclass(frozen=True)
class Kind:
    """The JSON type of an argument.

    Attributes:
        label: short name for people, such as ``{group: float}``.
        schema: JSON schema without description.
        accepts: whether a value has this type.
        form: what to write, for the error.
    """

    label: str
    schema: Mapping[str, Any]
    accepts: Callable[[Any], bool]
    form: str


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, (bool, np.bool_))


def _is_real(value: Any) -> bool:
    return isinstance(value, (Real, np.bool_))


def _is_map(value: Any) -> bool:
    return isinstance(value, Mapping)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, (list, tuple, np.ndarray))


def _map_of(inner: Mapping[str, Any], keys: Sequence[str] = ()) -> dict[str, Any]:
    schema = {"type": "object", "additionalProperties": dict(inner)}
    return schema | ({"propertyNames": {"enum": list(keys)}} if keys else {})


def map_kind(label: str, inner: Mapping[str, Any], form: str, keys: Sequence[str] = ()) -> Kind:
    """A map whose entries are all of the schema `inner`; `keys` are the only ones, if any."""
    return Kind(label, _map_of(inner, keys), _is_map, f"a map {form}")


NUMBER = Kind("float", {"type": "number"}, _is_number, "a number, not in quotes")
# True is left to the world: its rules say whether it counts as 1
WHOLE = Kind("int", {"type": "integer"}, _is_real, "a whole number, not in quotes")
TEXT = Kind("str", {"type": "string"}, _is_text, "a text")
TEXTS = Kind(
    "list of str",
    {"type": "array", "items": {"type": "string"}},
    lambda value: _is_list(value) and all(map(_is_text, value)),
    "a list of texts",
)
TEXT_OR_TEXTS = Kind(
    "str or list of str",
    {"anyOf": [TEXT.schema, TEXTS.schema]},
    lambda value: TEXT.accepts(value) or TEXTS.accepts(value),
    "a text or a list of texts",
)
ANY_MAP = Kind("object", {"type": "object"}, _is_map, "a map")
PER_GROUP = map_kind("{group: float}", NUMBER.schema, "{group: amount}")
PER_CHANNEL = map_kind("{channel: float}", NUMBER.schema, "{channel: amount}", CHANNELS)
PER_PLAN = map_kind("{plan: float}", NUMBER.schema, "{plan: amount}", PLANS)
PER_CUSTOMER = map_kind("{int: float}", NUMBER.schema, "{customer id: amount}")
PER_GROUP_PLAN = map_kind(
    "{group: {plan: float}}", _map_of(NUMBER.schema, PLANS), "{group: {plan: amount}}"
)
PER_CHANNEL_GROUP = map_kind(
    "{channel: {group: float}}", _map_of(NUMBER.schema), "{channel: {group: amount}}"
)


@dataclass(frozen=True)
class Field:
    """One argument.

    Attributes:
        name: as in a call.
        kind: its JSON type.
        doc: what it means.
        unit: of a number, or of the numbers of a map.
        low: smallest value, told in the schema; the world tests it.
        high: largest value, likewise.
        above: bound that is itself not allowed, likewise.
        required: whether a call must give it.
        default: what happens without it, in words.
    """

    name: str
    kind: Kind
    doc: str
    unit: str = ""
    low: float | None = None
    high: float | None = None
    above: float | None = None
    required: bool = False
    default: str = ""

    @property
    def span(self) -> str:
        """The range in words, empty if there is none."""
        if self.low is not None and self.high is not None:
            return f"{self.low:g} to {self.high:g}"
        parts = [f"> {self.above:g}"] if self.above is not None else []
        parts += [f">= {self.low:g}"] if self.low is not None else []
        parts += [f"<= {self.high:g}"] if self.high is not None else []
        return ", ".join(parts)

    @property
    def schema(self) -> dict[str, Any]:
        """JSON schema of this argument."""
        schema = self._bounded(self.kind.schema)
        details = [part for part in (self.unit, self.span) if part]
        text = self.doc + (f" ({'; '.join(details)})" if details else "")
        schema["description"] = f"{text}. Default: {self.default}." if self.default else f"{text}."
        return schema

    def _bounded(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The schema with the range at its numbers (those of a map too) or at a text's length."""
        inner = schema.get("additionalProperties")
        limits: dict[str, Any] = {}
        if isinstance(inner, Mapping):
            limits = {"additionalProperties": self._bounded(inner)}
        elif schema.get("type") in ("number", "integer"):
            limits = {"minimum": self.low, "maximum": self.high, "exclusiveMinimum": self.above}
        elif schema.get("type") == "string":
            limits = {"minLength": self.low, "maxLength": self.high}
        return {**schema, **{name: value for name, value in limits.items() if value is not None}}


@dataclass(frozen=True)
class Output:
    """One field of a result.

    Attributes:
        name: as in the result.
        type: ``number``, ``integer``, ``text``, ``boolean``, ``map`` or ``list``; with
            ``" or null"`` where it may be empty.
        always: false for a field that is absent in some results.
    """

    name: str
    type: str
    always: bool = True


@dataclass(frozen=True)
class Tool:
    """One named tool.

    Attributes:
        name: as called.
        family: subject, for tables of contents.
        kind: ``setting`` (stored at once, acts from the next day, free), ``immediate`` (done and
            paid on the current day), ``read``, ``note`` or ``time``.
        doc: what it does and when it acts, in a sentence or a few.
        handler: world and checked arguments to result.
        path: ``module.function`` in the Python client, empty if it is not there.
        fields: arguments, in the order of positional calls.
        result: fields of the result.
        update: what an omitted argument or map entry means, see `UPDATES`.
        hints: names that are often tried -> what to use instead.
        served: false for a tool that only answers where its service is to be had.
    """

    name: str
    family: str
    kind: str
    doc: str
    handler: Handler
    path: str = ""
    fields: tuple[Field, ...] = ()
    result: tuple[Output, ...] = ()
    update: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)
    served: bool = True

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the arguments, in order."""
        return tuple(f.name for f in self.fields)

    @property
    def signature(self) -> str:
        """As one would write a call in Python."""
        arguments = (f.name if f.required else f"{f.name}=None" for f in self.fields)
        return f"{self.name}({', '.join(arguments)})"

    @property
    def schema(self) -> dict[str, Any]:
        """The declaration in the function format of chat interfaces."""
        update = UPDATES.get(self.update, "")
        return {
            "type": "function",
            "function": {
                "name": self.name,
                "description": f"{self.doc} {update}".strip(),
                "parameters": {
                    "type": "object",
                    "properties": {f.name: f.schema for f in self.fields},
                    "required": [f.name for f in self.fields if f.required],
                    "additionalProperties": False,
                },
            },
        }

    def read(self, arguments: Any) -> dict[str, Any]:
        """The given arguments, checked for names and JSON types; null counts as not given.

        Raises:
            InvalidDecision: `wrong_type`, `unknown_key` or `missing_argument`, saying what the
                tool takes.
        """
        arguments = {} if arguments is None else arguments
        if not isinstance(arguments, Mapping):
            raise InvalidDecision(
                "wrong_type",
                f"the arguments of {self.name} must be a map {{name: value}}, not "
                f"{shown(arguments)}; usage: {self.signature}",
            )
        for name in arguments:
            if name not in self.names:
                raise InvalidDecision("unknown_key", self._unknown(str(name)[:SHOWN_CHARACTERS]))
        given = {}
        for f in self.fields:
            value = arguments.get(f.name)
            if value is None:
                if f.required:
                    raise InvalidDecision(
                        "missing_argument",
                        f"{self.name} needs {f.name}: {f.kind.form}; usage: {self.signature}",
                    )
                continue
            if not f.kind.accepts(value):
                raise InvalidDecision(
                    "wrong_type",
                    f"{f.name} of {self.name} must be {f.kind.form}, not {shown(value)}",
                )
            given[f.name] = value
        return given

    def call(self, world: Any, arguments: Any) -> dict[str, Any]:
        """Check the arguments and carry the tool out.

        Returns:
            The fields of `result` as plain data that survives a round trip through JSON.

        Raises:
            InvalidDecision: see `read` and the world's own checks; nothing has changed then.
        """
        return {str(k): plain(v) for k, v in self.handler(world, self.read(arguments)).items()}

    def _unknown(self, name: str) -> str:
        if name in self.hints:
            return f"{self.name} has no argument {name!r}; {self.hints[name]}"
        if not self.fields:
            return f"{self.name} takes no arguments, but was given {name!r}"
        known = ", ".join(self.names)
        close = nearest(name, self.names)
        advice = f"{close} It takes {known}" if close.endswith("?") else f"it takes {known}"
        return f"{self.name} has no argument {name!r}; {advice}"


UPDATES = {
    "partial": "Omitted arguments keep their value.",
    "scope replaced": (
        "An omitted scope keeps its values, a given map replaces its whole scope. Without any "
        "argument: what is in force."
    ),
    "whole map replaced": "The map replaces everything set before; an empty map clears it.",
    "group scope replaced": "The map replaces everything set before; an empty map clears it.",
}


def find(tools: Mapping[str, Tool], name: Any, misnomers: Sequence[tuple[str, str]] = ()) -> Tool:
    """A tool by name.

    Args:
        tools: the tools there are.
        name: the name.
        misnomers: patterns of names that are often tried, each with what to use instead.

    Raises:
        InvalidDecision: `not_found`, naming the nearest ones.
    """
    if isinstance(name, str) and name in tools:
        return tools[name]
    if not isinstance(name, str):
        raise InvalidDecision("wrong_type", f"the name of a tool is a text, not {shown(name)}")
    name = name[:SHOWN_CHARACTERS]
    advice = next((words for pattern, words in misnomers if re.search(pattern, name)), None)
    advice = nearest(name, tools) if advice is None else advice
    raise InvalidDecision("not_found", f"there is no tool {name!r}; {advice}")


def plain(value: Any) -> Any:
    """Data that JSON gives back unchanged: texts as keys, lists, no NumPy types, finite numbers."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def unscaled(value: float) -> int | float:
    """An amount as people write it: without a decimal point if it has no cents."""
    return int(value) if float(value).is_integer() else float(value)


def python_functions(tools: Mapping[str, Tool]) -> list[dict[str, Any]]:
    """The functions of the Python client's modules: tool, module, parameters and docstring."""
    return [
        {
            "tool": tool.name,
            "module": tool.path.split(".")[0],
            "parameters": [{"name": f.name, "required": f.required} for f in tool.fields],
            "doc": _docstring(tool),
        }
        for tool in tools.values()
        if "." in tool.path and not tool.path.startswith("_")
    ]


def _docstring(tool: Tool) -> str:
    lines = [f"{tool.doc} {UPDATES.get(tool.update, '')}".strip()]
    if tool.fields:
        lines += ["", "Args:"]
        lines += [f"    {f.name} ({f.kind.label}): {f.schema['description']}" for f in tool.fields]
    named = (f"{o.name} ({o.type}{'' if o.always else ', if any'})" for o in tool.result)
    lines += ["", "Returns:", f"    A dict: {', '.join(named)}.", ""]
    lines += ["Raises:", "    NovaMindAPIError: if the call is refused; nothing has changed then."]
    return "\n".join(lines)


def reference(tools: Mapping[str, Tool]) -> str:
    """All tools as Markdown: a table a family, one row a tool."""
    lines: list[str] = []
    for family in dict.fromkeys(tool.family for tool in tools.values()):
        lines += [f"## {family[0].upper()}{family[1:]}", ""]
        lines += ["| tool | kind | what it does | arguments | result |", "|---|---|---|---|---|"]
        lines += [_row(tool) for tool in tools.values() if tool.family == family]
        lines.append("")
    return "\n".join(lines)


def _row(tool: Tool) -> str:
    arguments = []
    for f in tool.fields:
        details = [f.kind.label, *(part for part in (f.unit, f.span) if part)]
        details.append("required" if f.required else f"default: {f.default or 'none'}")
        arguments.append(f"`{f.name}` {f.doc[0].lower()}{f.doc[1:]} ({'; '.join(details)})")
    update = UPDATES.get(tool.update, "")
    name = f"`{tool.name}`" + (f"<br>`{tool.path}`" if tool.path else "")
    result = ", ".join(f"`{o.name}`" + ("" if o.always else " (if any)") for o in tool.result)
    cells = (name, tool.kind, f"{tool.doc} {update}".strip(), "<br>".join(arguments), result)
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') or '-' for cell in cells)} |"
