"""Sessions: what they keep, what they refuse, that they go on, and that their record is true."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.runs import DamagedJournal, Journal, read_journal
from ceo_gym.runs.journal import JOURNAL
from ceo_gym.sandbox import Limits
from ceo_gym.sessions import DifferentOutcome, Session, replay
from ceo_gym.sessions.session import STATE
from ceo_gym.simulators.ceobench.validation import InvalidDecision
from tests.sandbox_here import NEEDS_BOX
from tests.sessions.games import begin, play

SETTINGS = {
    "set_prices": {"A": 40, "B": 80, "C": 150},
    "set_model_tiers": {"A": 2, "B": 3, "C": 4},
    "set_usage_quotas": {"A": 100, "B": 200, "C": 900},
    "set_capacity_tier": {"tier": 1},
    "set_daily_spend": {"operations": 200, "development": 500},
    "set_targeted_ad_spend": {"targeted_spend": {"search_ads": {"S1": 300}, "linkedin": {"E1": 9}}},
    "set_targeted_dev_spend": {"targeted_spend": {"S2": 400}},
    "set_targeted_ops_spend": {"targeted_spend": {"S1": 30}},
    "set_promotion": {"by_group": {"S1": 3}, "by_group_plan": {"S2": {"A": 2}}},
    "set_lead_promotion": {"global_promotion": 1, "by_channel": {"linkedin": 2}},
    "set_ads_strength": {"global_strength": 0.1, "by_group": {"S3": 0.2}},
}


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[Path]:
    return tmp_path / "run"


def set_up(session: Session) -> None:
    for tool, arguments in SETTINGS.items():
        session.call(tool, arguments)


def test_it_goes_on_with_all_settings(directory: Path) -> None:
    with begin(directory) as session:
        set_up(session)
        session.advance("go")
        session.call("set_prices", {"A": 41})
        session.call("research_group", {"group_id": "S1"})
        config, status = session.call("get_current_config"), session.status
        report, saved = session.report(), session.desk.save()
    with Session.open(directory) as session:
        assert session.call("get_current_config") == config
        assert (session.status, session.report()) == (status, report)
        assert session.desk.save() == saved


@pytest.mark.parametrize("state", ["gone", "old", "torn", "of another run"])
def test_without_its_saved_state_it_comes_to_the_same(directory: Path, state: str) -> None:
    with begin(directory) as session:
        set_up(session)
        session.advance()
        old = (directory / STATE).read_bytes()
        session.call("set_prices", {"A": 45})
        session.advance()
        saved = session.desk.save()
    if state == "gone":
        (directory / STATE).unlink()
    elif state == "old":
        (directory / STATE).write_bytes(old)
    elif state == "torn":
        (directory / STATE).write_bytes(old[:1000])
    else:
        with begin(directory.parent / "other", seed=6) as other:
            other.advance()
        shutil.copy(directory.parent / "other" / STATE, directory / STATE)
    with Session.open(directory) as session:
        assert session.desk.save() == saved


def test_every_call_is_kept_refused_ones_too(directory: Path) -> None:
    with begin(directory) as session:
        session.call("set_prices", {"A": 40})
        with pytest.raises(InvalidDecision):
            session.call("set_prices", {"A": -1})
        session.call("query", {"sql": "SELECT 1 AS one"})
        session.note("thought", text="hm")
        with pytest.raises(ValueError, match="written by the session itself"):
            session.note("week", week=1)
    begun, setting, refused, asked, noted = read_journal(directory)
    assert (begun["seed"], begun["total_days"], begun["env"]) == (5, 84, "CEOBench-v0")
    assert setting["result"]["current"]["A"] == 40
    assert (refused["code"], refused["args"]) == ("out_of_range", {"A": -1})
    assert asked["result"]["rows"] == [{"one": 1}]
    assert (noted["kind"], noted["text"], noted["day"]) == ("thought", "hm", 0)


def test_a_week_keeps_forecast_rationale_and_results(directory: Path) -> None:
    forecast = {"point": 9e5, "lower": 8e5, "upper": 1e6}
    predictions = {f"cash_{h}": forecast for h in ("1wk", "4wk", "12wk", "26wk")}
    with begin(directory) as session:
        with pytest.raises(InvalidDecision, match="needs predictions"):
            session.call("next_week", {"rationale": "why"})
        session.call("next_week", {"predictions": predictions, "rationale": "why"})
        cash = session.status["cash_usd"]
    call, week = read_journal(directory)[-2:]
    assert (call["args"]["rationale"], call["day"]) == ("why", 0)
    assert week["forecast"] == [[d, 9e5, 8e5, 1e6] for d in (7.0, 28.0, 84.0, 182.0)]
    assert (week["week"], week["day"], week["cash_usd"]) == (1, 7, cash)
    assert week["row"]["cash_usd"] == cash
    assert not [name for name in week["row"] if name.startswith("hidden_")]


def test_numpy_numbers_are_kept_as_they_act(directory: Path) -> None:
    import numpy as np

    with begin(directory) as session:
        session.call("set_prices", {"A": np.float64(40.5), "B": np.int64(80)})
        session.advance()
    replay(directory)


def test_one_process_at_a_time(directory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ceo_gym.sessions.session.LOCK_S", 0.1)
    with begin(directory):
        with pytest.raises(ValueError, match="open in another process"):
            Session.open(directory)
        with pytest.raises(ValueError, match="holds a session already"):
            begin(directory)
    Session.open(directory).close()


def test_what_is_wrong_leaves_nothing_behind(directory: Path) -> None:
    for wrong, words in (
        ({"env": "CEOBench-v9"}, "no environment 'CEOBench-v9'"),
        ({"env_args": {"colour": 1}}, "colour"),
        ({"env_args": {"params": {"clock.horizon": 3}}}, "horizon_days"),
        ({"options": {"start": "rich"}}, "rich"),
    ):
        with pytest.raises(ValueError, match=words):
            Session.create(directory, **wrong)
        assert not directory.exists()
    with pytest.raises(ValueError, match="holds no session"):
        Session.open(directory)


def test_nothing_goes_on_when_the_journal_cannot_be_written(
    directory: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError("no space left on the device")

    session = begin(directory)
    session.call("set_prices", {"A": 40})
    with monkeypatch.context() as patched:
        patched.setattr(Journal, "add", full)
        with pytest.raises(OSError, match="no space"):
            session.call("set_prices", {"A": 50})
    with pytest.raises(OSError, match="open it again"):
        session.call("set_prices", {"A": 60})
    session.close()
    with Session.open(directory) as session:
        assert session.call("get_current_config")["prices"]["A"] == 40


def test_the_end_is_kept(directory: Path) -> None:
    with begin(directory, days=14) as session:
        session.advance()
        session.advance()
        assert session.status["status"] == "completed"
        with pytest.raises(InvalidDecision, match="over"):
            session.advance()
        session.call("query", {"sql": "SELECT 1"})  # one can still ask
    end = next(entry for entry in read_journal(directory) if entry["kind"] == "end")
    assert (end["current_day"], end["status"]) == (14, "completed")
    assert replay(directory).ended


def test_bankruptcy_is_told(directory: Path) -> None:
    with begin(directory) as session:
        session.call("set_daily_spend", {"operations": 1e6})
        session.advance()
        assert session.status["status"] == "bankrupt"
    assert replay(directory).final_cash_usd < 0


# --- the audit -----------------------------------------------------------------------------------


def rewritten(directory: Path, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change a journal as somebody would who knows how checksums are made."""
    entries = read_journal(directory)
    (directory / JOURNAL).unlink()
    journal = Journal(directory / JOURNAL)
    for entry in entries:
        change(entry)
        journal.add(**{name: value for name, value in entry.items() if name != "n"})
    journal.close()


def test_a_replay_verifies_bit_for_bit(directory: Path) -> None:
    with begin(directory) as session:
        set_up(session)
        for _ in range(12):
            session.advance()
        cash = session.status["cash_usd"]
    found = replay(directory)
    assert (found.day, found.weeks, found.decisions) == (84, 12, len(SETTINGS) + 12)
    assert (found.final_cash_usd, found.ended) == (cash, True)


def of(tool: str, part: str, value: Any) -> Callable[[dict[str, Any]], Any]:
    """A change of the calls of a tool, or of the entries of a kind."""
    return lambda entry: (
        entry.update({part: value}) if tool in (entry["kind"], entry.get("tool")) else None
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (of("set_prices", "args", {"A": 41, "B": 80, "C": 150}), "set_prices answers"),
        (of("set_daily_spend", "args", {"operations": -1}), "refused now"),
        (of("set_daily_spend", "result", {}), "set_daily_spend answers"),
        (of("set_daily_spend", "tool", "log_rationale"), "day 7"),
        (of("begin", "seed", 6), "day 7"),
        (of("begin", "parameters_sha256", "0" * 64), "parameters_sha256"),
        (of("begin", "env_args", {"params": {"clock.horizon_days": 91}}), "was 84, and is 91"),
        (of("week", "cash_usd", 1e9), r"entry 13 \(line 14, day 7\): cash_usd is"),
        (of("week", "forecast", []), "forecast"),
        (of("week", "row", {}), "row"),
        (of("advance", "error", "no"), "the day is 0 now"),
    ],
)
def test_a_false_record_is_refused(
    directory: Path, change: Callable[[dict[str, Any]], Any], words: str
) -> None:
    with begin(directory) as session:
        set_up(session)
        session.advance()
        session.advance()
    rewritten(directory, lambda entry: None)
    replay(directory)
    rewritten(directory, change)
    with pytest.raises(DifferentOutcome, match=words):
        replay(directory)


def test_one_flipped_byte_of_a_run_is_refused(directory: Path) -> None:
    with begin(directory) as session:
        set_up(session)
        session.advance()
    path = directory / JOURNAL
    data = path.read_bytes()
    for at in range(0, len(data), 501):
        changed = bytearray(data)
        changed[at] ^= 0x20
        path.write_bytes(changed)
        with pytest.raises(DamagedJournal, match=r"journal\.jsonl, line \d+"):
            replay(directory)
        with pytest.raises(DamagedJournal, match=r"journal\.jsonl, line \d+"):
            Session.open(directory)


# --- programs ------------------------------------------------------------------------------------


@NEEDS_BOX
def test_programs_and_what_they_print_are_kept(directory: Path) -> None:
    with begin(directory) as session:
        session.run("import novamind_api as nm; print(nm.pricing.set_prices(A=40)); 1 / 0")
    _, program, call, output = read_journal(directory)
    assert "set_prices" in program["code"]
    assert (call["tool"], call["by"]) == ("set_prices", "program 1")
    assert output["stdout"].startswith("{'updated'")
    assert (output["exit_code"], output["number"]) == (1, 1)
    assert "ZeroDivisionError" in output["stderr"]


@NEEDS_BOX
def test_files_scripts_and_calculations_last(directory: Path) -> None:
    with begin(directory) as session:
        session.run("open('notes.txt', 'w').write('remember')")
        session.call("register_script", {"name": "hello", "code": "print('hello')"})
        session.call("register_script", {"name": "gone", "code": "print('gone')"})
        session.call("delete_script", {"name": "gone"})
        session.advance()
        code = "print(row('SELECT COUNT(*) AS n FROM ledger'))"
        session.call("register_daily_calculation", {"name": "lines", "code": code})
    with Session.open(directory) as session:
        assert session.run("print(open('notes.txt').read())").stdout == "remember\n"
        assert session.call("list_scripts") == {"scripts": ["hello"]}
        assert session.call("run_script", {"name": "hello"})["stdout"] == "hello\n"
        assert "{'n': " in session.advance()["dashboard"]
    replay(directory)


@NEEDS_BOX
def test_limits_of_a_session_last(directory: Path) -> None:
    with Session.create(directory, limits=Limits(wall_s=0.5)):
        pass
    with Session.open(directory) as session:
        assert "longer than 0.5 s" in session.run("while True: pass").stopped


@NEEDS_BOX
def test_a_game_of_programs_is_verified(directory: Path) -> None:
    with begin(directory, days=35) as session:
        play(session)
        cash = session.status["cash_usd"]
    assert replay(directory).final_cash_usd == cash
