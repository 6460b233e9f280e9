"""After any setters the settings read back are those that their rules give (tools.md 9: 3)."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from ceo_gym.simulators.ceobench import World
from ceo_gym.tools.ceobench import call

amounts = st.integers(1, 500).map(float)
groups = st.dictionaries(st.sampled_from(["S1", "S2", "E1"]), amounts, max_size=3)
channels = st.sampled_from(["linkedin", "search_ads", "social_media"])
shares = st.dictionaries(
    st.sampled_from(["S1", "S2", "E1"]), st.sampled_from([0.1, 0.25, 1.0]), max_size=3
)
cells = st.dictionaries(channels, groups.filter(bool), max_size=2)
plans = st.dictionaries(st.sampled_from("ABC"), amounts, min_size=1)

# how a call changes the settings: entry by entry, scope by scope, or as a whole
PARTIAL = {
    "set_prices": ("prices", plans),
    "set_usage_quotas": ("usage_quotas", plans),
    "set_model_tiers": (
        "model_tiers",
        st.dictionaries(st.sampled_from("ABC"), st.integers(1, 5), min_size=1),
    ),
    "set_daily_spend": (
        "daily_spend",
        st.dictionaries(st.sampled_from(["operations", "development"]), amounts, min_size=1),
    ),
}
SCOPES = {
    "set_promotion": ("promotion", {"by_group": groups, "global_promotion": amounts}),
    "set_lead_promotion": (
        "lead_promotion",
        {
            "by_group": groups,
            "by_channel": st.dictionaries(channels, amounts, max_size=2),
            "by_channel_group": cells,
        },
    ),
    "set_ads_strength": (
        "ads_strength",
        {"by_group": shares, "global_strength": st.sampled_from([0.0, 0.5, 1.0])},
    ),
}
WHOLE = {
    "set_targeted_ad_spend": ("targeted_ad_spend", cells),
    "set_targeted_dev_spend": ("targeted_dev_spend", groups),
    "set_targeted_ops_spend": ("targeted_ops_spend", groups),
}
NO_SUPPORT = {"by_group": {}, "by_plan": {}, "by_group_plan": {}, "by_customer": {}}
steps = st.one_of(
    *(st.tuples(st.just(name), values) for name, (_, values) in PARTIAL.items()),
    *(
        st.tuples(st.just(name), st.fixed_dictionaries({}, optional=scopes))
        for name, (_, scopes) in SCOPES.items()
    ),
    *(
        st.tuples(st.just(name), st.fixed_dictionaries({"targeted_spend": values}))
        for name, (_, values) in WHOLE.items()
    ),
    st.tuples(st.just("set_capacity_tier"), st.fixed_dictionaries({"tier": st.integers(0, 7)})),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(steps, max_size=8))
def test_settings_read_back(calls: list[tuple[str, dict[str, Any]]]) -> None:
    world = World(seed=1)
    expected = call(world, "get_current_config")
    for name, arguments in calls:
        call(world, name, arguments)
        if name in PARTIAL:
            expected[PARTIAL[name][0]] |= arguments
        elif name in SCOPES:
            state = expected[SCOPES[name][0]]
            for scope, value in arguments.items():
                state["global" if scope.startswith("global") else scope] = value
            assert call(world, name) == state
        elif name in WHOLE:
            now = arguments["targeted_spend"]
            by_group = name == "set_targeted_ops_spend"
            expected[WHOLE[name][0]] = {**NO_SUPPORT, "by_group": now} if by_group else now
        else:
            expected["capacity_tier"] = arguments["tier"]
    assert call(world, "get_current_config") == expected
