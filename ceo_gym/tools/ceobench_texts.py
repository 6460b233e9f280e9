"""Where the tools take words from: public posts, readings of the economy, descriptions of tables.

What is made elsewhere is looked up when asked for, so that a package without it still has all
other tools.
"""

from __future__ import annotations

import importlib

from ceo_gym.simulators.ceobench.economy import Reading
from ceo_gym.simulators.ceobench.validation import InvalidDecision
from ceo_gym.simulators.ceobench.world import World
from ceo_gym.simulators.common.parameters import read_csv

POSTS_MODULE = "ceo_gym.text.ceobench.posts"
TABLES_PACKAGE, TABLES_FILE = "ceo_gym.sql.ceobench", "tables.csv"


def post_texts(world: World, start: int, stop: int) -> list[str]:
    """Texts of rows `start` to `stop` of ``world.history.posts``.

    Raises:
        InvalidDecision: `not_found` if this installation makes no texts of posts.
    """
    try:
        module = importlib.import_module(POSTS_MODULE)
    except ModuleNotFoundError as error:
        raise InvalidDecision("not_found", "this installation has no texts of posts") from error
    return list(module.posts(world, start, stop))


def reading_text(reading: Reading) -> str:
    """A published reading of the business cycle in a sentence."""
    trend = reading.trend.replace("_", " ")
    return (
        f"Measured on day {reading.day}, published on day {reading.published_day}: "
        f"{reading.value:.1f} ({reading.change:+.1f}), {trend}."
    )


def table_descriptions() -> dict[str, list[dict[str, str]]]:
    """Table of the database -> its columns, each with type, unit, values and meaning.

    Raises:
        InvalidDecision: `not_found` if this installation has no database.
    """
    try:
        rows = read_csv(TABLES_PACKAGE, TABLES_FILE)
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise InvalidDecision("not_found", "this installation has no database") from error
    tables: dict[str, list[dict[str, str]]] = {}
    for row in rows:
        tables.setdefault(row.pop("table"), []).append(row)
    return tables
