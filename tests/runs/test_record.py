"""Run records: what is written is what is read, and damage is told."""

import json
from pathlib import Path

import pandas as pd
import pytest

from ceo_gym.runs import RunRecord
from ceo_gym.runs.record import TABLES, frame
from tests.evaluation.analysis.records import forecast, record


def same(first: RunRecord, second: RunRecord) -> None:
    """Two records are equal, to the last digit."""
    assert first.config == second.config
    for name in TABLES:
        mine, other = getattr(first, name), getattr(second, name)
        if mine is None or other is None:
            assert mine is other, name
            continue
        pd.testing.assert_frame_equal(mine, other, check_exact=True, check_dtype=False, obj=name)


@pytest.fixture
def made() -> RunRecord:
    return record(
        forecasts=[forecast(7, 28, 1.0 / 3.0, -1e-17, 2.0**60)],
        advertising=[{"week": 1, "channel": "search_ads", "group": "S1", "spend_usd": 0.1 + 0.2}],
        texts=[{"week": 1, "text": 'nan, "quoted",\nand a second line'}],
    )


def test_a_record_comes_back_to_the_last_digit(made: RunRecord, tmp_path: Path) -> None:
    files = made.write(tmp_path / "new" / "run")
    assert {path.name for path in files} == {
        "config.json",
        *(TABLES[name].file for name in TABLES if getattr(made, name) is not None),
    }
    again = RunRecord.read(tmp_path / "new" / "run")
    same(again, made)
    assert again.forecasts["point_usd"].tolist() == [1.0 / 3.0]
    assert again.texts is not None
    assert again.texts["text"].tolist() == ['nan, "quoted",\nand a second line']


def test_tables_that_a_record_lacks_are_removed(made: RunRecord, tmp_path: Path) -> None:
    made.write(tmp_path)
    record(hidden_effectiveness=None, hidden_competitor_events=None).write(tmp_path)
    again = RunRecord.read(tmp_path)
    assert again.texts is None
    assert again.hidden_effectiveness is None
    assert again.hidden_competitor_events is None


def test_a_table_without_rows_has_its_columns() -> None:
    for name, table in TABLES.items():
        assert list(frame(name, []).columns) == list(table.columns)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("days.csv", None, "it lacks days.csv"),
        ("days.csv", "day\n0\n", "days.csv is damaged: it lacks the column 'cash_usd'"),
        ("days.csv", "day,cash_usd\n0,much\n", "days.csv is damaged"),
        ("config.json", "{", "is not a run configuration"),
        ("config.json", "{}", 'lacks "format": "ceo-gym run"'),
        ("config.json", json.dumps({"format": "ceo-gym run", "version": 9}), "version 9"),
        ("config.json", None, "it lacks config.json"),
    ],
)
def test_damage_is_told(
    made: RunRecord, tmp_path: Path, file: str, content: str | None, message: str
) -> None:
    made.write(tmp_path)
    if content is None:
        (tmp_path / file).unlink()
    else:
        (tmp_path / file).write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=message):
        RunRecord.read(tmp_path)


def test_a_directory_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="is not there"):
        RunRecord.read(tmp_path / "none")
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="is a file"):
        RunRecord.read(tmp_path / "file")
