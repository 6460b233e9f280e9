"""Where the env meets the rooms of texts, tables and tools: fetched only when somebody asks.

Training needs none of them, and `sqlite3` must not be imported for it.
"""

from __future__ import annotations

import importlib
from typing import Any

from ceo_gym.simulators.ceobench import InvalidDecision, World


def call(world: World, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Act or ask through a named tool.

    Raises:
        InvalidDecision: for an unknown tool, bad arguments or what cannot be carried out.
    """
    if name == "next_week":
        raise InvalidDecision(
            "unknown_key",
            "next_week is not called on the env: env.step(env.unwrapped.noop_action()) plays the "
            "week, and a tool wrapper or a session takes next_week",
        )
    tools = _room("ceo_gym.tools.ceobench")
    if tools is None:
        raise LookupError(f"no tool {name!r}: this installation has no tools")
    result: dict[str, Any] = tools.call(world, name, arguments)
    return result


def database(world: World) -> Any:
    """The business tables of a world, to be queried with ``.query(sql)``."""
    tables = _room("ceo_gym.sql.ceobench")
    if tables is None:
        raise LookupError("no tables: this installation has no SQL")
    return tables.BusinessDatabase(world)


def dashboard(world: World) -> str | None:
    """The report of the week, or None where the texts are not installed."""
    texts = _room("ceo_gym.text.ceobench.dashboard")
    return None if texts is None else str(texts.dashboard(world))


def _room(name: str) -> Any:
    """A module of a room that may be left out, or None."""
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        if not name.startswith(str(error.name)):
            raise
        return None
