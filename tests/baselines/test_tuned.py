"""The shipped numbers of a search, and whom they are for."""

import gymnasium as gym
import pytest

from ceo_gym.baselines import make_policy
from ceo_gym.baselines.rule_settings import RuleSettings
from ceo_gym.baselines.tuned import SHIPPED, shipped_file
from ceo_gym.evaluation import SEED_SETS


@pytest.mark.parametrize("env_id", SHIPPED)
def test_the_files_say_how_they_were_found(env_id: str) -> None:
    found = shipped_file(env_id)
    assert found["settings"].keys() == RuleSettings.describe().keys()
    assert found["settings"] != vars(RuleSettings())
    assert found["command"].startswith(f"ceo-gym tune --env {env_id} ")
    assert found["identity"]["env"] == env_id
    assert set(found["seeds"]) <= set(SEED_SETS["tuning"])
    assert found["games"] >= found["trials"] > 1


@pytest.mark.parametrize(
    ("env_id", "of"),
    [
        ("CEOBench-v0", "CEOBench-v0"),
        ("CEOBench-Repaired-v0", "CEOBench-Repaired-v0"),
        ("CEOBench-HardCompetitors-v0", "CEOBench-v0"),
    ],
)
def test_each_rule_set_has_its_own(env_id: str, of: str) -> None:
    env = gym.make(f"ceo_gym:{env_id}", record="none")
    policy = make_policy("tuned", env)
    assert vars(policy.settings) == shipped_file(of)["settings"]  # type: ignore[attr-defined]


def test_the_rules_in_force_decide_without_an_id() -> None:
    env = gym.make("ceo_gym:CEOBench-HardCompetitors-v0", record="none", rules="repaired")
    policy = make_policy("tuned", env, settings={"risk": 0.25})
    wanted = shipped_file("CEOBench-Repaired-v0")["settings"] | {"risk": 0.25}
    assert vars(policy.settings) == wanted  # type: ignore[attr-defined]
