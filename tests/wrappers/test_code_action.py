"""CodeAction: programs in, what they print out; reward and weeks as the env plays them."""

import copy
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

from ceo_gym.sandbox import Limits
from ceo_gym.tools import ceobench as tools
from ceo_gym.wrappers import CodeAction
from tests.sandbox_here import NEEDS_BOX

pytestmark = NEEDS_BOX

NM = "import novamind_api as nm\n"
ROOT = Path(__file__).parents[2]
SHARED = ROOT.parent / "shared"


def made(**arguments: Any) -> CodeAction:
    wrapper = {k: arguments.pop(k) for k in ("workspace", "limits", "extended") if k in arguments}
    return CodeAction(gym.make("ceo_gym:CEOBench-v0", **arguments), **wrapper)


@pytest.fixture(scope="module")
def shared_env() -> Iterator[CodeAction]:
    env = made()
    yield env
    env.close()


@pytest.fixture
def env(shared_env: CodeAction) -> CodeAction:
    shared_env.reset(seed=3)
    return shared_env


def test_a_program_acts_and_its_text_comes_back(env: CodeAction) -> None:
    text, reward, terminated, truncated, info = env.step(
        NM + "print(nm.pricing.set_prices(A=45.0, B=80)['current'])"
    )
    assert text == info["stdout"] == "{'A': 45.0, 'B': 80.0, 'C': 0.0}\n"
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert (info["exit_code"], info["stderr"], info["day"], info["weeks_advanced"]) == (0, "", 0, 0)
    assert info["calls"] == 1
    assert env.unwrapped.call("get_current_config")["prices"]["A"] == 45


def test_weeks_earn_what_the_env_pays(env: CodeAction) -> None:
    settings = "nm.pricing.set_prices(A=45)\nnm.infrastructure.set_capacity_tier(2)\n"
    _, reward, _, _, info = env.step(NM + settings + "for _ in range(3): nm.advance()")
    other = gym.make("ceo_gym:CEOBench-v0")
    other.reset(seed=3)
    other.unwrapped.call("set_prices", {"A": 45})
    other.unwrapped.call("set_capacity_tier", {"tier": 2})
    paid = [other.step(other.unwrapped.noop_action())[1] for _ in range(3)]
    assert reward == pytest.approx(sum(paid), abs=1e-15)
    assert (info["weeks_advanced"], info["day"], info["week"]) == (3, 21, 3)
    assert env.unwrapped.save_state() == other.unwrapped.save_state()


def test_a_week_by_the_published_call(env: CodeAction) -> None:
    code = NM + (
        "f = {'point': 1e6, 'lower': 9e5, 'upper': 2e6}\n"
        "p = {k: f for k in ('cash_1wk', 'cash_4wk', 'cash_12wk', 'cash_26wk')}\n"
        "from novamind_api._client import next_week\n"
        "print(next_week(p, 'why')['dashboard'][:6], nm.next_week(p, 'why')['day'])\n"
        "print(nm.query('SELECT COUNT(*) AS n FROM predictions')['rows'])"
    )
    text, *_, info = env.step(code)
    assert text == "WEEK 1 14\n[{'n': 8}]\n"
    assert info["weeks_advanced"] == 2


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("nm.pricing.set_prices(A=-1)", "NovaMindAPIError: the price of A must be above 0"),
        ("nm.next_week({}, 'x')", "NovaMindAPIError: predictions needs cash_1wk"),
        ("nm.query('SELECT x FROM ledger')", "NovaMindAPIError: no such column: x"),
        ("nm.call('no_such')", "NovaMindAPIError: there is no tool 'no_such'"),
        ("nm.marketing.set_daily_spend(ads=3)", "NovaMindAPIError: set_daily_spend has no"),
    ],
)
def test_a_refusal_that_nobody_catches_is_one_line(env: CodeAction, code: str, words: str) -> None:
    *_, info = env.step(NM + code)
    assert info["exit_code"] == 1
    assert info["stderr"].startswith(words)
    assert info["stderr"].count("\n") == 1


def test_a_refusal_can_be_caught(env: CodeAction) -> None:
    code = NM + (
        "try: nm.pricing.set_prices(A='40')\n"
        "except nm.NovaMindAPIError as error: print(error.code, '|', error)"
    )
    assert env.step(code)[0].startswith("wrong_type | A of set_prices must be a number")


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("nm.pricing.get_prices()", "did you mean nm.pricing.set_prices"),
        ("nm.analytics.post_social_media('x')", "did you mean nm.marketing.post_social_media?"),
        ("nm.get_market_overview()", "did you mean nm.market.get_market_overview?"),
        ("nm.vars.cash", "SELECT SUM(amount) AS cash FROM ledger"),
        ("from novamind_api.pricing import nothing", "cannot import name 'nothing'"),
    ],
)
def test_names_that_are_not_there_are_told_where_to_look(
    env: CodeAction, code: str, words: str
) -> None:
    *_, info = env.step(NM + code)
    assert words in info["stderr"]
    assert info["exit_code"] == 1


def test_every_published_function_is_where_it_was(env: CodeAction) -> None:
    code = NM + (
        "import inspect, json\n"
        "found = {}\n"
        "for name in ('pricing', 'marketing', 'infrastructure', 'enterprise', 'market',\n"
        "             'research', 'analytics'):\n"
        "    for short in dir(getattr(nm, name)):\n"
        "        if not short.startswith('_'):\n"
        "            made = getattr(getattr(nm, name), short)\n"
        "            assert made.__doc__ and 'Returns:' in made.__doc__\n"
        "            found[f'{name}.{short}'] = list(inspect.signature(made).parameters)\n"
        "print(json.dumps(found))"
    )
    found = json.loads(env.step(code)[0])
    declared = {t.path: list(t.names) for t in tools.TOOLS.values() if "." in t.path}
    declared.pop("_client.next_week")
    assert found == declared
    assert len(found) == 23  # the 22 of the published client, and log_rationale


def test_positional_and_numpy_arguments(env: CodeAction) -> None:
    code = NM + (
        "import numpy as np, pandas as pd\n"
        "print(nm.pricing.set_prices(40, 80)['current'])\n"
        "nm.marketing.set_daily_spend(operations=np.float64(5), development=np.int64(7))\n"
        "nm.marketing.set_targeted_ad_spend({'linkedin': pd.Series({'S1': 3.0}).to_dict()})\n"
        "nm.analytics.set_targeted_dev_spend({'S1': np.float32(0.5)})\n"
        "print(nm.call('get_current_config')['daily_spend'])\n"
        "nm.pricing.set_prices(1, 2, 3, 4)"
    )
    *_, info = env.step(code)
    assert info["stdout"] == (
        "{'A': 40.0, 'B': 80.0, 'C': 0.0}\n{'operations': 5.0, 'development': 7.0}\n"
    )
    assert "takes 3 arguments (A, B, C), not 4" in info["stderr"]


def test_hints_of_queries_go_to_stderr(env: CodeAction) -> None:
    code = "print(nm.query(\"SELECT * FROM subscriptions WHERE status = 'active'\")['row_count'])"
    *_, info = env.step(NM + code)
    assert info["stdout"] == "0\n"
    assert info["stderr"].startswith("hint: ")


def test_files_last_for_the_game_only(env: CodeAction) -> None:
    env.step("open('notes.md', 'w').write('remember')")
    folder = env.workspace.folder
    assert env.step("print(open('notes.md').read())")[0] == "remember\n"
    env.reset(seed=3)
    assert not folder.exists()
    assert "FileNotFoundError" in env.step("open('notes.md')")[0]


def test_a_folder_of_ones_own_is_kept(tmp_path: Path) -> None:
    env = made(workspace=tmp_path / "mine")
    env.reset(seed=1)
    env.step("open('notes.md', 'w').write('remember')")
    env.reset(seed=2)
    assert env.step("print(open('notes.md').read())")[0] == "remember\n"
    env.close()
    assert (tmp_path / "mine" / "notes.md").read_text() == "remember"


def test_a_failed_program_keeps_what_it_did(env: CodeAction) -> None:
    *_, info = env.step(NM + "nm.pricing.set_prices(A=50)\nnm.advance()\n1 / 0")
    assert (info["exit_code"], info["weeks_advanced"], info["day"]) == (1, 1, 7)
    assert 'File "/workspace/program.py", line 4' in info["stderr"]
    assert env.unwrapped.call("get_current_config")["prices"]["A"] == 50


def test_a_program_that_must_be_ended_keeps_what_it_did() -> None:
    env = made(limits=Limits(wall_s=1.0))
    env.reset(seed=3)
    *_, info = env.step(NM + "nm.advance()\nprint('so far', flush=True)\nwhile True: pass")
    assert (info["exit_code"], info["weeks_advanced"]) == (137, 1)
    assert info["stdout"] == "so far\n"
    assert info["stderr"].endswith("stopped: the program ran longer than 1 s\n")
    assert env.step(NM + "print(nm.vars.current_day)")[0] == "7\n"
    env.close()


def test_after_the_end_one_can_still_ask() -> None:
    env = made(params={"clock.horizon_days": 10})
    env.reset(seed=3)
    *_, terminated, _, info = env.step(NM + "nm.advance(); nm.advance(); nm.advance()")
    assert terminated
    assert (info["weeks_advanced"], info["day"]) == (2, 10)
    assert "the game is over" in info["stderr"]
    text, reward, terminated, *_ = env.step(NM + "print(nm.query('SELECT 1 AS one')['rows'])")
    assert (text, reward, terminated) == ("[{'one': 1}]\n", 0.0, True)
    env.close()


def test_long_output_is_cut_in_the_middle(env: CodeAction) -> None:
    text, *_, info = env.step("for k in range(100_000): print(k)")
    assert text.startswith("0\n1\n")
    assert text.endswith("99999\n")
    assert "are left out here" in text
    assert len(text) < 31_000
    assert 150_000 < len(info["stdout"]) < 210_000


def test_what_is_no_program_is_refused(env: CodeAction) -> None:
    for wrong, words in (("x" * 1_000_001, "at most 1,000,000"), ("def", "SyntaxError")):
        text, reward, *_, info = env.step(wrong)
        assert words in text
        assert (reward, info["exit_code"] > 0) == (0.0, True)


def test_it_begins_with_a_reset() -> None:
    env = made()
    with pytest.raises(gym.error.ResetNeeded):
        env.step("print(1)")
    env.close()
    with pytest.raises(TypeError, match="ceo-gym environment"):
        CodeAction(gym.make("CartPole-v1"))


def test_it_can_be_made_again_from_its_spec() -> None:
    env = made(limits=Limits(wall_s=5.0), extended=True)
    again = gym.make(env.spec)
    text, _ = again.reset(seed=1)
    assert "novamind_api" in text
    assert again.step("print(6 * 7)")[0] == "42\n"
    again.close()
    env.close()


def test_a_wrapped_env_counts_its_steps() -> None:
    inner = gym.wrappers.TimeLimit(gym.make("ceo_gym:CEOBench-v0"), 2)
    env = CodeAction(inner)
    env.reset(seed=1)
    *_, terminated, truncated, info = env.step(NM + "for _ in range(5): nm.advance()")
    assert (terminated, truncated, info["weeks_advanced"]) == (False, True, 2)
    env.close()


def test_the_guide_tells_how_to_act(env: CodeAction) -> None:
    guide = env.guide()
    assert "import novamind_api as nm" in guide
    assert "python_exec" in guide  # a workspace serves all 34


def test_the_same_programs_give_the_same_game() -> None:
    states = []
    for _ in range(2):
        env = made()
        env.reset(seed=9)
        env.step(NM + "nm.pricing.set_prices(A=40)\nnm.market.research_market()\nnm.advance()")
        states.append(copy.copy(env.unwrapped.save_state()))
        env.close()
    assert states[0] == states[1]


@pytest.mark.skipif(not SHARED.exists(), reason="needs ../shared")
def test_programs_that_agents_wrote_run_unchanged() -> None:
    programs = SHARED / "conformance" / "agent_programs_dev.jsonl.gz"
    command = [sys.executable, SHARED / "checks" / "agent_programs.py", programs]
    found = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert found.returncode == 0, found.stdout + found.stderr
