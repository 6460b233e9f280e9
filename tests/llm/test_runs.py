"""Many runs of an agent by the command, killed and gone on with, and their report."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.llm import AgentOptions
from ceo_gym.llm.offline import load_scripted
from ceo_gym.llm.runs import AgentRuns, ModelChoice, chosen_seeds, play_runs
from ceo_gym.runs import read_journal
from ceo_gym.sessions import replay
from tests.llm.server import completion, gives, serving
from tests.sandbox_here import NEEDS_BOX

ROOT = Path(__file__).parents[2]
PLAYER = "scripted:tests.llm.player:play"


def command(*words: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ceo_gym", "agent", *map(str, words)],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        **options,
    )


def weeks_played(directory: Path) -> int:
    path = directory / "journal.jsonl"
    return path.read_bytes().count(b'"kind":"week"') if path.exists() else 0


@NEEDS_BOX
def test_a_game_of_500_days_killed_three_times_ends_with_the_same_score(tmp_path: Path) -> None:
    whole, killed = tmp_path / "whole", tmp_path / "killed"
    words = ("--model", PLAYER, "--seeds", "5:5", "--quiet", "--out")
    finished = command(*words, whole)
    assert finished.returncode == 0, finished.stderr
    for weeks in (9, 30, 61):
        process = subprocess.Popen(
            [sys.executable, "-m", "ceo_gym", "agent", *words, str(killed)],
            cwd=ROOT,
            stdout=subprocess.DEVNULL,
        )
        deadline = time.monotonic() + 120
        while weeks_played(killed / "seed-5") < weeks and time.monotonic() < deadline:
            time.sleep(0.05)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        assert weeks_played(killed / "seed-5") < 72
    assert command(*words, killed).returncode == 0
    ends = [json.loads((d / "report.json").read_text())["each"][0] for d in (whole, killed)]
    assert ends[0]["final_cash_usd"] == ends[1]["final_cash_usd"]
    assert ends[0]["weekly_cash_usd"] == ends[1]["weekly_cash_usd"]
    for name in ("status", "turns", "calls", "programs", "input_tokens", "cost_usd", "forecasts"):
        assert ends[0][name] == ends[1][name], name
    assert (ends[0]["status"], ends[0]["weeks"], ends[0]["days"]) == ("completed", 72, 500)
    assert replay(killed / "seed-5").final_cash_usd == ends[0]["final_cash_usd"]


@NEEDS_BOX
def test_several_runs_and_their_report(tmp_path: Path) -> None:
    found = command(
        *("--model", PLAYER, "--seeds", 2, "--repeat", 2, "--days", 35, "--workers", 2),
        *("--out", tmp_path / "out", "--max-cost", 1),
    )
    assert found.returncode == 0, found.stderr
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    names = sorted(Path(run["directory"]).name for run in report["each"])
    assert names == ["seed-1001", "seed-1001-run-2", "seed-1002", "seed-1002-run-2"]
    assert (report["runs"], report["status"]) == (4, {"completed": 4})
    assert report["turns_a_week"] == 3
    assert report["error_rate"] == 0
    assert report["input_tokens"] == 4 * 5 * (1000 + 1100 + 1200)
    assert report["cost_usd"] == pytest.approx(4 * 5 * 3 * 0.001)
    assert report["forecasts"]["7"]["scored"] == 20
    assert 0 <= report["forecasts"]["7"]["coverage"] <= 1
    assert "final cash, mean" in found.stdout
    assert "$0.06" in found.stdout
    by_seed = {Path(r["directory"]).name: r["final_cash_usd"] for r in report["each"]}
    assert by_seed["seed-1001"] == by_seed["seed-1001-run-2"] != by_seed["seed-1002"]


def test_a_directory_is_of_one_agent(tmp_path: Path) -> None:
    runs = AgentRuns(tmp_path, ModelChoice(PLAYER), (1,), options=AgentOptions(act="tools"))
    (tmp_path / "config.json").write_text(json.dumps(runs.config | {"model": "another"}))
    with pytest.raises(ValueError, match="holds runs of another agent: model is 'another'"):
        play_runs(runs)


def test_a_model_out_of_reach_is_told_and_the_other_runs_go_on(tmp_path: Path) -> None:
    with serving(gives({"error": "no such model"}, 404)) as server:
        found = command(
            *("--model", "m", "--base-url", server.url, "--seeds", 2, "--days", 14),
            *("--out", tmp_path / "out"),
            env=os.environ | {"OPENAI_API_KEY": "sk-very-secret"},
        )
    assert found.returncode == 1
    assert "2 failed" in found.stdout
    assert "answers 404" in found.stderr
    everything = b"".join(
        path.read_bytes() for path in (tmp_path / "out").rglob("*") if path.is_file()
    )
    assert b"sk-very-secret" not in everything
    assert "sk-very-secret" not in found.stdout + found.stderr


def test_a_server_plays_by_the_command(tmp_path: Path) -> None:
    arguments = json.dumps(
        {
            "rationale": "go",
            "predictions": {
                f"cash_{h}": {"point": 1e6, "lower": 9e5, "upper": 1.1e6}
                for h in ("1wk", "4wk", "12wk", "26wk")
            },
        }
    )
    week = completion("", [{"name": "next_week", "arguments": arguments}])
    with serving(gives(week)) as server:
        found = command(
            *("--model", "m", "--base-url", server.url, "--seeds", "7:7", "--days", 28),
            *("--price", 1, 2, "--parameter", "temperature=0", "--act", "tools"),
            *("--out", tmp_path / "out"),
        )
    assert found.returncode == 0, found.stderr
    assert server.requests[0]["temperature"] == 0
    each = json.loads((tmp_path / "out" / "report.json").read_text())["each"][0]
    assert (each["weeks"], each["turns"]) == (4, 4)
    assert each["cost_usd"] == pytest.approx(4 * (100 * 1 + 20 * 2) / 1e6)
    begun = read_journal(tmp_path / "out" / "seed-7")[0]
    assert begun["about"]["model"] == "m"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--model", "scripted:nowhere:play"), "no scripted player"),
        (("--model", "scripted:play"), "module:name"),
        (("--model", "m", "--base-url", "localhost"), "begins with http"),
        (("--model", "m", "--env", "CEOBench-v9"), "no environment"),
        (("--model", "m", "--seeds", "99"), "from 1 to 32"),
        (("--model", "m", "--repeat", "0"), "above 0"),
        (("--model", "m", "--max-turns", "0"), "above 0"),
        (("--model", "m", "--price", "-1", "1"), "from 0"),
        (("--model", "m", "--workers", "0"), "workers"),
        (("--model", "replay:nowhere"), "no journal"),
    ],
)
def test_what_is_wrong_is_told_before_a_run_begins(
    tmp_path: Path, words: tuple[str, ...], said: str
) -> None:
    found = command(*words, "--out", tmp_path / "out")
    assert found.returncode == 2
    assert said in found.stderr
    assert "Traceback" not in found.stderr
    assert not (tmp_path / "out").exists()


def test_seeds_of_a_command_line() -> None:
    assert chosen_seeds("3") == (1001, 1002, 1003)
    assert chosen_seeds("42:42", repeat=3) == (42, 42, 42)
    assert chosen_seeds("paper") == (42,)
    assert chosen_seeds("1:3") == (1, 2, 3)


def test_a_scripted_player_may_be_a_class() -> None:
    assert load_scripted("tests.llm.test_runs:Silent").complete([], []).text == "hm"


class Silent:
    """A player that says something."""

    def __call__(self, messages: Any, tools: Any) -> Any:
        from ceo_gym.llm import Reply

        return Reply("hm")


def test_litellm_says_what_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ceo_gym.extras.find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match=r'pip install "ceo-gym\[llm\]"'):
        ModelChoice("litellm:x").client()
