"""Worlds whose tables all have rows."""

from functools import cache

from ceo_gym.simulators.ceobench import World
from tests.properties.decisions import act, founded

WEEKS = 16
RULES = ("published", "repaired")


def play(world: World, weeks: int = WEEKS) -> World:
    for _ in range(weeks):
        week = world.day // 7
        bought = [("research_group", {"group_id": "S1"}), ("research_market", {})]
        posted = [("post_social_media", {"content": f"Now {week} % faster answers!"})]
        if week == 3:
            world.set_ads_strength(0.2, by_group={"S1": 0.1})
            world.set_promotion(2.0)
            world.set_prices(A=18)
        price = 25.0 if week < 8 else 80.0  # later offers are too dear, so accounts are lost
        sale = "mixed" if week % 5 == 4 else (2, price) if week % 3 else None
        act(world, [*(bought if week < 6 else []), *posted], sale)
        world.step_week()
    return world


def company(rules: str = "published", **options: object) -> World:
    rich = {"company.ends_when_bankrupt": False, "company.initial_cash_usd": 2e7}
    world = founded(21, rules, **rich, **options)
    world.start_research_project(tier=1)
    return world


@cache
def played(rules: str) -> World:
    """A shared world after 16 weeks; tests leave it as it is."""
    return play(company(rules))
