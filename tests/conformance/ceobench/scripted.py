"""Scripted policies of the recordings, by decision calls and what a player may see."""

import numpy as np

from ceo_gym.simulators.ceobench import Offers, World

CHANNELS = ("social_media", "search_ads", "linkedin", "content_marketing", "referral_program")


def spread_ads(world: World, usd: float) -> None:
    """The same daily amount on all 15 pairs of channels and first groups."""
    amount = round(usd / 15, 2)
    world.set_targeted_ad_spend(
        {channel: dict.fromkeys(("S1", "S2", "S3"), amount) for channel in CHANNELS}
    )


def follow_usage(world: World, *, least: int = 1) -> None:
    """The capacity rule: the smallest tier above 1.3 times last week's mean daily usage."""
    week = world.observe().week
    if week:
        capacity = world.params.capacity_tiers.capacity_units_per_day
        need = 1.3 * week["usage_units"] / 7
        tier = max(least, int(np.argmax(capacity > need)))
        if tier != world.company.capacity_tier:
            world.set_capacity_tier(tier)


def offer_everybody(world: World, plan: int, price: float) -> None:
    """The enterprise rule: one offer to every negotiation that waits for us."""
    ids = world.observe().waiting.customer_id
    if len(ids):
        world.send_offers(Offers.uniform(ids, plan, price))


def p0(world: World, week: int) -> None:
    """Nothing, ever."""


def p2(world: World, week: int) -> None:
    """Growth, then living off the base."""
    if week == 1:
        world.set_prices(A=45, B=80, C=150)
        world.set_model_tiers(A=1, B=2, C=3)
        world.set_usage_quotas(A=150, B=400, C=100_000)
        world.set_capacity_tier(1)
        spread_ads(world, 1500)
    if week in (17, 25, 33):
        a, b, c = {17: (2, 3, 4), 25: (3, 4, 4), 33: (4, 4, 5)}[week]
        world.set_model_tiers(A=a, B=b, C=c)
    if week == 11:
        spread_ads(world, 300)
    revenue_per_day = world.observe().mrr_usd / 30
    world.set_daily_spend(operations=round(500 + 0.05 * revenue_per_day, 2), development=500)
    world.set_targeted_dev_spend({"S1": round(min(8000, 3000 + 0.2 * revenue_per_day), 2)})
    follow_usage(world)
    offer_everybody(world, 2, 40)


POLICIES = {"P0": p0, "P2": p2}


def play(policy: str, seed: int, days: int) -> dict[str, np.ndarray]:
    """Daily columns of a run to a day, or to its bankruptcy."""
    world, week = World(seed, record="full"), 0
    while not world.ended and world.day < days:
        week += 1
        POLICIES[policy](world, week)
        world.step_week()
    return world.history.day_rows()
