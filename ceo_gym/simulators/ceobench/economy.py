"""The business cycle: index, multipliers, published readings, commentary (market.md 4, 9.5).

The index follows no decision, so its whole path and all readings are known when an episode starts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import Economy
from ceo_gym.simulators.common.rows import Floats
from ceo_gym.simulators.common.streams import Streams

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World

TRENDS = ("strong_expansion", "expansion", "neutral", "contraction", "severe_contraction")
PHASES = ("peak", "declining", "trough", "recovering")


@dataclass(frozen=True)
class Reading:
    """One measurement of the index, as it is published a month later."""

    day: int  # of the measurement
    published_day: int
    value: float
    change: float
    trend: str
    phase: str


@dataclass(frozen=True)
class Multipliers:
    """[G] multipliers of the business cycle by the place where they enter (market.md 4.2)."""

    leads: Floats
    budget: Floats
    deal_velocity: Floats
    seats: Floats


def index_path(params: Params, streams: Streams) -> Floats:
    """[T + 1] the daily index P_t, entry 0 the starting value (market.md 4.1)."""
    economy, days = params.economy, params.clock.horizon_days
    noise = economy.daily_sd * streams.fresh("economy").standard_normal(days)
    path = np.empty(days + 1)
    path[0] = level = economy.initial_index
    for day in range(1, days + 1):
        angle = 2.0 * np.pi * day / economy.cycle_period_days + economy.cycle_phase_rad
        target = economy.long_run_mean + economy.cycle_amplitude * np.sin(angle)
        level = level + economy.reversion_per_day * (target - level) + noise[day - 1]
        path[day] = level = min(max(level, economy.index_min), economy.index_max)
    return path


def multipliers(index: float, params: Params) -> Multipliers:
    """The multipliers of every group at an index value."""
    economy = params.economy
    gap = (index - economy.neutral_index) / economy.index_scale
    return Multipliers(*np.maximum(economy.multiplier_min, 1.0 + params.groups.betas * gap))


def neutral_multipliers(params: Params) -> Multipliers:
    """The multipliers in force before the first day: all 1."""
    return Multipliers(*np.ones((4, len(params.groups.ids))))


def trend_label(value: float, economy: Economy) -> str:
    """One of `TRENDS` for an index value."""
    lower_bounds = (
        economy.trend_min_strong_expansion,
        economy.trend_min_expansion,
        economy.trend_min_neutral,
        economy.trend_min_contraction,
    )
    for label, bound in zip(TRENDS, lower_bounds):
        if value >= bound:
            return label
    return TRENDS[-1]


def phase_label(value: float, change: float, economy: Economy) -> str:
    """One of `PHASES` for a reading and its change."""
    if value >= economy.phase_peak_min and change <= 0:
        return "peak"
    if change < 0:
        return "declining"
    if value < economy.phase_trough_below:
        return "trough"
    return "recovering"


def readings(path: Floats, params: Params) -> list[Reading]:
    """All measurements of an index path: window means on days 1, 31, 61, … (market.md 4.3)."""
    economy = params.economy
    published, previous, start = [], economy.initial_index, 1
    for day in range(1, len(path), economy.reading_interval_days):
        value = round(float(path[start : day + 1].mean()), 1)
        change = round(value - previous, 1)
        published.append(
            Reading(
                day,
                day + economy.publication_delay_days,
                value,
                change,
                trend_label(value, economy),
                phase_label(value, change, economy),
            )
        )
        previous, start = value, day + 1
    return published


def commentary_schedule(params: Params, streams: Streams) -> dict[int, int]:
    """Day -> number of commentary posts due that day, besides one per published reading."""
    economy, rng = params.economy, streams.fresh("commentary")

    def between(low: int, high: int) -> int:
        return low + int(rng.random() * (high - low + 1))

    due: dict[int, int] = {}
    day = 0
    while True:
        day += between(economy.commentary_gap_min_days, economy.commentary_gap_max_days)
        size = between(economy.commentary_size_min, economy.commentary_size_max)
        if day > params.clock.horizon_days:
            return due
        due[day] = size


def advance(world: World) -> None:
    """Step 7 of the day: today's index and multipliers; publish the readings that are due."""
    market, history = world.market, world.history
    market.index = float(world.exogenous.index[world.day])
    market.multipliers = multipliers(market.index, world.params)
    for reading in world.exogenous.readings:
        if reading.published_day == world.day:
            market.published.append(reading)
            history.notice(world.day, "macro_economic_update", value=reading.value)
