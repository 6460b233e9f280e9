"""The contract that every environment keeps, as the shared program checks it."""

import subprocess
import sys

import gymnasium as gym
import pytest
from gymnasium.utils.env_checker import check_env

from ceo_gym.registration import ENVIRONMENTS, register_environments
from tests.conformance.shared import shared_file


def test_the_contract_holds() -> None:
    program = shared_file("checks/contract.py")
    result = subprocess.run(
        [sys.executable, str(program), "CEOBench-v0"], capture_output=True, text=True, check=False
    )
    failed = [line for line in result.stdout.splitlines() if line.startswith("FAIL")]
    assert not failed, result.stdout[-2000:]
    assert result.stdout.rstrip().splitlines()[-1].split()[1].startswith("failed"), result.stderr


@pytest.mark.parametrize("env_id", ENVIRONMENTS)
@pytest.mark.filterwarnings("ignore:.*(symmetric|not within).*:UserWarning")
def test_every_id_passes_check_env(env_id: str) -> None:
    env = gym.make(f"ceo_gym:{env_id}", record="none")
    check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("profile", ["core", "manager"])
@pytest.mark.filterwarnings("ignore:.*(symmetric|not within).*:UserWarning")
def test_every_profile_passes_check_env(profile: str) -> None:
    env = gym.make("ceo_gym:CEOBench-v0", actions=profile, obs="compact", record="none")
    check_env(env.unwrapped, skip_render_check=True)


def test_registering_twice_changes_nothing() -> None:
    before = {name: gym.registry[name] for name in ENVIRONMENTS}
    register_environments()
    assert before == {name: gym.registry[name] for name in ENVIRONMENTS}


def test_the_ids_play_their_rules() -> None:
    def of(env_id: str):
        return gym.make(f"ceo_gym:{env_id}", record="none").unwrapped.world

    assert of("CEOBench-v0").rules.loose_input
    assert not of("CEOBench-Repaired-v0").rules.loose_input
    assert of("CEOBench-Short-v0").params.clock.horizon_days == 50
    assert not of("CEOBench-NoCompetitors-v0").params.competitors.enabled
    assert of("CEOBench-WeakCompetitors-v0").params.competitors.catch_up_max == 0.1
    short = gym.make("ceo_gym:CEOBench-Short-v0", params={"company.initial_cash_usd": 5.0})
    assert short.unwrapped.world.params.clock.horizon_days == 50
    assert short.unwrapped.world.company.cash_usd == 5.0
    assert of("CEOBench-HardCompetitors-v0").params.competitors.catch_up_min == 0.5
