"""Notices and public posts in words, as rows of the tables that hold them.

Words are made from the records of the world when somebody asks; a world with ``record="none"`` has
none. The keys are the columns of ``notifications`` and ``social_media_posts``, so that a row here
equals the row that a query finds.
"""

from __future__ import annotations

from typing import Any

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import NOTICES
from ceo_gym.text.ceobench import notices as notice_words
from ceo_gym.text.ceobench import posts as post_words


def notices(world: World, start: int) -> list[dict[str, Any]]:
    """The notices after the first `start`, oldest first."""
    rows, stop = world.history.notice_rows, len(world.history.notice_rows)
    new = slice(start, stop)
    messages = notice_words.notices(world, start, stop)
    return [
        {"notification_id": number, "day": day, "type": NOTICES[type_], "message": message}
        for number, day, type_, message in zip(
            range(start + 1, stop + 1), rows.day[new].tolist(), rows.type[new].tolist(), messages
        )
    ]


def posts(world: World, start: int) -> list[dict[str, Any]]:
    """The public posts by others after the first `start`, oldest first."""
    rows, stop = world.history.posts, len(world.history.posts)
    new, groups = slice(start, stop), world.params.groups.ids
    return [
        {
            "post_id": number,
            "day": day,
            "content": content,
            "reply_to_agent_post_id": reply or None,
            "source_group_id": groups[group] if group >= 0 else None,
        }
        for number, day, content, reply, group in zip(
            range(start + 1, stop + 1),
            rows.day[new].tolist(),
            post_words.posts(world, start, stop),
            rows.reply_to[new].tolist(),
            rows.group[new].tolist(),
        )
    ]
