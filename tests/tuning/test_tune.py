"""The search: what it tries, keeps, resumes and refuses."""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.baselines import make_policy
from ceo_gym.baselines.rule_settings import RuleSettings
from ceo_gym.baselines.tuned import read_settings
from ceo_gym.cli import main
from ceo_gym.evaluation import evaluate
from ceo_gym.evaluation.play import Game
from ceo_gym.tuning import Tuning, tune
from tests.evaluation.test_results import until

optuna = pytest.importorskip("optuna", reason='tuning needs pip install "ceo-gym[tune]"')

SHORT = {"params": {"clock.horizon_days": 35}, "max_agents": 500}
ONLY = ("first_development_usd", "first_ads_usd", "growth")


def search(out: Path, trials: int = 3, **more: Any) -> Tuning:
    arguments = {"seeds": "1:2", "only": ONLY, "env_args": SHORT, **more}
    return tune("CEOBench-v0", trials=trials, out=out, **arguments)


def journal_of(out: Path) -> Any:
    storage = optuna.storages.journal
    backend = storage.JournalFileBackend(str(out.with_suffix(".journal")))
    return optuna.load_study(study_name="ceo-gym", storage=optuna.storages.JournalStorage(backend))


def test_the_first_candidate_is_the_start_and_scores_as_evaluation_does(tmp_path: Path) -> None:
    out = tmp_path / "tuned.json"
    found = search(out, trials=1, start={"first_ads_usd": 5_000.0})
    assert found.settings["first_ads_usd"] == 5_000.0
    assert found.settings == vars(RuleSettings(first_ads_usd=5_000.0))
    told = evaluate(
        "CEOBench-v0",
        "rule_based",
        "1:2",
        env_args=SHORT,
        policy_args={"settings": found.settings},
    )
    assert found.score == pytest.approx(told.summary["geometric"]["mean_usd"])
    assert (found.trials, found.games) == (1, 2)
    assert told.identity["code"] == found.identity["code"]


def test_only_the_named_settings_move_and_within_their_ranges(tmp_path: Path) -> None:
    search(tmp_path / "tuned.json", trials=4)
    trials = journal_of(tmp_path / "tuned.json").get_trials()
    tried = [trial.params for trial in trials if trial.params]
    assert all(set(params) == set(ONLY) for params in tried)
    assert len({tuple(params.values()) for params in tried}) > 1
    for name, each in RuleSettings.describe().items():
        assert all(each["low"] <= params.get(name, each["low"]) <= each["high"] for params in tried)


def test_one_worker_searches_the_same_way_again(tmp_path: Path) -> None:
    first, again = search(tmp_path / "a.json"), search(tmp_path / "b.json")
    assert first == again
    assert search(tmp_path / "c.json", seed=1).settings != first.settings


def test_the_result_is_a_file_that_policies_take(tmp_path: Path) -> None:
    out = tmp_path / "tuned.json"
    found = search(out, command="ceo-gym tune ...")
    stored = json.loads(out.read_text())
    assert stored["settings"] == found.settings == read_settings(out)
    assert stored["command"] == "ceo-gym tune ..."
    assert stored["seeds"] == [1, 2]
    env, policy = Game.of("CEOBench-v0", "tuned", SHORT, {"settings": str(out)}).make()
    assert vars(policy.settings) == found.settings  # type: ignore[attr-defined]
    # and the rules themselves take the numbers
    assert vars(make_policy("rule_based", env, settings=stored["settings"]).settings) == (  # type: ignore[attr-defined]
        found.settings
    )


def test_more_trials_go_on_without_playing_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "tuned.json"
    seen: list[tuple[int, int]] = []
    few = search(out, trials=2)
    more = search(out, trials=4, progress=lambda done, every, best: seen.append((done, every)))
    assert seen[0] == (2, 4)
    assert seen[-1] == (4, 4)
    assert more.games > few.games
    again = search(out, trials=4)
    assert again == more
    assert search(tmp_path / "at_once.json", trials=4).settings.keys() == more.settings.keys()


def test_the_finals_are_played_on_other_seeds(tmp_path: Path) -> None:
    out = tmp_path / "tuned.json"
    found = search(out, finalists=2, final_seeds="9:10")
    finals = sorted(tmp_path.glob("tuned.final-*.json"))
    assert len(finals) == 2
    scores = [json.loads(f.read_text())["summary"]["geometric"]["mean_usd"] for f in finals]
    assert found.score == pytest.approx(max(scores))
    assert found.final_seeds == (9, 10)


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_search_keeps_every_finished_game(tmp_path: Path, workers: str) -> None:
    out = tmp_path / "tuned.json"
    command = [sys.executable, "-m", "ceo_gym", "tune", "--seeds", "1:3", "--trials", "2"]
    command += ["--only", ",".join(ONLY), "--finalists", "0", "--workers", workers, "--quiet"]
    command += ["--env-arg", f"params={json.dumps(SHORT['params'])}", "--out", str(out)]
    command += ["--env-arg", "max_agents=500"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)

    def games() -> int:
        text = out.with_suffix(".journal")
        return text.read_text().count('"intermediate_value"') if text.exists() else 0

    until(lambda: games() >= 2)
    process.kill()
    process.wait()
    before = games()
    kept = [
        value
        for trial in journal_of(out).get_trials()
        for value in trial.intermediate_values.values()
    ]
    assert len(kept) == before >= 2
    assert subprocess.run(command, stdout=subprocess.DEVNULL, check=False).returncode == 0
    done = [
        trial.intermediate_values
        for trial in journal_of(out).get_trials()
        if trial.state in (optuna.trial.TrialState.COMPLETE, optuna.trial.TrialState.PRUNED)
    ]
    assert len(done) == 2
    again = [value for games in done for value in games.values()]
    assert all(value in again for value in kept)
    assert all(math.isfinite(value) for value in again)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seeds": "1001"}, "seed 1001 is no tuning seed"),
        ({"only": ("growht",)}, "did you mean growth"),
        ({"start": {"growht": 1.0}}, "did you mean growth"),
        ({"trials": 0}, "trials must be a whole number from 1"),
        ({"policy": "steady"}, "steady has no settings to tune"),
        ({"finalists": 1, "final_seeds": "2:3"}, "the finals need other seeds"),
        ({"workers": 0}, "workers must be"),
    ],
)
def test_refusals(tmp_path: Path, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        search(tmp_path / "tuned.json", **arguments)


def test_the_journal_of_another_search_is_refused_and_kept(tmp_path: Path) -> None:
    out = tmp_path / "tuned.json"
    search(out, trials=1)
    before = out.with_suffix(".journal").read_bytes()
    with pytest.raises(ValueError, match="another search: other seeds"):
        search(out, seeds="1:3")
    with pytest.raises(ValueError, match="other ranges of settings; other fixed settings"):
        search(out, only=ONLY[:2])
    with pytest.raises(ValueError, match="env_args is"):
        search(out, env_args={**SHORT, "max_agents": 600})
    assert out.with_suffix(".journal").read_bytes() == before


def test_without_optuna_the_pip_line_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    assert main(["tune", "--out", str(tmp_path / "tuned.json")]) == 2
    assert 'pip install "ceo-gym[tune]"' in capsys.readouterr().err


def test_the_command_prints_settings_and_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "tuned.json"
    words = ["tune", "--seeds", "1:2", "--trials", "2", "--finalists", "1", "--final-seeds", "5"]
    words += [
        "--env-arg",
        "max_agents=500",
        "--only",
        "growth",
        "--env-arg",
        f"params={json.dumps(SHORT['params'])}",
    ]
    assert main([*words, "--out", str(out)]) == 0
    shown = capsys.readouterr()
    assert "seeds of the finals $" in shown.out
    assert "2 of 2 candidates" in shown.err
    stored = json.loads(out.read_text())
    assert stored["command"].startswith("ceo-gym ")
    # the search starts where another file stopped
    other = tmp_path / "other.json"
    assert main([*words, "--out", str(other), "--start", str(out), "--quiet"]) == 0
    with pytest.raises(ValueError, match="no file of ceo-gym tune"):
        read_settings(tmp_path / "tuned.journal")
