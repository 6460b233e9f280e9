"""ceo-gym evaluate."""

import json
from pathlib import Path

import pytest

from ceo_gym.cli import main
from ceo_gym.evaluation import Evaluation

MONTH = ["--env-arg", 'params={"clock.horizon_days": 28}']


def run(*arguments: str) -> int:
    return main(["evaluate", *MONTH, *arguments])


def test_table_bar_and_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "passive.json"
    assert run("--policy", "passive", "--seeds", "1:2,paper", "--out", str(file)) == 0
    out, err = capsys.readouterr()
    assert "passive in CEOBench-v0, 3 seeds" in out
    rows = {line.split("  ")[0]: line.split() for line in out.splitlines()}
    assert rows["mean"] == ["mean", "$997,620", "$997,620", "to", "$997,620"]
    assert rows["bankruptcies"][1:] == ["0", "of", "3"]
    assert [rows[seed][1:] for seed in ("1", "2", "42")] == [["$997,620", "28"]] * 3
    assert "passive in CEOBench-v0: 3 of 3 games" in err
    assert json.loads(file.read_text())["complete"]


def test_compare_and_workers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "passive.json"
    assert run("--policy", "passive", "--seeds", "1:2", "--quiet", "--out", str(file)) == 0
    other = ["--quiet", "--workers", "2", "--compare", str(file)]
    assert run("--policy", "steady", "--seeds", "2:4", *other) == 0
    out, err = capsys.readouterr()
    assert "steady in CEOBench-v0, less passive in CEOBench-v0, on 1 common seeds" in out
    assert "won, tied, lost" in out
    assert err == ""


def test_arguments_of_the_env_are_json_or_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.json"
    words = ["--env-arg", "start=configured", "--env-arg", "max_agents=500"]
    assert run("--policy", "passive", "--seeds", "1", "--quiet", *words, "--out", str(file)) == 0
    assert Evaluation.read(file).identity["env_args"] == {
        "record": "none",
        "params": {"clock.horizon_days": 28},
        "start": "configured",
        "max_agents": 500,
    }
    assert 'start="configured"' in capsys.readouterr().out


def test_bankrupt_companies_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    poor = 'params={"company.initial_cash_usd": 1000}'
    command = ["evaluate", "--policy", "passive", "--seeds", "1:2", "--env-arg", poor, "--quiet"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "geometric mean (2 seeds count as $1)" in out
    assert "2 of 2" in out
    assert "12 bankrupt" in out
    assert "-$20" in out


def test_ctrl_c_says_what_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def press(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("ceo_gym.evaluation.api.play_many", press)
    file = tmp_path / "games.json"
    assert run("--policy", "passive", "--seeds", "1", "--quiet", "--out", str(file)) == 130
    assert f"interrupted; {file} keeps the finished games" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--policy", "stedy"], "did you mean steady"),
        (["--env", "CEOBench-v9"], "did you mean CEOBench-v0"),
        (["--seeds", "evalution"], "did you mean evaluation"),
        (["--workers", "0"], "workers must be a whole number from 1, not 0"),
        (["--env-arg", "start"], "--env-arg takes KEY=VALUE"),
        (["--env-arg", "params={}"], "--env-arg params is given twice"),
        (["--env-arg", "slots={"], "--env-arg slots: '{' is not JSON"),
        (["--env-arg", "begin=empty"], "CEOBench-v0 has no argument 'begin'"),
        (["--env-arg", "start=emty"], "start must be one of empty, configured"),
        (["--compare", "no-such-file.json"], "No such file"),
    ],
)
def test_bad_input_gets_one_clear_message(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*["--policy", "passive", "--seeds", "1", "--quiet", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert message in err
    assert err.count("\n") == 1


def test_a_file_that_cannot_be_paired_costs_no_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "one.json"
    assert run("--policy", "passive", "--seeds", "1", "--quiet", "--out", str(file)) == 0
    capsys.readouterr()
    other = ["--quiet", "--compare", str(file), "--policy", "steady"]
    for change, message in (
        (["--seeds", "2"], "no seed in common"),
        (["--seeds", "1", "--env", "CEOBench-Repaired-v0"], "other numbers or rules"),
    ):
        assert run(*other, *change) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert message in err
