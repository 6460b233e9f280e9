"""What goes to a model and comes back, whoever provides it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

Message = dict[str, Any]
"""A message in the form of chat completions: ``role``, ``content``, ``tool_calls``, …"""


@dataclass(frozen=True)
class ToolUse:
    """A tool that a model wants used.

    Attributes:
        id: names the call in the conversation.
        name: of the tool.
        arguments: as the model wrote them; meant to be a JSON object.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class Usage:
    """What a reply has used; None is unknown, which is not 0.

    Attributes:
        input_tokens: of the messages and tools.
        output_tokens: of the reply, thoughts included.
        cost_usd: what the provider asks for it.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True)
class Reply:
    """A reply of a model.

    Attributes:
        text: what it wrote, empty if it only used tools.
        calls: tools that it wants used, in order.
        usage: of this reply.
        finish: why it ended, in the provider's word; ``"length"`` means that it was cut.
        attempts: requests that it took.
    """

    text: str = ""
    calls: tuple[ToolUse, ...] = ()
    usage: Usage = field(default_factory=Usage)
    finish: str = "stop"
    attempts: int = 1


class Client(Protocol):
    """Somebody who completes conversations."""

    @property
    def name(self) -> str:
        """Name of the model, for records."""

    def complete(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """The next message of a conversation.

        Args:
            messages: so far.
            tools: that may be used, in the function format of chat completions.

        Raises:
            ModelError: if there is none to be had.
        """


class ModelError(RuntimeError):
    """No reply is to be had.

    Attributes:
        is_too_long: whether the conversation was too long for the model.
    """

    def __init__(self, message: str, *, is_too_long: bool = False) -> None:
        super().__init__(message)
        self.is_too_long = is_too_long


@dataclass(frozen=True)
class Price:
    """What a provider asks, in USD for a million tokens.

    Raises:
        ValueError: for a price below 0.
    """

    input_usd: float
    output_usd: float

    def __post_init__(self) -> None:
        if not (self.input_usd >= 0 and self.output_usd >= 0):
            raise ValueError(f"a price is a number from 0, not {self.input_usd}, {self.output_usd}")

    def of(self, input_tokens: int | None, output_tokens: int | None) -> float | None:
        """Cost of a reply in USD, None if the tokens are not known."""
        if input_tokens is None or output_tokens is None:
            return None
        return (input_tokens * self.input_usd + output_tokens * self.output_usd) / 1e6
