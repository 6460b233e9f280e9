"""Pages clicked through in a browser: no message on the console, no request, the right texts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.evaluation.recording import record_run
from ceo_gym.sandbox.conversation import Outcome
from ceo_gym.sessions import Session
from ceo_gym.viewer import load, write
from tests.viewer.browser import chromium, visit
from tests.viewer.games import HOSTILE, forecast, pretend_program, refused, talk

FIRST_LOAD_S = 3.0  # generous: other processes may have the cores
SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => list.getEntries().forEach((shift) => { sum += shift.value; }))
    .observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(sum), 200);
})"""
LOADED = "() => performance.getEntriesByType('navigation')[0].loadEventEnd / 1000"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium() as made:
        yield made


@pytest.fixture(scope="module")
def spender(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An agent that is bankrupt soon, with a program that failed."""
    directory = tmp_path_factory.mktemp("runs") / "spender"
    with Session.create(directory, seed=4) as session:
        while session.status["status"] == "running":
            if session.status["week"] == 1:
                outcome = Outcome("printed this\n", "Traceback: boom\n", 1, "", 0.2, 0.1, 1)
                pretend_program(session, "print('the code')\n1 / 0\n", outcome)
            refused(session, "set_prices", {"A": -5})
            session.call("set_daily_spend", {"operations": 40_000, "development": 30_000})
            cash, week = session.status["cash_usd"], session.status["week"] + 1
            arguments = {"predictions": forecast(cash), "rationale": f"Spend more in week {week}."}
            session.call("next_week", arguments)
    return directory


@pytest.fixture(scope="module")
def pair(spender: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two runs: the agent's, and a policy's of 500 days."""
    steady = tmp_path_factory.mktemp("runs") / "steady"
    record_run("CEOBench-v0", "steady", 4).write(steady)
    return write([load(spender), load(steady)], tmp_path_factory.mktemp("page") / "view.html")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_run_of_500_days_opens_quickly_and_holds_still(
    browser: Any, pair: Path, scheme: str
) -> None:
    seen = visit(browser, pair, scheme)
    seconds = seen.page.evaluate(LOADED)
    print(f"{pair.stat().st_size / 1e3:.0f} kB, loaded in {seconds:.2f} s")
    assert seconds < FIRST_LOAD_S
    assert seen.page.evaluate(SHIFT) == 0
    assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert seen.page.locator("figure.chart canvas").count() == 18
    seen.assert_quiet()


def test_table_tells_how_the_runs_ended(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    rows = seen.page.locator("table.runs tbody tr").all_inner_texts()
    assert "bankrupt" in rows[0]
    assert "completed" in rows[1]
    assert "500 of 500" in rows[1]
    assert "500 of 500" not in rows[0]
    notes = seen.page.locator(".verdict").all_inner_texts()
    assert all("verified bit for bit" in note for note in notes)
    seen.assert_quiet()


def test_weeks_by_keyboard(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    slider = seen.page.get_by_label("Week", exact=True)
    slider.focus()
    for key, week in [
        ("Home", 1),
        ("ArrowRight", 2),
        ("PageUp", 6),
        ("ArrowLeft", 5),
        ("PageDown", 1),
        ("End", 72),
        ("ArrowRight", 72),
    ]:
        seen.page.keyboard.press(key)
        assert seen.week() == f"Week {week}", key
        assert slider.input_value() == str(week)
    assert slider.get_attribute("aria-valuetext") == "week 72, from day 498"
    seen.page.evaluate("document.activeElement.blur()")
    seen.page.keyboard.press("ArrowLeft")  # works from anywhere
    assert seen.week() == "Week 71"
    seen.assert_quiet()


def test_weeks_by_mouse(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    slider = seen.page.locator("#week-slider")
    box = slider.bounding_box()
    seen.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert abs(int(seen.week().removeprefix("Week ")) - 36) <= 1
    seen.page.get_by_label("Week before").click()
    after_slider = int(slider.input_value())
    seen.page.get_by_label("Week after").click()
    assert int(slider.input_value()) == after_slider + 1
    plot = seen.page.locator("figure.chart .u-over").first
    box = plot.bounding_box()
    seen.page.mouse.click(box["x"] + box["width"] * 0.42, box["y"] + 40)
    assert seen.week() == "Week 30"  # day 210 of 500
    line = seen.page.locator(".week-line").first.bounding_box()
    assert line["x"] == pytest.approx(box["x"] + box["width"] * 0.42, abs=2)
    seen.assert_quiet()


def test_charts_stay_where_they_are(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    seen.page.locator("#modes button", has_text="steady").click()
    places = """() => JSON.stringify(
      [...document.querySelectorAll("figure.chart, .plot canvas")].map(
        (each) => each.getBoundingClientRect()))"""
    seen.page.locator("#week-slider").focus()
    seen.page.keyboard.press("Home")
    found = set()
    for _ in range(18):
        found.add(seen.page.evaluate(places))
        seen.page.keyboard.press("PageUp")
    assert len(found) == 1


def test_panel_of_a_week_shows_what_was_done(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    seen.page.locator("#modes button", has_text="spender").click()
    seen.page.locator("#week-slider").focus()
    seen.page.keyboard.press("Home")
    seen.page.keyboard.press("ArrowRight")
    text = seen.panel()
    for words in (
        "Spend more in week 2.",
        "print('the code')",
        "printed this",
        "Traceback: boom",
        "exit code 1",
        "get_current_config",
        "out_of_range",
        "1 week",
        "outside",
        "No setting was changed.",
        "No enterprise wrote in this week.",
    ):
        assert words in text
    seen.page.locator("#week label", has_text="Programs").locator("input").uncheck()
    assert "print('the code')" not in seen.panel()
    assert "get_current_config" in seen.panel()
    seen.assert_quiet()


def test_panel_of_a_policy_tells_its_keys(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    seen.page.locator("#modes button", has_text="steady").click()
    seen.page.locator("#week-slider").focus()
    seen.page.keyboard.press("Home")
    text = seen.panel()
    assert "A policy gives no rationale." in text
    assert "Keys of the action that were used" in text
    assert "prices, A" in text
    seen.assert_quiet()


def test_beyond_the_end_of_a_run_it_says_so(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    seen.page.locator("#week-slider").focus()
    seen.page.keyboard.press("End")
    assert "This run ended with week" in seen.panel()
    seen.page.locator("#week .pills button", has_text="steady").click()
    assert "Cash forecasts made before this week" in seen.panel()
    seen.assert_quiet()


def test_legends_switch_runs_and_lines(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    charts = seen.page.locator("figure.chart")
    assert charts.first.locator(".legend .name").all_inner_texts() == ["spender", "steady"]
    button = seen.page.locator("table.runs button", has_text="spender")
    button.click()
    assert button.get_attribute("aria-pressed") == "false"
    assert charts.first.locator(".legend .name").all_inner_texts() == ["steady"]
    button.click()
    charts.nth(2).locator("select").select_option(label="Spending")
    seen.page.locator("#modes button", has_text="steady").click()
    names = charts.nth(2).locator(".legend .name").all_inner_texts()
    assert names == ["Income", "Spending"]
    line = charts.nth(2).locator(".legend button", has_text="Income")
    line.click()
    assert line.get_attribute("aria-pressed") == "false"
    seen.assert_quiet()


def test_controls_have_names(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    unnamed = seen.page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, summary")].filter(
          (each) => !(each.textContent.trim() || each.ariaLabel || each.labels?.length)
        ).map((each) => each.outerHTML)"""
    )
    assert unnamed == []
    seen.page.keyboard.press("Tab")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert seen.page.evaluate(outline) == "solid"


def test_change_of_light_is_followed(browser: Any, pair: Path) -> None:
    seen = visit(browser, pair)
    ground = "getComputedStyle(document.body).backgroundColor"
    light = seen.page.evaluate(ground)
    seen.page.emulate_media(color_scheme="dark")
    assert seen.page.evaluate(ground) != light
    seen.assert_quiet()


def test_hostile_texts_are_only_texts(browser: Any, tmp_path: Path) -> None:
    directory = talk(tmp_path / "talk", text=HOSTILE)
    with Session.open(directory) as session:
        outcome = Outcome(HOSTILE, HOSTILE, 0, "", 0.1, 0.0, 1)
        pretend_program(session, HOSTILE, outcome)
    file = write([load(directory, HOSTILE), load(directory, "again")], tmp_path / "view.html")
    seen = visit(browser, file)
    seen.page.locator("#week-slider").focus()
    seen.page.keyboard.press("Home")
    for _ in range(4):
        text = seen.panel()
        assert "<img src=x onerror=alert(2)>" in text
        assert "</script><script>alert(1)</script>" in text
        seen.page.keyboard.press("ArrowRight")
    assert seen.page.locator("img").count() == 0
    assert seen.page.locator("script").count() == 3
    seen.assert_quiet()


def test_runs_without_weeks_say_so(browser: Any, tmp_path: Path) -> None:
    Session.create(tmp_path / "new", seed=1).close()
    seen = visit(browser, write([load(tmp_path / "new")], tmp_path / "view.html"))
    assert "nothing was decided" in seen.panel()
    assert "No week has been played." in seen.page.locator("figure.chart").first.inner_text()
    seen.assert_quiet()


def test_run_that_is_not_verified_says_so(browser: Any, tmp_path: Path) -> None:
    journal = talk(tmp_path / "talk") / "journal.jsonl"
    journal.write_text(journal.read_text().replace("rationale 1", "rationale 9"))
    seen = visit(browser, write([load(tmp_path / "talk")], tmp_path / "view.html"))
    assert "NOT verified. journal.jsonl, line" in seen.page.get_by_role("alert").inner_text()
    words = "The record does not hold this, and the run could not be played again."
    assert words in seen.page.locator("figure.chart", has_text="Usage").inner_text()
    assert seen.page.locator("figure.chart canvas").count() > 8
    seen.assert_quiet()
