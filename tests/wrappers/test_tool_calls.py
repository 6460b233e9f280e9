"""Tool calls out of text."""

import pytest

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
    ("text", "message"),
    [
        ("", "not JSON"),
        ("hello", "not JSON"),
        ('{"tool": "a"', "not JSON"),
        ("[]", "names no tool"),
        ("[1]", "a call is an object"),
        ('{"args": {}}', "names its tool"),
        ('{"tool": "a", "args": [1]}', "are an object"),
        ('{"tool": "a", "args": "{"}', "not JSON"),
        (None, "an action is a text"),
    ],
)
def test_unreadable_texts_show_the_form(text: object, message: str) -> None:
    with pytest.raises(CallError, match=message) as error:
        parse(text)  # type: ignore[arg-type]
    assert '{"tool": "set_prices"' in str(error.value) or "are an object" in str(error.value)
