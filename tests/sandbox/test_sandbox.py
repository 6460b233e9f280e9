"""The workspace of a sandbox that others write to as well."""

import os
from pathlib import Path

import pytest

from ceo_gym.sandbox import Sandbox


def answer(_: str) -> dict[str, str]:
    return {"error": "nobody is here", "code": "not_found"}


@pytest.mark.usefixtures("boxed")
@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0,
    reason="only root runs programs as another user",
)
def test_files_of_others_become_those_of_programs(tmp_path: Path) -> None:
    with Sandbox(tmp_path / "workspace") as sandbox:
        sandbox.run("print(1)", answer)
        notes = tmp_path / "workspace" / "notes.md"
        notes.write_text("mine, ")  # by a terminal, while the worker runs
        outcome = sandbox.run("open('notes.md', 'a').write('and yours')", answer)
        assert outcome.exit_code == 0, outcome.stderr
        assert notes.read_text() == "mine, and yours"
