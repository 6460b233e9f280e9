"""One company for all attacks."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.sandbox.games import SECRET, Game, why_not


@pytest.fixture(scope="session")
def boxed() -> None:
    """Skip where programs cannot be boxed."""
    if reason := why_not():
        pytest.skip(reason)


@pytest.fixture(scope="package")
def game(boxed: None) -> Iterator[Game]:
    """A company that stands all attacks in turn."""
    os.environ["CEO_GYM_TEST_SECRET"] = SECRET
    found = Game()
    yield found
    found.close()
    del os.environ["CEO_GYM_TEST_SECRET"]
