"""Acting by tools within the week and playing weeks by ``next_week``: what all such doors share."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Container, Mapping
from typing import Any, NamedTuple, Protocol

import gymnasium as gym

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.validation import InvalidDecision, shown
from ceo_gym.sql.ceobench import QueryError
from ceo_gym.text.ceobench.dashboard import dashboard
from ceo_gym.text.ceobench.guide import guide
from ceo_gym.tools import ceobench as tools
from ceo_gym.tools.ceobench_actions import read_forecast
from ceo_gym.tools.declaration import Tool, plain
from ceo_gym.wrappers.base import company_env
from ceo_gym.wrappers.tool_calls import CallError, json_value

NEXT_WEEK = "next_week"
OVER = "the game is over; reset begins a new one"
Refused = (InvalidDecision, QueryError, CallError)  # what a call can be answered with


class Turn(NamedTuple):
    """What has happened since the last look: the four results of a step but the observation.

    Attributes:
        reward: of the weeks that were played.
        weeks: their number.
        terminated: as of now.
        truncated: as of now.
        info: of the last week.
    """

    reward: float
    weeks: int
    terminated: bool
    truncated: bool
    info: dict[str, Any]


class Listener(Protocol):
    """Is told of every call, carried out or refused."""

    def called(
        self,
        tool: str,
        arguments: Any,
        answer: Mapping[str, Any] | None,
        error: ValueError | None,
    ) -> None:
        """A call, with its answer or its error. A week has been played if it was next_week."""


class Servant(Protocol):
    """Serves the tools that need a workspace."""

    def serve(self, tool: str, given: Mapping[str, Any]) -> dict[str, Any]:
        """Carry out a tool with checked arguments."""

    def after_week(self) -> str:
        """What is to be added to the report of a week."""


class Desk:
    """One company, at which tools act at once and ``next_week`` plays weeks.

    Args:
        env: a ceo-gym environment, wrapped or not; its steps are made with a no-op.
        owner: who acts here, for errors.
        needs_forecast: whether ``next_week`` must bring the twelve numbers and a rationale, as in
            the published program; otherwise both may be left out.
        extended: whether the weekly report also shows what the published one leaves out.

    Raises:
        TypeError: for an environment of another package.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        owner: object,
        *,
        needs_forecast: bool = False,
        extended: bool = False,
    ) -> None:
        company_env(env, owner)
        self.env = env
        self.needs_forecast, self.extended = needs_forecast, extended
        self.servant: Servant | None = None
        self.listener: Listener | None = None
        self._next_week = _next_week(needs_forecast)
        self._info: dict[str, Any] = {}
        self._reward, self._weeks = 0.0, 0
        self._begun = self._truncated = False

    # --- what to tell a player ---

    def schemas(self) -> list[dict[str, Any]]:
        """The tools that are served here, in the function format of chat interfaces."""
        found = tools.schemas(served_only=self.servant is None)
        mine = self._next_week.schema
        return [mine if s["function"]["name"] == NEXT_WEEK else s for s in found]

    def guide(self, how_to_act: str) -> str:
        """What a player needs to know at the start, as Markdown: the mechanics and the tools."""
        world = self.world
        parts = (guide(world.params, world.rules), "# How to act\n", f"{how_to_act}\n")
        reference = tools.reference(served_only=self.servant is None)
        return "\n".join(parts) + "\n" + reference

    def report(self) -> str:
        """The report of the day."""
        return dashboard(self.world, extended=self.extended)

    @property
    def world(self) -> World:
        """The company itself, hidden state included."""
        world: World = self._base.world
        return world

    @property
    def day(self) -> int:
        """Days played so far."""
        return self.world.day

    # --- the game ---

    def begin(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a new game."""
        _, self._info = self.env.reset(seed=seed, options=options)
        self._begun, self._truncated = True, False
        self._reward, self._weeks = 0.0, 0

    def call(self, name: str, arguments: Any = None) -> dict[str, Any]:
        """Use a tool, or play a week by ``next_week``.

        Returns:
            Its result, as plain data.

        Raises:
            InvalidDecision: if it is refused; nothing has changed then.
            QueryError: likewise.
            gymnasium.error.ResetNeeded: before the first game.
        """
        return self._told(name, arguments, lambda: self._carried_out(name, arguments))

    def advance(self, rationale: str = "") -> dict[str, Any]:
        """Play a week without a forecast, whether or not ``next_week`` needs one."""
        if not isinstance(rationale, str):
            raise InvalidDecision("wrong_type", "the rationale is a text")
        return self._told("advance", {"rationale": rationale}, self._play)

    def answer(self, request: str, *, only: Container[str] | None = None) -> dict[str, Any]:
        """Answer a request of a program: JSON with ``tool`` and ``args``.

        Besides the tools there are ``vars``, and ``advance`` for a week without a forecast.

        Args:
            request: the text.
            only: tools that may be used, all unless given.

        Returns:
            ``{"data": …}``, or ``{"error": text, "code": …}``.
        """
        try:
            asked = json_value(request)
            if not (isinstance(asked, dict) and isinstance(asked.get("tool"), str)):
                raise CallError("a request is an object with tool and args")
            tool, arguments = asked["tool"], asked.get("args")
            if only is not None and tool not in only:
                raise InvalidDecision("not_found", f"{shown(tool)} cannot be used here")
            if tool == "vars":
                return {"data": {"current_day": self.day}}
            if tool == "advance":
                given = arguments if isinstance(arguments, dict) else {}
                return {"data": self.advance(given.get("rationale") or "")}
            return {"data": self.call(tool, arguments)}
        except Refused as error:
            return {"error": str(error), "code": code_of(error)}

    def take(self) -> Turn:
        """What has happened since the last time; ends the counting."""
        # several turns may belong to one week of the env; each gets an info of its own
        turn = Turn(
            self._reward,
            self._weeks,
            self.world.ended,
            self._truncated,
            copy.deepcopy(self._info),
        )
        self._reward, self._weeks = 0.0, 0
        return turn

    def save(self) -> bytes:
        """The state of the company."""
        data: bytes = self._base.save_state()
        return data

    def restore(self, data: bytes) -> None:
        """Continue a saved company in a game that has begun.

        Raises:
            SnapshotError: if the bytes are not of a company like this one.
        """
        self._base.restore_state(data)
        self._truncated = False
        self._info = {"day": self.day, "cash_usd": self.world.company.cash_usd}

    @property
    def over(self) -> bool:
        """Whether no more week can be played."""
        return self.world.ended or self._truncated

    def need_reset(self) -> None:
        """Refuse to act before the first game.

        Raises:
            gymnasium.error.ResetNeeded: before it.
        """
        if not self._begun:
            raise gym.error.ResetNeeded("call reset() before the first step")

    # --- helpers ---

    @property
    def _base(self) -> Any:
        """The environment of the company."""
        return self.env.unwrapped

    def _told(self, name: str, arguments: Any, act: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """Act, and tell the listener."""
        self.need_reset()
        try:
            answer = act()
        except Refused as error:
            if self.listener is not None:
                self.listener.called(name, arguments, None, error)
            raise
        if self.listener is not None:
            self.listener.called(name, arguments, answer, None)
        return answer

    def _carried_out(self, name: str, arguments: Any) -> dict[str, Any]:
        if name == NEXT_WEEK:
            return self._week(arguments)
        tool = tools.find(name)
        if not tool.served and self.servant is not None:
            given = tool.read(arguments)
            return self.servant.serve(name, given)
        answer: dict[str, Any] = plain(self._base.call(name, arguments))
        return answer

    def _week(self, arguments: Any) -> dict[str, Any]:
        if self.over:
            raise InvalidDecision("limit_reached", OVER)
        given = self._next_week.read(arguments)
        if self.needs_forecast and not given["rationale"].strip():
            raise InvalidDecision("missing_argument", "the rationale must not be empty")
        if "predictions" in given:
            self._base.hand_in(read_forecast(given["predictions"]))
        return self._play()

    def _play(self) -> dict[str, Any]:
        if self.over:
            raise InvalidDecision("limit_reached", OVER)
        action = self._base.noop_action()
        _, reward, _, self._truncated, self._info = self.env.step(action)
        self._reward += float(reward)
        self._weeks += 1
        added = self.servant.after_week() if self.servant is not None else ""
        return {"success": True, "day": self.day, "dashboard": self.report() + added}


def code_of(error: ValueError) -> str:
    """The kind of mistake."""
    return str(getattr(error, "code", "wrong_type"))


def _next_week(needs_forecast: bool) -> Tool:
    """The declaration of next_week as a desk takes it."""
    tool = tools.TOOLS[NEXT_WEEK]
    if needs_forecast:
        return tool
    defaults = {"predictions": "the built-in forecast", "rationale": "none"}
    fields = tuple(
        dataclasses.replace(f, required=False, default=defaults[f.name]) for f in tool.fields
    )
    return dataclasses.replace(tool, fields=fields)
