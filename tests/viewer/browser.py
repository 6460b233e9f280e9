"""A headless Chromium that notes everything a page must not do."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium")


@dataclass
class Visit:
    """An open page, with its console messages and errors, and requests beside the file itself."""

    page: Any
    said: list[str] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)

    def week(self) -> str:
        return str(self.page.locator("#week h2").evaluate("(head) => head.firstChild.textContent"))

    def panel(self) -> str:
        return str(self.page.locator("#week").text_content())

    def assert_quiet(self) -> None:
        assert self.said == []
        assert self.asked == []


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser; skips where there is none."""
    if CHROMIUM is None:
        pytest.skip("a page is clicked through in Chromium: apt-get install chromium")
    reason = "a page is clicked through with playwright: pip install playwright"
    api = pytest.importorskip("playwright.sync_api", reason=reason)
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


def visit(browser: Any, file: Path, scheme: str = "light") -> Visit:
    """Open a page that was written."""
    size = {"width": 1280, "height": 900}
    page = browser.new_page(viewport=size, color_scheme=scheme)
    seen = Visit(page)
    page.on("console", lambda message: seen.said.append(message.text))
    page.on("pageerror", lambda error: seen.said.append(str(error)))
    page.on("dialog", lambda dialog: seen.said.append(f"dialog: {dialog.message}"))
    page.on("request", lambda request: seen.asked.append(request.url))
    page.goto(file.as_uri())
    if seen.asked[:1] == [file.as_uri()]:
        seen.asked.pop(0)
    return seen
