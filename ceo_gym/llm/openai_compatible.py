"""Models behind the chat-completions protocol: hosted providers and local servers alike."""

from __future__ import annotations

import email.utils
import http.client
import json
import os
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ceo_gym import __version__
from ceo_gym.llm.messages import Message, ModelError, Price, Reply, ToolUse, Usage

KEY_VARIABLE = "OPENAI_API_KEY"
REPLY_BYTES = 32 * 2**20
_RETRIED = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_SHOWN = 500  # characters of what a server said, in an error
_CHUNK = 1 << 16


class _Passing(Exception):
    """Something that may be better the next time; `wait_s` is how long the server wants one to."""

    def __init__(self, message: str, wait_s: float | None = None) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Goes nowhere else: the key in the header is for this server only."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


class OpenAICompatible:
    """A model of a server that speaks ``POST {base_url}/chat/completions``.

    Overload, time-outs, broken connections and broken replies are tried again, after a wait that
    doubles each time, or that the server names. The key is read from the environment with each
    request and never kept; without one, none is sent, as local servers want it.

    Args:
        model: name of the model.
        base_url: up to but without ``/chat/completions``, such as ``http://localhost:8000/v1``.
        key_variable: environment variable that holds the key.
        price: what the model costs, if the server does not tell it with each reply.
        parameters: more of the request, such as ``{"temperature": 0, "max_tokens": 4096}``.
        timeout_s: for one request as a whole.
        attempts: requests for one reply at most.
        first_wait_s: before the second one.
        most_wait_s: longest wait, also if the server names a longer one.
        sleep: waits; for tests.

    Raises:
        ValueError: if `base_url` is no address of the web.
    """

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        *,
        key_variable: str = KEY_VARIABLE,
        price: Price | None = None,
        parameters: Mapping[str, Any] | None = None,
        timeout_s: float = 600.0,
        attempts: int = 8,
        first_wait_s: float = 1.0,
        most_wait_s: float = 60.0,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        address = urllib.parse.urlsplit(base_url)
        if address.scheme not in ("http", "https") or not address.netloc:
            raise ValueError(f"a base URL begins with http:// or https://, not {base_url!r}")
        if address.username or address.password or address.query:
            raise ValueError(
                f"a base URL holds no key; put it in the environment variable {key_variable}"
            )
        self.model, self.base_url = model, base_url.rstrip("/")
        self.price = price
        self._key_variable, self._parameters = key_variable, dict(parameters or {})
        self._timeout_s, self._attempts = timeout_s, attempts
        self._first_wait_s, self._most_wait_s, self._sleep = first_wait_s, most_wait_s, sleep
        self._opener = urllib.request.build_opener(_NoRedirects)
        # not of a game: agents that were refused together should not come back together
        self._random = random.Random()

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.model

    def complete(self, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]) -> Reply:
        """The next message of a conversation; see `Client.complete`.

        Raises:
            ModelError: if the server refuses the request, or all attempts have failed.
        """
        body: dict[str, Any] = {"model": self.model, "messages": list(messages)}
        if tools:
            body["tools"] = list(tools)
        data = json.dumps(body | self._parameters).encode()
        for attempt in range(1, self._attempts + 1):
            try:
                return self._reply(self._sent(data), attempt)
            except _Passing as trouble:
                if attempt == self._attempts:
                    raise ModelError(
                        f"no reply after {attempt} attempts; the last one: {trouble}"
                    ) from trouble
                self._sleep(self._wait_s(attempt, trouble.wait_s))
        raise AssertionError("unreachable")

    def _wait_s(self, attempt: int, asked_s: float | None) -> float:
        if asked_s is not None:
            return min(asked_s, self._most_wait_s)
        wait = min(self._first_wait_s * 2.0 ** (attempt - 1), self._most_wait_s)
        return wait * self._random.uniform(0.5, 1.0)

    # --- the request ---

    def _sent(self, data: bytes) -> bytes:
        """Body of the answer.

        Raises:
            _Passing: if it is worth another attempt.
            ModelError: if it is not.
        """
        headers = {"Content-Type": "application/json", "User-Agent": f"ceo-gym/{__version__}"}
        key = os.environ.get(self._key_variable, "")
        if key:
            headers["Authorization"] = f"Bearer {key}"
        request = urllib.request.Request(
            f"{self.base_url}/chat/completions", data, headers, method="POST"
        )
        deadline = time.monotonic() + self._timeout_s
        try:
            with self._opener.open(request, timeout=self._timeout_s) as answer:
                return self._read(answer, deadline)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refused(error, key) from error
        except (OSError, http.client.HTTPException) as error:
            # no such host, connection refused or reset, time-out, cut in the middle of the body
            raise _Passing(f"{type(error).__name__}: {error}") from error

    def _read(self, answer: Any, deadline: float) -> bytes:
        data = bytearray()
        while part := answer.read1(_CHUNK):
            data += part
            if len(data) > REPLY_BYTES:
                raise _Passing(f"a reply of more than {REPLY_BYTES // 2**20} MiB")
            if time.monotonic() > deadline:
                raise _Passing(f"the reply took more than {self._timeout_s:g} s")
        expected = answer.headers.get("Content-Length")
        if expected is not None and len(data) < int(expected):
            raise _Passing("the connection ended in the middle of the reply")
        return bytes(data)

    def _refused(self, error: urllib.error.HTTPError, key: str) -> Exception:
        """What to make of a status that is not 200."""
        said = _without(key, error.read(100_000).decode(errors="replace").strip())
        message = f"{self.base_url} answers {error.code} {error.reason}: {said[:_SHOWN]}"
        if error.code in _RETRIED:
            return _Passing(message, _asked_wait_s(error.headers.get("Retry-After")))
        if error.code in (401, 403) and not key:
            message += f" (there is no key in the environment variable {self._key_variable})"
        too_long = error.code in (400, 413, 422) and _is_about_length(said)
        return ModelError(message, is_too_long=too_long)

    # --- the reply ---

    def _reply(self, data: bytes, attempts: int) -> Reply:
        try:
            answer = json.loads(data)
            choice = answer["choices"][0]
            message = choice["message"]
            calls = tuple(_calls(message))
            text = _text(message.get("content"))
        except (ValueError, RecursionError, KeyError, IndexError, TypeError, AttributeError) as e:
            shown = data[:_SHOWN].decode(errors="replace")
            raise _Passing(f"the server did not answer with a completion: {shown!r}") from e
        usage = answer.get("usage")
        finish = str(choice.get("finish_reason") or "stop")
        return Reply(
            text, calls, self._usage(usage if isinstance(usage, dict) else {}), finish, attempts
        )

    def _usage(self, told: Mapping[str, Any]) -> Usage:
        read, written = (_count(told.get(n)) for n in ("prompt_tokens", "completion_tokens"))
        cost = told.get("cost")  # some providers tell it
        if isinstance(cost, (int, float)) and not isinstance(cost, bool):
            return Usage(read, written, float(cost))
        return Usage(read, written, self.price.of(read, written) if self.price else None)


def _without(key: str, text: str) -> str:
    """A text of a server without the key, which some repeat in their errors."""
    return text.replace(key, "***") if key else text


def _asked_wait_s(header: str | None) -> float | None:
    """Seconds of a Retry-After header, a number or a date."""
    if not header:
        return None
    try:
        return max(float(header), 0.0)
    except ValueError:
        pass
    try:
        at = email.utils.parsedate_to_datetime(header)
    except ValueError:
        return None
    return max(at.timestamp() - time.time(), 0.0)


def _is_about_length(said: str) -> bool:
    words = said.lower()
    return (
        "context_length" in words
        or ("context" in words and "length" in words)
        or ("maximum" in words and "tokens" in words)
    )


def _text(content: Any) -> str:
    """The text of a message: a string, nothing, or a list of parts."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return "" if content is None else str(content)


def _calls(message: Mapping[str, Any]) -> Sequence[ToolUse]:
    found = []
    for k, call in enumerate(message.get("tool_calls") or ()):
        function = call["function"]
        arguments = function.get("arguments") or "{}"
        if not isinstance(arguments, str):  # some servers give them as an object
            arguments = json.dumps(arguments)
        found.append(ToolUse(str(call.get("id") or f"call_{k}"), str(function["name"]), arguments))
    return found


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
