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
    tools = importlib.import_module("ceo_gym.tools.ceobench")
    result: dict[str, Any] = tools.call(world, name, arguments)
    return result


def database(world: World) -> Any:
    """The business tables of a world, to be queried with ``.query(sql)``."""
    return importlib.import_module("ceo_gym.sql.ceobench").BusinessDatabase(world)


def dashboard(world: World) -> str | None:
    """The report of the week, or None where the texts are not installed."""
    try:
        texts = importlib.import_module("ceo_gym.text.ceobench.dashboard")
    except ModuleNotFoundError as error:
        if not str(error.name).startswith("ceo_gym.text"):
            raise
        return None
    return str(texts.dashboard(world))
