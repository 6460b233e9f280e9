"""Act by tool calls in text, see text."""

from __future__ import annotations

import copy
import dataclasses
import json
from typing import Any

import gymnasium as gym
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ceo_gym.simulators.ceobench.validation import InvalidDecision
from ceo_gym.text.ceobench.dashboard import dashboard
from ceo_gym.text.ceobench.guide import guide
from ceo_gym.tools import ceobench as tools
from ceo_gym.tools.ceobench_actions import read_forecast
from ceo_gym.tools.declaration import Tool, plain
from ceo_gym.wrappers.base import company_env
from ceo_gym.wrappers.tool_calls import FORM, CallError, ToolCall, parse

NEXT_WEEK = "next_week"
ANSWER_CHARACTERS = 50_000  # of one answer in the observation; `info` has all of it
HOW_TO_ACT = (
    f"Answer with tool calls in JSON: one such as {FORM}, or a list of them. "
    "get_tool_documentation tells the tools, next_week ends the week."
)
OVER = "the game is over; reset begins a new one"


class AnyText(spaces.Text):
    """Texts of whatever characters and length; samples are short and plain."""

    def __init__(self) -> None:
        super().__init__(max_length=200, min_length=0)

    def contains(self, x: Any) -> bool:
        """Whether it is a text."""
        return isinstance(x, str)


class ToolAction(gym.Wrapper[str, str, Any, Any], RecordConstructorArgs):
    """A language model's door: an action is a text with tool calls, an observation is a text.

    A text holds JSON calls, bare or fenced (`tool_calls.parse`). They are carried out in order, at
    once, within the current week; ``query`` with ``{"sql": …}`` asks the tables. ``next_week``
    plays the week: only it earns a reward, which is that of the env, and what follows it in the
    same text belongs to the next week. A call that cannot be read or carried out answers with its
    error and changes nothing; the calls after it are still made. If the JSON of the text is broken,
    nothing is done. After the end one can still ask.

    ``info`` has ``results`` (one entry a call: tool, ok, result or error and code) and ``weeks``
    (weeks played by this step), beside the info of the env's last week. Long answers are cut in the
    text only.

    Args:
        env: a ceo-gym environment.
        needs_forecast: whether ``next_week`` must bring the twelve numbers and a rationale, as in
            the published program; otherwise both may be left out, and the built-in forecast stands
            in.
        extended: whether the weekly report also shows the settings that the published one leaves
            out, and the number of notices.

    Raises:
        TypeError: for an environment of another package.
    """

    def __init__(
        self, env: gym.Env[Any, Any], *, needs_forecast: bool = False, extended: bool = False
    ) -> None:
        RecordConstructorArgs.__init__(self, needs_forecast=needs_forecast, extended=extended)
        gym.Wrapper.__init__(self, env)
        company_env(env, self)
        self.needs_forecast, self.extended = needs_forecast, extended
        self.action_space = AnyText()
        self.observation_space = AnyText()
        self._next_week = _next_week(needs_forecast)
        self._info: dict[str, Any] = {}
        self._begun = self._terminated = self._truncated = False

    # --- what to tell a model ---

    def schemas(self) -> list[dict[str, Any]]:
        """The tools that this wrapper serves, in the function format of chat interfaces."""
        found = tools.schemas(served_only=True)
        mine = self._next_week.schema
        return [mine if s["function"]["name"] == NEXT_WEEK else s for s in found]

    def guide(self) -> str:
        """What a player needs to know at the start, as Markdown: the mechanics and the tools."""
        world = self._base.world
        parts = (guide(world.params, world.rules), "# How to act\n", f"{HOW_TO_ACT}\n")
        return "\n".join(parts) + "\n" + tools.reference(served_only=True)

    # --- Gymnasium ---

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin a new game; the text is the report of its first day and how to act."""
        _, self._info = self.env.reset(seed=seed, options=options)
        self._begun, self._terminated, self._truncated = True, False, False
        return f"{self._report()}\n{HOW_TO_ACT}\n", self._told([], 0)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Carry out the calls of a text; see the class.

        Raises:
            gymnasium.error.ResetNeeded: before the first `reset`.
        """
        if not self._begun:
            raise gym.error.ResetNeeded("call reset() before the first step")
        texts: list[str] = []
        results: list[dict[str, Any]] = []
        reward, weeks = 0.0, 0
        try:
            calls = parse(action)
        except CallError as error:
            texts.append(f"Error: {error}")
            results.append(_failed(None, error))
            calls = []
        for call in calls:
            name = call.tool if call.tool in tools.TOOLS else "unknown tool"
            try:
                if call.error:
                    raise CallError(call.error)
                if call.tool == NEXT_WEEK:
                    reward += self._advance(call)
                    weeks += 1
                    text = self._report()
                    answer = {"success": True, "day": self._info.get("day"), "dashboard": text}
                else:
                    answer = self._ask(call)
                    text = _cut(f"{name}: {json.dumps(answer, ensure_ascii=False)}")
                results.append({"tool": call.tool, "ok": True, "result": answer})
            except ValueError as error:  # InvalidDecision, QueryError and CallError
                results.append(_failed(call.tool, error))
                text = f"{name}: error ({results[-1]['code']}): {error}"
            texts.append(text)
        told = self._told(results, weeks)
        return "\n".join(texts), reward, self._terminated, self._truncated, told

    # --- helpers ---

    @property
    def _base(self) -> Any:
        """The environment of the company."""
        return self.env.unwrapped

    def _report(self) -> str:
        return dashboard(self._base.world, extended=self.extended)

    def _ask(self, call: ToolCall) -> dict[str, Any]:
        found = self._base.call(call.tool, call.arguments)
        answer: dict[str, Any] = plain(found)
        return answer

    def _advance(self, call: ToolCall) -> float:
        """Play a week; returns its reward."""
        if self._terminated or self._truncated:
            raise InvalidDecision("limit_reached", OVER)
        given = self._next_week.read(call.arguments)
        if self.needs_forecast and not given["rationale"].strip():
            raise InvalidDecision("missing_argument", "the rationale must not be empty")
        if "predictions" in given:
            self._base.hand_in(read_forecast(given["predictions"]))
        _, reward, self._terminated, self._truncated, self._info = self.env.step(
            self._base.noop_action()
        )
        return float(reward)

    def _told(self, results: list[dict[str, Any]], weeks: int) -> dict[str, Any]:
        # several steps may belong to one week of the env; each gets an info of its own
        return copy.deepcopy(self._info) | {"results": results, "weeks": weeks}


def _next_week(needs_forecast: bool) -> Tool:
    """The declaration of next_week as this wrapper takes it."""
    tool = tools.TOOLS[NEXT_WEEK]
    if needs_forecast:
        return tool
    defaults = {"predictions": "the built-in forecast", "rationale": "none"}
    fields = tuple(
        dataclasses.replace(f, required=False, default=defaults[f.name]) for f in tool.fields
    )
    return dataclasses.replace(tool, fields=fields)


def _failed(tool: str | None, error: ValueError) -> dict[str, Any]:
    code = getattr(error, "code", "wrong_type")
    return {"tool": tool, "ok": False, "error": str(error), "code": code}


def _cut(text: str) -> str:
    if len(text) <= ANSWER_CHARACTERS:
        return text
    return (
        f"{text[:ANSWER_CHARACTERS]}… (cut: the answer has {len(text):,} characters; ask for less)"
    )
