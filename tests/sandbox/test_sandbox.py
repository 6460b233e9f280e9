"""The workspace of a sandbox that others write to as well."""

import os
import tempfile
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


@pytest.mark.usefixtures("boxed")
def test_a_workspace_that_is_seen_in_the_folder_for_scratch_keeps_its_files() -> None:
    """Files that programs leave in /tmp are removed, those of a workspace below it are not."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        path = Path(folder).resolve() / "deep" / "workspace"
        with Sandbox(path, mounted=str(path)) as sandbox:
            code = "import os; print(os.getppid(), os.getcwd(), os.path.exists('/tmp/left'))\n"
            write = "open('kept.txt', 'a').write('x'); open('/tmp/left', 'w').write('y')\n"
            first = sandbox.run(code + write, answer)
            second = sandbox.run(code + write, answer)
            process = sandbox._worker
            assert first.stdout == second.stdout == f"{first.stdout.split()[0]} {path} False\n"
            sandbox.run("1", answer)
            assert sandbox._worker is process  # it was not lost meanwhile
        assert (path / "kept.txt").read_text() == "xx"
