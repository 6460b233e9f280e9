"""Policies that are not built in: by module and class, with arguments and needs of their own."""

import json
from pathlib import Path

import pytest

from ceo_gym.baselines import make_policy, needed_env_args
from ceo_gym.cli import main
from ceo_gym.evaluation import Evaluation, evaluate
from ceo_gym.evaluation.play import Game
from tests.evaluation.games import MONTH

OWN = "tests.evaluation.own_policy:Priced"


@pytest.fixture
def price(tmp_path: Path) -> str:
    path = tmp_path / "price.txt"
    path.write_text("31", encoding="utf-8")
    return str(path)


def test_its_env_has_what_it_needs(price: str) -> None:
    game = Game.of("CEOBench-v0", OWN, MONTH, {"file": price})
    assert game.env_args == {"record": "none", "actions": "core", "obs": "compact", **MONTH}
    env, policy = game.make()
    observation, info = env.reset(seed=1)
    action = policy.act(observation, info)
    assert action["price"].tolist() == [31.0, 0.0, 0.0]
    assert needed_env_args(OWN, file=price, actions="full")["actions"] == "full"
    assert needed_env_args("steady") == {}


def test_a_file_that_an_argument_names_belongs_to_the_identity(price: str, tmp_path: Path) -> None:
    out = tmp_path / "games.json"
    arguments = {"env_args": MONTH, "policy_args": {"file": price}, "out": out}
    found = evaluate("CEOBench-v0", OWN, "1:2", workers=2, **arguments)
    assert found.identity["policy_args"] == {"file": price}
    assert sorted(found.identity["policy_files"]) == ["class", "file"]
    Path(price).write_text("32", encoding="utf-8")
    with pytest.raises(ValueError, match="policy_files"):
        evaluate("CEOBench-v0", OWN, "1:2", **arguments)


@pytest.mark.parametrize(
    ("policy", "given", "needed", "message"),
    [
        ("nowhere.at_all:Policy", {}, {}, "nowhere"),
        ("tests.evaluation.own_policy:Nobody", {}, {}, "Nobody"),
        ("steady", {"pace": 3}, {}, "no argument 'pace'; it has none"),
        (OWN, {"fil": "a"}, {}, "no argument 'fil'; did you mean file"),
        (OWN, {"file": "a"}, {"obs": "full"}, 'needs an env with obs="compact", not "full"'),
        ("steedy", {}, {}, "did you mean steady.*module:Class"),
    ],
)
def test_refusals(
    policy: str, given: dict[str, object], needed: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        Game.of("CEOBench-v0", policy, needed, given)


def test_a_policy_refuses_an_argument_of_another(price: str) -> None:
    env = Game.of("CEOBench-v0", "steady", MONTH).make()[0]
    with pytest.raises(ValueError, match="no argument 'file'"):
        make_policy("steady", env, file=price)


def test_from_the_command_line(price: str, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    policy = ["--policy", OWN, "--policy-arg", f"file={price}"]
    out = tmp_path / "games.json"
    month = ["--env-arg", f"params={json.dumps(MONTH['params'])}"]
    assert main(["evaluate", *policy, *month, "--seeds", "1", "--quiet", "--out", str(out)]) == 0
    assert f'file="{price}"' in capsys.readouterr().out
    cash = Evaluation.read(out).episodes[0].final_cash_usd
    assert main(["run", *policy, "--seed", "1", "--days", "28", "--out", str(tmp_path)]) == 0
    assert f"final cash ${cash:,.2f}" in capsys.readouterr().out
    # the configuration has the arguments, which another policy does not take over
    assert main(["run", "--config", str(tmp_path), "--quiet"]) == 0
    assert f"final cash ${cash:,.2f}" in capsys.readouterr().out
    assert main(["run", "--config", str(tmp_path), "--policy", "passive", "--quiet"]) == 0
