"""Act by tool calls in text, see text."""

from __future__ import annotations

import json
from typing import Any

import gymnasium as gym
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ceo_gym.tools import ceobench as tools
from ceo_gym.wrappers.desk import NEXT_WEEK, Desk, Refused, code_of
from ceo_gym.wrappers.tool_calls import FORM, CallError, parse

ANSWER_CHARACTERS = 50_000  # of one answer in the observation; `info` has all of it
HOW_TO_ACT = (
    f"Answer with tool calls in JSON: one such as {FORM}, or a list of them. "
    "get_tool_documentation tells the tools, next_week ends the week."
)


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
        self.needs_forecast, self.extended = needs_forecast, extended
        self.desk = Desk(env, self, needs_forecast=needs_forecast, extended=extended)
        self.action_space = AnyText()
        self.observation_space = AnyText()

    # --- what to tell a model ---

    def schemas(self) -> list[dict[str, Any]]:
        """The tools that this wrapper serves, in the function format of chat interfaces."""
        return self.desk.schemas()

    def guide(self) -> str:
        """What a player needs to know at the start, as Markdown: the mechanics and the tools."""
        return self.desk.guide(HOW_TO_ACT)

    # --- Gymnasium ---

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin a new game; the text is the report of its first day and how to act."""
        self.desk.begin(seed=seed, options=options)
        info = self.desk.take().info | {"results": [], "weeks": 0}
        return f"{self.desk.report()}\n{HOW_TO_ACT}\n", info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Carry out the calls of a text; see the class.

        Raises:
            gymnasium.error.ResetNeeded: before the first `reset`.
        """
        self.desk.need_reset()
        texts: list[str] = []
        results: list[dict[str, Any]] = []
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
                answer = self.desk.call(call.tool, call.arguments)
                if call.tool == NEXT_WEEK:
                    text = answer["dashboard"]
                else:
                    text = cut_answer(f"{name}: {json.dumps(answer, ensure_ascii=False)}")
                results.append({"tool": call.tool, "ok": True, "result": answer})
            except Refused as error:
                results.append(_failed(call.tool, error))
                text = f"{name}: error ({results[-1]['code']}): {error}"
            texts.append(text)
        turn = self.desk.take()
        info = turn.info | {"results": results, "weeks": turn.weeks}
        return "\n".join(texts), turn.reward, turn.terminated, turn.truncated, info


def _failed(tool: str | None, error: ValueError) -> dict[str, Any]:
    return {"tool": tool, "ok": False, "error": str(error), "code": code_of(error)}


def cut_answer(text: str) -> str:
    """An answer as it is shown: the end of one that is too long is left out, and told."""
    if len(text) <= ANSWER_CHARACTERS:
        return text
    return (
        f"{text[:ANSWER_CHARACTERS]}… (cut: the answer has {len(text):,} characters; ask for less)"
    )
