"""Product quality: daily development and research projects (market.md 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import Product
from ceo_gym.simulators.common.rows import Floats
from ceo_gym.simulators.common.streams import Streams

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def quality_walk(params: Params, streams: Streams) -> Floats:
    """[T + 1] daily noise of the shared quality; entry 0 unused."""
    size = params.clock.horizon_days + 1
    return params.product.shared_noise_sd * streams.fresh("quality_walk").standard_normal(size)


def development_gain(spend_usd: ArrayLike, rate: float, product: Product) -> Floats:
    """Quality gained in a day: rate x ln(1 + spend / scale)."""
    return rate * np.log1p(np.asarray(spend_usd) / product.spend_scale_usd)


def develop(world: World) -> None:
    """Step 10 of the day: shared and targeted development, and the shared noise."""
    market, company, product = world.market, world.company, world.params.product
    shared = float(development_gain(company.development_usd, product.shared_rate, product))
    market.quality_shared += shared + float(world.exogenous.quality_walk[world.day])
    market.bank_shared += shared
    if company.development_group_usd.any():
        gain = development_gain(company.development_group_usd, product.targeted_rate, product)
        market.quality_group += gain
        market.bank_group += gain


def draw_project(tier: int, count: int, params: Params, streams: Streams) -> tuple[int, float]:
    """Duration in days and quality of the `count`-th project (from 0) of a tier (1 to 20).

    The pair depends on seed, tier and count alone.
    """
    tiers, product = params.research_tiers, params.product
    z = streams.fresh("research_project", tier, count).standard_normal(2)
    k = tier - 1
    duration = int(tiers.duration_mean_days[k] + tiers.duration_sd_days[k] * z[0])
    quality = float(tiers.quality_mean[k] + tiers.quality_sd[k] * z[1])
    return max(product.project_min_days, duration), max(product.project_min_quality, quality)


def finish_projects(world: World) -> None:
    """Step 4 of the day: projects that are due add their quality, to the bank as well."""
    projects, market = world.market.projects, world.market
    due = ((projects.finished_day < 0) & (projects.due_day <= world.day)).nonzero()[0]
    for row in due:
        gain = float(projects.quality[row])
        projects.finished_day[row] = world.day
        market.quality_shared += gain
        market.bank_shared += gain
        world.history.notice(
            world.day, "research_complete", ref=int(projects.tier[row]), value=gain
        )
