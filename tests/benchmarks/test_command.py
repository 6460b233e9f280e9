"""The command `python -m benchmarks` on small companies: its tables, its JSON, its pages."""

import json
from pathlib import Path

import pytest

from benchmarks import pages
from benchmarks.__main__ import main
from benchmarks.sections import SECTIONS
from benchmarks.tables import fill, shown

COLUMNS = {
    "weeks": {"record", "customers", "ms_a_week", "ns_a_customer_and_day", "net_of_empty_week"},
    "growing": {"record", "customers", "weeks_a_second", "speed_up"},
    "phases": {"phase", "settled_1000", "growing_1000"},
    "env": {"actions", "obs", "noop_step_beyond_us", "observation_us", "mask_us"},
    "memory": {"column_bytes_a_customer", "peak_mb"},
    "saves": {"save_ms", "restore_ms", "bytes_a_customer"},
    "startup": {"step", "ms"},
    "programs": {"program", "ms", "us_a_call"},
    "vectors": {"obs_actions", "ratio"},
    "episodes": {"game", "record", "cpu_s", "most_customers"},
}
WITHOUT_RATIOS = {"phases", "memory"}  # shares and bytes are ratios already


def test_quick_run_writes_every_section(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "deep" / "bench.json"
    main(["--quick", "--json", str(file)])
    found = json.loads(file.read_text(encoding="utf-8"))
    printed = capsys.readouterr().out
    assert found["quick"]
    assert 0.0 < found["exp_ms"] < found["copy_ms"] * 100
    assert found["sections"].keys() == SECTIONS.keys() == COLUMNS.keys()
    for name, rows in found["sections"].items():
        assert f"\n{name}: {SECTIONS[name].title}\n" in printed
        assert rows
        for row in rows:
            assert COLUMNS[name] <= row.keys(), name
            assert ("times_exp" in row) == ("times_copy" in row) == (name not in WITHOUT_RATIOS)
    weeks = {(row["record"], row["size"]): row for row in found["sections"]["weeks"]}
    assert weeks["none", 0]["customers"] == 0
    assert weeks["full", 1_000]["customers"] == pytest.approx(1_000, rel=0.05)
    games = {row["game"] for row in found["sections"]["episodes"]}
    assert games == {"P3", "million"}
    *phases, week = found["sections"]["phases"]
    assert sum(row["settled_1000"] for row in phases) == pytest.approx(100)
    assert week["phase"] == "week, ms"


def test_some_sections_fill_their_places_on_pages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "a\n<!-- startup -->\n<!-- end of startup -->\n<!-- phases -->\nold\n"
        "<!-- end of phases -->\nz\n"
    )
    monkeypatch.setattr(pages, "PAGES", (page,))
    main(["--quick", "--only", "phases", "--json", str(tmp_path / "f.json"), "--pages"])
    text = page.read_text()
    assert text.startswith("a\n<!-- startup -->\n<!-- end of startup -->\n")
    assert "old" not in text
    assert "| 1,000 settled | 1,000 growing |" in text
    assert text.endswith("\n<!-- end of phases -->\nz\n")
    with pytest.raises(ValueError, match="no place for the table weeks"):
        fill(page, "weeks", "")


def test_pages_have_a_place_for_every_table() -> None:
    everything = "".join(page.read_text(encoding="utf-8") for page in pages.PAGES)
    for name in pages.TABLES:
        assert f"<!-- {name} -->\n" in everything


def test_figures_have_three_digits() -> None:
    assert [shown(x) for x in (None, "a", 12, 1234, 0.01234, 1.234, 12.34, 123.4, 1234.5)] == [
        *("-", "a", "12", "1,234", "0.0123", "1.23", "12.3", "123", "1,234")
    ]
