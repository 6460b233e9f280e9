"""A company in which everything is going on, to call tools on."""

from functools import cache

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import NEW_LEAD, SUBSCRIBED


@cache
def _saved(rules: str) -> bytes:
    params = {
        "company.initial_cash_usd": 1e8,
        "product.base_quality": 1.2,
        "research.discovery_probability": 0.9,
    }
    world = World(seed=5, rules=rules, params=params)
    world.set_prices(A=20, B=40, C=60)
    world.set_model_tiers(A=3, B=4, C=5)
    world.set_usage_quotas(A=10**6, B=10**6, C=10**6)
    world.set_capacity_tier(5)
    world.set_targeted_ad_spend(
        {channel: dict.fromkeys(("S1", "S2", "E1", "E2"), 600.0) for channel in ("linkedin",)}
    )
    for week in range(8):
        world.step_week()
        if week >= 2:
            waiting = world.observe().waiting
            ids = waiting.customer_id[waiting.kind == NEW_LEAD].tolist()
            if ids[1:]:
                world.send_offers([[i, [["B", 20.0]]] for i in ids[1:]])
        if week == 5:
            world.post_social_media("We double support for small firms by Friday.")
            world.start_research_project(1)
    return world.save()


def busy_world(rules: str = "published") -> World:
    """A fresh copy of the company, 56 days old."""
    return World.restore(_saved(rules))


def waiting_id(world: World) -> int:
    """An enterprise that waits for an answer."""
    return int(world.observe().waiting.customer_id[0])


def subscriber_id(world: World) -> int:
    """An enterprise that subscribes and has no open thread."""
    leads = world.negotiations.leads
    return int(leads.customer_id[(leads.status == SUBSCRIBED) & (leads.thread < 0)][0])
