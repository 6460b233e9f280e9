"""The file of a trained policy, and the class that plays it."""

import json
from pathlib import Path
from typing import Any

import gymnasium as gym
import numpy as np
import pytest

from ceo_gym.baselines import make_policy, needed_env_args
from ceo_gym.evaluation import evaluate
from ceo_gym.training.envs import make_env, seen, wrapped
from ceo_gym.training.policy import Trained, read
from tests.training.companies import SHORT, tiny

NAME = "ceo_gym.training:Trained"


@pytest.fixture(scope="module", params=["ppo", "maskable_ppo"])
def run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("stable_baselines3", reason="needs the extra sb3")
    pytest.importorskip("sb3_contrib", reason="needs the extra sb3")
    from ceo_gym.training import train

    out = tmp_path_factory.mktemp(request.param)
    train(tiny(algorithm=request.param), out, steps=24)
    return out


def test_it_acts_as_the_learner_does(run: Path) -> None:
    from ceo_gym.training import checkpoints
    from ceo_gym.training.learner import Learner

    settings = read(run / "model.npz")[0]
    learner = Learner(settings, run, parallel=False)
    learner.resume(checkpoints.found(run / "checkpoints")[-1])
    env = make_env(settings)
    company: Any = gym.make(
        f"ceo_gym:{settings.env}", **Trained.env_args(str(run / "model.npz")), params=SHORT
    )
    policy = make_policy(NAME, company, model=str(run / "model.npz"))
    (theirs, _), (ours, info) = env.reset(seed=3), company.reset(seed=3)
    policy.reset(3)
    for _ in range(4):
        np.testing.assert_array_equal(theirs, seen(wrapped(company, settings.algorithm), ours))
        normal = learner.model.get_env().normalize_obs(theirs)
        masks = settings.algorithm == "maskable_ppo"
        extra = {"action_masks": env.get_wrapper_attr("action_masks")()} if masks else {}
        action, _ = learner.model.predict(normal, deterministic=True, **extra)
        mine = policy.act(ours, info)
        theirs, *_ = env.step(action)
        ours, _, _, _, info = company.step(mine)
        for name, part in ours.items():
            assert np.isfinite(part).all(), name
    assert company.unwrapped.world.company.cash_usd == pytest.approx(
        env.unwrapped.world.company.cash_usd, rel=1e-4
    )
    learner.close()


def test_it_can_be_evaluated_in_workers(run: Path) -> None:
    file = str(run / "best.npz")
    assert needed_env_args(NAME, model=file) == {"actions": "manager", "start": "configured"}
    found = [
        evaluate(
            "CEOBench-v0",
            NAME,
            "1:2",
            workers=workers,
            env_args={"params": SHORT, "max_agents": 500},
            policy_args={"model": file},
        )
        for workers in (1, 2)
    ]
    cash = [[episode.final_cash_usd for episode in each.episodes] for each in found]
    assert cash[0] == cash[1]
    assert set(found[0].identity["policy_files"]) == {"model", "class"}


def test_wrong_files_and_envs(run: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.npz"
    np.savez(other, about=np.array(json.dumps({"format": "else", "version": 1})))
    nothing = tmp_path / "text.npz"
    nothing.write_text("words")
    for path in (other, nothing):
        with pytest.raises(ValueError, match="not the file of a trained policy"):
            read(path)
    with pytest.raises(FileNotFoundError):
        Trained.env_args(str(tmp_path / "none.npz"))
    with pytest.raises(ValueError, match="manager"):
        evaluate(
            "CEOBench-v0",
            NAME,
            "1",
            env_args={"actions": "full"},
            policy_args={"model": str(run / "model.npz")},
        )


def test_playing_needs_no_torch(run: Path) -> None:
    import subprocess
    import sys

    code = (
        "import sys, gymnasium as gym; from ceo_gym.training import Trained; "
        f"path = {str(run / 'model.npz')!r}; "
        "env = gym.make('ceo_gym:CEOBench-v0', record='none', **Trained.env_args(path)); "
        "policy = Trained(env, path); policy.act(*env.reset(seed=1)); "
        "print([name for name in ('torch', 'stable_baselines3') if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
