"""The README and pages with examples: examples run, figures are those of the code."""

import os
import re
import subprocess
import sys
from pathlib import Path

import gymnasium as gym
import pytest

from ceo_gym.baselines import make_policy
from tests.sandbox_here import HAS_BOX, NEEDS_BOX

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    (ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("environment", "evaluation", "analysis", "agents", "desk")
]
TERMINAL = [
    re.search(r"```bash\n(.*?)```", text, re.DOTALL)[1]  # type: ignore[index]
    for text in (README, PAGES[-1])
]
EXAMPLES = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
ON_PAGES = re.findall(r"```python\n(.*?)```", "\n".join(PAGES), re.DOTALL)


@pytest.mark.parametrize("code", [*EXAMPLES, *ON_PAGES], ids=lambda code: code.splitlines()[0])
def test_examples_run(code: str) -> None:
    if "stable_baselines3" in code:
        pytest.importorskip("stable_baselines3", reason='needs pip install "ceo-gym[sb3]"')
    if "CodeAction" in code and not HAS_BOX:
        pytest.skip("programs run in bubblewrap, which is not installed here")
    assert all(len(line) <= 100 for line in code.splitlines())
    exec(compile(code, "README.md", "exec"), {})


@NEEDS_BOX
@pytest.mark.parametrize("lines", TERMINAL, ids=["README", "desk"])
def test_lines_of_the_terminal_run(lines: str, tmp_path: Path) -> None:
    # the command of this installation, in a folder of its own
    command = f'ceo-gym() {{ "{sys.executable}" -m ceo_gym "$@"; }}; set -e; {lines}'
    found = subprocess.run(
        ["bash", "-c", f"{command}\nceo-gym desk stop"],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert "WEEK 1 | DAY 7" in found.stdout
    assert '"session_id": "session-1"' in found.stdout
    assert "verified: 1 weeks" in found.stdout


def test_there_are_examples_and_pictures() -> None:
    assert len(EXAMPLES) >= 7
    for example in EXAMPLES[:6]:
        assert len([line for line in example.splitlines() if line.strip()]) <= 10
    for picture in re.findall(r"!\[.*?\]\((.*?)\)", README, re.DOTALL):
        assert (ROOT / picture).read_bytes().startswith(b"\x89PNG")


def test_make_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`?make (\w+)", README)) - {"and"}:
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target


def test_pip_lines_are_what_make_does() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for extra in re.findall(r'"\.\[(\w+)\]"', README):
        assert f'".[{extra}]"' in makefile
    tests = re.search(r"python -m (pytest .*)", README)
    assert tests is not None
    assert tests[1] in makefile


def test_final_cash_of_the_picture() -> None:
    quoted = re.search(r"It ends with \$([\d,]+)\.", README)
    assert quoted is not None
    env = gym.make("CEOBench-v0", record="none")
    policy, ended = make_policy("steady", env), False
    observation, info = env.reset(seed=1)
    while not ended:
        observation, _, ended, _, info = env.step(policy.act(observation, info))
    assert round(info["cash_usd"], -3) == pytest.approx(round(int(quoted[1].replace(",", "")), -3))
