"""A session is killed at any moment and goes on; it ends with the score of the whole run."""

import random
import subprocess
import sys
import time
from pathlib import Path

from ceo_gym.runs import read_journal
from ceo_gym.sessions import Session, replay
from tests.sandbox_here import NEEDS_BOX
from tests.sessions.games import begin, play

KILLS = 5
ROOT = Path(__file__).parents[2]

pytestmark = NEEDS_BOX


def start(directory: Path) -> subprocess.Popen[str]:
    """A process that plays the session; it has it open when this returns."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.sessions.games", str(directory)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "open\n"
    return process


def deciding(directory: Path) -> list[tuple[object, ...]]:
    """The decisions of a run, in order, each once."""
    return [
        (entry["day"], entry["tool"], str(entry["args"]))
        for entry in read_journal(directory)
        if entry["kind"] == "call" and entry["tool"] in ("research_market", "next_week")
    ]


def test_a_session_killed_five_times_ends_with_the_same_score(tmp_path: Path) -> None:
    with begin(tmp_path / "whole") as session:
        begun = time.monotonic()
        play(session)
        seconds = time.monotonic() - begun
        status = session.status

    killed = tmp_path / "killed"
    begin(killed).close()
    moments = random.Random(1)
    kills = 0
    while kills < KILLS:
        process = start(killed)
        time.sleep(moments.uniform(0.02, seconds / 8))
        process.kill()
        process.communicate()
        kills += 1
    with Session.open(killed) as session:
        assert session.status["status"] == "running", "it was killed during the game each time"
        play(session)
        assert session.status == status
    assert deciding(killed) == deciding(tmp_path / "whole")
    assert replay(killed).final_cash_usd == status["cash_usd"]


def test_a_kill_between_a_week_and_its_record_loses_nothing(tmp_path: Path) -> None:
    with begin(tmp_path) as session:
        session.call("set_prices", {"A": 40})
        session.advance("why")
        saved = session.desk.save()
    path = tmp_path / "journal.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:-1]))  # the entry of the week is gone
    (tmp_path / "state.bin").unlink()
    with Session.open(tmp_path) as session:
        assert session.desk.save() == saved
    assert path.read_bytes() == whole
