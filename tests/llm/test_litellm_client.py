"""The client of LiteLLM, with the replies that LiteLLM makes up by itself."""

import json
import subprocess
import sys

import pytest

pytest.importorskip("litellm", reason='needs pip install "ceo-gym[llm]"')

# in a process of its own: what LiteLLM warns of when it is imported is not ours
CODE = """
import json
from ceo_gym.llm import ModelError
from ceo_gym.llm.litellm_client import LiteLLM

USER = [{"role": "user", "content": "hello"}]
TOOLS = [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]
known = LiteLLM("gpt-4o-mini", parameters={"mock_response": "fine"}).complete(USER, TOOLS)
unknown = LiteLLM("openai/nobody-knows", parameters={"mock_response": "fine"}).complete(USER, [])
calls = [{"id": "z", "type": "function", "function": {"name": "f", "arguments": "{}"}}]
called = LiteLLM("gpt-4o-mini", parameters={"mock_tool_calls": calls}).complete(USER, TOOLS)
failed = ""
try:
    LiteLLM(
        "gpt-4o-mini", parameters={"mock_response": "litellm.RateLimitError"}, attempts=1
    ).complete(USER, [])
except ModelError as error:
    failed = str(error)
print(json.dumps({
    "text": known.text, "tokens": known.usage.input_tokens, "cost": known.usage.cost_usd,
    "unknown": unknown.usage.cost_usd, "calls": [vars(c) for c in called.calls], "failed": failed,
}))
"""


def test_replies_costs_calls_and_errors() -> None:
    found = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", CODE], capture_output=True, text=True, check=True
    )
    said = json.loads(found.stdout.splitlines()[-1])
    assert said["text"] == "fine"
    assert said["tokens"] > 0
    assert said["cost"] > 0
    assert said["unknown"] is None
    assert said["calls"] == [{"id": "z", "name": "f", "arguments": "{}"}]
    assert "RateLimitError" in said["failed"]
