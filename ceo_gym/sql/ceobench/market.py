"""Groups, research, the economy and public posts (market.md 4, 8, 9)."""

from __future__ import annotations

import json
import sqlite3

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.sections import CHANNELS
from ceo_gym.sql.ceobench.source import Tail, insert, known, labels, rewrite
from ceo_gym.text.ceobench.news import posts
from ceo_gym.text.ceobench.posts import reading_sentence


class GroupInfoLevels:
    """Source of ``group_info_levels``."""

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write what is known about each group."""
        market, groups = world.market, world.params.groups
        columns = (
            groups.ids,
            market.info_level.tolist(),
            (groups.visible_at_start == 0).astype(int).tolist(),
            known(market.discovered_day),
            known(market.researched_day),
        )
        rewrite(db, "group_info_levels", zip(*columns))


class SegmentDiscovery:
    """Source of ``segment_discovery``."""

    def __init__(self) -> None:
        self._attempts = Tail()

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the attempts since."""
        rows = world.history.discoveries
        part = self._attempts.take(rows)
        group = rows.group[part]
        insert(
            db,
            "segment_discovery",
            len(group),
            np.arange(part.start + 1, part.stop + 1),
            rows.day[part],
            rows.cost_usd[part],
            (group >= 0).astype(int),
            labels((*world.params.groups.ids, None), group),  # -1 is the last label
        )


class ResearchProjects:
    """Source of ``research_projects``."""

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write all projects."""
        projects = world.market.projects
        done = projects.finished_day >= 0
        columns = (
            [f"t{t}_{n}" for t, n in zip(projects.tier.tolist(), projects.count.tolist())],
            projects.tier.tolist(),
            labels(("in_progress", "completed"), done.astype(int)),
            projects.started_day.tolist(),
            projects.due_day.tolist(),
            projects.quality.tolist(),
            np.where(done, projects.quality, 0.0).tolist(),
        )
        rewrite(db, "research_projects", zip(*columns))


class MacroeconomicConditions:
    """Source of ``macroeconomic_conditions``."""

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the published readings."""
        rewrite(
            db,
            "macroeconomic_conditions",
            (
                (
                    r.day,
                    r.value,
                    r.trend,
                    r.change,
                    r.phase,
                    reading_sentence(r.value, r.change, r.trend, r.phase),
                )
                for r in world.market.published
            ),
        )


class SocialMediaPosts:
    """Source of ``social_media_posts``; authors are not in it (tables.md, decision D8)."""

    def __init__(self) -> None:
        self._posts = Tail()

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the posts since."""
        part = self._posts.take(world.history.posts)
        columns = posts(world, part.start)
        insert(db, "social_media_posts", part.stop - part.start, *columns.values())


class AgentSocialMediaPosts:
    """Source of ``agent_social_media_posts``; the judge's opinion is not in it (decision D6)."""

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the company's own posts with their views and the posts that answer them."""
        replies = world.history.posts.reply_to
        rewrite(
            db,
            "agent_social_media_posts",
            (
                (
                    number,
                    post.day,
                    post.content,
                    post.reply_to_post_id or None,
                    int(post.views.sum()),
                    json.dumps(((replies == number).nonzero()[0] + 1).tolist()),
                )
                for number, post in enumerate(world.market.own_posts, start=1)
            ),
        )


class AdChannelLeads:
    """Source of ``ad_channel_leads``."""

    def __init__(self) -> None:
        self._rows = Tail()

    def refresh(self, db: sqlite3.Connection, world: World) -> None:
        """Write the days since."""
        rows = world.history.channel_leads
        part = self._rows.take(rows)
        insert(
            db,
            "ad_channel_leads",
            part.stop - part.start,
            np.arange(part.start + 1, part.stop + 1),
            rows.day[part],
            labels(CHANNELS, rows.channel[part]),
            labels(world.params.groups.ids, rows.group[part]),
            rows.prospects[part],
            rows.spend_usd[part],
        )
