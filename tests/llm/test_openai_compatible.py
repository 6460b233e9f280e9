"""The client of chat completions, against a server that fails in every way that servers do."""

import json
import time
from email.utils import formatdate
from typing import Any

import pytest

from ceo_gym.llm import ModelError, OpenAICompatible, Price, Usage
from tests.llm.server import breaks_off, completion, drips, gives, hangs, serving

USER = [{"role": "user", "content": "hello"}]
TOOLS = [{"type": "function", "function": {"name": "next_week", "parameters": {}}}]
GOOD = gives(completion("fine"))


class Waits(list[float]):
    """Notes how long a client waits, and does not."""

    def __call__(self, seconds: float) -> None:
        self.append(seconds)


def client(url: str, **options: Any) -> tuple[OpenAICompatible, Waits]:
    waits = Waits()
    return OpenAICompatible("m", url, sleep=waits, **{"timeout_s": 5.0, **options}), waits


def test_a_request_and_its_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    call = {"name": "next_week", "arguments": '{"rationale": "x"}'}
    with serving(gives(completion(None, [call], "tool_calls"))) as server:
        model, _ = client(server.url, parameters={"temperature": 0}, price=Price(2.0, 10.0))
        reply = model.complete(USER, TOOLS)
    assert server.requests == [
        {
            "model": "m",
            "messages": USER,
            "tools": TOOLS,
            "temperature": 0,
            "path": "/v1/chat/completions",
        }
    ]
    assert server.headers[0]["Authorization"] == "Bearer sk-secret"
    assert (reply.text, reply.finish, reply.attempts) == ("", "tool_calls", 1)
    assert [(c.id, c.name, c.arguments) for c in reply.calls] == [
        ("c0", "next_week", '{"rationale": "x"}')
    ]
    assert reply.usage == Usage(100, 20, (100 * 2.0 + 20 * 10.0) / 1e6)


def test_without_a_key_none_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with serving(GOOD) as server:
        model, _ = client(server.url)
        model.complete(USER, [])
    assert "Authorization" not in server.headers[0]
    assert "tools" not in server.requests[0]


@pytest.mark.parametrize(
    "fault",
    [
        pytest.param(gives({"error": "slow down"}, 429), id="429"),
        pytest.param(gives({"error": "oops"}, 500), id="500"),
        pytest.param(gives(b"<html>bad gateway</html>", 502), id="502"),
        pytest.param(gives({"error": "overloaded"}, 529), id="529"),
        pytest.param(gives(b'{"choices": [{"mess'), id="malformed JSON"),
        pytest.param(gives(b"\xff\xfe\x00"), id="not even text"),
        pytest.param(gives(b""), id="empty body"),
        pytest.param(gives({"choices": []}), id="no choice"),
        pytest.param(gives({"error": {"message": "in a 200"}}), id="error in a 200"),
        pytest.param(gives([1, 2]), id="a list"),
        pytest.param(gives(b"[" * 100_000), id="nested"),
        pytest.param(gives({"choices": [{"message": {"tool_calls": [{}]}}]}), id="a broken call"),
        pytest.param(breaks_off, id="cut in the middle"),
        pytest.param(lambda handler, _: handler.connection.close(), id="hangs up"),
    ],
)
def test_passing_faults_are_tried_again(fault: Any) -> None:
    with serving(fault, fault, GOOD) as server:
        model, waits = client(server.url)
        reply = model.complete(USER, TOOLS)
    assert (reply.text, reply.attempts, len(server.requests)) == ("fine", 3, 3)
    assert 0.5 <= waits[0] <= 1.0 <= waits[1] <= 2.0


@pytest.mark.parametrize("fault", [hangs(1.0), drips], ids=["hangs", "drips"])
def test_a_request_has_an_end(fault: Any) -> None:
    with serving(fault, GOOD) as server:
        model, _ = client(server.url, timeout_s=0.2)
        begun = time.monotonic()
        reply = model.complete(USER, [])
        assert time.monotonic() - begun < 1.0
    assert (reply.text, reply.attempts) == ("fine", 2)


def test_waits_double_to_a_limit() -> None:
    with serving(gives({}, 503)) as server:
        model, waits = client(server.url, attempts=6, first_wait_s=1.0, most_wait_s=4.0)
        with pytest.raises(ModelError, match=r"no reply after 6 attempts; the last one: .* 503"):
            model.complete(USER, [])
    assert len(waits) == 5
    assert all(low <= w <= high for w, low, high in zip(waits, (0.5, 1, 2, 2, 2), (1, 2, 4, 4, 4)))


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ("7", 7, 7),
        ("0.25", 0.25, 0.25),
        ("86400", 60, 60),
        pytest.param(formatdate(time.time() + 600, usegmt=True), 60, 60, id="a date to come"),
        pytest.param(formatdate(time.time() - 20, usegmt=True), 0, 0, id="a date gone by"),
        ("soon", 0.5, 1.0),
    ],
)
def test_a_server_may_say_how_long_to_wait(header: str, low: float, high: float) -> None:
    with serving(gives({}, 429, Retry_After=header), GOOD) as server:
        model, waits = client(server.url)
        model.complete(USER, [])
    assert low <= waits[0] <= high


@pytest.mark.parametrize("status", [400, 401, 403, 404, 422])
def test_what_will_not_get_better_is_not_tried_again(
    status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with serving(gives({"error": "no, and sk-secret is no key"}, status)) as server:
        model, waits = client(server.url)
        with pytest.raises(ModelError, match=rf"answers {status}") as found:
            model.complete(USER, [])
    assert not waits
    assert len(server.requests) == 1
    assert "sk-secret" not in str(found.value)
    assert "*** is no key" in str(found.value)


def test_a_missing_key_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MY_KEY", raising=False)
    with serving(gives({"error": "who are you?"}, 401)) as server:
        model, _ = client(server.url, key_variable="MY_KEY")
        with pytest.raises(ModelError, match="no key in the environment variable MY_KEY"):
            model.complete(USER, [])


def test_the_key_goes_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    with serving(GOOD) as other:
        with serving(gives({}, 302, Location=f"{other.url}/chat/completions")) as server:
            model, _ = client(server.url)
            with pytest.raises(ModelError, match="302"):
                model.complete(USER, [])
        assert not other.requests


@pytest.mark.parametrize(
    "said",
    [
        {"error": {"code": "context_length_exceeded", "message": "too long"}},
        {"error": "This model's maximum is 8192 tokens, you asked for 9000"},
        {"message": "the context is longer than the length that the model has"},
    ],
)
def test_too_long_a_conversation_is_known(said: Any) -> None:
    with serving(gives(said, 400)) as server:
        model, _ = client(server.url)
        with pytest.raises(ModelError) as found:
            model.complete(USER, [])
    assert found.value.is_too_long


def test_a_reply_of_five_megabytes() -> None:
    with serving(gives(completion("x" * 5_000_000))) as server:
        model, _ = client(server.url)
        assert len(model.complete(USER, []).text) == 5_000_000


def test_a_reply_without_end_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ceo_gym.llm.openai_compatible.REPLY_BYTES", 1_000_000)
    with serving(gives(completion("x" * 2_000_000)), GOOD) as server:
        model, _ = client(server.url)
        assert model.complete(USER, []).text == "fine"


@pytest.mark.parametrize(
    ("message", "text", "arguments"),
    [
        ({"content": None}, "", []),
        ({"content": "a"}, "a", []),
        ({}, "", []),
        ({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}, "ab", []),
        (
            {"tool_calls": [{"function": {"name": "f", "arguments": {"A": 1}}}]},
            "",
            [("call_0", '{"A": 1}')],
        ),
        (
            {"tool_calls": [{"id": "z", "function": {"name": "f", "arguments": ""}}]},
            "",
            [("z", "{}")],
        ),
        (
            {"tool_calls": [{"id": "z", "function": {"name": "f", "arguments": '{"A": '}}]},
            "",
            [("z", '{"A": ')],
        ),
    ],
)
def test_spellings_of_servers(message: Any, text: str, arguments: Any) -> None:
    with serving(gives({"choices": [{"message": message}]})) as server:
        model, _ = client(server.url)
        reply = model.complete(USER, TOOLS)
    assert reply.text == text
    assert [(c.id, c.arguments) for c in reply.calls] == arguments
    assert reply.usage == Usage(None, None, None)


@pytest.mark.parametrize(
    ("usage", "price", "cost"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5}, None, None),
        ({"prompt_tokens": 10, "completion_tokens": 5}, Price(1e6, 0.0), 10.0),
        ({"prompt_tokens": 10, "completion_tokens": 5, "cost": 0.25}, Price(1e6, 0.0), 0.25),
        ({"prompt_tokens": 10, "completion_tokens": 5, "cost": 0}, None, 0.0),
        ({"cost": "free"}, Price(1.0, 1.0), None),
        (None, Price(1.0, 1.0), None),
    ],
)
def test_an_unknown_cost_is_none_and_not_zero(usage: Any, price: Any, cost: float | None) -> None:
    answer = completion("x") | {"usage": usage}
    with serving(gives(answer)) as server:
        model, _ = client(server.url, price=price)
        assert model.complete(USER, []).usage.cost_usd == cost


def test_no_server_is_there() -> None:
    model, waits = client("http://127.0.0.1:9", attempts=3)
    with pytest.raises(ModelError, match="no reply after 3 attempts"):
        model.complete(USER, [])
    assert len(waits) == 2


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("localhost:8000", "begins with http"),
        ("file:///etc/passwd", "begins with http"),
        ("https://key@host/v1", "holds no key"),
        ("https://host/v1?key=x", "holds no key"),
    ],
)
def test_addresses_that_are_none(url: str, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        OpenAICompatible("m", url)


def test_prices_are_not_negative() -> None:
    with pytest.raises(ValueError, match="from 0"):
        Price(-1.0, 0.0)


def test_the_request_is_json_for_every_text() -> None:
    with serving(GOOD) as server:
        model, _ = client(server.url)
        model.complete([{"role": "user", "content": "\ud800 \u2028 <ü>"}], [])
    assert json.dumps(server.requests[0]["messages"][0]["content"]) == '"\\ud800 \\u2028 <\\u00fc>"'
