"""The file: whole at any time, extended, resumed, and refused where it is not one's own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.evaluation import Evaluation, compare, evaluate
from ceo_gym.evaluation import identity as identities
from ceo_gym.evaluation.play import Episode, Game
from tests.evaluation.games import MONTH, episode, without_seconds

IDENTITY = {"env": "CEOBench-v0", "env_args": {}, "policy": "steady", "world": "a", "code": "b"}


def read(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def played(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Seeds in the order in which this process plays them."""
    seeds: list[int] = []
    play = Game.play

    def counted(game: Game, seed: int) -> Episode:
        seeds.append(seed)
        return play(game, seed)

    monkeypatch.setattr(Game, "play", counted)
    return seeds


def month(
    file: Path | None = None, seeds: str = "1:3", policy: str = "steady", **more: Any
) -> Evaluation:
    return evaluate("CEOBench-v0", policy, seeds, out=file, **{"env_args": MONTH, **more})


def test_a_file_gives_back_what_was_written(tmp_path: Path) -> None:
    evaluation = month(tmp_path / "new" / "games.json")
    found = Evaluation.read(tmp_path / "new" / "games.json")
    assert found == evaluation
    stored = read(tmp_path / "new" / "games.json")
    assert stored["complete"]
    assert stored["summary"] == evaluation.summary
    assert [row["seed"] for row in stored["episodes"]] == stored["seeds"] == [1, 2, 3]
    assert os.listdir(tmp_path / "new") == ["games.json"]


def test_the_same_again_plays_nothing(tmp_path: Path, played: list[int]) -> None:
    file = tmp_path / "games.json"
    month(file)
    before = file.read_bytes()
    month(file)
    assert played == [1, 2, 3]
    assert file.read_bytes() == before


def test_versions_that_played_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.json"
    month(file, "1")
    (before,) = read(file)["made_with"]
    monkeypatch.setattr("platform.python_version", lambda: "3.99.0")
    month(file, "1")
    assert read(file)["made_with"] == [before]
    month(file, "1:2")
    assert read(file)["made_with"] == [before, before | {"python": "3.99.0"}]


def test_more_seeds_extend_a_file(tmp_path: Path, played: list[int]) -> None:
    file = tmp_path / "games.json"
    month(file, "2")
    evaluation = month(file, "1:3")
    assert played == [2, 1, 3]
    assert without_seconds(read(file)) == without_seconds(month(seeds="1:3").as_dict())
    assert [each.seed for each in evaluation.episodes] == [1, 2, 3]


def test_an_interrupted_run_keeps_what_is_finished(tmp_path: Path, played: list[int]) -> None:
    file = tmp_path / "games.json"

    def press(finished: int, every: int) -> None:
        assert every == 3
        if finished == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        month(file, progress=press)
    stored = read(file)
    assert (stored["complete"], stored["summary"]) == (False, None)
    assert [row["seed"] for row in stored["episodes"]] == [1, 2]
    counts: list[tuple[int, int]] = []
    month(file, progress=lambda *count: counts.append(count))
    assert played == [1, 2, 3]
    assert counts == [(2, 3), (3, 3)]


def living_children(pid: int) -> Callable[[], list[int]]:
    """A function that says which of the present children of a process still run."""
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    if not listed.exists():
        return list
    children = [int(word) for word in listed.read_text().split()]

    def living() -> list[int]:
        found = []
        for child in children:
            try:
                state = Path(f"/proc/{child}/stat").read_text().rsplit(")", 1)[1].split()[0]
            except OSError:
                continue
            if state not in "ZX":
                found.append(child)
        return found

    return living


def until(condition: Callable[[], Any], seconds: float = 60.0) -> Any:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        found = condition()
        if found:
            return found
        time.sleep(0.005)
    raise AssertionError("it did not happen in time")


def command_of(file: Path, workers: str, seeds: str = "1:10") -> list[str]:
    command = [sys.executable, "-m", "ceo_gym", "evaluate", "--policy", "steady", "--quiet"]
    command += ["--seeds", seeds, "--env-arg", f"params={json.dumps(MONTH['params'])}"]
    return [*command, "--workers", workers, "--out", str(file)]


@pytest.mark.skipif(os.name != "posix", reason="Windows has no SIGINT to a group of processes")
def test_ctrl_c_ends_all_processes_with_one_line(tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    process = subprocess.Popen(
        command_of(file, "2", "1:64"),  # not over before the signal comes, however slow this is
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until(lambda: file.exists() and read(file)["episodes"])
    living = living_children(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error == f"ceo-gym: interrupted; {file} keeps the finished games\n"
    until(lambda: not living())


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_killed_run_goes_on_where_it_stopped(tmp_path: Path, workers: str) -> None:
    file = tmp_path / "games.json"
    command = command_of(file, workers)
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    # a reader never meets half a file, so that this parses whenever it looks
    until(lambda: file.exists() and read(file)["episodes"])
    living = living_children(process.pid)
    process.kill()
    assert process.wait() == (-signal.SIGKILL if os.name == "posix" else 1)
    until(lambda: not living())

    stopped = read(file)
    assert 1 <= len(stopped["episodes"]) < 10
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    finished = read(file)
    # a game that had been played again would have other CPU seconds
    kept = {row["seed"]: row for row in stopped["episodes"]}
    assert {row["seed"]: row for row in finished["episodes"] if row["seed"] in kept} == kept
    undisturbed = month(seeds="1:10").as_dict()
    assert without_seconds(finished) == without_seconds(undisturbed)


def test_a_failed_write_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "games.json"
    evaluation = Evaluation(IDENTITY, (1, 2), {1: episode(1, 5.0)})
    evaluation.write(file)
    before = file.read_bytes()
    evaluation.by_seed[2] = episode(2, 6.0)

    def full(*_: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        evaluation.write(file)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"policy": "passive"}, "policy is 'steady' there and 'passive' here"),
        ({"env_args": {}}, "env_args is"),
        ({"env_args": MONTH | {"max_agents": 500}}, "env_args is"),
        ({"seeds": "1"}, "seeds that are not asked for (2, 3)"),
    ],
)
def test_a_file_of_something_else_is_refused(
    tmp_path: Path, change: dict[str, Any], message: str
) -> None:
    file = tmp_path / "games.json"
    month(file)
    before = file.read_bytes()
    with pytest.raises(ValueError, match=r"games\.json") as refused:
        month(file, **change)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert file.read_bytes() == before


def test_another_rule_set_is_another_world(tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    month(file)
    with pytest.raises(ValueError, match=r"env is .*; other numbers or rules of the world"):
        evaluate("CEOBench-Repaired-v0", "steady", "1:3", out=file, env_args=MONTH)


def test_changed_code_is_another_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "games.json"
    month(file, policy="passive")
    monkeypatch.setattr(identities, "_code_digest", lambda: "0123456789abcdef")
    with pytest.raises(ValueError, match="other code of the package"):
        month(file, policy="passive")
    changed = month(policy="passive")
    assert not compare(changed, file)["same_code"]


def test_the_digest_of_the_code_sees_every_deciding_file() -> None:
    found = {
        path
        for name in identities.DECIDING
        for path, _ in identities._contents(_package(name), name)
    }
    assert {"registration.py", "baselines/steady.py", "envs/ceobench/env.py"} <= found
    assert "simulators/ceobench/params/world.toml" in found
    assert not any("__pycache__" in path for path in found)


def _package(name: str) -> Any:
    return identities.files("ceo_gym").joinpath(name)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not the file of an evaluation"),
        ("[]", "is not the file of an evaluation"),
        ('{"seed": 1}', "is not the file of an evaluation"),
        ('{"format": "ceo-gym evaluation", "version": 2}', "has version 2 of the file format"),
        ('{"format": "ceo-gym evaluation", "version": 1}', "is a damaged file"),
    ],
)
def test_what_is_no_file_of_an_evaluation_stays(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "games.json"
    file.write_text(text)
    with pytest.raises(ValueError, match=message):
        month(file)
    assert file.read_text() == text


@pytest.mark.parametrize(
    "damage",
    [
        lambda stored: stored["episodes"].append(stored["episodes"][0]),
        lambda stored: stored["seeds"].remove(2),
        lambda stored: stored["episodes"][0].pop("bankrupt"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, damage: Callable[[Any], Any]) -> None:
    file = tmp_path / "games.json"
    Evaluation(IDENTITY, (1, 2), {1: episode(1, 5.0), 2: episode(2, 6.0)}).write(file)
    stored = read(file)
    damage(stored)
    file.write_text(json.dumps(stored))
    with pytest.raises(ValueError, match="damaged file"):
        Evaluation.read(file)


def test_bad_workers_and_unfit_envs_write_nothing(tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    for change, message in (
        ({"workers": 0}, "workers must be a whole number from 1"),
        ({"env_args": {"obs": "compact"}}, 'obs="full"'),
        ({"env_args": {"params": {"clock.horizon": 3}}}, "clock.horizon_days"),
    ):
        with pytest.raises(ValueError, match=message):
            month(file, **change)
    assert not file.exists()


# --- comparing -----------------------------------------------------------------------------------


def test_compare_takes_evaluations_and_files(tmp_path: Path) -> None:
    file = tmp_path / "passive.json"
    passive = month(file, "2:4", policy="passive")
    steady = month(seeds="1:3")
    found = compare(steady, file)
    assert found == compare(steady, passive)
    assert found["seeds"] == [2, 3]
    assert found["losses"] == 2  # a month of advertising is not yet earned back
    assert found["same_code"]
    assert found["first"]["policy"] == "steady"
    for seed, difference in zip(found["seeds"], found["difference_usd"]):
        cash = [each.by_seed[seed].final_cash_usd for each in (steady, passive)]
        assert difference == cash[0] - cash[1]


def test_other_worlds_are_compared_only_on_request() -> None:
    published = month(policy="passive")
    repaired = evaluate("CEOBench-Repaired-v0", "passive", "1:3", env_args=MONTH)
    with pytest.raises(ValueError, match="other_world=True"):
        compare(published, repaired)
    assert compare(published, repaired, other_world=True)["ties"] == 3
    with pytest.raises(ValueError, match="no seed in common"):
        compare(published, month(policy="passive", seeds="7"))
    # another view of the same world is no other world
    compact = month(policy="passive", env_args=MONTH | {"obs": "compact", "start": "empty"})
    assert compare(published, compact)["ties"] == 3
