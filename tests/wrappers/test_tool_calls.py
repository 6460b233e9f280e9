"""Tool calls out of text."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ceo_gym.wrappers.tool_calls import CallError, ToolCall, parse

PRICES = ToolCall("set_prices", {"A": 40})


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "set_prices", "args": {"A": 40}}',
        '{"name": "set_prices", "arguments": {"A": 40}}',
        '{"name": "set_prices", "arguments": "{\\"A\\": 40}"}',
        '{"type": "function", "function": {"name": "set_prices", "arguments": "{\\"A\\": 40}"}}',
        '{"tool_calls": [{"function": {"name": "set_prices", "arguments": {"A": 40}}}]}',
        'I raise prices.\n```json\n{"tool": "set_prices", "args": {"A": 40}}\n```\nDone.',
        '```\n[{"tool": "set_prices", "args": {"A": 40}}]\n```',
        'Then: {"tool": "set_prices", "args": {"A": 40}} and so on',
        '[{"tool": "set_prices", "args": {"A": 40}}]',
        '```json {"tool": "set_prices", "args": {"A": 40}}```',
        '```json\n{"tool": "set_prices", "args": {"A": 40}}\n',  # cut off before the closing fence
        '```tool_call\n{"tool": "set_prices", "args": {"A": 40}}\n```',
        'So {"tool": "x"} it is:\n```\n{"tool": "set_prices", "args": {"A": 40}}\n```',
        '```python\nx = {"A": 1}\n```\n```json\n{"tool": "set_prices", "args": {"A": 40}}\n```',
        '```\nsome words\n```\n{"tool": "set_prices", "args": {"A": 40}}',
        'Offers [maybe] or {none}: {"tool": "set_prices", "args": {"A": 40}}',
        '{"thought": "cheap", "tool": "set_prices", "args": {"A": 40}}',
        '{"role": "assistant", "content": null, "tool_calls": [{"id": "1", "type": "function", '
        '"function": {"name": "set_prices", "arguments": "{\\"A\\": 40}"}}]}',
        '{"type": "function_call", "call_id": "1", "name": "set_prices", '
        '"arguments": "{\\"A\\": 40}"}',
        '{"function_call": {"name": "set_prices", "arguments": "{\\"A\\": 40}"}}',
        '<tool_call>\n{"name": "set_prices", "arguments": {"A": 40}}\n</tool_call>',
        '<think>{"tool": "x"} or {"tool": "y"?</think>{"tool": "set_prices", "args": {"A": 40}}',
        '{"functionCall": {"name": "set_prices", "args": {"A": 40}}}',
        '{"role": "assistant", "content": [{"type": "text", "text": "so"}, '
        '{"type": "tool_use", "id": "1", "name": "set_prices", "input": {"A": 40}}]}',
    ],
)
def test_spellings_of_one_call(text: str) -> None:
    assert parse(text) == [PRICES]


def test_lists_and_blocks_keep_their_order() -> None:
    text = (
        '```json\n[{"tool": "a"}, {"tool": "b", "args": null}]\n```\n'
        'and\n```json\n{"tool": "next_week", "args": {"rationale": "go"}}\n```'
    )
    assert parse(text) == [
        ToolCall("a", {}),
        ToolCall("b", {}),
        ToolCall("next_week", {"rationale": "go"}),
    ]


@pytest.mark.parametrize(
    "text",
    [
        '{"tool": "a"}\n{"tool": "b"}',
        '{"tool": "a"}, {"tool": "b"}',
        '[{"tool": "a"}]\n\n[{"tool": "b"}]',
        'First {"tool": "a"}, then {"tool": "b"} [done].',
        '```json\n{"tool": "a"}\n{"tool": "b"}\n```',
        '```{"tool": "a"}``` and ```{"tool": "b"}```',
    ],
)
def test_no_call_of_several_is_lost(text: str) -> None:
    assert parse(text) == [ToolCall("a", {}), ToolCall("b", {})]


def test_a_fence_within_a_text_does_not_end_the_block() -> None:
    args = '{"content": "Run ```make``` and {be} happy"}'
    text = f'```json\n{{"tool": "a", "args": {args}}}\n```\n```json\n[{{"tool": "b"}}]```'
    first, second = parse(text)
    assert first.arguments == {"content": "Run ```make``` and {be} happy"}
    assert second == ToolCall("b", {})


@pytest.mark.parametrize(
    ("item", "message"),
    [
        ('{"tol": "a"}', "names its tool"),
        ("7", "a call is an object"),
        ('{"tool": ["a"]}', "is a text"),
        ('{"tool": "a", "A": 40}', '"args": {"A"'),
        ('{"tool": "a", "arguments": "{\\"A\\": "}', "not JSON"),
        ('{"tool": "a", "arguments": "{} {}"}', "more than JSON"),
        ('{"tool": "a", "args": [1]}', "are an object"),
    ],
)
def test_one_unreadable_call_leaves_the_others(item: str, message: str) -> None:
    first, bad, last = parse(f'[{{"tool": "a"}}, {item}, {{"tool": "b"}}]')
    assert (first, last) == (ToolCall("a", {}), ToolCall("b", {}))
    assert message in bad.error
    assert bad.arguments == {}


def test_numbers_beyond_floats_are_left_to_the_world() -> None:
    for number in ("9" * 5000, "NaN", "-Infinity", "1e999"):
        (call,) = parse(f'{{"tool": "set_prices", "args": {{"A": {number}}}}}')
        assert isinstance(call.arguments["A"], float)
        assert not math.isfinite(call.arguments["A"])
    assert parse(f'{{"tool": "a", "args": {{"A": {2**64}}}}}')[0].arguments == {"A": 2**64}


@settings(max_examples=300, deadline=None)
@given(st.text(st.sampled_from('[]{}":,`jsontl 1\n\\ud8AB'), max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        found = [call.error for call in parse(text)]
    except CallError as error:
        found = [str(error)]
    assert found
    assert all(len(error) < 400 for error in found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("hello", "not JSON"),
        ('{"tool": "a"', "not JSON"),
        ("[]", "names no tool"),
        ("[1]", "a call is an object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"tool": "a", "args": {"x": ' + "[" * 40 + "]" * 40 + "}}", "nested too deeply"),
        ("x" * 1_000_001, "at most 1,000,000 characters, not 1,000,001"),
        ('{"tool": "a", "args": {"A": 40, "A": 50}}', "'A' stands twice"),
        ("```python\nnm.pricing.set_prices(A=40)\n```", "python block is not carried out"),
        ("```json\nset_prices(A=40)\n```", "not JSON"),
        ("{'tool': 'a'}", "double quotes"),
        ('[{"tool": "a"}, {"tool": "b"}', "delimiter near"),
        ('{"tool": "a", "A": 40}', '"tool": "a", "args": {"A": …}'),
        ('{"args": {}}', "names its tool"),
        ('{"tool": "a", "args": [1]}', "are an object"),
        ('{"tool": "a", "args": "{"}', "not JSON"),
        (None, "an action is a text"),
    ],
)
def test_unreadable_texts_show_the_form(text: object, message: str) -> None:
    with pytest.raises(CallError, match=message) as error:
        parse(text)  # type: ignore[arg-type]
    told = str(error.value)
    assert '"args": {"A"' in told or any(w in told for w in ("are an object", "at most"))
