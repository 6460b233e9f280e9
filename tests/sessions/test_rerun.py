"""A program that was interrupted is run again: the same answers, no second effect."""

from pathlib import Path
from typing import Any

import pytest

from ceo_gym.runs import read_journal
from ceo_gym.runs.journal import JOURNAL
from ceo_gym.sessions import Session, replay
from tests.sandbox_here import NEEDS_BOX
from tests.sessions.games import begin

pytestmark = NEEDS_BOX

CODE = """
import novamind_api as nm
print(nm.vars.current_day, nm.pricing.set_prices(A=40)["current"]["A"])
try: nm.pricing.set_prices(A=-1)
except nm.NovaMindAPIError as error: print(error.code)
print(nm.query("SELECT COUNT(*) AS n FROM ledger")["rows"])
print(nm.market.research_market())
print(nm.advance("one")["day"], nm.vars.current_day)
print(nm.query("SELECT COUNT(*) AS n FROM ledger")["rows"])
print(nm.market.research_market(), nm.advance()["day"], nm.vars.current_day)
"""


def interrupted(directory: Path, keep: int) -> tuple[Session, dict[str, Any]]:
    """A session whose only program was killed after some calls."""
    with begin(directory) as session:
        session.run(CODE)
    path = directory / JOURNAL
    lines = path.read_bytes().splitlines(keepends=True)
    entries = read_journal(directory)
    calls = [entry["n"] for entry in entries if entry["kind"] == "call"]
    path.write_bytes(b"".join(lines[: calls[keep - 1] + 1 if keep else 2]))
    session = Session.open(directory)
    return session, entries[1]


@pytest.mark.parametrize("keep", range(9))
def test_it_comes_to_the_same_from_any_call(tmp_path: Path, keep: int) -> None:
    with begin(tmp_path / "whole") as session:
        whole = session.run(CODE)
        saved = session.desk.save()
    assert whole.exit_code == 0
    session, program = interrupted(tmp_path / "killed", keep)
    with session:
        again = session.run_again(program)
        assert (again.stdout, again.exit_code) == (whole.stdout, 0)
        assert session.desk.save() == saved
    calls = [
        [(e["tool"], e["args"]) for e in read_journal(tmp_path / name) if e["kind"] == "call"]
        for name in ("whole", "killed")
    ]
    assert calls[0] == calls[1]
    replay(tmp_path / "killed")


def test_one_that_does_something_else_is_refused_from_there_on(tmp_path: Path) -> None:
    session, program = interrupted(tmp_path, 4)
    with session:
        before = session.desk.save()
        other = CODE.replace("set_prices(A=-1)", "set_prices(B=99)")
        again = session.run_again(program | {"code": other})
        assert "does not do the same when it is run again" in again.stderr
        assert again.exit_code == 1
        assert session.desk.save() == before
