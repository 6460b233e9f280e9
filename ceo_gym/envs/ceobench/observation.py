"""The observation of a week: its space, and the one place where it is put together.

The order of the keys is that of the specification (observation.md 4). Values are raw, float32,
cut to wide finite bounds. ``obs="compact"`` keeps nine keys as they are and sums the rest up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from ceo_gym.envs.ceobench import (
    books,
    observation_company,
    observation_groups,
    observation_public,
    observation_sales,
)
from ceo_gym.envs.ceobench.arguments import SlotNumbers, one_of
from ceo_gym.envs.ceobench.blocks import Block, Observation
from ceo_gym.envs.ceobench.observation_groups import STATS, Reports
from ceo_gym.envs.ceobench.observation_sales import Slots
from ceo_gym.simulators.ceobench import Params, SnapshotError, World
from ceo_gym.simulators.common.parameters import nearest
from ceo_gym.simulators.common.rows import Floats

FORMS = ("full", "compact")
COMPACT_KEYS = (
    "time",
    "company",
    "week",
    "plan_config",
    "plan_stats",
    "capacity",
    "spend",
    "quality",
    "macro",
)
SEGMENTS = Block(
    "segment_stats",
    "sums over known groups (ages and usage: means over their tickets and account-days)",
    STATS,
    (("individual", "enterprise"),),
)


class Observer:
    """Assembles observations, and holds what the player remembers of earlier ones.

    Args:
        params: numbers of the world.
        form: ``"full"`` or ``"compact"``.
        extra: optional keys to add to the full form.
        numbers: how many slots there are.

    Attributes:
        slots: whom the slots of the last observation are about.
        past: [weeks, 16] the last weeks, newest first.

    Raises:
        ValueError: for an unknown form or optional key.
    """

    def __init__(
        self,
        params: Params,
        form: str = "full",
        extra: Sequence[str] = (),
        numbers: SlotNumbers = SlotNumbers(),  # noqa: B008 - frozen
    ) -> None:
        one_of("obs", form, FORMS)
        if isinstance(extra, str) or not isinstance(extra, Sequence):
            raise ValueError(f'blocks is a list of keys, such as ["influence"], not {extra!r}')
        every = (
            *observation_company.blocks(params),
            *observation_groups.blocks(params),
            *observation_sales.blocks(params, numbers),
            *observation_public.blocks(params, numbers),
        )
        optional = [block.key for block in every if block.optional]
        for key in extra:
            if key not in optional:
                raise ValueError(f"no optional block {key!r}; {nearest(str(key), optional)}")
        if form == "compact" and extra:
            raise ValueError('optional blocks need obs="full"')
        self._form, self.numbers = form, numbers
        self._built = [b for b in every if not b.optional or b.key in extra]
        shown = self._built
        if form == "compact":
            shown = [block for block in self._built if block.key in COMPACT_KEYS] + [SEGMENTS]
        self.blocks = tuple(shown)
        # pairs, since a dict would be sorted and the specification has an order
        self.space = spaces.Dict([(block.key, block.space()) for block in self.blocks])
        self._reals = [block for block in self._built if not block.choices]
        self._low, self._high = (
            np.concatenate([block.bounds()[side].ravel() for block in self._reals])
            for side in (0, 1)
        )
        self._low_segments, self._high_segments = SEGMENTS.bounds()
        self._reports = Reports()
        self.forget()

    def forget(self) -> None:
        """Start over with another company."""
        self.slots = Slots()
        self.past: Floats = np.zeros((self.numbers.history_weeks, len(observation_public.PAST)))
        self._reports.clear()

    def observe(self, world: World, *, new_week: bool) -> Observation:
        """The observation at the start of the game or at the end of a week.

        Args:
            world: the company.
            new_week: whether a week was played since the last observation.
        """
        summary = books.read(world)
        if new_week:
            self.past[1:] = self.past[:-1].copy()
            self.past[0] = observation_public.past_week(world, summary)
        flat = np.zeros(len(self._low))
        out = self._arrays(flat)
        observation_company.fill(out, world, summary)
        observation_groups.fill(out, world, summary, self._reports)
        observation_sales.fill(out, world, summary, self.slots)
        replies = self.numbers.replies
        observation_public.fill(out, world, summary, self.slots, self.past, replies)
        # the bounds are numbers of float32, so that rounding does not step over them
        cut = np.clip(flat, self._low, self._high).astype(np.float32)
        self._views(out, cut)
        if self._form == "compact":
            return self._compact(out, summary)
        return out

    def get_state(self) -> dict[str, Any]:
        """What must be kept to continue, as plain data."""
        return {"past": self.past, "slots": vars(self.slots), "numbers": vars(self.numbers)}

    def set_state(self, state: dict[str, Any]) -> None:
        """Continue from what `get_state` gave.

        Raises:
            SnapshotError: if it is of an observer with other numbers of slots.
        """
        if state["numbers"] != vars(self.numbers):
            raise SnapshotError(
                f"the state is of an env with slots={state['numbers']}; this one has "
                f"{vars(self.numbers)}"
            )
        self.forget()
        self.past, self.slots = state["past"], Slots(**state["slots"])

    def describe(self) -> dict[str, dict[str, Any]]:
        """Key -> shape, meaning and cells."""
        return {
            block.key: {
                "space": "MultiDiscrete" if block.choices else "Box",
                "shape": block.shape,
                "meaning": block.meaning,
                "cells": block.cells(),
            }
            for block in self.blocks
        }

    def _arrays(self, flat: Floats) -> Observation:
        """Zeros for every built key; reals are views of one vector."""
        out: Observation = {
            block.key: np.zeros(block.size, np.int64) for block in self._built if block.choices
        }
        self._views(out, flat)
        return {block.key: out[block.key] for block in self._built}

    def _views(self, out: Observation, flat: np.ndarray) -> None:
        start = 0
        for block in self._reals:
            out[block.key] = flat[start : start + block.size].reshape(block.shape)
            start += block.size

    def _compact(self, out: Observation, summary: books.Books) -> Observation:
        stats = out["group_stats"].astype(np.float64)
        names = [field.name for field in STATS]
        rows = []
        for members in (~summary.firms & summary.known, summary.firms & summary.known):
            row = stats[members].sum(axis=0)
            for column, amount, by in (
                ("issue_age", summary.issue_days, summary.issues),
                ("usage", summary.used, summary.used_days),
            ):
                row[names.index(column)] = books.ratio(amount[members].sum(), by[members].sum())
            rows.append(row)
        compact = {key: out[key] for key in COMPACT_KEYS}
        segments = np.stack(rows).astype(np.float32)
        compact[SEGMENTS.key] = np.clip(segments, self._low_segments, self._high_segments)
        return compact
