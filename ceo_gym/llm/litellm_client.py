"""Models through LiteLLM, for providers that do not speak chat completions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ceo_gym.extras import require
from ceo_gym.llm.messages import Message, ModelError, Reply, ToolUse, Usage


class LiteLLM:
    """A model by its name in LiteLLM, such as ``anthropic/…``; the extra ``llm``.

    Keys are found by LiteLLM in the environment. Costs are those that it knows; where it does not
    know a price, the cost is None.

    Args:
        model: name of the model.
        parameters: more of the request, such as ``{"temperature": 0}``.
        timeout_s: for one request.
        attempts: requests for one reply at most.

    Raises:
        ModuleNotFoundError: if LiteLLM is not installed, with the pip line.
    """

    def __init__(
        self,
        model: str,
        *,
        parameters: Mapping[str, Any] | None = None,
        timeout_s: float = 600.0,
        attempts: int = 8,
    ) -> None:
        require("a model through LiteLLM", "llm", {"litellm": "litellm"})
        self.model, self._parameters = model, dict(parameters or {})
        self._timeout_s, self._attempts = timeout_s, attempts

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model

    def complete(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """The next message of a conversation; see `Client.complete`.

        Raises:
            ModelError: if LiteLLM has none.
        """
        # its table of prices comes with it; looking for a newer one would ask the network
        os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")
        import litellm

        try:
            answer = litellm.completion(
                model=self.model,
                messages=list(messages),
                tools=list(tools) or None,
                timeout=self._timeout_s,
                num_retries=self._attempts - 1,
                **self._parameters,
            )
        except litellm.exceptions.ContextWindowExceededError as error:
            raise ModelError(str(error), is_too_long=True) from error
        except Exception as error:
            raise ModelError(f"{type(error).__name__}: {error}") from error
        choice = answer.choices[0]
        calls = [
            ToolUse(c.id or f"call_{k}", c.function.name or "", c.function.arguments or "{}")
            for k, c in enumerate(choice.message.tool_calls or ())
        ]
        return Reply(
            choice.message.content or "",
            tuple(calls),
            self._usage(litellm, answer),
            choice.finish_reason or "stop",
        )

    def _usage(self, litellm: Any, answer: Any) -> Usage:
        told = getattr(answer, "usage", None)
        try:
            cost = litellm.completion_cost(completion_response=answer)
        except Exception:  # noqa: BLE001 - it raises for models whose price it does not know
            cost = None
        return Usage(
            getattr(told, "prompt_tokens", None), getattr(told, "completion_tokens", None), cost
        )
