"""Cash fans over seeds."""

import re
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.cli import main
from ceo_gym.evaluation import Episode, Evaluation
from ceo_gym.plots import plot_fans
from ceo_gym.plots.fans import labels, weekly_cash

figure = pytest.importorskip("matplotlib.figure", reason="pictures need matplotlib")


def game(seed: int, *cash: float, days: int = 17) -> Episode:
    return Episode(seed, cash[-1], days, cash[-1] < 0.0, 0.0, cash, 0.0)


def evaluation(policy: str, *games: Episode, **more: Any) -> Evaluation:
    identity = {"env": "CEOBench-v0", "env_args": {"record": "none"}, "policy_args": {}}
    return Evaluation(
        identity | {"policy": policy} | more,
        tuple(episode.seed for episode in games),
        {episode.seed: episode for episode in games},
    )


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The figures that are saved, drawn but not written."""
    found: list[Any] = []

    def keep(self: Any, *_: Any, **__: Any) -> None:
        self.draw_without_rendering()
        found.append(self)

    monkeypatch.setattr(figure.Figure, "savefig", keep)
    return found


def test_a_bankrupt_company_keeps_its_last_cash() -> None:
    days, cash = weekly_cash([game(1, 1e6, 5e5, 2e6, 3e6), game(2, 1e6, -5.0, days=4)])
    assert days.tolist() == [0.0, 7.0, 14.0, 17.0]
    assert cash.tolist() == [[1e6, 5e5, 2e6, 3e6], [1e6, -5.0, -5.0, -5.0]]


def test_medians_and_bands(drawn: list[Any], tmp_path: Path) -> None:
    games = [game(seed, 1e6, 1e6 * seed) for seed in range(1, 102)]
    plot_fans([evaluation("steady", *games)], tmp_path / "fan.png")
    (panel,) = drawn[0].axes
    assert panel.lines[0].get_ydata().tolist() == [1e6, 51e6]
    tops = [band.get_paths()[0].vertices[:, 1].max() for band in panel.collections]
    assert tops == pytest.approx([96e6, 76e6])


@pytest.mark.parametrize(
    ("cash", "scale"),
    [((1e6, 5e7), "log"), ((1e6, -5e4, 5e7), "symlog"), ((1e6, 2e6), "linear"), ((9e4, -9e4), "")],
)
def test_the_axis_fits_the_cash(
    cash: tuple[float, ...], scale: str, drawn: list[Any], tmp_path: Path
) -> None:
    plot_fans([evaluation("steady", game(1, *cash))], tmp_path / "fan.png")
    (panel,) = drawn[0].axes
    assert panel.get_yscale() == (scale or "linear")
    low, high = panel.get_ylim()
    assert len([tick for tick in panel.get_yticks() if low <= tick <= high]) >= 2
    assert panel.get_xlabel() == "day"
    assert panel.get_ylabel() == "cash, USD"


def test_several_policies_have_names_of_their_own(drawn: list[Any], tmp_path: Path) -> None:
    several = [evaluation(name, game(1, 1e6, 2e6)) for name in ("steady", "passive", "random")]
    plot_fans(several, tmp_path / "fan.png")
    (legend,) = drawn[0].legends
    words = [text.get_text() for text in legend.get_texts()]
    assert words == [f"{name} (1 seed)" for name in ("steady", "passive", "random")]
    assert drawn[0].get_suptitle() == "CEOBench-v0"
    hues = {line.get_color() for line in drawn[0].axes[0].lines}
    assert len(hues) == 3
    box = legend.get_window_extent()
    assert box.x1 <= drawn[0].bbox.x1
    assert box.y1 <= drawn[0].axes[0].get_window_extent().y0  # below the panel, not over it


def test_labels_say_what_differs() -> None:
    one = {"policy": "p", "policy_args": {"file": "a"}, "env": "E", "env_args": {"record": "none"}}
    other = one | {"policy_args": {"file": "b"}, "env_args": {"start": "configured"}}
    assert labels([one]) == ('p, E, file="a"', ["p"])
    assert labels([one, other]) == ("p, E", ['file="a"', 'file="b", start="configured"'])


def test_what_cannot_be_drawn_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="takes 1 to 8 evaluations, not 0"):
        plot_fans([], tmp_path / "fan.png")
    with pytest.raises(ValueError, match="passive has no finished game to draw"):
        plot_fans([evaluation("passive")], tmp_path / "fan.png")


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [tmp_path / f"{name}.json" for name in ("a", "b")]
    for file, policy in zip(files, ("steady", "passive")):
        evaluation(policy, game(1, 1e6, 2e6), game(2, 1e6, -5.0)).write(file)
    out = tmp_path / "new" / "fans.png"
    assert main(["plot", *map(str, files), "--out", str(out), "--title", "Two"]) == 0
    assert capsys.readouterr().out == f"written: {out}\n"
    assert out.read_bytes().startswith(b"\x89PNG")
    again = tmp_path / "again.png"
    assert main(["plot", *map(str, files), "--out", str(again), "--title", "Two"]) == 0
    assert again.read_bytes() == out.read_bytes()
    files[0].write_text("{}")
    assert main(["plot", str(files[0]), "--out", str(out)]) == 2
    assert re.search(r"a\.json is not the file of an evaluation", capsys.readouterr().err)
