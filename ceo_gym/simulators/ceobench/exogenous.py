"""Everything that no decision can change, drawn once from the seed (day_loop.md 7)."""

from __future__ import annotations

from dataclasses import dataclass

from ceo_gym.simulators.ceobench import acquisition, competitors, economy, product, renewal
from ceo_gym.simulators.ceobench.competitors import Event, RecordedEvent
from ceo_gym.simulators.ceobench.economy import Reading
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.rules import Rules
from ceo_gym.simulators.common.rows import Floats
from ceo_gym.simulators.common.streams import Streams


@dataclass(frozen=True)
class Exogenous:
    """The paths of one episode, the same for every policy. T = horizon in days, G = groups."""

    index: Floats  # [T + 1]
    readings: list[Reading]
    commentary: dict[int, int]  # day -> posts
    surge: Floats  # [T + 1]
    effectiveness_noise: Floats  # [months, 5, G]
    churn_probability: Floats  # [months, G]
    quality_walk: Floats  # [T + 1]
    events: list[Event]
    event_on: dict[int, Event]
    post_noise: Floats  # [T + 1] uniform
    prospect_uniforms: Floats  # [T + 1, G]

    @classmethod
    def drawn(
        cls,
        params: Params,
        rules: Rules,
        streams: Streams,
        recorded: list[RecordedEvent] | None = None,
    ) -> Exogenous:
        """Draw all paths of an episode, or take its competitor events from a recorded run."""
        horizon = params.clock.horizon_days
        index = economy.index_path(params, streams)
        events = (
            competitors.schedule(params, streams)
            if recorded is None
            else competitors.replay(recorded, params, streams)
        )
        return cls(
            index=index,
            readings=economy.readings(index, params),
            commentary=economy.commentary_schedule(params, streams),
            surge=acquisition.surge_factors(
                params, streams, from_week_start=rules.surges_start_with_week
            ),
            effectiveness_noise=acquisition.effectiveness_noise(params, streams),
            churn_probability=renewal.churn_probability(params, streams),
            quality_walk=product.quality_walk(params, streams),
            events=events,
            event_on={event.day: event for event in events},
            post_noise=streams.fresh("competitor_posts").random(horizon + 1),
            prospect_uniforms=streams.fresh("prospect_counts").random(
                (horizon + 1, len(params.groups.ids))
            ),
        )
