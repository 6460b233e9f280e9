"""The wrappers on the company env."""

import json

import gymnasium as gym
import numpy as np
import pytest

import ceo_gym  # noqa: F401 - registers the ids
from ceo_gym.wrappers import (
    FlattenActionBox,
    FlattenActionDiscrete,
    RewardScale,
    SymlogObservation,
    ToolAction,
)

PROFILES = ("full", "core", "manager")


def make(**arguments: object) -> gym.Env:
    arguments.setdefault("record", "none")
    return gym.make("CEOBench-v0", **arguments)


def same(a: dict, b: dict) -> bool:
    return all(np.array_equal(a[key], b[key]) for key in b)


@pytest.mark.parametrize("actions", PROFILES)
def test_zero_vector_changes_nothing(actions: str) -> None:
    for wrapper in (FlattenActionBox, FlattenActionDiscrete):
        env = wrapper(make(actions=actions))
        env.reset(seed=1)
        zero = np.zeros(env.action_space.shape, env.action_space.dtype)
        assert same(env.action(zero), env.unwrapped.noop_action())
        assert zero in env.action_space


@pytest.mark.parametrize("actions", PROFILES)
def test_every_vector_is_in_the_space_of_the_env(actions: str) -> None:
    for wrapper in (FlattenActionBox, FlattenActionDiscrete):
        env = wrapper(make(actions=actions))
        env.action_space.seed(3)
        for _ in range(20):
            assert env.unwrapped.action_space.contains(env.action(env.action_space.sample()))


def test_box_writes_amounts_on_a_logarithmic_scale() -> None:
    env = FlattenActionBox(make(actions="core"))
    start = 0
    for key, size in zip(env._keys, env._sizes):
        if key.key == "spend":
            break
        start += size
    spend = []
    for z in (-0.5, 0.05, 0.2, 0.5, 1.0):
        vector = np.zeros(env.action_space.shape)
        vector[start] = z
        action = env.action(vector)
        spend.append(float(action["spend"][0]))
        assert action["spend_set"].tolist() == [int(abs(z) > 0.1), 0]
    assert spend[0] == 0.0
    assert spend[-1] == 1e6
    assert 0 < spend[2] < spend[3] < 0.02 * spend[4]


def test_a_vector_outside_the_box_is_refused() -> None:
    env = FlattenActionBox(make(actions="manager"))
    env.reset(seed=1)
    for bad in (
        np.full(env.action_space.shape, 1.5),
        np.zeros(3),
        np.full(env.action_space.shape, np.nan),
    ):
        with pytest.raises(ValueError, match="numbers in"):
            env.step(bad)


def test_discrete_choices_reach_their_own_number() -> None:
    env = FlattenActionDiscrete(make(actions="core"))
    cell = 0
    for key, size in zip(env._flat._keys, env._flat._sizes):
        if key.options and size:
            for choice in range(len(key.options)):
                choices = np.zeros(env.action_space.shape, np.int64)
                choices[cell] = choice
                value = env.action(choices)[key.key]
                assert (value if np.ndim(value) == 0 else value[0]) == choice
        cell += size


def test_masks_have_the_shape_of_the_choices_and_leave_nothing_open() -> None:
    for actions in PROFILES:
        env = FlattenActionDiscrete(make(actions=actions))
        env.reset(seed=1)
        masks = env.action_masks()
        assert masks.shape == (int(env.action_space.nvec.sum()),)
        first = np.cumsum(env.action_space.nvec) - env.action_space.nvec
        assert masks[first].all()


@pytest.mark.parametrize("levels", [1, 3, 0])
def test_levels_are_even(levels: int) -> None:
    with pytest.raises(ValueError, match="even number"):
        FlattenActionDiscrete(make(), levels=levels)


def test_symlog_observations_stay_small_and_keep_their_order() -> None:
    env = SymlogObservation(make())
    observation, _ = env.reset(seed=2, options={"start": "configured"})
    before = env.unwrapped.describe()["observation"]
    for _ in range(8):
        observation, *_ = env.step(env.unwrapped.noop_action())
        assert env.observation_space.contains(observation)
    for name, value in observation.items():
        if value.dtype == np.float32:
            assert np.abs(value).max() <= 25.0, name
    cash = before["company"]["cells"]["cash"]["index"]
    expected = np.sign(1) * np.log1p(abs(env.unwrapped.world.company.cash_usd) / 1000)
    assert observation["company"][cash] == pytest.approx(expected, rel=1e-5)


def test_reward_scale() -> None:
    env = RewardScale(make(), 100.0)
    env.reset(seed=1)
    assert env.step(env.unwrapped.noop_action())[1] == pytest.approx(-85 * 7 / 1e6 * 100)
    for bad in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="above 0"):
            RewardScale(make(), bad)


# --- tools in text --------------------------------------------------------------------------------


def test_tools_act_within_the_week_and_next_week_advances() -> None:
    env = ToolAction(make(record="business"))
    text, info = env.reset(seed=1)
    assert "1,000,000" in text
    assert info["weeks"] == 0
    calls = (
        '[{"tool": "set_prices", "args": {"A": 40}}, {"tool": "get_current_config"},'
        '{"tool": "query", "args": {"sql": "SELECT price_A FROM config_history"}}]'
    )
    text, reward, terminated, truncated, info = env.step(calls)
    assert (reward, terminated, truncated, info["weeks"]) == (0.0, False, False, 0)
    assert [entry["ok"] for entry in info["results"]] == [True, True, True]
    assert info["results"][2]["result"]["rows"] == [{"price_A": 40.0}]
    text, reward, *_, info = env.step('{"tool": "next_week", "args": {}}')
    assert info["day"] == 7
    assert reward == pytest.approx(-85 * 7 / 1e6)
    assert "DAY 7" in text


def test_mistakes_are_answered_and_the_rest_is_done() -> None:
    env = ToolAction(make(record="business"))
    env.reset(seed=1)
    text, reward, _, _, info = env.step(
        '[{"tool": "set_price", "args": {"A": 4}}, {"tool": "set_prices", "args": {"A": -4}},'
        '{"tool": "query", "args": {"sql": "SELECT c_max FROM customers"}},'
        '{"tool": "set_capacity_tier", "args": {"tier": 2}}]'
    )
    assert [entry["ok"] for entry in info["results"]] == [False, False, False, True]
    assert [entry.get("code") for entry in info["results"][:2]] == ["not_found", "out_of_range"]
    assert "set_prices" in info["results"][0]["error"]
    assert env.unwrapped.world.company.capacity_tier == 2
    text, *_, info = env.step("I would rather think about it.")
    assert text.startswith("Error: this is not JSON")
    assert reward == 0.0


def test_forecasts_are_handed_in() -> None:
    env = ToolAction(make(record="business"), needs_forecast=True)
    env.reset(seed=1)
    *_, info = env.step('{"tool": "next_week"}')
    assert not info["results"][0]["ok"]
    assert info["weeks"] == 0
    forecast = {"point": 1_000.0, "lower": 900.0, "upper": 1_100.5}
    predictions = {f"cash_{weeks}wk": forecast for weeks in (1, 4, 12, 26)}
    args = {"predictions": predictions, "rationale": "x"}
    call = json.dumps({"tool": "next_week", "args": args})
    *_, info = env.step(call)
    assert info["weeks"] == 1
    assert env.unwrapped.world.history.predictions.upper_usd.tolist() == [1100.5] * 4


def test_calls_then_a_week_equal_the_same_action() -> None:
    """The law of the two doors: tools within the week, or one Dict action."""
    by_tools, by_action = ToolAction(make(record="business")), make(record="business")
    by_tools.reset(seed=5)
    by_action.reset(seed=5)
    by_tools.step(
        '[{"tool": "set_prices", "args": {"A": 30, "B": 60}},'
        '{"tool": "set_usage_quotas", "args": {"A": 200}},'
        '{"tool": "set_targeted_ad_spend",'
        ' "args": {"targeted_spend": {"search_ads": {"S1": 500}}}},'
        '{"tool": "research_market"}, {"tool": "next_week"}]'
    )
    unwrapped = by_action.unwrapped
    by_action.step(
        unwrapped.action(
            price={"A": 30, "B": 60},
            quota={"A": 200},
            ads={("search_ads", "S1"): 500},
            market_research=1,
        )
    )
    a, b = by_tools.unwrapped.world, unwrapped.world
    assert a.company.cash_usd == b.company.cash_usd
    assert a.population.columns().keys() == b.population.columns().keys()
    for name, column in a.population.columns().items():
        assert column.tobytes() == b.population.columns()[name].tobytes(), name


def test_the_end_comes_through() -> None:
    env = ToolAction(gym.make("CEOBench-Short-v0"))
    env.reset(seed=1)
    weeks = "[" + ",".join(['{"tool": "next_week"}'] * 9) + "]"
    _, _, terminated, _, info = env.step(weeks)
    assert terminated
    assert info["weeks"] == 8
    assert info["results"][-1]["code"] == "limit_reached"
