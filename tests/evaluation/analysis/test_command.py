"""ceo-gym analyse."""

import json
import re
import shlex
from pathlib import Path

import pytest

from ceo_gym.cli import main
from ceo_gym.evaluation.analysis import report
from tests.evaluation.analysis.records import record

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "analysis.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^ceo-gym (.*)$", PAGE, re.MULTILINE)


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    found = []
    for policy in ("steady", "passive"):
        out = str(tmp_path_factory.mktemp(policy) / "run")
        command = ["run", "--policy", policy, "--days", "45", "--seed", "2", "--quiet"]
        assert main([*command, "--out", out]) == 0
        found.append(out)
    return found


def test_table_of_several_runs(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", *runs]) == 0
    out = capsys.readouterr().out
    assert f"{runs[0]}: steady in CEOBench-v0, seed 2" in out
    rows = {line.split()[0]: line.split()[1:] for line in out.splitlines() if line.strip()}
    assert rows["final_cash"][2] == "$996,175"
    assert rows["cac"][-1] == "-"
    assert "no account was won: cac" in out
    assert "Every forecast was the built-in one." in out
    assert "built_in_7d" not in out
    assert "_mean" not in out


def test_json_has_everything(runs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["analyse", "--json", *runs]) == 0
    first, second = json.loads(capsys.readouterr().out)
    assert first["run"] == runs[0]
    assert second["config"]["policy"] == "passive"
    assert second["measures"]["score"]["survival_days"] == {
        "value": 45.0,
        "unit": "days",
        "reason": "",
    }
    assert second["measures"]["forecasts"]["built_in_182d_error_mean"]["value"] is None


def test_a_record_of_no_known_policy_is_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record().write(tmp_path)
    assert main(["analyse", str(tmp_path)]) == 0
    assert f"{tmp_path}: by hand in ?, seed ?" in capsys.readouterr().out


def test_bad_input_gets_one_clear_message(
    tmp_path: Path, runs: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "games.json"
    file.write_text("{}")
    for wrong, message in (
        (tmp_path / "none", "is not there; a run record is a directory"),
        (file, "is a file; a run record is a directory"),
        (tmp_path, "it lacks config.json; ceo-gym run --out DIR writes one"),
    ):
        assert main(["analyse", runs[0], str(wrong)]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert message in err
        assert err.count("\n") == 1


def test_the_page_tells_every_measure() -> None:
    told = set(re.findall(r"`(\w+)`", PAGE))
    for subject, measures in report(record()).measures.items():
        if subject != "cash by category":
            assert {name for name in measures if not re.search(r"\d+d_", name)} <= told


def numbers(text: str) -> dict[str, list[float]]:
    """The percents of each measure in a table, as shares."""
    rows = re.findall(r"^ *(\w+) +(?:share|relative) {2,}(.*%)$", text, re.MULTILINE)
    return {name: list(map(share, cells.split())) for name, cells in rows}


def share(cell: str) -> float:
    return float("nan") if cell == "-" else float(cell.rstrip("%").replace(",", "")) / 100


def test_the_commands_of_the_page_work_and_give_its_table(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for command in COMMANDS[:3]:
        assert main(shlex.split(command)) == 0
    shown, found = numbers(PAGE), numbers(capsys.readouterr().out)
    assert len(shown) == 6
    for name, cells in shown.items():
        assert found[name] == pytest.approx(cells, abs=0.002), name
    assert len(COMMANDS) >= 7
    for command in COMMANDS[3:]:
        words = shlex.split(command)
        if words[0] == "evaluate":
            words += ["--env-arg", 'params={"clock.horizon_days": 14}', "--quiet"]
            words[words.index("--seeds") + 1] = "1001"
        assert main(words) == 0, command
    assert (tmp_path / "runs" / "fans.png").read_bytes().startswith(b"\x89PNG")
