"""The journal: what is written is read, what is changed is found, what is torn is mended."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ceo_gym.runs import DamagedJournal, Journal, read_journal
from ceo_gym.runs.journal import FORMAT, JOURNAL, KEPT_CHARACTERS, VERSION, shortened

BEGIN = {"format": FORMAT, "version": VERSION, "seed": 1}


def written(directory: Path, count: int = 5) -> Path:
    journal = Journal(directory / JOURNAL)
    journal.add("begin", **BEGIN)
    for k in range(count):
        journal.add("call", day=7 * k, tool="set_prices", args={"A": 40.5 + k}, result={"k": k})
    journal.close()
    return directory / JOURNAL


def test_what_is_written_is_read(tmp_path: Path) -> None:
    written(tmp_path)
    entries = read_journal(tmp_path)
    assert [entry["n"] for entry in entries] == [0, 1, 2, 3, 4, 5]
    assert entries[3]["args"] == {"A": 42.5}
    assert "check" not in entries[0]


def test_every_line_is_json_for_everybody(tmp_path: Path) -> None:
    path = written(tmp_path)
    for line in path.read_text().splitlines():
        assert len(json.loads(line)["check"]) == 32


def test_a_journal_goes_on(tmp_path: Path) -> None:
    path = written(tmp_path, 2)
    journal, entries = Journal.resume(path)
    assert (journal.count, len(entries)) == (3, 3)
    journal.add("note", text="more")
    journal.close()
    assert read_journal(tmp_path)[-1] == {"n": 3, "kind": "note", "text": "more"}


@pytest.mark.parametrize("missing", [1, 10, 60])
def test_a_torn_last_line_is_dropped_when_going_on(tmp_path: Path, missing: int) -> None:
    path = written(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:-missing])
    with pytest.raises(DamagedJournal, match="line 6: the line is not whole"):
        read_journal(tmp_path)
    journal, entries = Journal.resume(path)
    journal.add("call", day=28, tool="set_prices", args={"A": 44.5}, result={"k": 4})
    journal.close()
    assert len(entries) == 5
    assert path.read_bytes() == data


def test_one_flipped_byte_is_found_with_its_place(tmp_path: Path) -> None:
    path = written(tmp_path)
    data = path.read_bytes()
    for at in range(len(data)):
        changed = bytearray(data)
        changed[at] ^= 1
        path.write_bytes(changed)
        line = data[:at].count(b"\n") + 1
        with pytest.raises(DamagedJournal, match=f"line {line}[: (]"):
            read_journal(tmp_path)


def test_the_message_tells_what_the_line_is_about(tmp_path: Path) -> None:
    path = written(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"42.5", b"42.6"))
    with pytest.raises(DamagedJournal, match=r"line 4 \(call of set_prices on day 14\)"):
        read_journal(tmp_path)


@pytest.mark.parametrize("change", ["swap", "drop", "twice"])
def test_order_and_number_of_lines_count(tmp_path: Path, change: str) -> None:
    path = written(tmp_path)
    lines = path.read_bytes().splitlines(keepends=True)
    if change == "swap":
        lines[2], lines[3] = lines[3], lines[2]
    elif change == "drop":
        del lines[2]
    else:
        lines.insert(3, lines[2])
    path.write_bytes(b"".join(lines))
    with pytest.raises(DamagedJournal):
        read_journal(tmp_path)


def test_another_format_is_refused(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL)
    journal.add("begin", format=FORMAT, version=VERSION + 1)
    journal.close()
    with pytest.raises(ValueError, match="version 2; this ceo-gym reads"):
        read_journal(tmp_path)
    with pytest.raises(ValueError, match="holds no journal"):
        read_journal(tmp_path / "elsewhere")


def test_nothing_is_written_over(tmp_path: Path) -> None:
    path = written(tmp_path)
    with pytest.raises(FileExistsError):
        Journal(path)


def test_numbers_that_are_not_finite_become_words(tmp_path: Path) -> None:
    journal = Journal(tmp_path / JOURNAL)
    journal.add("begin", **BEGIN)
    journal.add("call", tool="x", args={"A": math.nan, "B": [math.inf, (1, -math.inf)], 3: 1})
    journal.add("call", tool="x", args={"A": {1}})  # no form in JSON either
    journal.close()
    text = (tmp_path / JOURNAL).read_text()
    assert "NaN" not in text
    assert read_journal(tmp_path)[1]["args"] == {"A": "nan", "B": ["inf", [1, "-inf"]], "3": 1}
    assert read_journal(tmp_path)[2]["args"] == {"A": "{1}"}


def test_long_results_are_kept_in_part() -> None:
    assert shortened({"rows": [1, 2]}) == {"result": {"rows": [1, 2]}}
    kept = shortened({"rows": "x" * KEPT_CHARACTERS})
    other = shortened({"rows": "x" * (KEPT_CHARACTERS - 1) + "y"})
    assert kept["characters"] == KEPT_CHARACTERS + len('{"rows":""}')
    assert kept["result_part"] == other["result_part"]
    assert kept["result_sha256"] != other["result_sha256"]


texts = st.text(st.characters(exclude_categories=()), max_size=20)  # broken characters included
finite = st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | finite | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, max_size=4))
def test_any_data_comes_back(tmp_path_factory: pytest.TempPathFactory, data: list[object]) -> None:
    directory = tmp_path_factory.mktemp("journal")
    journal = Journal(directory / JOURNAL)
    journal.add("begin", **BEGIN)
    for value in data:
        journal.add("call", args=value)
    journal.close()
    assert [entry["args"] for entry in read_journal(directory)[1:]] == data
