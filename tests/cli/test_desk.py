"""ceo-gym desk: a company from a terminal, command by command, through kills of what keeps it."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.cli.desk import novamind_operation as client
from ceo_gym.runs import read_journal
from ceo_gym.sessions import replay
from tests.sandbox_here import NEEDS_BOX

pytestmark = [
    NEEDS_BOX,
    pytest.mark.skipif(not client.CAN_MEET, reason="needs sockets that are files"),
]

TWELVE = ["1e6", "9e5", "1.1e6"] * 4
CEO_GYM = [sys.executable, "-m", "ceo_gym"]


def run(*command: object, **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=False, **options
    )


class Terminal:
    """A terminal in a folder of sessions."""

    def __init__(self, home: Path) -> None:
        self.home = home

    def __call__(self, *words: object) -> subprocess.CompletedProcess[str]:
        return run(*CEO_GYM, "desk", "--home", self.home, *words)

    def json(self, *words: object) -> Any:
        found = self(*words)
        assert found.returncode == 0, found.stderr
        return json.loads(found.stdout)

    def keeper(self) -> int:
        """The process that keeps the latest session open."""
        name = str(self.home.resolve())
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if "host" in words and any(word.startswith(name) for word in words):
                return int(folder.name)
        raise AssertionError("nothing keeps the session")


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """A game of 98 days that the tests play on."""
    terminal = Terminal(tmp_path_factory.mktemp("desk") / "home")
    terminal.json("new-session", "--days", 98, "--seed", 3)
    yield terminal
    terminal("stop")


@pytest.fixture(scope="module")
def operation(desk: Terminal) -> str:
    """The executable of the session."""
    return str(desk.home.resolve() / "session-1" / "bin" / "novamind-operation")


def test_a_new_session_says_where_it_is(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path / "home")
    made = terminal.json("new-session", "--days", "30", "--seed", "7", "--cash", "2000000")
    assert made["session_id"] == "session-1"
    assert (made["seed"], made["total_days"], made["initial_cash"]) == (7, 30, 2e6)
    assert Path(made["workspace"]).is_dir()
    assert os.access(made["command"], os.X_OK)
    again = terminal.json("new-session", "--env", "CEOBench-Short-v0")
    assert (again["session_id"], again["total_days"]) == ("session-2", 50)
    listed = terminal.json("list-sessions")
    assert listed["count"] == 2
    assert [s["session_id"] for s in listed["sessions"]] == ["session-1", "session-2"]
    assert terminal.json("status")["session_id"] == "session-2"  # the latest
    assert terminal.json("status", "--session", "session-1")["total_days"] == 30
    terminal("stop")
    terminal("stop", "--session", "session-1")


def test_what_is_wrong_is_told(tmp_path: Path, desk: Terminal) -> None:
    empty = Terminal(tmp_path)
    for found, status, words in (
        (empty("status"), 1, "Error: there is no session in"),
        (empty("new-session", "--env", "CEOBench-v9"), 1, "no environment 'CEOBench-v9'"),
        (empty("new-session", "--days", "-5"), 1, "horizon_days"),
        (desk("status", "--session", "nine"), 1, "known: session-1"),
        (desk("dance"), 2, "invalid choice: 'dance'"),
        (desk("query"), 2, "required: sql"),
        (desk("query", "SELECT x FROM ledger"), 1, "Error: no such column: x"),
        (desk("query", "DROP TABLE ledger"), 1, "Error: "),
        (desk("next-week", "why"), 1, "12 numbers"),
        (desk("next-week", "why", *["x"] * 12), 1, "could not convert"),
        (desk("next-week", "why", *["3", "2", "1"] * 4), 1, "lower <= point <= upper"),
        (desk("python", "missing.py"), 1, "cannot read missing.py"),
        (desk("call", "set_prices", "{"), 1, "not JSON"),
        (desk("call", "set_prices", '{"A": -1}'), 1, "must be above 0"),
        (desk("history", "--tail", "0"), 1, "above 0"),
    ):
        assert found.returncode == status, found
        assert words in found.stderr
        assert "Traceback" not in found.stderr
    assert not list(tmp_path.iterdir())


def test_a_week_from_the_terminal(operation: str) -> None:
    code = "import novamind_api as nm; print(nm.pricing.set_prices(A=40)['current'])"
    assert run(operation, "python-c", code).stdout == "{'A': 40.0, 'B': 0.0, 'C': 0.0}\n"
    before = json.loads(run(operation, "status").stdout)
    week = run(operation, "next-week", "why", "1e6", "-1e6", "2e6", *TWELVE[3:])
    assert week.returncode == 0, week.stderr
    assert week.stdout.startswith(f"WEEK {before['week'] + 1} | DAY ")
    rows = json.loads(run(operation, "query", "SELECT * FROM predictions").stdout)["rows"]
    assert rows[0]["predicted_lower"] == -1e6
    status = json.loads(run(operation, "status").stdout)
    assert status["current_day"] == before["current_day"] + 7
    assert status["server_running"] is True


def test_scripts_of_the_workspace_and_of_elsewhere(
    operation: str, desk: Terminal, tmp_path: Path
) -> None:
    workspace = desk.home / "session-1" / "workspace"
    (workspace / "helpers.py").write_text("def double(x): return 2 * x\n")
    (workspace / "plan.py").write_text(
        "import sys\nfrom helpers import double\nprint(double(21), sys.argv[1:], __file__)\n"
        "open('out.txt', 'w').write('kept')\nsys.exit(3)\n"
    )
    found = run(operation, "python", workspace / "plan.py", "a", "-b")
    path = (workspace / "plan.py").resolve()
    assert found.stdout == f"42 ['a', '-b'] {path}\n"
    assert found.returncode == 3
    assert (workspace / "out.txt").read_text() == "kept"
    (tmp_path / "other.py").write_text("print(open('out.txt').read())")
    assert run(operation, "python", tmp_path / "other.py").stdout == "kept\n"


def test_the_desk_of_one_session_is_of_no_other(operation: str) -> None:
    """Prompts begin with new-session; two agents in one folder must not meet."""
    listed = json.loads(run(operation, "list-sessions").stdout)
    assert [s["session_id"] for s in listed["sessions"]] == ["session-1"]
    run(operation, "query", "SELECT 1")
    found = run(operation, "new-session", "--seed", "4")
    assert found.returncode == 1
    assert "seed is 3 here" in found.stderr
    assert "has been begun" in run(operation, "new-session", "--seed", "3").stderr
    assert "that of session-1" in run(operation, "status", "--session", "session-2").stderr


def test_a_fresh_desk_gives_its_session_to_who_asks_for_a_new_one(tmp_path: Path) -> None:
    terminal = Terminal(tmp_path)
    made = terminal.json("new-session", "--days", "30", "--seed", "42")
    again = run(made["command"], "new-session", "--days", "30", "--seed", "42")
    assert json.loads(again.stdout) == made
    terminal("stop")


def test_history_tells_what_was_done(desk: Terminal) -> None:
    desk("query", "SELECT 1")
    desk("call", "get_cost_info")
    found = desk.json("history", "--tail", 1)
    assert found["history"][0]["tool"] == "get_cost_info"
    assert found["count"] > 1


def test_what_keeps_it_may_be_killed(desk: Terminal) -> None:
    desk("call", "set_prices", '{"B": 81}')
    status = desk.json("status")
    for _ in range(2):
        os.kill(desk.keeper(), signal.SIGKILL)
        assert desk.json("status") == status
    assert desk.json("call", "get_current_config")["prices"]["B"] == 81


def test_a_kill_in_the_middle_of_a_command_is_told(desk: Terminal) -> None:
    code = "import novamind_api as nm, time; nm.pricing.set_prices(C=150); time.sleep(60)"
    command = [*CEO_GYM, "desk", "--home", str(desk.home), "python-c", code]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline:
        entries = read_journal(desk.home / "session-1")
        if (entries[-1].get("args") or {}) == {"C": 150}:
            break
        time.sleep(0.05)
    os.kill(desk.keeper(), signal.SIGKILL)
    _, said = process.communicate(timeout=20)
    assert process.returncode == 1
    assert "ended before it had answered; what it has done is kept" in said
    assert desk.json("call", "get_current_config")["prices"]["C"] == 150


def test_a_client_that_goes_away_does_not_stop_the_desk(desk: Terminal) -> None:
    desk("status")
    directory = desk.home / "session-1"
    client.reach(directory, []).close()
    keeper = desk.keeper()
    for garbage in (
        b"garbage",
        b"[]",
        b"[" * 100_000,
        b'{"x": 1}',
        b'{"command": "dance"}',
        b'{"command": ["stop"]}',
        b'{"command": "history", "tail": "x"}',
        b'{"command": "query"}',
        b'{"command": "next-week", "rationale": "x", "numbers": [{}]}',
        b'{"command": "python", "code": "1", "script": "\\u0000", "arguments": [1]}',
        b'{"command": "call", "tool": "set_prices", "args": [NaN]}',
        b'{"command": "stop", "now": true}',
    ):
        with client.reach(directory, []) as connection:
            connection.sendall(garbage + b"\n")
            answer = connection.makefile().read()
            assert '"exit_status": 1' in answer or b"python" in garbage, garbage
    with client.reach(directory, []) as connection:
        connection.sendall(b'{"command": "python-c", "code": "print(1)"}\n')
    assert desk.json("status")["session_id"] == "session-1"
    assert desk.keeper() == keeper


def test_stop_ends_what_keeps_it_and_loses_nothing(desk: Terminal) -> None:
    status = desk.json("status")
    process = desk.keeper()
    assert desk.json("stop")["success"] is True
    deadline = time.monotonic() + 10
    while Path(f"/proc/{process}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    with pytest.raises(AssertionError, match="nothing keeps"):
        desk.keeper()
    assert desk.json("status") == status


def test_the_shell_sees_the_desk_and_nothing_behind_it(desk: Terminal, tmp_path: Path) -> None:
    (tmp_path / "writable").mkdir()
    commands = (
        "novamind-operation status | grep session_id; pwd; ls ../..; ls ..",
        f"echo hi > note.txt; echo out > {tmp_path}/writable/x; touch {tmp_path}/y",
        "cat ../journal.jsonl; cat ../state.bin",
        f"{os.path.realpath(sys.executable)} -c 'import ceo_gym.simulators'",
    )
    script = "; ".join(commands)
    found = desk("shell", "--write", tmp_path / "writable", "--", "sh", "-c", script)
    workspace = desk.home.resolve() / "session-1" / "workspace"
    assert found.stdout.splitlines() == [
        '  "session_id": "session-1",',
        str(workspace),
        "session-1",
        "bin",
        "workspace",
    ]
    assert found.stderr.count("No such file") == 2
    assert "No module named 'ceo_gym" in found.stderr
    assert (workspace / "note.txt").read_text() == "hi\n"
    assert (tmp_path / "writable" / "x").exists()
    assert not (tmp_path / "y").exists()
    assert desk("shell", "--", "sh", "-c", "exit 7").returncode == 7


def test_where_processes_cannot_meet_each_command_opens_the_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from ceo_gym.cli import main

    monkeypatch.setattr(client, "CAN_MEET", False)
    desk = ["desk", "--home", str(tmp_path)]
    assert main([*desk, "new-session", "--days", "14"]) == 0
    assert main([*desk, "call", "set_prices", '{"A": 40}']) == 0
    assert main([*desk, "next-week", "why", *TWELVE]) == 0
    assert main([*desk, "query", "SELECT x FROM ledger"]) == 1
    capsys.readouterr()
    assert main([*desk, "status"]) == 0
    assert json.loads(capsys.readouterr().out)["current_day"] == 7
    assert not (tmp_path / "session-1" / client.SOCKET).exists()


def test_replay_verifies_and_writes_tables(desk: Terminal, tmp_path: Path) -> None:
    assert desk("next-week", "why", *TWELVE).returncode == 0
    weeks = desk.json("status")["week"]
    desk("stop")
    directory = desk.home / "session-1"
    found = run(*CEO_GYM, "replay", directory, "--out", tmp_path / "tables")
    assert found.returncode == 0, found.stderr
    assert "bit for bit (the game goes on)" in found.stdout
    assert replay(directory).weeks == weeks
    analysed = run(*CEO_GYM, "analyse", tmp_path / "tables")
    assert analysed.returncode == 0, analysed.stderr
    assert "why" in (tmp_path / "tables" / "texts.csv").read_text()
    path = directory / "journal.jsonl"
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)
    refused = run(*CEO_GYM, "replay", directory)
    assert refused.returncode == 2
    assert "its checksum does not fit" in refused.stderr


def test_runs_of_policies_are_verified_too(tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert run(*CEO_GYM, "run", "--days", 60, "--seed", 3, "--quiet", "--out", out).returncode == 0
    found = run(*CEO_GYM, "replay", out)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("verified: 9 weeks to day 60 under steady, final cash $")
    weeks = (out / "weeks.csv").read_text().splitlines()
    cells = weeks[3].split(",")
    cells[weeks[0].split(",").index("cash_usd")] = "1000000.0"
    (out / "weeks.csv").write_text("\n".join([*weeks[:3], ",".join(cells), *weeks[4:]]) + "\n")
    refused = run(*CEO_GYM, "replay", out)
    assert refused.returncode == 2
    assert "weeks.csv, row 3: cash_usd is another" in refused.stderr
