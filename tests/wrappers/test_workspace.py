"""The tools of the list that need a workspace: code, scripts, daily calculations."""

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import pytest

from ceo_gym.simulators.ceobench.validation import InvalidDecision
from ceo_gym.wrappers import CodeAction, ToolAction
from ceo_gym.wrappers.desk import Desk
from ceo_gym.wrappers.workspace import cut
from tests.sandbox_here import NEEDS_BOX

pytestmark = NEEDS_BOX


@pytest.fixture(scope="module")
def shared_env() -> Iterator[CodeAction]:
    env = CodeAction(gym.make("ceo_gym:CEOBench-v0"))
    yield env
    env.close()


@pytest.fixture
def desk(shared_env: CodeAction) -> Desk:
    shared_env.reset(seed=3)
    return shared_env.desk


def exec_(desk: Desk, code: str, **more: Any) -> dict[str, Any]:
    return desk.call("python_exec", {"code": code, **more})


def test_code_finds_its_helpers(desk: Desk) -> None:
    code = "print(row('SELECT SUM(amount) AS usd FROM ledger'), len(rows('SELECT 1')), np.pi, pd)"
    found = exec_(desk, code)
    assert found["stdout"].startswith("{'usd': 1000000.0} 1 3.14159")
    assert found["stderr"] == ""


def test_each_code_has_names_of_its_own(desk: Desk) -> None:
    exec_(desk, "x = 3")
    assert "NameError" in exec_(desk, "print(x)")["stderr"]


def test_its_output_is_cut_as_published(desk: Desk) -> None:
    found = exec_(desk, "import sys; print('o' * 9000); print('e' * 9000, file=sys.stderr)")
    assert 5_000 < len(found["stdout"]) < 5_100
    assert 2_000 < len(found["stderr"]) < 2_100


def test_its_time_can_be_limited(desk: Desk) -> None:
    assert "longer than 0.3 s" in exec_(desk, "while True: pass", timeout_seconds=0.3)["stderr"]
    with pytest.raises(InvalidDecision, match="above 0"):
        exec_(desk, "1", timeout_seconds=0)


def test_scripts(desk: Desk) -> None:
    assert desk.call("list_scripts") == {"scripts": []}
    code = "print('cash', row('SELECT SUM(amount) AS usd FROM ledger')['usd'])"
    desk.call("register_script", {"name": "cash", "code": code})
    assert desk.call("list_scripts") == {"scripts": ["cash"]}
    assert desk.call("run_script", {"name": "cash"})["stdout"] == "cash 1000000.0\n"
    desk.call("delete_script", {"name": "cash"})
    for tool in ("run_script", "delete_script"):
        with pytest.raises(InvalidDecision, match="nothing is called 'cash'"):
            desk.call(tool, {"name": "cash"})


def test_calculations_add_to_the_report_and_cannot_act(desk: Desk) -> None:
    add = "register_daily_calculation"
    desk.call(add, {"name": "days", "code": "print('day', nm.vars.current_day)"})
    desk.call(add, {"name": "acts", "code": "nm.pricing.set_prices(A=1)"})
    desk.call(add, {"name": "plays", "code": "nm.advance()"})
    report = desk.advance()["dashboard"]
    assert "## days\n\nday 7\n" in report
    assert "'set_prices' cannot be used here" in report
    assert "'advance' cannot be used here" in report
    assert desk.day == 7
    assert desk.call("get_current_config")["prices"]["A"] == 0
    assert desk.call("list_daily_calculations") == {"calculations": ["acts", "days", "plays"]}
    for name in ("acts", "days", "plays"):
        desk.call("remove_daily_calculation", {"name": name})
    assert "Daily calculations" not in desk.advance()["dashboard"]


def test_calculations_run_while_the_program_that_plays_still_runs(
    shared_env: CodeAction, desk: Desk
) -> None:
    desk.call("register_daily_calculation", {"name": "hello", "code": "print('from inside')"})
    text, *_ = shared_env.step("import novamind_api as nm; print(nm.advance()['dashboard'])")
    assert "from inside" in text
    shared_env.reset(seed=3)
    assert shared_env.desk.call("list_daily_calculations") == {"calculations": []}


def test_code_does_not_start_code(shared_env: CodeAction, desk: Desk) -> None:
    text, *_ = shared_env.step("import novamind_api as nm; nm.call('python_exec', code='1')")
    assert "code that runs does not start other code" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"name": "../x", "code": "1"}, "letters, digits and _"),
        ({"name": "x", "code": "def"}, "not Python"),
        ({"name": "x", "code": "1\0"}, "not Python"),
        ({"name": "x", "code": "1 " * 60_000}, "at most 100,000"),
        ({"name": "x"}, "needs code"),
    ],
)
def test_what_cannot_be_registered(desk: Desk, arguments: dict[str, str], words: str) -> None:
    for tool in ("register_script", "register_daily_calculation"):
        with pytest.raises(InvalidDecision, match=words):
            desk.call(tool, arguments)


def test_there_is_an_end_to_registering(desk: Desk) -> None:
    for k in range(50):
        desk.call("register_script", {"name": f"s{k}", "code": "1"})
    desk.call("register_script", {"name": "s0", "code": "2"})
    with pytest.raises(InvalidDecision, match="50 scripts"):
        desk.call("register_script", {"name": "more", "code": "1"})


def test_without_a_workspace_they_are_not_served() -> None:
    env = ToolAction(gym.make("ceo_gym:CEOBench-v0"))
    env.reset(seed=1)
    text, *_ = env.step('{"tool": "python_exec", "args": {"code": "1"}}')
    assert "not served here" in text
    assert "python_exec" not in env.guide()


def test_the_text_is_cut_in_the_middle() -> None:
    assert cut("abc", 3) == "abc"
    assert cut("a" * 50 + "b" * 50, 10).startswith("aaaaa\n... 90 characters")
