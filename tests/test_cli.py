"""The command ceo-gym."""

import csv
import json
from pathlib import Path

import gymnasium as gym
import pytest

from ceo_gym.cli import main
from ceo_gym.registration import ENVIRONMENTS
from ceo_gym.runs import read_weeks
from ceo_gym.runs.record import TABLES


def run(*arguments: str) -> int:
    return main(["run", "--quiet", *arguments])


def test_run_writes_a_directory_that_reproduces_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = tmp_path / "a", tmp_path / "b"
    assert run("--days", "45", "--seed", "3", "--out", str(first)) == 0
    tables = {table.file for table in TABLES.values()} - {"texts.csv"}
    assert {path.name for path in first.iterdir()} == {"config.json", "run.png"} | tables
    config = json.loads((first / "config.json").read_text())
    assert config["seed"] == 3
    assert config["parameters"] == {"clock.horizon_days": 45}
    assert (first / "run.png").read_bytes().startswith(b"\x89PNG")
    assert run("--config", str(first), "--out", str(second)) == 0
    for table in tables:
        assert (first / table).read_bytes() == (second / table).read_bytes()
    assert f"${config['result']['final_cash_usd']:,.2f}" in capsys.readouterr().out


def test_weeks_add_up(tmp_path: Path) -> None:
    assert run("--days", "45", "--out", str(tmp_path)) == 0
    weeks = read_weeks(tmp_path)
    assert [week["day"] for week in weeks] == [7, 14, 21, 28, 35, 42, 45]
    cash = 1_000_000.0
    for week in weeks:
        cash += sum(v for name, v in week.items() if name.startswith("income_"))
        cash -= sum(v for name, v in week.items() if name.startswith("cost_"))
        assert cash == pytest.approx(week["cash_usd"], abs=0.01)
        accounts = sum(v for name, v in week.items() if name.startswith("subscribers_"))
        assert accounts == week["individual_subscribers"] + week["enterprise_accounts"]


def test_table_has_a_line_a_week(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--policy", "passive", "--days", "21"]) == 0
    out = capsys.readouterr().out
    assert [line.split()[0] for line in out.splitlines() if line.strip()][:4] == [
        "day",
        "7",
        "14",
        "21",
    ]
    assert "final cash $998,215.00 on day 21 (horizon reached" in out


def test_parameters_and_env_can_be_changed(tmp_path: Path) -> None:
    changed = ["--set", "company.initial_cash_usd=5000", "--env", "CEOBench-Repaired-v0"]
    assert run("--policy", "passive", "--days", "70", *changed, "--out", str(tmp_path)) == 0
    with (tmp_path / "weeks.csv").open() as file:
        last = list(csv.DictReader(file))[-1]
    assert int(last["day"]) == 59  # 5000 / 85 a day
    assert float(last["cash_usd"]) == 5000 - 59 * 85


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "stedy"], "did you mean steady"),
        (["--days", "0"], "clock.horizon_days must be a finite number at least 1"),
        (["--seed", "-1"], "seed must be a whole number >= 0"),
        (["--env", "CEOBench-Repared-v0"], "did you mean CEOBench-Repaired-v0"),
        (["--set", "competitors.catchup_max=1"], "did you mean competitors.catch_up_max"),
        (["--set", "competitors.catch_up_max=NaN"], "finite numbers"),
        (["--set", "competitors.catch_up_max"], "--set takes NAME=VALUE"),
        (["--set", "competitors.catch_up_max=high"], "is not a number"),
        (["--config", "no-such-directory"], "No such file"),
    ],
)
def test_bad_input_gets_one_clear_message(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_list_names_every_environment(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(ENVIRONMENTS)


@pytest.mark.parametrize("profile", ["full", "core", "manager"])
def test_describe_shows_every_key(profile: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "CEOBench-Short-v0", "--actions", profile, "--obs", "compact"]) == 0
    out = capsys.readouterr().out
    assert "a horizon of 50 days" in out
    assert "## Episode End" in out
    made = gym.make("CEOBench-Short-v0", actions=profile, obs="compact", record="none")
    shown = {line.split("│")[1].strip() for line in out.splitlines() if line.startswith("│")}
    for space in (made.observation_space, made.action_space):
        assert isinstance(space, gym.spaces.Dict)
        assert set(space.spaces) <= shown


def test_describe_has_every_cell_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "CEOBench-v0", "--json"]) == 0
    described = json.loads(capsys.readouterr().out)
    assert described["observation"]["company"]["cells"]["cash"]["unit"] == "USD"
    assert len(described["action"]["ads"]["cells"]) == 130


def test_unknown_names_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["describe", "CEOBench"]) == 2
    assert "did you mean CEOBench-v0" in capsys.readouterr().err
    assert main(["describe", "CEOBench-v0", "--actions", "manger"]) == 2
    assert "manager" in capsys.readouterr().err


def test_broken_config_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "config.json"
    file.write_text("{")
    assert run("--config", str(file)) == 2
    assert "is not a run configuration" in capsys.readouterr().err
