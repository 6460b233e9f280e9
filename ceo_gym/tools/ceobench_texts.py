"""Where the tools take words from: posts, readings of the economy, descriptions of tables."""

from __future__ import annotations

from ceo_gym.simulators.ceobench.economy import Reading
from ceo_gym.simulators.ceobench.world import World
from ceo_gym.simulators.common.parameters import read_csv
from ceo_gym.text.ceobench.posts import posts, reading_sentence, writers


def post_texts(world: World, start: int, stop: int) -> list[str]:
    """Texts of rows `start` to `stop` of ``world.history.posts``."""
    return posts(world, start, stop)


def post_writers(world: World, start: int, stop: int) -> list[str | None]:
    """Names of the customers who wrote rows `start` to `stop`; None where it was no customer."""
    return writers(world, start, stop)


def reading_text(reading: Reading) -> str:
    """A published reading of the business cycle in a sentence or two."""
    dates = f"Measured on day {reading.day}, published on day {reading.published_day}."
    words = reading_sentence(reading.value, reading.change, reading.trend, reading.phase)
    return f"{dates} {words}"


def table_descriptions() -> dict[str, list[dict[str, str]]]:
    """Table of the database -> its columns, each with type, unit, values and meaning."""
    tables: dict[str, list[dict[str, str]]] = {}
    for row in read_csv("ceo_gym.sql.ceobench", "tables.csv"):
        tables.setdefault(row.pop("table"), []).append(row)
    return tables
