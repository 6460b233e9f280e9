"""Recording real games: the tables agree with the books of the company."""

import copy
import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.baselines import make_policy
from ceo_gym.evaluation.analysis import report
from ceo_gym.evaluation.play import Game
from ceo_gym.evaluation.recording import RunRecorder, record_run
from ceo_gym.runs import RunRecord
from ceo_gym.wrappers import FlattenActionBox, ToolAction
from tests.runs.test_record import same

SHORT = {"params": {"clock.horizon_days": 45}}
LONG = {"params": {"clock.horizon_days": 90, "competitors.grace_days": 20}}


@pytest.fixture(scope="module")
def played() -> RunRecord:
    return record_run("CEOBench-v0", "rule_based", 3, env_args=LONG)


def test_the_game_is_the_one_that_is_played_without_a_recorder(played: RunRecord) -> None:
    game = Game.of("CEOBench-v0", "rule_based", LONG).play(3)
    assert played.config["result"]["final_cash_usd"] == game.final_cash_usd
    assert played.config["result"]["end"] == "horizon reached"
    assert played.config["policy"] == "rule_based"
    assert [1e6, *played.weeks["cash_usd"]] == list(game.weekly_cash_usd)


def test_the_ledger_explains_the_cash(played: RunRecord) -> None:
    days = played.days
    assert days["day"].tolist() == list(range(91))
    ledger = days.filter(like="ledger_")
    purchases = ["ledger_market_research", "ledger_group_research", "ledger_research_project"]
    by_evening = ledger.sum(axis=1).cumsum() - days[purchases].sum(axis=1)
    assert by_evening.to_numpy() == pytest.approx(days["cash_usd"].to_numpy(), abs=0.01)
    assert report(played)["final_cash"].value == pytest.approx(ledger.to_numpy().sum(), abs=0.01)


def test_spends_are_those_of_the_ledger(played: RunRecord) -> None:
    weeks = played.weeks
    for what in ("development", "operations"):
        parts = weeks[f"spent_{what}_shared_usd"] + weeks[f"spent_{what}_targeted_usd"]
        assert parts.to_numpy() == pytest.approx(weeks[f"cost_{what}"].to_numpy(), abs=0.01)
    by_week = played.advertising.groupby("week")["spend_usd"].sum()
    assert by_week.reindex(weeks["week"], fill_value=0.0).to_numpy() == pytest.approx(
        weeks["cost_advertising"].to_numpy(), abs=0.01
    )


def test_every_measure_of_a_real_game_is_in_its_range(played: RunRecord) -> None:
    found = report(played)
    assert found["competitor_events"].value == len(played.hidden_competitor_events) > 0
    for subject in found.measures.values():
        for name, measure in subject.items():
            assert (measure.value is None) == bool(measure.reason), name
            if measure.value is not None:
                assert np.isfinite(measure.value), name
                assert measure.unit != "share" or 0.0 <= measure.value <= 1.0, name
    assert found["own_forecasts"].value == 0.0
    for name, measure in found.measures["forecasts"].items():
        if name.startswith("forecast_"):
            assert measure == found[name.replace("forecast_", "built_in_")], name
    with pytest.raises(KeyError):
        found["fame"]


def test_round_trip_of_a_real_game(played: RunRecord, tmp_path: Path) -> None:
    played.write(tmp_path)
    again = RunRecord.read(tmp_path)
    same(again, played)
    assert report(again).as_dict() == report(played).as_dict()
    json.dumps(report(again).as_dict(), allow_nan=False)
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 200_000


def test_effectiveness_is_what_the_market_has(played: RunRecord) -> None:
    env: Any = gym.make("CEOBench-v0", **LONG, record="none").unwrapped
    env.reset(seed=3)
    for _ in range(9):
        env.step(env.noop_action())
    groups, table = env.world.params.groups.ids, played.hidden_effectiveness
    assert table["from_day"].unique().tolist() == [0, 30, 60, 90]
    then = table[table["from_day"] == 60]
    for (_, row), value in zip(then.iterrows(), env.world.market.effectiveness.ravel().tolist()):
        assert row["effectiveness"] == value
    assert then["group"].tolist()[: len(groups)] == list(groups)


def test_own_forecasts_and_action_keys() -> None:
    env: Any = gym.make("CEOBench-v0", **SHORT, record="none")
    recorder, company = RunRecorder(env), env.unwrapped
    env.reset(seed=1)
    own = {"forecast": [[1e6, 5e4, 5e4]] * 4}
    env.step(company.action(price={"A": 45}, spend={"development": 0.0}, **own))
    env.step(company.action(ads={("search_ads", "S1"): 0.0}, post_topic=1, market_research=1))
    made = recorder.record()
    assert made.config["result"]["end"] == "running"
    assert made.forecasts["own"].tolist() == [1] * 4 + [0] * 4
    assert made.forecasts["lower_usd"].tolist()[:4] == [9.5e5] * 4
    # 25,000 USD of market research are paid before the second week
    built_in = made.forecasts["built_in_point_usd"].tolist()
    change = made.weeks["cash_usd"].iloc[0] - 1e6
    assert built_in[4] == pytest.approx(1e6 + 2 * change - 25_000.0)
    rows = made.actions[["week", "name", "count"]].to_numpy().tolist()
    assert rows == [
        [1, "forecast", 1],
        [1, "price", 1],
        [1, "spend", 1],
        [2, "ads", 1],  # an amount of 0 is a setting too, a topic without a post is nothing
        [2, "market_research", 1],
    ]


def test_tools_and_texts_of_a_language_model() -> None:
    env = ToolAction(gym.make("CEOBench-v0", **SHORT))
    recorder = RunRecorder(env)
    env.reset(seed=1)
    env.step('[{"tool": "set_prices", "args": {"A": -1}}, {"tool": "query", "args": {"sql": "x"}}]')
    recorder.said("Watch the competitors.")
    env.step('[{"tool": "next_week"}, {"tool": "set_prices", "args": {"A": 9}}]')
    env.step('[{"tool": "next_week"}, {"tool": "next_week"}]')
    made = recorder.record()
    assert made.actions.to_numpy().tolist() == [
        [1, "tool", "query", 1],
        [1, "tool", "set_prices", 1],
        [2, "tool", "set_prices", 1],
    ]
    assert len(made.weeks) == 3
    assert made.texts is not None
    assert made.texts.to_numpy().tolist() == [[1, "Watch the competitors."]]
    assert report(made)["tools_used"].value == 2


def test_a_reset_begins_anew_whatever_the_wrapper() -> None:
    made = gym.make("CEOBench-v0", **SHORT, actions="manager", record="none")
    env = FlattenActionBox(made)
    recorder = RunRecorder(env)
    with pytest.raises(ValueError, match="no week was played"):
        recorder.record()
    for seed in (1, 2):
        env.reset(seed=seed)
        env.step(env.action_space.sample())
    assert recorder.record().weeks["week"].tolist() == [1]


def test_a_bankrupt_company_is_recorded_to_its_last_day() -> None:
    poor = {"params": {"company.initial_cash_usd": 1000.0, "clock.horizon_days": 28}}
    made = record_run("CEOBench-v0", "passive", env_args=poor)
    assert made.config["result"]["end"] == "bankrupt"
    found = report(made)
    assert found["bankrupt"].value == 1
    assert found["survival_days"].value == 12  # 85 USD a day
    assert found["final_cash"].value == pytest.approx(-20.0)
    assert found["final_cash_floor0"].value == 0.0
    assert found["max_drawdown"].value == pytest.approx(1020.0)
    assert made.weeks["days"].tolist() == [7, 5]


def test_a_restored_company_cannot_be_recorded_half() -> None:
    env: Any = gym.make("CEOBench-v0", **SHORT, record="none")
    recorder = RunRecorder(env)
    env.reset(seed=1)
    saved = env.unwrapped.save_state()
    env.step(env.unwrapped.noop_action())
    env.unwrapped.restore_state(saved)
    env.step(env.unwrapped.noop_action())
    with pytest.raises(ValueError, match="restored from a saved state"):
        recorder.record()


def test_copies_of_the_env_are_not_watched() -> None:
    env: Any = gym.make("CEOBench-v0", **SHORT, record="none")
    recorder = RunRecorder(env)
    env.reset(seed=1)
    policy = make_policy("steady", env)
    observation, info = env.reset(seed=1)
    fork = copy.deepcopy(env)
    fork.step(policy.act(observation, info))
    env.step(env.unwrapped.noop_action())
    assert len(recorder.record().weeks) == 1


def test_other_envs_are_refused() -> None:
    with pytest.raises(TypeError, match="an env of the company"):
        RunRecorder(gym.make("CartPole-v1"))
