"""Arguments, ends, refusals, masks, snapshots and the words of the environment."""

import sys
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.envs.ceobench import CEOBenchEnv
from ceo_gym.simulators.ceobench import InvalidDecision, SnapshotError
from tests.envs.companies import grown, make, sparse


def equal(a: dict[str, Any], b: dict[str, Any]) -> bool:
    return a.keys() == b.keys() and all((a[key] == b[key]).all() for key in a)


def test_seventy_two_steps_and_the_return_is_the_score() -> None:
    env = make(record="none")
    env.reset(seed=1)
    total, steps, terminated, info = 0.0, 0, False, {}
    while not terminated:
        _, reward, terminated, truncated, info = env.step(env.noop_action())
        total, steps = total + reward, steps + 1
        assert not truncated
        assert sum(info["reward_parts"].values()) == pytest.approx(reward)
    assert steps == 72
    assert info["day"] == 500
    assert total == pytest.approx(info["cash_usd"] / 1e6 - 1.0)
    with pytest.raises(RuntimeError, match="reset"):
        env.step(env.noop_action())


@pytest.mark.parametrize("kind", ["log", "terminal"])
def test_other_rewards(kind: str) -> None:
    env = make(record="none", reward=kind, params={"clock.horizon_days": 21})
    env.reset(seed=1)
    rewards = [env.step(env.noop_action())[1] for _ in range(3)]
    cash = env.world.company.cash_usd
    if kind == "terminal":
        assert rewards[:2] == [0.0, 0.0]
        assert rewards[2] == pytest.approx(cash / 1e6)
    else:
        assert sum(rewards) == pytest.approx(np.log1p(cash / 1e3) - np.log1p(1e3))


def test_bankruptcy_terminates() -> None:
    env = make(record="none")
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(env.action(spend={"development": 1_000_000}))
    assert terminated
    assert info["bankrupt"]
    assert reward < -1.0


def test_the_configured_start() -> None:
    env = make(record="none")
    _, info = env.reset(seed=1)
    assert info["start"] == "empty"
    assert not env.world.company.price_usd.any()
    observation, info = env.reset(seed=1, options={"start": "configured"})
    assert info["start"] == "configured"
    assert (observation["plan_config"][:, 0] > 0).all()
    for _ in range(10):
        observation, *_ = env.step(env.noop_action())
    assert observation["company"][4] > 100  # individuals
    with pytest.raises(ValueError, match="start"):
        env.reset(options={"start": "rich"})
    with pytest.raises(ValueError, match="unknown option"):
        env.reset(options={"strat": "empty"})


def test_refusals_are_listed_and_the_rest_is_done() -> None:
    env = make(record="none")
    env.reset(seed=1)
    action = env.action(
        price={"A": 0, "B": 30},
        ads={("linkedin", "D_S01"): 5, ("linkedin", "S1"): 6},
        rnd={20: "start"},
        group_research={"D_E01": "level_2", "E1": "level_3"},
        inbox_op={3: "reject"},
        account_op={0: "offer"},
        post_op="post",
        post_group="D_E05",
    )
    _, _, _, _, info = env.step(action)
    found = {(entry["key"], str(entry["cell"]), entry["code"]) for entry in info["rejected"]}
    assert found == {
        ("price", "A", "out_of_range"),
        ("ads", "linkedin.D_S01", "not_discovered"),
        ("rnd", "20", "insufficient_funds"),
        ("group_research", "D_E01", "not_discovered"),
        ("inbox_op", "3", "not_found"),
        ("account_op", "0", "not_found"),
        ("post_group", "D_E05", "not_discovered"),
    }
    assert env.world.company.price_usd.tolist() == [0, 30, 0]
    assert env.world.company.ads_spend_usd[2, 0] == 6
    assert len(env.world.market.studies) == 1


@pytest.mark.parametrize(
    "spoil",
    [
        lambda a: a.pop("price"),
        lambda a: a.update(prices=1),
        lambda a: a["price"].__setitem__(0, np.nan),
        lambda a: a["price"].__setitem__(0, -1),
        lambda a: a.update(price=np.zeros(4, np.float32)),
        lambda a: a.update(capacity=9),
        lambda a: a.update(capacity=1.5),
        lambda a: a.update(capacity="tier_1"),
        lambda a: a.update(rnd=np.full(20, 2)),
        lambda a: a.update(forecast=None),
    ],
)
def test_outside_the_space_is_an_error_and_changes_nothing(spoil: Any) -> None:
    env = make(record="none")
    env.reset(seed=1)
    before = env.save_state()
    action = env.noop_action()
    spoil(action)
    with pytest.raises(ValueError, match=r"space|must be in"):
        env.step(action)
    assert env.save_state() == before


def test_names_lead_to_the_nearest() -> None:
    env = make(record="none")
    env.reset(seed=1)
    with pytest.raises(KeyError, match="price"):
        env.action(pric={"A": 1})
    with pytest.raises(KeyError, match="search_ads"):
        env.action(ads={("search_add", "S1"): 1})
    with pytest.raises(KeyError, match="list_price"):
        env.action(bulk_op={"new_lead": "list_prise"})
    with pytest.raises(ValueError, match="from 0 to 2000; cell A is"):
        env.action(price={"A": 1e9})
    action = env.action(inbox_price={(2, "B"): 50}, account_promotion={1: 5}, capacity="tier_3")
    assert action["inbox_plan"][2 * 3 + 1] == 1
    assert action["account_set"].nonzero()[0].tolist() == [2]
    assert action["capacity"] == 4
    assert env.action_space.contains(action)


def test_actions_are_written_as_one_thinks() -> None:
    env = make(record="none")
    nested = env.action(ads={"search_ads": {"S1": 100, "S2": 5}}, inbox_price={"3": {"C": 9}})
    flat = env.action(
        ads={("search_ads", "S1"): 100, ("search_ads", "S2"): 5}, inbox_price={(3, "C"): 9}
    )
    assert equal(nested, flat)
    listed = env.action(model_tier=["tier_2", "keep", 5], price=[30, 0, 99], price_set=[1, 0, 1])
    assert listed["model_tier"].tolist() == [2, 0, 5]
    assert listed["price_set"].tolist() == [1, 0, 1]
    assert env.action(model_tier="tier_3")["model_tier"].tolist() == [3, 3, 3]
    switches = np.zeros((5, 26), bool)
    switches[1, 2] = True
    assert env.action(ads_set=switches)["ads_set"].nonzero()[0].tolist() == [28]
    forecast = env.action(forecast={("7d", "point"): 5e5})
    assert forecast["forecast_set"] == 1
    assert env.action(forecast={("7d", "point"): 1}, forecast_set="built_in")["forecast_set"] == 0


@pytest.mark.parametrize(
    ("named", "message"),
    [
        ({"capacity": 1.5}, "a choice from 0 to 8 or its name, not '1.5'"),
        ({"capacity": 9}, "a choice from 0 to 8"),
        ({"capacity": None}, "a choice from 0 to 8"),
        ({"capacity": {"tier_1": 1}}, "a choice from 0 to 8"),
        ({"rnd": np.full(20, 0.7)}, "a choice from 0 to 1"),
        ({"rnd": {1: 1.9}}, "a choice from 0 to 1"),
        ({"price": {"A": "45"}}, "is a number, not '45'"),
        ({"price": {"A": None}}, "is a number, not 'None'"),
        ({"price": [1, 2]}, r"has shape \(3,\), not \(2,\)"),
        ({"price": {"B": np.nan}}, "cell B is nan"),
    ],
)
def test_what_is_no_number_is_told(named: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make(record="none").action(**named)


@pytest.mark.parametrize("good", [[], [2]], ids=["none is sent", "one is sent"])
def test_each_refused_offer_has_its_own_reason(good: list[int]) -> None:
    env = grown(rules="repaired")
    second = int(env._observer.slots.inbox[1])
    prices = {(0, "A"): 0, (1, "A"): 0} | {(slot, "A"): 30 for slot in good}
    operations = dict.fromkeys([0, 1, *good], "offer")
    *_, info = env.step(env.action(inbox_price=prices, inbox_op=operations))
    found = [(entry["key"], entry["cell"], entry["code"]) for entry in info["rejected"]]
    assert found == [("inbox_op", "0", "out_of_range"), ("inbox_op", "1", "out_of_range")]
    assert f"customer {second}" in info["rejected"][1]["message"]


@pytest.mark.parametrize("rules", ["published", "repaired"])
def test_masks_are_honest(rules: str) -> None:
    env = grown(rules=rules)
    mask = env.action_mask()
    assert env.action_space.contains(env.action_space.sample(mask=mask))
    saved = env.save_state()

    def codes(**named: Any) -> set[str]:
        env.restore_state(saved)
        _, _, _, _, info = env.step(env.action(**named))
        return {entry["code"] for entry in info["rejected"]}

    def allowed(name: str, cell: int, choice: int) -> bool:
        return bool(mask[name][cell][choice])

    ids = env.world.params.groups.ids
    for g in (0, 5, 6, 25):
        refused = codes(dev={ids[g]: 3})
        assert allowed("dev_set", g, 1) == (not refused)
        for level in (1, 2, 5):
            refused = codes(group_research={ids[g]: level})
            assert allowed("group_research", g, level) == (not refused), (g, level)
    for tier in (1, 12, 20):
        assert allowed("rnd", tier - 1, 1) == (not codes(rnd={tier: 1}))
    for slot in (0, 63):
        assert allowed("inbox_op", slot, 2) == (not codes(inbox_op={slot: 2}))
    for slot in (0, 31):
        refused = codes(account_op={slot: 1}, account_offer={(slot, "A"): 9})
        assert allowed("account_op", slot, 1) == (not refused)
    for op in (0, 1, 2):
        assert bool(mask["post_op"][op]) == (not codes(post_op=op))
    assert mask["price"] is None


def test_masks_know_the_cash() -> None:
    env = make(record="none", masks=True)
    _, info = env.reset(seed=1)
    mask = info["action_mask"]
    assert mask["rnd"][5][1] == 1  # exactly a million
    assert mask["rnd"][6][1] == 0
    assert mask["market_research"].all()
    env.world.start_research_project(4)
    mask = env.action_mask()
    assert mask["rnd"][3][1] == 0
    assert mask["rnd"][1][1] == 1
    assert mask["rnd"][4][1] == 0
    assert "action_mask" not in make().reset(seed=1)[1]


@pytest.mark.parametrize("profile", ["full", "manager"])
def test_a_saved_company_continues_bit_for_bit(profile: str) -> None:
    env = grown(actions=profile, weeks=14)
    saved = env.save_state()
    other = make(actions=profile, record="none", params=dict(env.world.params.overrides))
    other.restore_state(saved)
    assert other.save_state() == saved
    for seed in range(3):
        env.action_space.seed(seed)
        action = env.noop_action()
        if profile == "manager":
            action = env.action_space.sample()
        else:
            action = sparse(env, np.random.default_rng(seed))
        a, b = env.step(action), other.step(action)
        assert equal(a[0], b[0])
        assert a[1] == b[1]
        assert a[4]["rejected"] == b[4]["rejected"]
        if a[2]:
            break
    assert a[0]["history"][10].any()  # more than the weeks since


def test_a_state_of_other_rules_or_versions_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    env = make(record="none")
    env.reset(seed=1)
    saved = env.save_state()
    with pytest.raises(SnapshotError, match="other rules"):
        make(rules="repaired").restore_state(saved)
    with pytest.raises(SnapshotError, match="other rules"):
        make(params={"clock.horizon_days": 50}).restore_state(saved)
    with pytest.raises(SnapshotError):
        env.restore_state(env.world.save())
    monkeypatch.setattr("ceo_gym.envs.ceobench.env.SNAPSHOT_VERSION", 99)
    with pytest.raises(SnapshotError, match="version"):
        env.restore_state(saved)


@pytest.mark.parametrize(
    "params",
    [
        {"clock.horizon_days": 50.0, "company.initial_cash_usd": 5_000_000},
        {"company.initial_cash_usd": 5e6, "clock.horizon_days": 50},
        {"clock.horizon_days": 50, "company.initial_cash_usd": 5e6, "competitors.enabled": True},
    ],
)
def test_a_state_of_the_same_numbers_in_other_words_is_taken(params: dict[str, Any]) -> None:
    env = make(
        record="none", params={"clock.horizon_days": 50, "company.initial_cash_usd": 5_000_000.0}
    )
    env.reset(seed=1)
    other = make(record="none", params=params)
    other.restore_state(env.save_state())
    assert other.world.company.cash_usd == 5e6


def test_privileged_information_is_asked_for() -> None:
    env = make(privileged=True, record="none")
    _, info = env.reset(seed=1)
    assert info["privileged"]["reputation"].shape == (26,)
    assert "privileged" not in make().reset(seed=1)[1]


def test_no_tables_without_records() -> None:
    env = make(record="none")
    env.reset(seed=1)
    with pytest.raises(ValueError, match="record"):
        env.query("SELECT 1")


def test_what_it_says_of_wrong_arguments() -> None:
    for wrong in (
        {"actions": "ful"},
        {"obs": "small"},
        {"reward": "profit"},
        {"blocks": ["influense"]},
        {"render_mode": "video"},
        {"record": "some"},
        {"rules": "mine"},
        {"obs": "compact", "blocks": ["influence"]},
        {"blocks": "influence"},
        {"blocks": None},
        {"params": 5},
        {"params": ["company.initial_cash_usd"]},
        {"judge": "kind"},
        {"actions": None},
        {"record": None},
    ):
        with pytest.raises(ValueError, match=r"must be|one of|did you|is a|need|known: "):
            CEOBenchEnv(**wrong)


@pytest.mark.parametrize("options", ["configured", ["start"], {"start": None}])
def test_wrong_options_are_told(options: Any) -> None:
    env = make(record="none")
    with pytest.raises(ValueError, match=r"key.* start|one of empty, configured"):
        env.reset(options=options)


def test_unseeded_resets_differ_and_follow_the_generator() -> None:
    env = make(record="none")

    def seed() -> int:
        env.reset()
        return env.world.streams.seed

    env.reset(seed=4)
    assert env.world.streams.seed == 4
    seeds = [seed() for _ in range(3)]
    assert len({4, *seeds}) == 4
    env.reset(seed=4)
    assert [seed() for _ in range(3)] == seeds


def test_a_forecast_is_handed_in() -> None:
    env = make(record="none", actions="manager")
    env.reset(seed=1)
    rows = [[1e6 + k, 9e5, 1.1e6] for k in range(4)]
    with pytest.raises(InvalidDecision):
        env.hand_in([[1.0, 2.0, 3.0]] * 4)
    env.hand_in(rows)
    other = make(record="none", actions="manager")
    other.restore_state(env.save_state())
    for one in (env, other):
        one.step(one.noop_action())
        one.step(one.noop_action())
        made = one.world.history.predictions
        assert made.point_usd[:4].tolist() == [row[0] for row in rows]
        assert made.point_usd[4] == one.world.history.cash_by_week[1] * 2 - 1e6


def test_episode_wrappers_work() -> None:
    env = gym.wrappers.RecordEpisodeStatistics(gym.make("ceo_gym:CEOBench-Short-v0", record="none"))
    env.reset(seed=1)
    for _ in range(8):
        _, _, terminated, _, info = env.step(env.unwrapped.noop_action())
    assert terminated
    assert info["episode"]["l"] == 8


def test_making_an_env_needs_nothing_heavy() -> None:
    import subprocess

    code = (
        "import gymnasium as gym, sys; e = gym.make('ceo_gym:CEOBench-v0', record='none'); "
        "e.reset(seed=1); e.step(e.unwrapped.noop_action()); "
        "heavy = 'torch', 'pandas', 'matplotlib', 'sqlite3', 'rich'; "
        "print([name for name in heavy if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"


def test_the_picture_and_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    env = grown()
    env.render_mode = "rgb_array"
    picture = env.render()
    assert picture.shape == (360, 640, 3)
    assert picture.dtype == np.uint8
    env.render_mode = "human"
    env.render()
    assert len(capsys.readouterr().out) > 100
