"""One game, and many in several processes."""

import math
import multiprocessing
from typing import Any

import gymnasium as gym
import pytest

from ceo_gym.baselines import POLICIES, make_policy
from ceo_gym.evaluation import EpisodeFailed, evaluate
from ceo_gym.evaluation.parallel import play_many
from ceo_gym.evaluation.play import Game
from tests.evaluation.games import MONTH

STEADY = Game.of("CEOBench-v0", "steady", MONTH)


def outcome(episodes: list[Any]) -> dict[int, tuple[Any, ...]]:
    return {
        e.seed: (e.final_cash_usd, e.survival_days, e.bankrupt, e.reward_sum, e.weekly_cash_usd)
        for e in episodes
    }


def test_an_episode_is_what_the_env_gives() -> None:
    env = gym.make("CEOBench-v0", record="business", **MONTH)
    policy, ended, rewards = make_policy("steady", env), False, 0.0
    observation, info = env.reset(seed=3)
    policy.reset(3)
    cash = [info["cash_usd"]]
    while not ended:
        observation, reward, ended, _, info = env.step(policy.act(observation, info))
        rewards += reward
        cash.append(info["cash_usd"])
    found = STEADY.play(3)
    assert outcome([found]) == {3: (cash[-1], 28, False, rewards, tuple(cash))}
    assert math.isclose(1e6 * (1 + found.reward_sum), found.final_cash_usd, rel_tol=1e-9)
    assert found.cpu_seconds > 0.0


def test_bankruptcy_ends_a_game() -> None:
    poor = {"params": {"company.initial_cash_usd": 1_000, "clock.horizon_days": 28}}
    found = Game.of("CEOBench-v0", "passive", poor).play(1)
    assert found.bankrupt
    assert found.survival_days == 12  # 1,000 / 85 a day
    assert found.final_cash_usd == 1_000 - 12 * 85
    assert found.weekly_cash_usd == (1_000.0, 405.0, -20.0)


def test_two_workers_give_the_same_bits_as_one_in_any_order() -> None:
    alone = outcome(list(play_many(STEADY, [1, 2, 3, 4])))
    spread = outcome(list(play_many(STEADY, [4, 2, 1, 3], workers=2)))
    assert spread == alone
    assert len(set(alone.values())) == 4


def test_records_are_off_unless_asked_for() -> None:
    assert STEADY.env_args == {"record": "none", **MONTH}
    assert Game.of("CEOBench-v0", "steady", {"record": "full"}).env_args == {"record": "full"}
    assert Game.of("ceo_gym:CEOBench-v0", "steady", MONTH) == STEADY


@pytest.mark.parametrize("workers", [1, 2])
def test_a_failing_game_is_named(workers: int) -> None:
    unfit = Game("CEOBench-v0", {"record": "none", "obs": "compact", **MONTH}, "steady")
    with pytest.raises(EpisodeFailed, match=r"steady in CEOBench-v0 failed on seed [12]:.*full"):
        list(play_many(unfit, [1, 2], workers))


def test_the_cause_of_a_failure_comes_through() -> None:
    unfit = Game("CEOBench-v0", {"record": "none", "obs": "compact", **MONTH}, "steady")
    with pytest.raises(EpisodeFailed) as alone:
        unfit.play(1)
    assert isinstance(alone.value.__cause__, ValueError)
    with pytest.raises(EpisodeFailed) as spread:
        list(play_many(unfit, [1, 2], 2))
    assert "Traceback" in spread.value.__notes__[0]
    assert "steady.py" in spread.value.__notes__[0]


def test_a_worker_that_dies_is_told_and_the_others_end() -> None:
    games = play_many(STEADY, range(1, 9), 2)
    next(games)
    workers = multiprocessing.active_children()
    assert len(workers) == 2
    workers[0].kill()
    with pytest.raises(EpisodeFailed, match="a worker ended with exit code"):
        list(games)
    assert not multiprocessing.active_children()


def test_closing_the_iterator_ends_the_workers() -> None:
    games = play_many(STEADY, range(1, 9), 2)
    next(games)
    games.close()
    assert not multiprocessing.active_children()


def test_a_policy_that_raises_loses_no_finished_game(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    from ceo_gym.baselines import Passive
    from ceo_gym.evaluation import Evaluation

    class Fragile(Passive):
        def reset(self, seed: int | None = None) -> None:
            if seed == 2:
                raise KeyError("two")

    monkeypatch.setitem(POLICIES, "fragile", Fragile)
    file = tmp_path / "games.json"
    with pytest.raises(EpisodeFailed, match="fragile in CEOBench-v0 failed on seed 2: KeyError"):
        evaluate("CEOBench-v0", "fragile", "1:3", out=file, env_args=MONTH)
    assert list(Evaluation.read(file).by_seed) == [1]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("CEOBench-v1", "steady"), "did you mean CEOBench-v0"),
        (("CEOBench-v0", "stedy"), "did you mean steady"),
        (("CEOBench-v0", "steady", {"param": {}}), "no argument 'param'; did you mean params"),
        (("CEOBench-v0", "steady", {"variant": {}}), "no argument 'variant'"),
        (("CEOBench-v0", "steady", {"judge": print}), "the argument judge must be plain JSON"),
        (("CEOBench-v0", "steady", {"params": {"a": math.nan}}), "must be plain JSON"),
    ],
)
def test_bad_games_are_refused(arguments: tuple[Any, ...], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Game.of(*arguments)
