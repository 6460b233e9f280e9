"""The picture of a learning curve."""

import dataclasses
from pathlib import Path

import pytest

from ceo_gym.cli import main
from ceo_gym.plots import plot_learning_curve
from ceo_gym.training.curve import Point, read, write

POINTS = [
    Point(u, 100 * u, 1.0 * u, 1e6 * 3**u, 9e5, -5.0, 1e8, 1, 8, float("nan")) for u in range(4)
]


def test_it_is_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    rows = [dataclasses.asdict(point) for point in POINTS]
    path = plot_learning_curve(rows, tmp_path / "a.png", title="PPO", levels={"steady": 6.79e7})
    assert path.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ValueError, match="without points"):
        plot_learning_curve([], tmp_path / "b.png", title="PPO")


def test_a_curve_survives_its_file(tmp_path: Path) -> None:
    path = tmp_path / "curve.csv"
    assert read(path) == []
    write(path, POINTS)
    assert repr(read(path)) == repr(POINTS)
    path.write_text("a,b\n")
    with pytest.raises(ValueError, match="not a learning curve"):
        read(path)


def test_the_command_draws_a_curve(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib", reason="needs the extra plot")
    curve, picture = tmp_path / "curve.csv", tmp_path / "new" / "curve.png"
    write(curve, POINTS)
    command = ["plot", str(curve), "--level", "steady=67900000", "--out", str(picture)]
    assert main(command) == 0
    assert picture.stat().st_size > 10_000
    assert main(["plot", str(curve), str(tmp_path / "a.json"), "--out", str(picture)]) == 2
    assert "one curve.csv" in capsys.readouterr().err
    assert main(["plot", str(curve), "--level", "steady=much", "--out", str(picture)]) == 2
    assert "--level takes NAME=USD" in capsys.readouterr().err
