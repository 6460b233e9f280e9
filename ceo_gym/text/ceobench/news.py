"""Notices and public posts as columns of the tables that hold them, for queries and for `info`.

Words are made from the records of the world when somebody asks; a world with ``record="none"`` has
none.
"""

from __future__ import annotations

from typing import Any

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import NOTICES
from ceo_gym.text.ceobench import notices as notice_words
from ceo_gym.text.ceobench import posts as post_words

Columns = dict[str, list[Any]]


def notices(world: World, start: int) -> Columns:
    """Columns of ``notifications``: the notices after the first `start`, oldest first."""
    rows = world.history.notice_rows
    new = slice(start, len(rows))
    return {
        "notification_id": list(range(start + 1, len(rows) + 1)),
        "day": rows.day[new].tolist(),
        "type": [NOTICES[type_] for type_ in rows.type[new].tolist()],
        "message": notice_words.notices(world, start, len(rows)),
    }


def posts(world: World, start: int) -> Columns:
    """Columns of ``social_media_posts``: the posts by others after the first `start`."""
    rows, groups = world.history.posts, world.params.groups.ids
    new = slice(start, len(rows))
    return {
        "post_id": list(range(start + 1, len(rows) + 1)),
        "day": rows.day[new].tolist(),
        "content": post_words.posts(world, start, len(rows)),
        "reply_to_agent_post_id": [reply or None for reply in rows.reply_to[new].tolist()],
        "source_group_id": [groups[g] if g >= 0 else None for g in rows.group[new].tolist()],
    }


def as_rows(columns: Columns) -> list[dict[str, Any]]:
    """One dict a row, as a query gives them."""
    return [dict(zip(columns, row)) for row in zip(*columns.values())]
