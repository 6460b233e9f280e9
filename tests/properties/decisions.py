"""Hypothesis strategies for what a player may do, sane and wild, legal and illegal."""

from typing import Any

import numpy as np
from hypothesis import strategies as st

from ceo_gym.simulators.ceobench import InvalidDecision, Offers, World

GROUPS = ("S1", "S2", "S3", "E1", "E2", "E3", "D_S01", "D_E10", "D_S07")
CHANNELS = ("social_media", "search_ads", "linkedin", "content_marketing", "referral_program")

dollars = st.one_of(st.floats(0, 300), st.floats(0, 20_000), st.just(0.0))
prices = st.floats(0.01, 400)
by_group = st.dictionaries(st.sampled_from(GROUPS), dollars, max_size=4)
by_plan = st.dictionaries(st.sampled_from("ABC"), dollars, max_size=3)


def some_plans(values: st.SearchStrategy) -> st.SearchStrategy[dict[str, Any]]:
    return st.dictionaries(st.sampled_from("ABC"), values, min_size=1)


def call(name: str, arguments: st.SearchStrategy) -> st.SearchStrategy:
    return st.tuples(st.just(name), arguments)


decision = st.one_of(
    call("set_prices", some_plans(prices)),
    call("set_model_tiers", some_plans(st.integers(1, 5))),
    call("set_usage_quotas", some_plans(st.floats(0, 1e6))),
    call("set_capacity_tier", st.fixed_dictionaries({"tier": st.integers(0, 7)})),
    call("set_daily_spend", st.fixed_dictionaries({"operations": dollars, "development": dollars})),
    call("set_targeted_dev_spend", st.fixed_dictionaries({"targeted_spend": by_group})),
    call(
        "set_targeted_ops_spend",
        st.fixed_dictionaries(
            {},
            optional={"by_group": by_group, "by_plan": by_plan, "by_customer": st.just({5: 9.0})},
        ),
    ),
    call(
        "set_targeted_ad_spend",
        st.fixed_dictionaries(
            {"targeted_spend": st.dictionaries(st.sampled_from(CHANNELS), by_group, max_size=3)}
        ),
    ),
    call(
        "set_ads_strength",
        st.fixed_dictionaries(
            {},
            optional={
                "global_strength": st.floats(0, 1),
                "by_group": st.dictionaries(st.sampled_from(GROUPS[:6]), st.floats(0, 1)),
                "by_customer": st.just({3: 0.5}),
            },
        ),
    ),
    call(
        "set_promotion",
        st.fixed_dictionaries(
            {}, optional={"global_promotion": st.floats(0, 60), "by_group": by_group}
        ),
    ),
    call(
        "set_lead_promotion",
        st.fixed_dictionaries(
            {},
            optional={
                "global_promotion": st.floats(0, 60),
                "by_channel": st.dictionaries(st.sampled_from(CHANNELS), dollars),
            },
        ),
    ),
    call("research_market", st.just({})),
    call("research_group", st.fixed_dictionaries({"group_id": st.sampled_from(GROUPS)})),
    call("start_research_project", st.fixed_dictionaries({"tier": st.integers(1, 4)})),
    call(
        "post_social_media",
        st.fixed_dictionaries(
            {"content": st.sampled_from(["Faster answers for 20 % less from Monday!", "Hello"])}
        ),
    ),
)

# what becomes of the negotiations that wait: nothing, offers at a price, or a rejection
sales = st.one_of(
    st.none(), st.tuples(st.integers(0, 2), st.floats(1, 200)), st.just("reject"), st.just("mixed")
)
week = st.tuples(st.lists(decision, max_size=5), sales)


def founded(seed: int, rules: str, record: str = "business", **parameters: Any) -> World:
    """A company that has customers of all kinds within weeks."""
    world = World(seed, rules=rules, record=record, params=parameters)
    world.set_prices(A=20, B=40, C=60)
    world.set_model_tiers(A=3, B=4, C=5)
    world.set_usage_quotas(A=5_000, B=100_000, C=400_000)
    world.set_capacity_tier(3)
    world.set_daily_spend(operations=300, development=500)
    world.set_targeted_dev_spend({"S1": 4_000, "S2": 4_000, "E1": 6_000})
    spend = {"content_marketing": {"S1": 400, "S2": 400, "E1": 6_000}, "linkedin": {"E2": 2_000}}
    world.set_targeted_ad_spend(spend)
    return world


def act(world: World, decisions: list, sale: Any) -> None:
    """Carry out a week's decisions; what is not possible is refused and leaves no trace."""
    for name, arguments in decisions:
        try:
            getattr(world, name)(**arguments)
        except InvalidDecision:
            continue
    waiting = world.observe().waiting
    if sale is None or not len(waiting.customer_id):
        return
    half = len(waiting.customer_id) // 2 if sale == "mixed" else 0
    if sale in ("reject", "mixed"):
        world.reject_offers(waiting.customer_id[half:])
    if sale == "mixed" and half:
        price = np.fmax(waiting.asked_usd[:half], 5.0)
        world.send_offers(Offers.uniform(waiting.customer_id[:half], 2, price))
    if isinstance(sale, tuple):
        world.send_offers(Offers.uniform(waiting.customer_id, *sale))
