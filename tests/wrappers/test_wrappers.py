"""The wrappers on the company env."""

import csv
import json
import re

import gymnasium as gym
import numpy as np
import pytest

import ceo_gym  # noqa: F401 - registers the ids
from ceo_gym.envs.ceobench import action_decode, action_manager
from ceo_gym.wrappers import (
    FlattenActionBox,
    FlattenActionDiscrete,
    RewardScale,
    SymlogObservation,
    ToolAction,
)
from ceo_gym.wrappers.symlog_observation import Rule
from ceo_gym.wrappers.symlog_observation import parse as parse_rule
from ceo_gym.wrappers.symlog_observation import rules as normalisation
from tests.conformance.shared import shared_file
from tests.envs.companies import grown

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
        None,
        "up",
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


def cells_of(env: FlattenActionBox, name: str) -> slice:
    start = 0
    for key, size in zip(env._keys, env._sizes):
        if key.key == name:
            return slice(start, start + size)
        start += size
    raise AssertionError(name)


@pytest.mark.parametrize("key", ["price", "inbox_price"])
def test_prices_are_never_zero(key: str) -> None:
    """An offer of a price of 0 would give seats away, and a list price of 0 is refused."""
    env = FlattenActionBox(make())
    vector = np.zeros(env.action_space.shape)
    vector[cells_of(env, key)] = -1.0
    assert same(env.action(vector), env.unwrapped.noop_action())
    discrete = FlattenActionDiscrete(make())
    discrete.reset(seed=1)
    for choice in range(1, 5):
        choices = np.zeros(discrete.action_space.shape, np.int64)
        choices[cells_of(discrete._flat, key)] = choice
        assert (discrete.action(choices)[key] > 0.0).all()


def test_masks_of_cells_follow_their_switches() -> None:
    env = FlattenActionDiscrete(make())
    env.reset(seed=1)
    masks = np.split(env.action_masks(), np.cumsum(env.action_space.nvec)[:-1])
    for name in ("account_promotion", "account_strength", "inbox_price", "inbox_op"):
        for mask in masks[cells_of(env._flat, name)]:
            assert mask.tolist() == [True] + [False] * (len(mask) - 1), name
    known = env.unwrapped.world.market.discovered
    ads = [mask[1:].all() for mask in masks[cells_of(env._flat, "ads")]]
    assert ads == np.tile(known, 5).tolist()
    assert all(mask.all() for mask in masks[cells_of(env._flat, "price")])


@pytest.mark.parametrize("actions", PROFILES)
def test_masks_are_honest_about_every_choice_alone(actions: str) -> None:
    env = FlattenActionDiscrete(grown(actions=actions, weeks=6))
    masks = np.split(env.action_masks(), np.cumsum(env.action_space.nvec)[:-1])
    saved, rng = env.unwrapped.save_state(), np.random.default_rng(0)
    before = env.unwrapped.world.save()
    operations = (cells_of(env._flat, key) for key in ("inbox_op", "account_op"))
    bare = [range(s.start, s.stop) for s in operations] if actions == "full" else []
    for cell in rng.permutation(len(masks))[:30]:
        for choice, is_open in enumerate(masks[cell]):
            choices = np.zeros(env.action_space.shape, np.int64)
            choices[cell] = choice
            env.unwrapped.restore_state(saved)
            refused = carry_out(env, choices)
            if not is_open:
                assert refused or env.unwrapped.world.save() == before, (cell, choice)
            elif not any(cell in part for part in bare):  # an operation alone lacks its price
                assert refused == [], (cell, choice)


def carry_out(env: FlattenActionDiscrete, choices: np.ndarray) -> list:
    base = env.unwrapped
    action = env.action(choices)
    if "offers" in action:
        return action_manager.carry_out(base.world, action)
    return action_decode.carry_out(base.world, action, base._observer.slots)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (np.full(25, 0.7), "25 whole numbers, not float64"),
        (np.full(25, np.nan), "25 whole numbers"),
        (np.zeros(3, np.int64), r"of shape \(3,\)"),
        (None, "25 whole numbers"),
        (np.full(25, 4), "choice 6 of an action is a number from 0 to 2, not 4"),
        (np.full(25, -1), "choice 0 of an action is a number from 0 to 4, not -1"),
    ],
)
def test_a_list_outside_the_choices_is_refused(bad: object, message: str) -> None:
    env = FlattenActionDiscrete(make(actions="manager"))
    env.reset(seed=1)
    with pytest.raises(ValueError, match=message):
        env.step(bad)


def test_other_environments_are_refused() -> None:
    for wrapper in (FlattenActionBox, FlattenActionDiscrete, SymlogObservation, ToolAction):
        with pytest.raises(TypeError, match=f"{wrapper.__name__} wraps a ceo-gym environment"):
            wrapper(gym.make("CartPole-v1"))
    with pytest.raises(TypeError, match="needs the Dict action_space"):
        FlattenActionDiscrete(FlattenActionBox(make()))
    with pytest.raises(TypeError, match="needs the Dict observation_space"):
        SymlogObservation(gym.wrappers.FlattenObservation(make()))


@pytest.mark.parametrize("levels", [1, 3, 0, 4.0, "4"])
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


def test_the_normalisation_is_that_of_the_specification() -> None:
    """Where the column has one rule for the key, or one for each field."""
    path = shared_file("spec/ceobench/params/observation_space.csv")
    with path.open(encoding="utf-8", newline="") as file:
        table = {row["key"]: row["normalisation"] for row in csv.DictReader(file)}
    blocks = ("influence", "channel_group_lead_promotion", "forecast")
    env = make(blocks=blocks)
    described = env.unwrapped.describe()["observation"]
    checked = 0
    for key, text in table.items():
        if key not in described or described[key]["space"] != "Box":
            continue
        names = [name.rsplit(".", 1)[-1] for name in described[key]["cells"]]
        fields = list(dict.fromkeys(names))
        rules = [told(part.strip()) for part in text.split(";")]
        if None in rules or len(rules) not in (1, len(fields)):
            continue  # words: these are checked below
        own = described[key]["cells"].values()
        assert len(own) == len(names)
        for position, field in enumerate(fields):
            found = normalisation().get((key, field), normalisation().get((key, "*"), Rule()))
            expected = rules[position % len(rules)]
            if (key, field) not in UNLIKE:
                assert found == expected, (key, field)
                checked += 1
    assert checked > 60


# fields for which one rule of the key makes no sense: a 0 or 1, and what forecasts have beside USD
UNLIKE = {("forecast", "available"), ("rnd", "running")}


def told(text: str) -> Rule | None:
    if text in ("none", "raw", "0-1"):
        return Rule()
    found = re.fullmatch(r"symlog(?: s=(\S+))?", text)
    if found:
        return Rule(float(found[1] or 1))
    found = re.fullmatch(r"([/x])(\d+)", text)
    if found:
        return Rule(factor=float(found[2]) if found[1] == "x" else 1 / float(found[2]))
    return None


def test_every_rule_has_a_field() -> None:
    blocks = ("influence", "channel_group_lead_promotion", "forecast")
    fields: set[tuple[str, str]] = set()
    for env in (make(blocks=blocks), make(obs="compact")):
        for key, described in env.unwrapped.describe()["observation"].items():
            fields |= {(key, name.rsplit(".", 1)[-1]) for name in described["cells"]}
    keys = {key for key, _ in fields}
    for key, field in normalisation():
        assert (key, field) in fields or (field == "*" and key in keys), (key, field)


def test_readings_and_yields_are_not_cut() -> None:
    env = grown(weeks=12)
    wrapped = SymlogObservation(env)
    raw = env.observe()
    scaled = wrapped.observation(raw)
    assert raw["macro"][0] == 1
    assert scaled["macro"][1] == pytest.approx((raw["macro"][1] - 50) / 10, rel=1e-5)
    assert scaled["rnd"][0, 0] == pytest.approx(np.log1p(raw["rnd"][0, 0] / 1e6), rel=1e-5)
    assert raw["channel_group"][2].max() > 25
    for name, value in scaled.items():
        if value.dtype == np.float32:
            assert np.abs(value).max() < 25, name


@pytest.mark.parametrize("text", ["", "symlog", "log 3", "x", "/", "(x-50)", "symlog 1.5"])
def test_unknown_rules_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="no rule"):
        parse_rule(text)


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
