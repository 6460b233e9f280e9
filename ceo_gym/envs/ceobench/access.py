"""The company behind an environment: acting and asking within the week, beside the action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ceo_gym.simulators.ceobench import InvalidDecision, World
from ceo_gym.simulators.common.rows import Floats

if TYPE_CHECKING:
    import pandas as pd


class Watcher(Protocol):
    """Is told what happens to the company of an env, whatever wrappers are around the env."""

    def began(self) -> None:
        """A new company has been founded."""

    def called(self, tool: str) -> None:
        """A tool was called, or the tables were asked (``query``); it may have been refused."""

    def played(self, action: Mapping[str, Any]) -> None:
        """A week has been played, after this action of the env's action space."""


class CompanyAccess:
    """What can be asked and done by name, on the env that plays the company.

    Tools, texts and sqlite3 are imported where they are used: training needs none of them.
    """

    _world: World
    _begun: bool
    _forecast: Floats | None
    _sql_limits: dict[str, Any]
    _database: Any = None  # BusinessDatabase, made with the first query
    _watchers: tuple[Watcher, ...] = ()

    @property
    def world(self) -> World:
        """The world itself, hidden state included."""
        return self._world

    def watch(self, watcher: Watcher) -> None:
        """Tell a watcher of everything from now on. Copies of the env have no watchers."""
        self._watchers = (*self._watchers, watcher)

    def call(self, tool: str, arguments: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Act or ask at once by a named tool, within the current week.

        Raises:
            InvalidDecision: for an unknown tool, bad arguments, or what cannot be carried out.
            RuntimeError: before the first reset, unless the tool only reads.
        """
        from ceo_gym.tools import ceobench as tools
        from ceo_gym.tools.ceobench_workspace import answer

        if tools.find(tool).kind != "read":
            self._refuse_before_reset()
        if tool == "next_week":
            raise InvalidDecision(
                "not_found",
                "next_week is not called on the env: env.step(env.unwrapped.noop_action()) plays "
                "the week, and ToolAction takes next_week",
            )
        self._tell_of_call(tool)
        if tool == "query":  # of the database that is kept from one query to the next
            return answer(self._books(), tools.find(tool).read(arguments))
        return tools.call(self._world, tool, arguments)

    def query(self, sql: str) -> dict[str, Any]:
        """The result of a query on the business tables (tables.md 4).

        Returns:
            ``success`` (True), ``columns`` (names), ``rows`` (one dict a row) and ``row_count``,
            and ``truncated``, ``warning`` and ``hint`` where there is reason.

        Raises:
            QueryError: (a ValueError) if the query cannot be answered, or the company keeps no
                records (``record="none"``).
        """
        self._tell_of_call("query")
        result: dict[str, Any] = self._books().query(sql)
        return result

    def query_frame(self, sql: str) -> pd.DataFrame:
        """The rows that `query` finds, as a data frame of pandas.

        Raises:
            QueryError: as `query`.
        """
        self._tell_of_call("query")
        return self._books().frame(sql)

    def hand_in(self, forecast: Any) -> None:
        """Hand in the cash forecast of the coming step, in place of the action's.

        Args:
            forecast: 4 rows (7, 28, 84, 182 days) of point, lower and upper, in USD.

        Raises:
            InvalidDecision: if it is not finite with lower <= point <= upper.
            RuntimeError: before the first reset.
        """
        self._refuse_before_reset()
        if forecast is None:
            raise InvalidDecision("missing_argument", "a forecast has 4 rows of 3 numbers")
        self._forecast = self._world.checked_forecast(forecast)

    def report(self) -> str:
        """The report of the week as text."""
        from ceo_gym.text.ceobench.dashboard import dashboard

        return dashboard(self._world)

    def close(self) -> None:
        """Free the tables that queries have filled; a further query makes them anew."""
        if self._database is not None:
            self._database.close()
            self._database = None

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the tables: a connection cannot be copied, and they can be made anew."""
        return self.__dict__ | {"_database": None, "_watchers": ()}

    def _tell_of_call(self, tool: str) -> None:
        for watcher in self._watchers:
            watcher.called(tool)

    def _books(self) -> Any:
        from ceo_gym.sql.ceobench import BusinessDatabase

        if self._database is None:
            self._database = BusinessDatabase(self._world, **self._sql_limits)
        return self._database

    def _refuse_before_reset(self) -> None:
        """A reset would undo without a word what is done before it."""
        if not self._begun:
            raise RuntimeError("the game has not begun: call reset() first")
