"""Discovering groups, researching them, and the noisy reports about them (market.md 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ceo_gym.simulators.ceobench import acquisition

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def discover(world: World) -> str | None:
    """One attempt to find a group, already paid for; returns its id or None.

    Success and group depend on the seed, the number of earlier attempts and what is left to find.
    """
    market, params = world.market, world.params
    draw = world.streams.fresh("discovery", market.discovery_attempts).random(2)
    market.discovery_attempts += 1
    hidden = (~market.discovered).nonzero()[0]
    found = -1
    if len(hidden) and draw[0] < params.research.discovery_probability:
        found = int(hidden[int(draw[1] * len(hidden))])
        market.info_level[found] = 1
        market.discovered_day[found] = world.day
        take_snapshot(world, found)
        world.history.notice(world.day, "market_discovery", ref=found)
    world.history.discoveries.append(
        1,
        day=world.day,
        cost_usd=params.research.discovery_cost_usd,
        group=found,
        left=int(np.count_nonzero(~market.discovered)),
    )
    return None if found < 0 else params.groups.ids[found]


def take_snapshot(world: World, group: int) -> None:
    """Remember today's true values of a group; its reports are about them until the next one."""
    market, g = world.market, world.params.groups
    market.snapshot_day[group] = world.day
    market.snapshot_budget[group] = g.budget_mean_usd[group] + market.budget_shift[group]
    market.snapshot_floor[group] = g.q_floor_mean[group] + market.quality_shift[group]
    market.snapshot_cap[group] = acquisition.market_cap(world.day, world.params)[group]


def finish_studies(world: World) -> None:
    """Step 5 of the day: research of groups that is due raises their level."""
    market = world.market
    studies = market.studies
    for row in (~studies.done & (studies.due_day <= world.day)).nonzero()[0]:
        group, level = int(studies.group[row]), int(studies.level[row])
        studies.done[row] = True
        raised = level > market.info_level[group]
        market.info_level[group] = max(level, int(market.info_level[group]))
        if raised or not world.rules.refresh_keeps_research_day:
            market.researched_day[group] = world.day
        take_snapshot(world, group)
        world.history.notice(world.day, "group_research_complete", ref=group, value=level)


def insight_noise(world: World, group: int) -> np.random.Generator:
    """The generator of a group's relative errors (quirk M8)."""
    market = world.market
    level, day = int(market.info_level[group]), int(market.snapshot_day[group])
    if world.rules.insight_noise_by_group_name:
        return np.random.default_rng(insight_seed(world.params.groups.ids[group], level, day))
    return world.streams.fresh("insights", group, level, day)


def insight_seed(group_id: str, level: int, snapshot_day: int) -> int:
    """Seed of the published program: a text read as a little-endian number, reduced mod 2^31.

    The reduction keeps the first four bytes, so level and day do not matter.
    """
    text = f"{group_id}_insights_{level}_{snapshot_day}"
    return int.from_bytes(text.encode(), "little") % 2**31


def insights(world: World, group: int) -> dict[str, Any]:
    """The noisy report about a known group, with the field names of the insight tool.

    Network and reputation values are per account; the maps are sorted by size, largest first.
    """
    market, g, params = world.market, world.params.groups, world.params
    width = float(params.info_levels.noise_half_width[market.info_level[group]])
    rng = insight_noise(world, group)

    def noisy(value: float) -> float:
        return float(value) * (1.0 + width * float(rng.uniform(-1.0, 1.0)))

    enterprise = bool(g.is_enterprise[group])
    estimates: dict[str, Any] = {
        "willingness_to_pay": round(noisy(market.snapshot_budget[group]), 2),
        "usage_volume": round(noisy(g.usage_mean_units_per_day[group]), 1),
        "quality_floor_q_min": round(noisy(market.snapshot_floor[group]), 3),
        "market_cap": max(1, int(noisy(market.snapshot_cap[group]))),
        "annual_market_cap_growth_rate": max(
            0.0, round(noisy(g.market_cap_growth_per_year[group]), 4)
        ),
        "contract_lockin_aversion": max(0.0, round(noisy(g.lockin_mean[group]), 5)),
    }
    if enterprise:
        fewest = max(1, int(noisy(g.seats_min[group])))
        most = max(fewest, int(noisy(g.seats_max[group])))
        estimates["seat_range"] = [fewest, most]
        estimates["decision_rounds"] = max(1, int(noisy(g.patience_mean_turns[group])))
        estimates["avg_response_days"] = max(1.0, round(noisy(g.reply_delay_mean_days[group]), 1))

    known = sorted(i for i, yes in zip(g.ids, market.discovered) if yes)
    others = [g.index[i] for i in known if g.index[i] != group]

    def report(matrix: np.ndarray, floor: float) -> tuple[dict[str, float], dict[str, float]]:
        found = []
        for rates in (matrix[group], matrix[:, group]):
            values = {
                g.ids[k]: max(0.0, round(noisy(rates[k]), 4)) for k in others if rates[k] > floor
            }
            found.append(dict(sorted(values.items(), key=lambda item: -item[1])))
        return found[0], found[1]

    network = report(params.influence.referrals, params.research.network_report_min)
    self_rate = float(params.influence.referrals[group, group])
    own = max(0.0, round(noisy(self_rate), 4)) if self_rate > 0.0 else 0.0
    reputation = report(params.influence.spillover, params.research.reputation_report_min)
    return {
        "group_id": g.ids[group],
        "group_name": g.name[group],
        "segment": g.kind[group],
        "info_level": int(market.info_level[group]),
        "noise": width,
        "snapshot_day": int(market.snapshot_day[group]),
        "estimates": estimates,
        "network_influence": {"outgoing": network[0], "incoming": network[1], "self": own},
        "reputation_influence": {"outgoing": reputation[0], "incoming": reputation[1]},
    }
