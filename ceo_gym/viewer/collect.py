"""What a record of a run does not hold and a viewer shows, noted week by week while it is played.

It reads hidden state too: a viewer is for whoever studies a run, never for the player.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import gymnasium as gym
import numpy as np

from ceo_gym.envs.ceobench import CEOBenchEnv
from ceo_gym.simulators.ceobench import World, talks
from ceo_gym.simulators.ceobench.codes import (
    ACCEPTED,
    AGENT,
    CUSTOMER,
    KINDS,
    NOTICES,
    REASON_LOST_THREAD,
    REASON_REJECTED,
)
from ceo_gym.text.ceobench import messages as message_words
from ceo_gym.text.ceobench import notices as notice_words
from ceo_gym.text.ceobench import posts as post_words
from ceo_gym.text.ceobench import settings

SHOWN = 40  # messages, notices, posts and changes of settings of a week that are kept in full
LOSSES = ("price", "ticket", "quality", "quota")  # hidden labels of lost enterprises, by code


class WeekCollector:
    """Notes every week of a game: a few numbers, changes of settings, and what was said.

        env = gym.make("ceo_gym:CEOBench-v0")
        collector = WeekCollector(env)
        ...                                   # reset, and play as always

    Args:
        env: an env of the company, wrapped or not.

    Attributes:
        numbers: of each week, see `numbers`.
        happened: of each week, see `_happened`.

    Raises:
        TypeError: for an env of another kind.
    """

    def __init__(self, env: gym.Env[Any, Any]) -> None:
        if not isinstance(env.unwrapped, CEOBenchEnv):
            raise TypeError(f"a viewer shows games of the company, not of {env}")
        self._env = env.unwrapped
        self._forget()
        self._env.watch(self)

    @property
    def horizon_days(self) -> int:
        """Days of the game."""
        return self._env.world.params.clock.horizon_days

    @property
    def group_names(self) -> dict[str, str]:
        """Id -> name of every group of customers."""
        groups = self._env.world.params.groups
        return dict(zip(groups.ids, groups.name))

    # --- what the env tells, see envs.ceobench.access.Watcher ---

    def began(self) -> None:
        """A new company: forget the one before."""
        self._forget()
        self._settings |= _flat(settings.in_force(self._env.world))

    def called(self, tool: str) -> None:
        """Calls are in the journal."""

    def played(self, action: Mapping[str, Any]) -> None:
        """A week is over."""
        world = self._env.world
        self.numbers.append(numbers(world))
        self.happened.append(self._happened(world))

    def _forget(self) -> None:
        self.numbers: list[dict[str, float]] = []
        self.happened: list[dict[str, Any]] = []
        self._settings: dict[str, Any] = {}
        self._messages = self._notices = self._posts = 0

    def _happened(self, world: World) -> dict[str, Any]:
        """What was set before the week and what came in it.

        Returns:
            ``changes``: [setting, before, after] for each; ``messages`` of enterprises,
            ``notices`` and ``posts``: ``count``, the first `SHOWN` as ``rows``, and how many
            there are of each of their ``kinds``; ``kept``: whether the world keeps messages and
            notices at all.
        """
        found = {
            "kept": world.history.business,
            "changes": self._changes(world),
            "messages": _messages(world, self._messages),
            "notices": _notices(world, self._notices),
            "posts": _posts(world, self._posts),
        }
        self._messages = len(world.history.messages)
        self._notices = len(world.history.notice_rows)
        self._posts = len(world.history.posts)
        return found

    def _changes(self, world: World) -> dict[str, Any]:
        before, self._settings = self._settings, _flat(settings.in_force(world))
        now = self._settings
        names = [name for name in {**before, **now} if before.get(name, 0) != now.get(name, 0)]
        rows = ([name, before.get(name, 0), now.get(name, 0)] for name in names)
        return _first(len(names), rows)


def numbers(world: World) -> dict[str, float]:
    """Numbers of the last week beside those of a record.

    Units: usage and capacity units a day; threads, answers and losses counts; expectations
    quality; the economy on the scale of its index.
    """
    week = world.history.weeks[-1]
    start = week.day - week.days
    market = world.market
    readings = [reading.value for reading in market.published]
    values = {
        "usage_per_day": week.usage_units / week.days,
        "capacity_per_day": float(
            world.params.capacity_tiers.capacity_units_per_day[world.company.capacity_tier]
        ),
        "threads_open": float(len(talks.open_threads(world))),
        "reading": readings[-1] if readings else np.nan,
        "hidden_shift": market.shift_shared,
        "hidden_shift_step": sum(s for day, s in market.competitor_events if day > start),
    }
    if world.history.business:
        values |= _departures(world, start) | {"answers": _answers(world, start)}
    return values


def _departures(world: World, start: int) -> dict[str, float]:
    """Enterprises that left in the week after day `start`, by their hidden reason."""
    rows = world.history.departures
    late = slice(int(np.searchsorted(rows.day, start, side="right")), None)
    reason, detail = rows.reason[late], rows.detail[late]
    lost = np.bincount(detail[reason == REASON_LOST_THREAD], minlength=len(LOSSES))
    found = {f"hidden_gone_{name}": float(lost[code]) for code, name in enumerate(LOSSES)}
    return found | {"gone_rejected": float(np.count_nonzero(reason == REASON_REJECTED))}


def _answers(world: World, start: int) -> float:
    """Messages of the player to enterprises before the week that began after day `start`.

    What a player writes carries the day that was last played.
    """
    rows = world.history.messages
    that_day = slice(*np.searchsorted(rows.day, (start, start + 1)).tolist())
    return float(np.count_nonzero(rows.sender[that_day] == AGENT))


def _messages(world: World, start: int) -> dict[str, Any]:
    """Messages of enterprises (not the player's own) since the first `start`."""
    rows, leads = world.history.messages, world.negotiations.leads
    came = start + np.flatnonzero(rows.sender[start:] != AGENT)
    names = np.array(KINDS)[rows.kind[came]].astype(object)
    offers = (rows.sender[came] == CUSTOMER) & ~np.isnan(rows.asked_usd[came])
    names[offers] = "counter_offer"
    names[offers & (rows.state[came] == ACCEPTED)] = "agreement"
    shown = []
    for k in came[:SHOWN].tolist():
        group = world.params.groups.ids[
            leads.group[world.negotiations.threads.lead[rows.thread[k]]]
        ]
        (said,) = message_words.messages(world, k, k + 1)
        who = int(rows.customer_id[k])
        shown.append([int(rows.day[k]), who, group, int(rows.seats[k]), said.text])
    return {"count": len(came), "rows": shown, "kinds": _kinds(names.tolist())}


def _notices(world: World, start: int) -> dict[str, Any]:
    """Notices since the first `start`: day, type, text."""
    rows = world.history.notice_rows
    part = slice(start, min(start + SHOWN, len(rows)))
    words = notice_words.notices(world, part.start, part.stop)
    names = [NOTICES[type_] for type_ in rows.type[start:].tolist()]
    shown = zip(rows.day[part].tolist(), names, words)
    return _first(len(rows) - start, shown) | {"kinds": _kinds(names)}


def _posts(world: World, start: int) -> dict[str, Any]:
    """Public posts since the first `start`: day, group, text."""
    rows, groups = world.history.posts, world.params.groups.ids
    part = slice(start, min(start + SHOWN, len(rows)))
    words = post_words.posts(world, part.start, part.stop)
    names = [groups[g] if g >= 0 else "" for g in rows.group[part].tolist()]
    return _first(len(rows) - start, zip(rows.day[part].tolist(), names, words))


def _kinds(names: list[str]) -> list[list[Any]]:
    """How many there are of each kind, the most frequent first."""
    return [[name, count] for name, count in Counter(names).most_common()]


def _first(count: int, rows: Any) -> dict[str, Any]:
    """The first rows of many, with their number."""
    return {"count": count, "rows": [list(row) for row, _ in zip(rows, range(SHOWN))]}


def _flat(tree: Mapping[Any, Any], path: str = "") -> dict[str, Any]:
    """Every leaf of nested settings by its path, the names parted by commas."""
    found: dict[str, Any] = {}
    for name, value in tree.items():
        where = f"{path}, {name}" if path else str(name)
        found |= _flat(value, where) if isinstance(value, Mapping) else {where: value}
    return found
