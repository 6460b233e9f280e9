"""The RLlib example, in an environment of its own, since RLlib pins gymnasium 1.2.2."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NEEDS = ("ray[rllib]", "torch", "gymnasium==1.2.2")


@pytest.mark.slow
def test_two_iterations(tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    python = venv / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    install = [str(python), "-m", "pip", "install", "--quiet", str(ROOT), *NEEDS]
    subprocess.run(install, check=True)
    example = [str(python), str(ROOT / "examples" / "ppo_rllib.py")]
    budget = ["--iterations", "2", "--days", "28", "--batch", "32"]
    done = subprocess.run(
        [*example, *budget], capture_output=True, text=True, timeout=900, cwd=tmp_path
    )
    assert done.returncode == 0, done.stderr[-3_000:]
    lines = [line for line in done.stdout.splitlines() if line.startswith("iteration")]
    assert [line.split(":")[0] for line in lines] == ["iteration 1", "iteration 2"]
    assert "nan" not in lines[-1]
