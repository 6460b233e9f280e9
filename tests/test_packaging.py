"""A wheel built from the tree installs and runs elsewhere."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="building a wheel offline needs hatchling")
    pytest.importorskip("build", reason="building a wheel needs the package build")
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(out)]
    subprocess.run([*command, str(ROOT)], check=True, capture_output=True)
    (built,) = out.glob("*.whl")
    return built


def test_wheel_holds_parameters_and_type_marker(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    params = ROOT / "ceo_gym/simulators/ceobench/params"
    for file in params.iterdir():
        assert f"ceo_gym/simulators/ceobench/params/{file.name}" in names
    assert "ceo_gym/py.typed" in names
    assert not [name for name in names if name.startswith(("tests", "benchmarks"))]


def test_wheel_runs_elsewhere(wheel: Path, tmp_path: Path) -> None:
    """Unpacked as an installer does, without the source tree on the path."""
    site = tmp_path / "site"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", site]
    subprocess.run([*install, wheel], check=True, capture_output=True, cwd=tmp_path)
    code = (
        "import ceo_gym; from ceo_gym.cli import main; "
        "print(ceo_gym.__file__); main(['run', '--policy', 'steady', '--days', '14', '--quiet'])"
    )
    environment = os.environ | {"PYTHONPATH": str(site)}
    result = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
        env=environment,
    )
    where, score = result.stdout.splitlines()
    assert Path(where).is_relative_to(site)
    assert score.startswith("steady, seed 0, CEOBench-v0: final cash $")
