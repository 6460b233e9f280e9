"""The file itself: closed against the network and against what its texts hold."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path

import pytest

import ceo_gym.viewer
from ceo_gym.viewer.page import SCRIPTS, START, as_json, page
from tests.viewer.games import HOSTILE

ROOM = Path(ceo_gym.viewer.__file__).parent
VENDORED = ROOM / "vendored"
EMPTY = {"version": "0", "runs": []}


def test_scripts_and_style_are_those_that_the_policy_allows() -> None:
    text = page(EMPTY)
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    parts = re.findall(r"<(script|style)>(.*?)</\1>", text, re.DOTALL)
    assert [name for name, _ in parts] == ["style", "script", "script"]
    for name, part in parts:
        digest = base64.b64encode(hashlib.sha256(part.encode()).digest()).decode()
        assert f"{name}-src" in policy
        assert f"'sha256-{digest}'" in policy


def test_nothing_is_fetched() -> None:
    text = page(EMPTY)
    assert not re.search(r'(?:src|href|action|data)="(?!data:,")', text)
    assert not re.search(r"@import|url\(", text)


def test_licence_is_in_the_page() -> None:
    text = page(EMPTY)
    assert "Copyright (c) 2022 Leon Sorokin" in text
    assert "WITHOUT WARRANTY OF ANY KIND" in text


def test_vendored_files_are_those_of_the_note() -> None:
    note = VENDORED.joinpath("THIRD_PARTY.md").read_text(encoding="utf-8")
    sums = re.findall(r"^([0-9a-f]{64})  (\S+)$", note, re.MULTILINE)
    assert {name for _, name in sums} == {f"uplot/{file.name}" for file in VENDORED.glob("uplot/*")}
    for digest, name in sums:
        assert hashlib.sha256((VENDORED / name).read_bytes()).hexdigest() == digest


def test_own_scripts_make_no_markup_of_data() -> None:
    for name in (*SCRIPTS, START):
        source = (ROOM / "assets" / name).read_text(encoding="utf-8")
        assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval\(", source)
        assert "</script" not in source


@pytest.mark.parametrize("place", ["name", "text"])
def test_texts_cannot_leave_the_data(place: str) -> None:
    data = {"version": "0", "runs": [{place: HOSTILE}]}
    text = page(data)
    (found,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', text)
    assert json.loads(found) == data
    assert found.isascii()
    assert not set("<>&") & set(found)
    assert "onerror" not in text.replace(found, "")
    assert text.count("<script>") == 2


def test_numbers_that_are_not_finite_are_refused() -> None:
    with pytest.raises(ValueError, match="JSON"):
        as_json({"cash": float("nan")})
