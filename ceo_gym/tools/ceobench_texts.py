"""Where the tools take words from that are made elsewhere: public posts, descriptions of tables.

Both are looked up when asked for, so that a package without them still has all other tools.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import Any

from ceo_gym.simulators.ceobench.validation import InvalidDecision
from ceo_gym.simulators.ceobench.world import World

POSTS_MODULE = "ceo_gym.text.ceobench.posts"
TABLES_MODULE = "ceo_gym.sql.ceobench"


@dataclass(frozen=True)
class PostWords:
    """What is said in a public post, and by whom."""

    content: str
    custom_name: str | None = None
    persona_name: str | None = None


def post_words(world: World, row: int) -> PostWords:
    """Text and author's names of a row of ``world.history.posts``.

    Raises:
        InvalidDecision: `not_found` if this installation makes no texts of posts.
    """
    return PostWords(post_text(world, row))


def post_text(world: World, row: int) -> str:
    """Text of a row of ``world.history.posts``.

    Raises:
        InvalidDecision: `not_found` if this installation makes no texts of posts.
    """
    module = _module(POSTS_MODULE, "texts of public posts")
    return str(module.post_text(world, row))


def _module(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ModuleNotFoundError as error:
        raise InvalidDecision("not_found", f"{what} are not part of this installation") from error


def table_descriptions() -> dict[str, list[dict[str, Any]]]:
    """Table of the database -> its columns with type, unit and meaning.

    Raises:
        InvalidDecision: `not_found` if this installation has no database.
    """
    module = _module(TABLES_MODULE, "descriptions of the database")
    tables: dict[str, list[dict[str, Any]]] = module.describe()
    return tables
