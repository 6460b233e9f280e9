"""Competitor events: how expectations rise, and the posts about it (market.md 6, 9.6).

Days, exogenous sizes and catch-up shares of all events are drawn when an episode starts; only the
comparison with the company's own improvements waits for the day.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import Competitors
from ceo_gym.simulators.common.rows import Floats
from ceo_gym.simulators.common.streams import Streams

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World

SEVERITIES = ("minor", "moderate", "major", "transformative")


@dataclass(frozen=True)
class Event:
    """What the dice say about one competitor event before it meets the company's banks."""

    day: int
    size: float  # exogenous shift of expectations, quality
    catch_up: float  # share of the shared bank that competitors would catch up with
    leaks: Floats  # [G] share of each group's targeted bank that leaks
    caught_up: bool | None = None  # of a replayed event: its outcome; otherwise the bank decides


@dataclass(frozen=True)
class RecordedEvent:
    """A competitor event of an earlier run (market.md 6.6)."""

    day: int
    shift: float  # applied to expectations, quality
    catch_up: float  # share of the shared bank
    caught_up: bool  # whether the catch-up was larger than the exogenous size


def exogenous_size(raw: float, day: int, params: Params) -> float:
    """s_t: the clipped log-normal draw times the ramp of the day (market.md 6.2)."""
    c, horizon = params.competitors, params.clock.horizon_days
    last = max(horizon - c.late_cutoff_days - 1, 1)
    ramp = 1.0 + (c.ramp_end - 1.0) * float(np.clip((day - 1) / last, 0.0, 1.0))
    return float(np.clip(raw, c.size_min, c.size_max)) * ramp


def schedule(params: Params, streams: Streams) -> list[Event]:
    """All events of an episode, the same for every policy (market.md 6.1).

    A fixed number of draws a day keeps the events of later days in place when a parameter changes
    whether an earlier day has one.
    """
    c, horizon = params.competitors, params.clock.horizon_days
    rng = streams.fresh("competitors")
    arrival, catch_up = rng.random((horizon + 1, 2)).T
    raw = np.exp(
        c.size_log_mean
        + c.size_log_sd * streams.fresh("competitor_sizes").standard_normal(horizon + 1)
    )
    leaks = streams.fresh("competitor_leaks").random((horizon + 1, len(params.groups.ids)))
    events: list[Event] = []
    if not c.enabled:
        return events
    last_day = -c.mean_interval_days
    for day in range(c.grace_days, horizon - c.late_cutoff_days + 1):
        stretch = c.first_half_stretch if day < horizon // 2 else 1.0
        if day < 1 or day - last_day < c.min_interval_days * stretch:
            continue
        if arrival[day] < 1.0 / (c.mean_interval_days * stretch):
            last_day = day
            share = c.catch_up_min + (c.catch_up_max - c.catch_up_min) * catch_up[day]
            leak = c.targeted_leak_min + (c.targeted_leak_max - c.targeted_leak_min) * leaks[day]
            size = exogenous_size(float(raw[day]), day, params)
            events.append(Event(day, size, float(share), leak))
    return events


def replay(recorded: list[RecordedEvent], params: Params, streams: Streams) -> list[Event]:
    """Recorded events in place of drawn ones; targeted leaks are drawn afresh.

    Raises:
        ValueError: if two events fall on one day, or a number is out of its range.
    """
    c, rng = params.competitors, streams.fresh("competitor_leaks")
    shape = (params.clock.horizon_days + 1, len(params.groups.ids))
    leaks = c.targeted_leak_min + (c.targeted_leak_max - c.targeted_leak_min) * rng.random(shape)
    days = [event.day for event in recorded]
    if len(set(days)) < len(days) or not all(1 <= day < len(leaks) for day in days):
        raise ValueError(f"replayed events need distinct days from 1 to {len(leaks) - 1}")
    for event in recorded:
        if not (0.0 <= event.shift < np.inf and 0.0 <= event.catch_up <= 1.0):
            raise ValueError(f"a replayed event needs a shift >= 0 and a share 0 to 1: {event}")
    return [
        Event(e.day, e.shift, e.catch_up, leaks[e.day], e.caught_up)
        for e in sorted(recorded, key=lambda event: event.day)
    ]


def severity(size: float, c: Competitors) -> str:
    """One of `SEVERITIES` for a perceived size."""
    bounds = (c.severity_moderate_min, c.severity_major_min, c.severity_transformative_min)
    return SEVERITIES[int(np.searchsorted(bounds, size, side="right"))]


def catch_up(event: Event, bank: float) -> tuple[float, float]:
    """The applied shift and the shared bank left: B = max(s, u U) (market.md 6.3)."""
    feedback = event.catch_up * bank
    if event.caught_up is not None:
        return event.size, bank - feedback if event.caught_up else bank
    if feedback > event.size:
        return feedback, (1.0 - event.catch_up) * bank
    return event.size, bank


def strike(world: World) -> None:
    """Steps 8 and 9 of the day: today's event, if any, then the posts about recent ones."""
    market, params = world.market, world.params
    event = world.exogenous.event_on.get(world.day)
    if event is not None:
        applied, market.bank_shared = catch_up(event, market.bank_shared)
        market.shift_shared += applied
        market.shift_group += params.groups.competitor_reaction * applied
        leaked = np.where(market.bank_group > 0.0, event.leaks * market.bank_group, 0.0)
        market.shift_group += leaked
        market.bank_group -= leaked
        market.competitor_events.append((world.day, applied))
    _post(world)


def _post(world: World) -> None:
    """Public posts on the day of an event and the days after; each quotes a noisy size."""
    c, market = world.params.competitors, world.market
    window = [e for e in market.competitor_events if world.day <= e[0] + c.post_days]
    if not window:
        return
    chosen = window[0] if world.rules.competitor_posts_on_oldest_event else window[-1]
    noise = c.post_noise * (2.0 * world.exogenous.post_noise[world.day] - 1.0)
    size = max(0.0, chosen[1] * (1.0 + noise))
    topics = [severity(size, c)] * c.posts_per_day
    world.history.post(world.day, "competitor", topics, value=round(size, 4))
