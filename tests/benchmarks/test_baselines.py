"""The table of baselines, on two seeds of four weeks."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks import baselines
from ceo_gym.evaluation import evaluate


def test_rows_are_of_every_policy_on_both_rule_sets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def short(env: str, policy: str, seeds: str, *, env_args: dict[str, Any], **rest: Any) -> Any:
        assert seeds == "evaluation"
        short_game = env_args | {"params": {"clock.horizon_days": 28}}
        return evaluate(env, policy, "1:2", env_args=short_game, **rest | {"progress": False})

    monkeypatch.setattr(baselines, "evaluate", short)
    pictures = {env: str(tmp_path / f"{env}.png") for env in baselines.ENVS}
    monkeypatch.setattr(baselines, "PICTURES", pictures)
    rows = baselines.rows(1, tmp_path)
    named = [(row["env"], row["policy"]) for row in rows]
    assert named == [(env, policy) for env in baselines.ENVS for policy in baselines.POLICIES]
    baselines.draw(tmp_path)
    assert all(Path(picture).stat().st_size > 10_000 for picture in pictures.values())
    passive = rows[0]
    assert passive["mean"] == pytest.approx(1.0 - 85 * 28 / 1e6)
    assert passive["least"] == passive["most"] == passive["median"]
    assert passive["bankruptcies"] == 0
    assert passive["days"] == 28
