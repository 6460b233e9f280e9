"""ceo-gym train."""

import shlex
import sys
from pathlib import Path

import pytest

from ceo_gym.cli import main
from ceo_gym.training import extras
from ceo_gym.training.curve import read
from ceo_gym.training.settings import Settings

TINY = ["--quiet", "--envs", "2", "--env-arg", 'params={"clock.horizon_days": 28}']
for each in ("weeks=6", "batch=6", "epochs=1", "eval_seeds=2", "eval_every=1"):
    TINY += ["--set", each]


def run(out: Path, *arguments: str) -> int:
    return main(["train", "--out", str(out), *TINY, *arguments])


def test_it_trains_goes_on_and_says_how_to_evaluate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("stable_baselines3", reason="needs the extra sb3")
    pytest.importorskip("sb3_contrib", reason="needs the extra sb3")
    words = ["--env", "CEOBench-v0", "--start", "empty", "--seed", "3", "--algo", "maskable_ppo"]
    assert run(tmp_path, *words, "--steps", "12") == 0
    assert run(tmp_path, *words, "--steps", "24") == 0
    out = capsys.readouterr().out.splitlines()
    assert "maskable_ppo in CEOBench-v0, start empty: 12 weeks" in out[0]
    assert "24 weeks" in out[3]
    assert [point.update for point in read(tmp_path / "curve.csv")] == [0, 1, 2]
    assert any((tmp_path / "tensorboard").iterdir())
    command = shlex.split(out[-1])
    seeds = command.index("--seeds") + 1
    command[seeds] = "1:2"
    assert main([*command[1:], "--quiet", *TINY[3:5]]) == 0
    assert 'start="empty"' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "needs a budget"),
        (["--steps", "0"], "steps must be above 0"),
        (["--steps", "9", "--algo", "dqn"], "no algorithm 'dqn'"),
        (["--steps", "9", "--start", "full"], "no start 'full'"),
        (["--steps", "9", "--env", "CEOBench-v9"], "no environment 'CEOBench-v9'"),
        (["--steps", "9", "--env-arg", "actions=full"], "training decides the argument actions"),
        (["--steps", "9", "--set", "learning_speed=1"], "no setting 'learning_speed'"),
        (["--steps", "9", "--set", "envs=4"], "envs has an option of its own"),
        (["--steps", "9", "--envs", "0"], "envs is a whole number from 1"),
    ],
)
def test_errors_teach(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("stable_baselines3", reason="needs the extra sb3")
    pytest.importorskip("sb3_contrib", reason="needs the extra sb3")
    out = tmp_path / "run"
    assert run(out, *arguments) == 2
    assert message in capsys.readouterr().err
    assert not out.exists()


def test_a_missing_extra_says_the_pip_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "NEEDS", {"no_such_module": "no-such-package"})
    assert run(tmp_path / "run", "--steps", "9") == 2
    error = capsys.readouterr().err
    assert 'training needs no-such-package: pip install "ceo-gym[sb3]"' in error
    assert not (tmp_path / "run").exists()


def test_the_command_needs_no_torch_to_start() -> None:
    import subprocess

    code = "import ceo_gym.cli, ceo_gym.training, sys; print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_settings_survive_a_file() -> None:
    settings = Settings(env="ceo_gym:CEOBench-v0", env_args={"max_agents": 50})
    assert settings.env == "CEOBench-v0"
    assert settings.company_args["max_agents"] == 50
    assert Settings.from_dict(settings.as_dict()) == settings


def test_batches_divide_an_update() -> None:
    with pytest.raises(ValueError, match=r"the 1152 decisions .* multiple of batch"):
        Settings(batch=100)
