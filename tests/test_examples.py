"""Every example runs, with a tiny budget."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
# name -> what it needs, arguments, and a word of what it prints
RUNS = {
    "ppo_sb3.py": (
        ["stable_baselines3"],
        ["--days", "28", "--envs", "2", "--steps", "16", "--seeds", "2"],
        "CEOBench-Repaired-v0, start configured, 2 evaluation seeds: mean $",
    ),
    "maskable_ppo.py": (
        ["stable_baselines3", "sb3_contrib"],
        ["--days", "28", "--envs", "2", "--steps", "16"],
        "total_timesteps",
    ),
}
ELSEWHERE = {"ppo_rllib.py"}  # tests/training/test_rllib.py, in an environment of its own


def test_none_is_forgotten() -> None:
    assert {path.name for path in EXAMPLES.glob("*.py")} == set(RUNS) | ELSEWHERE


@pytest.mark.parametrize("name", RUNS)
def test_it_runs(name: str) -> None:
    needs, arguments, said = RUNS[name]
    for module in needs:
        pytest.importorskip(module, reason="needs the extra sb3")
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert said in done.stdout
