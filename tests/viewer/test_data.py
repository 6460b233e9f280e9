"""What a page is made of, from journals and records, sound or damaged."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

import pytest

from ceo_gym.cli import main
from ceo_gym.evaluation.recording import record_run
from ceo_gym.runs import RunRecord
from ceo_gym.runs.journal import JOURNAL
from ceo_gym.sessions import Session
from ceo_gym.viewer import load, page_data
from ceo_gym.viewer.data import COLUMNS, SPENDS
from ceo_gym.viewer.page import as_json
from tests.viewer.games import talk

SHORT = {"params": {"clock.horizon_days": 70}}


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return talk(tmp_path_factory.mktemp("viewer") / "talk")


@pytest.fixture(scope="module")
def policy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("viewer") / "policy"
    record_run("CEOBench-v0", "rule_based", 2, env_args=SHORT).write(directory)
    return directory


def test_session_is_verified_and_counted(session: Path) -> None:
    (run,) = page_data([load(session)])["runs"]
    assert run["verified"]
    assert run["verdict"] == "verified bit for bit: 3 weeks, 9 decisions"
    assert run["counts"]["calls"] == 18
    assert run["counts"]["errors"] == 6
    assert run["counts"]["tokens"] == [3600, 102]
    assert run["counts"]["cost_usd"] == 0.75
    assert (run["outcome"], run["day"], run["played"], run["horizon"]) == ("running", 21, 3, 28)
    assert run["player"] == "model "


def test_every_series_is_there_with_a_value_for_each_week(session: Path, policy: Path) -> None:
    for directory in (session, policy):
        (run,) = page_data([load(directory)])["runs"]
        assert run["series"].keys() == COLUMNS.keys() | {"accounts", "gone_choice"}
        assert run["spends"].keys() == SPENDS.keys() | {"all"}
        lengths = {len(values) for values in (*run["series"].values(), *run["spends"].values())}
        assert lengths == {len(run["days"])} == {run["played"] + 1}
        assert run["series"]["cash"][0] == 1_000_000


def test_weeks_hold_decisions_forecasts_and_changes(session: Path) -> None:
    (run,) = page_data([load(session)])["runs"]
    week = run["weeks"][1]
    assert week["said"] == ["rationale 1 "]
    assert ["prices, A", 30.0, 31.0] in week["happened"]["changes"]["rows"]
    assert [row["days"] for row in week["forecasts"]] == [7, 28, 84, 182]
    made = week["forecasts"][0]
    assert made["own"]
    assert made["actual"] == run["series"]["cash"][2]
    assert made["held"] == (made["lower"] <= made["actual"] <= made["upper"])
    assert week["forecasts"][1]["actual"] is None
    assert run["calibration"][0]["count"] == 3


def test_policy_is_played_again(policy: Path) -> None:
    (run,) = page_data([load(policy)])["runs"]
    assert run["verdict"] == "verified bit for bit: 10 weeks, played again"
    assert run["outcome"] == "completed"
    assert run["counts"]["errors"] is None
    assert ["key", "price", 1] in run["weeks"][0]["keys"]
    assert any(week["happened"]["posts"]["count"] for week in run["weeks"])
    assert any(week["happened"]["messages"]["count"] for week in run["weeks"])
    assert any(run["series"]["answers"][1:])


def test_record_of_a_policy_that_is_not_here_shows_its_tables(policy: Path, tmp_path: Path) -> None:
    record = RunRecord.read(policy)
    record.config["policy"] = "nobody_has_this"
    record.write(tmp_path)
    (run,) = page_data([load(tmp_path)])["runs"]
    assert not run["verified"]
    assert run["verdict"].startswith("not played again: ")
    assert run["series"]["mrr"][-1] is not None
    assert "usage" not in run["series"]
    assert run["weeks"][0]["happened"] is None


def test_changed_record_is_told(policy: Path, tmp_path: Path) -> None:
    record = RunRecord.read(policy)
    record.weeks.loc[3, "cash_usd"] += 1.0
    record.write(tmp_path)
    run = load(tmp_path)
    assert run.verdict == (False, "weeks.csv, row 4: cash_usd is another when played again")


def test_changed_journal_is_shown_as_it_is_with_the_line(session: Path, tmp_path: Path) -> None:
    text = (session / JOURNAL).read_text()
    (tmp_path / JOURNAL).write_text(text.replace("rationale 1", "rationale 9"))
    (run,) = page_data([load(tmp_path)])["runs"]
    assert not run["verified"]
    assert re.match(r"journal\.jsonl, line \d+ \(call of next_week", run["verdict"])
    assert run["weeks"][1]["said"] == ["rationale 9 "]
    assert run["series"]["cash"][3] is not None
    assert run["weeks"][1]["forecasts"][0]["actual"] is not None
    assert "delivered_firm" not in run["series"]


def test_interrupted_journal_is_verified_up_to_there(session: Path, tmp_path: Path) -> None:
    data = (session / JOURNAL).read_bytes()
    (tmp_path / JOURNAL).write_bytes(data + b'{"n": 99, "kind": "ca')
    run = load(tmp_path)
    assert run.verdict.holds
    assert "its last line is not whole" in run.verdict.text


HUGE = 10**400  # a number in JSON that no float can hold


def test_malformed_journal_is_no_exception(tmp_path: Path) -> None:
    forecast = [[1], 2, [7, 1, 0, 2], [HUGE, 1, 0, 2], [1e300, 1, 0, 2]]
    lines = [
        {"kind": "begin", "env": 3, "about": [], "seed": math.nan, "total_days": HUGE},
        {"kind": "week", "row": {"days": "x", "cash_usd": None}, "day": 7, "cash_usd": 5},
        {"kind": "week", "row": 3},
        {"kind": "model", "turn": [], "usage": {"input_tokens": HUGE}, "cost_usd": math.inf},
        {"kind": "program", "number": [], "code": None},
        {"kind": "output", "number": {}, "seconds": math.nan, "exit_code": HUGE},
        {"kind": "call", "tool": [], "args": 3, "result_part": 5, "characters": "x"},
        {"kind": "week", "row": {"days": HUGE}, "day": 14, "cash_usd": 6, "forecast": forecast},
        {"kind": "week", "row": {}, "day": 14, "cash_usd": 7},
        {"kind": "week", "row": {}, "day": HUGE, "cash_usd": 7},
        {"kind": "week", "row": {}, "day": 21, "cash_usd": HUGE},
        ["no entry"],
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (tmp_path / JOURNAL).write_text(text + "no json\n" + "[" * 100_000 + "\n")
    data = page_data([load(tmp_path)])
    (run,) = data["runs"]
    assert not run["verified"]
    assert run["days"] == [0, 7, 14]
    assert as_json(data)


def test_session_without_a_week(tmp_path: Path) -> None:
    with Session.create(tmp_path, seed=1) as session:
        session.note("notes", text="begun")
    (run,) = page_data([load(tmp_path)])["runs"]
    assert (run["played"], run["cash"], len(run["weeks"])) == (0, None, 1)


def test_command(
    session: Path, policy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "page.html"
    assert main(["view", str(session), str(policy), "--out", str(out)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0] == "talk: verified bit for bit: 3 weeks, 9 decisions"
    assert printed[1].startswith("policy: verified bit for bit")
    assert printed[2].startswith(f"written: {out} (")
    assert out.read_text().startswith("<!doctype html>")


def test_command_refuses_what_is_no_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(tmp_path)]) == 2
    assert "config.json" in capsys.readouterr().err
