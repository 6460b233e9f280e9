"""What is said when an extra is missing; these tests need none."""

import subprocess
import sys
from pathlib import Path

import pytest

from ceo_gym.cli import main
from ceo_gym.extras import require
from ceo_gym.integrations import mcp_server


def test_what_is_missing_is_named_with_the_pip_line() -> None:
    require("counting", "sums", {"json": "json"})
    needs = {"json": "json", "no_such_module": "no-such-package", "nor_this": "nor-this>=2"}
    with pytest.raises(ModuleNotFoundError) as refused:
        require("counting", "sums", needs)
    assert str(refused.value) == (
        'counting needs no-such-package, nor-this>=2: pip install "ceo-gym[sums]"'
    )


def test_the_server_says_what_it_needs_and_begins_no_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(mcp_server, "NEEDS", {"no_such_module": "mcp>=2"})
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "--mcp"]) == 2
    assert 'needs mcp>=2: pip install "ceo-gym[mcp]"' in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("module", ["inspect_task", "inspect_scorer", "inspect_registry"])
def test_the_task_says_what_it_needs(module: str) -> None:
    code = (
        "import sys; sys.modules['inspect_ai'] = None\n"
        f"try: import ceo_gym.integrations.{module}\n"
        "except ModuleNotFoundError as error: print(error)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == 'the Inspect task needs inspect-ai: pip install "ceo-gym[inspect]"\n'


def test_the_command_line_and_its_help_need_no_extra() -> None:
    code = (
        "import sys\nfor name in 'mcp', 'mcp_types', 'anyio', 'inspect_ai', 'uvicorn':\n"
        "    sys.modules[name] = None\n"
        "from ceo_gym.cli import main\nmain(['serve', '--help'])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "--session-dir DIR" in found.stdout
