"""Act by tool calls in text, see text."""

from __future__ import annotations

import json
import string
from typing import Any

import gymnasium as gym
from gymnasium import spaces

from ceo_gym.simulators.ceobench.validation import InvalidDecision
from ceo_gym.tools import ceobench as tools
from ceo_gym.tools.ceobench_actions import read_forecast
from ceo_gym.wrappers.base import company_env
from ceo_gym.wrappers.tool_calls import CallError, ToolCall, parse

NEXT_WEEK = "next_week"
QUERY = "query"
CHARACTERS = frozenset(string.printable)
MAX_CHARACTERS = 1_000_000


class ToolAction(gym.Wrapper[str, str, Any, Any]):
    """A language model's door: an action is a text with tool calls, an observation is a text.

    A text holds one JSON call or a list of them, bare or fenced (`tool_calls.parse`). Calls are
    carried out in order, at once, within the current week; ``query`` with ``{"sql": …}`` asks the
    tables. ``next_week`` plays the week: only it earns a reward, which is that of the env, and
    what follows it in the same text belongs to the next week. A call that cannot be read or
    carried out answers with its error and changes nothing; the calls after it are still made.

    ``info`` has ``results`` (one entry a call: tool, ok, result or error and code) and ``weeks``
    (weeks played by this step), beside the info of the env's last week. The text is cut after a
    million characters, and what is not ASCII in it is escaped; results are whole.

    Args:
        env: a ceo-gym environment.
        needs_forecast: whether ``next_week`` must bring the twelve numbers and a rationale, as in
            the published program; otherwise the built-in forecast stands in.

    Raises:
        TypeError: for another environment.
    """

    def __init__(self, env: gym.Env[Any, Any], *, needs_forecast: bool = False) -> None:
        super().__init__(env)
        company_env(env, self)
        self.needs_forecast = needs_forecast
        text = {"min_length": 0, "max_length": MAX_CHARACTERS, "charset": CHARACTERS}
        self.action_space = spaces.Text(**text)  # type: ignore[arg-type]
        self.observation_space = spaces.Text(**text)  # type: ignore[arg-type]
        self._info: dict[str, Any] = {}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin a new game; the text is the report of its first day."""
        _, self._info = self.env.reset(seed=seed, options=options)
        base: Any = self.env.unwrapped
        return _shown(base.report()), self._info | {"results": [], "weeks": 0}

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Carry out the calls of a text; see the class."""
        try:
            calls = parse(action)
        except CallError as error:
            entry = {"tool": None, "ok": False, "error": str(error), "code": "wrong_type"}
            return _shown(f"Error: {error}"), 0.0, False, False, self._told([entry], 0)
        texts: list[str] = []
        results: list[dict[str, Any]] = []
        reward, weeks, terminated, truncated = 0.0, 0, False, False
        for call in calls:
            if terminated or truncated:
                texts.append(f"{call.tool}: not done, the game is over")
                results.append(
                    {"tool": call.tool, "ok": False, "error": "over", "code": "limit_reached"}
                )
                continue
            try:
                if call.tool == NEXT_WEEK:
                    gain, terminated, truncated = self._advance(call)
                    reward, weeks = reward + gain, weeks + 1
                    answer: Any = {"success": True, "day": self._info.get("day")}
                    base: Any = self.env.unwrapped
                    texts.append(base.report())
                else:
                    answer = self._ask(call)
                    texts.append(f"{call.tool}: {json.dumps(answer)}")
                results.append({"tool": call.tool, "ok": True, "result": answer})
            except ValueError as error:  # InvalidDecision and QueryError are such
                code = getattr(error, "code", "wrong_type")
                texts.append(f"{call.tool}: error ({code}): {error}")
                results.append({"tool": call.tool, "ok": False, "error": str(error), "code": code})
        return _shown("\n".join(texts)), reward, terminated, truncated, self._told(results, weeks)

    def _ask(self, call: ToolCall) -> dict[str, Any]:
        base: Any = self.env.unwrapped
        if call.tool == QUERY:
            sql = call.arguments.get("sql")
            if not isinstance(sql, str):
                raise InvalidDecision("missing_argument", 'query needs {"sql": "SELECT …"}')
            return dict(base.query(sql))
        return dict(base.call(call.tool, call.arguments))

    def _advance(self, call: ToolCall) -> tuple[float, bool, bool]:
        base: Any = self.env.unwrapped
        if call.arguments or self.needs_forecast:
            given = tools.TOOLS[NEXT_WEEK].read(call.arguments)
            if not given["rationale"].strip():
                raise InvalidDecision("missing_argument", "the rationale must not be empty")
            base.hand_in(read_forecast(given["predictions"]))
        _, reward, terminated, truncated, self._info = self.env.step(base.noop_action())
        return float(reward), terminated, truncated

    def _told(self, results: list[dict[str, Any]], weeks: int) -> dict[str, Any]:
        return self._info | {"results": results, "weeks": weeks}


def _shown(text: str) -> str:
    """The text as the observation space has it: an agent's own words come back in errors."""
    if len(text) > MAX_CHARACTERS:
        note = f"\n[cut after {MAX_CHARACTERS:,} characters]"
        text = text[: MAX_CHARACTERS - len(note)] + note
    if CHARACTERS.issuperset(text):
        return text
    shown = "".join(c if c in CHARACTERS else ascii(c)[1:-1] for c in text)
    return shown[:MAX_CHARACTERS]
