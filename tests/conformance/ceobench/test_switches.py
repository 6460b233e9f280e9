"""The comparison of single switches: pairing, resuming, and the page."""

from pathlib import Path

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import Rules
from tests.conformance.ceobench import switches
from tests.conformance.ceobench.runner import FIRST_SEED
from tests.conformance.ceobench.scripted import company
from tests.conformance.ceobench.switches import (
    PUBLISHED,
    REPAIRED,
    BooklessDesk,
    Cache,
    Design,
    Effect,
    Run,
)

DESIGN = Design(
    seeds=(FIRST_SEED, FIRST_SEED + 1),
    days=60,
    switches=("surges_start_with_week", "departed_issues_stay_open", "loose_input"),
    check_seeds=1,
)


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Cache:
    cache = Cache(tmp_path_factory.mktemp("switches") / "runs.jsonl")
    switches.play_all(DESIGN, cache)
    return cache


def test_every_switch_is_played_in_one_way() -> None:
    design = Design((FIRST_SEED,))
    for policy in switches.POLICIES:
        groups = [design.group(name, policy) for name in switches.GROUPS]
        assert sorted(sum(groups, design.single(policy))) == sorted(switches.SWITCHES)
        for name, group in zip(switches.GROUPS, groups):
            assert sorted(group) == sorted(switches.GROUPS[name][policy])
    assert switches.TABLES_ONLY == (
        "departed_issues_stay_open",
        "declined_without_end_day",
        "agent_messages_show_one_seat",
        "lead_lost_notice_daily",
    )
    flipped = switches.run_of(REPAIRED, "P2", FIRST_SEED, design).flipped
    assert Rules().replace(**dict.fromkeys(flipped, False)) == Rules.repaired()


def test_differences_are_paired_by_seed(cache: Cache) -> None:
    seeds = switches.finished(DESIGN, cache.outcomes)
    assert seeds == DESIGN.seeds
    found = switches.effect("surges_start_with_week", "P2", seeds, DESIGN, cache.outcomes)
    for k, seed in enumerate(seeds):
        ends = [
            company(
                "P2", seed, DESIGN.days, rules, record="none", desk=BooklessDesk
            ).company.cash_usd
            for rules in (Rules(), Rules(surges_start_with_week=False))
        ]
        assert found.cash[k] == ends[1] - ends[0]
    # only the second seed has a surge by then
    assert found.changed.tolist() == [False, True]
    unchanged = switches.effect("loose_input", "P3", seeds, DESIGN, cache.outcomes)
    assert not unchanged.changed.any()
    assert not unchanged.cash.any()
    assert np.isnan(unchanged.p)


def test_desk_without_tables_plays_the_same_game() -> None:
    with_tables = company("P3", FIRST_SEED + 1, 98, Rules(), record="business").history.cash_usd
    without = company(
        "P3", FIRST_SEED + 1, 98, Rules(), record="none", desk=BooklessDesk
    ).history.cash_usd
    assert np.array_equal(with_tables, without, equal_nan=True)


def test_killed_command_goes_on(cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache.path is not None
    text = cache.path.read_text()
    cut = cache.path.with_name("cut.jsonl")
    cut.write_text(text[:-40])  # killed while it wrote the last run
    resumed = Cache(cut)
    assert len(resumed.outcomes) == len(cache.outcomes) - 1
    again: list[Run] = []
    play = switches.outcome_of
    monkeypatch.setattr(switches, "outcome_of", lambda run: (again.append(run), play(run))[1])
    assert switches.finished(DESIGN, resumed.outcomes) == DESIGN.seeds[:1]
    switches.play_all(DESIGN, resumed)
    assert len(again) == 1
    assert resumed.outcomes == cache.outcomes == Cache(cut).outcomes


def test_runs_of_other_code_are_not_taken(cache: Cache) -> None:
    assert cache.path is not None
    other = cache.path.with_name("other.jsonl")
    other.write_text(cache.path.read_text().replace(cache.code, "0" * 16))
    assert Cache(other).outcomes == {}


def test_groups_that_act_are_played_one_by_one(cache: Cache) -> None:
    seed = FIRST_SEED + 1
    outcomes = dict(cache.outcomes)
    assert all(run in outcomes for run in switches.needed(seed, DESIGN, outcomes))
    together = switches.run_of(switches.QUIET_GROUP, "P2", seed, DESIGN)
    outcomes[together] = outcomes[together]._replace(digest="another")
    missing = [run for run in switches.needed(seed, DESIGN, outcomes) if run not in outcomes]
    assert {run.variant for run in missing} == {"departed_issues_stay_open", "loose_input"}
    assert switches.finished(DESIGN, outcomes) == (FIRST_SEED,)


def test_tables_only_is_required(cache: Cache) -> None:
    outcomes = dict(cache.outcomes)
    run = switches.checks_of(FIRST_SEED, DESIGN)[0]
    outcomes[run] = outcomes[run]._replace(digest="another")
    with pytest.raises(AssertionError, match="departed_issues_stay_open changes P2"):
        switches.assert_tables_only(FIRST_SEED, DESIGN, outcomes)


def test_page_has_every_switch_sorted_by_effect(cache: Cache) -> None:
    text = switches.page(DESIGN, cache.outcomes)
    assert f"**2 seeds** ({FIRST_SEED} to {FIRST_SEED + 1})" in text
    assert text.count("| **all of them** |") == 2
    assert text.count("| `surges_start_with_week` |") == 2
    assert "- P2: `departed_issues_stay_open`, `loose_input`\n" in text
    lines = Path(switches.PAGE).with_name("index.md").read_text()
    assert "\nrule_effects\n" in lines


def test_effects_in_standard_errors() -> None:
    cash = np.array([100.0, 300.0, -50.0, 0.0])
    zero = np.zeros(4)
    found = Effect(PUBLISHED, cash, zero, zero, np.array([1, 1, -1, 0]), cash != 0.0)
    assert found.error == pytest.approx(cash.std(ddof=1) / 2)
    assert found.size == pytest.approx(cash.mean() / found.error)
    assert found.p == pytest.approx(0.5)
    large = found._replace(variant="large", cash=-abs(cash) - 1_000.0)
    rows = switches.table([found._replace(variant=REPAIRED), found, large], 0.01).splitlines()
    assert [row.split(" | ")[0] for row in rows[2:]] == [
        "| **all of them**",
        "| `large`",
        "| `published`",
    ]
    assert switches.standing_out([found, found, large]) == (
        "Single switches with at least 2 SE or p below 0.05: `large`."
    )
    assert "| +88 ± 77 | +1.1 | +50 | 2 / 1 | 0.5 | 2 / 1 | +0 | +0.0 | 3 of 4 |" in rows[-1]


def test_no_page_without_a_finished_seed() -> None:
    with pytest.raises(ValueError, match="no seed"):
        switches.page(DESIGN, {})
