"""The picture of a run."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ceo_gym.cli import main
from ceo_gym.plots import plot_run
from ceo_gym.runs import read_weeks

figure = pytest.importorskip("matplotlib.figure", reason="pictures need matplotlib")


def test_panels_have_their_place_with_and_without_an_outage(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["run", "--quiet", "--days", "45", "--out", str(tmp_path)]) == 0
    corners: list[list[float]] = []

    def measured(self: Any, *_: Any, **__: Any) -> None:
        self.draw_without_rendering()
        corners.append([x for panel in self.axes for x in panel.get_position().bounds])

    monkeypatch.setattr(figure.Figure, "savefig", measured)
    for outages in (0.0, 1.0):
        weeks = [week | {"outage_days": outages} for week in read_weeks(tmp_path)]
        plot_run(weeks, tmp_path / "run.png", title="a run")
    assert np.abs(np.subtract(*corners)).max() < 0.01
