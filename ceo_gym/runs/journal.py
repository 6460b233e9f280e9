"""The journal of an interactive run: what was decided, asked and printed, one JSON line each.

A journal is only ever added to. Every line ends with a checksum of itself and of all lines before
it, so that a change of any byte is found, with its place, and a kill in the middle of a line loses
that line only.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

JOURNAL = "journal.jsonl"
FORMAT, VERSION = "ceo-gym journal", 1
KEPT_CHARACTERS = (
    20_000  # of one result; longer ones are kept in part, with a checksum of the whole
)
_PART_CHARACTERS = 2_000
_DIGITS = 32
_BEFORE, _AFTER = b',"check":"', b'"}\n'
_START = "0" * _DIGITS


class DamagedJournal(ValueError):
    """A journal is not what was written; the message names the place."""


class Journal:
    """Writes a journal.

    Args:
        path: of the file, which must not exist yet; `resume` opens one that does.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file: BinaryIO = path.open("xb")
        self._checks = [_START]  # after 0, 1, 2 ... lines

    @classmethod
    def resume(cls, path: Path) -> tuple[Journal, list[dict[str, Any]]]:
        """Open a journal to go on with it; a last line that is not whole is removed.

        Returns:
            The journal and its entries.

        Raises:
            DamagedJournal: if it is not what was written.
            OSError: if it cannot be read.
        """
        entries, whole_bytes, checks = _read(path, cut_short=True)
        journal = cls.__new__(cls)
        journal.path, journal._checks = path, checks
        journal._file = path.open("r+b")
        journal._file.truncate(whole_bytes)
        journal._file.seek(whole_bytes)
        return journal, entries

    @property
    def count(self) -> int:
        """Number of lines."""
        return len(self._checks) - 1

    def check_after(self, count: int) -> str:
        """Checksum of the first lines."""
        return self._checks[count]

    def add(self, kind: str, **about: Any) -> dict[str, Any]:
        """Add a line; it survives the death of this process from here on.

        Args:
            kind: of the entry.
            **about: its data, as JSON has it.

        Returns:
            The entry.
        """
        entry = {"n": self.count, "kind": kind, **about}
        body = _text(entry).encode()
        check = _checksum(self._checks[-1], body)
        self._file.write(body[:-1] + _BEFORE + check.encode() + _AFTER)
        self._file.flush()
        self._checks.append(check)
        return entry

    def sync(self) -> None:
        """Make sure that all lines are on the disk, so that they survive a power failure too."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_journal(directory: Path) -> list[dict[str, Any]]:
    """The entries of the journal in a directory, which is checked from beginning to end.

    Raises:
        DamagedJournal: if it is not what was written, naming the line.
        ValueError: if there is none, or it has another format.
    """
    path = directory / JOURNAL if directory.is_dir() else directory
    if not path.is_file():
        raise ValueError(f"{directory} holds no journal: there is no file {JOURNAL}")
    return _read(path, cut_short=False)[0]


def shortened(result: Mapping[str, Any]) -> dict[str, Any]:
    """How a result is kept: ``result``; or ``result_part``, ``characters``, ``result_sha256``."""
    text = _text(result)
    if len(text) <= KEPT_CHARACTERS:
        return {"result": result}
    return {
        "result_part": text[:_PART_CHARACTERS],
        "characters": len(text),
        "result_sha256": hashlib.sha256(text.encode()).hexdigest(),
    }


# --- reading -------------------------------------------------------------------------------------


def _read(path: Path, *, cut_short: bool) -> tuple[list[dict[str, Any]], int, list[str]]:
    """Entries, number of bytes in whole lines, and the checksums after 0, 1, 2 ... lines.

    Args:
        path: of the file.
        cut_short: whether the last line may be missing its end.
    """
    entries: list[dict[str, Any]] = []
    checks, whole_bytes = [_START], 0
    for number, line in enumerate(_lines(path), 1):
        where = f"{path}, line {number}"
        if not line.endswith(b"\n"):
            if cut_short:
                break
            raise DamagedJournal(f"{where}: the line is not whole; the writer was interrupted")
        body, stored = _split(line)
        expected = "" if body is None else _checksum(checks[-1], body)
        if body is None or stored != expected:
            raise DamagedJournal(f"{where}{_about(line)}: its checksum does not fit; {_CHANGED}")
        entries.append(json.loads(body))
        checks.append(expected)
        whole_bytes += len(line)
    if not entries:
        raise DamagedJournal(f"{path}: the journal is empty")
    first = entries[0]
    if first.get("format") != FORMAT or first.get("version") != VERSION:
        raise ValueError(
            f"{path} is of the format {first.get('format')!r}, version {first.get('version')!r}; "
            f"this ceo-gym reads {FORMAT!r}, version {VERSION}"
        )
    return entries, whole_bytes, checks


_CHANGED = "this line or the order of the lines was changed after it was written"


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from file


def _split(line: bytes) -> tuple[bytes | None, str]:
    """The entry without its checksum as it was written, and the checksum."""
    at = len(line) - len(_AFTER) - _DIGITS
    begin = at - len(_BEFORE)
    if begin < 0 or line[begin:at] != _BEFORE or not line.endswith(_AFTER):
        return None, ""
    return line[:begin] + b"}", line[at : at + _DIGITS].decode(errors="replace")


def _text(value: Any) -> str:
    """JSON that every reader understands; numbers that are not finite become words."""
    try:
        return json.dumps(value, separators=(",", ":"), allow_nan=False, default=repr)
    except ValueError:
        return _text(_finite(value))


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _checksum(before: str, body: bytes) -> str:
    return hashlib.sha256(before.encode() + body).hexdigest()[:_DIGITS]


def _about(line: bytes) -> str:
    """What a damaged line seems to be, for the message."""
    try:
        entry = json.loads(line)
        words = [str(entry[name]) for name in ("kind", "tool") if name in entry]
        day = f" on day {entry['day']}" if "day" in entry else ""
    except (ValueError, TypeError, KeyError):
        return ""
    return f" ({' of '.join(words)}{day})"
