"""The world as an object: making it, its end, forecasts, snapshots, replayed events."""

import dataclasses
import json

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import (
    InvalidDecision,
    ParameterError,
    Params,
    Rules,
    SnapshotError,
    World,
)
from ceo_gym.simulators.ceobench.competitors import RecordedEvent
from tests.properties.decisions import founded

# --- making it ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": -1}, "seed must be a whole number >= 0"),
        ({"params": {"clock.horizon_days": 0}}, "at least 1 and at most 30000, not 0"),
        ({"params": {"clock.horizon_days": 2.5}}, "clock.horizon_days must be a whole number"),
        ({"params": {"competitor.catch_up": 1}}, "did you mean competitors.catch_up"),
        ({"params": {"groups.S9.budget_mean_usd": 1}}, "unknown parameter"),
        ({"params": {"groups.S1.budget": 1}}, "did you mean groups.S1.budget"),
        ({"params": {"groups.S1.budget_mean_usd": "many"}}, "must be a number"),
        ({"params": {"groups.budget_mean_usd": [1, 2]}}, r"has shape \(26,\)"),
        ({"params": {"service.error_sd": float("nan")}}, "must be a finite number at least 0"),
        ({"params": {"competitors.enabled": 1}}, "must be true or false"),
        ({"params": {"competitors.catch_up_max": 0.1}}, "must not exceed competitors.catch_up_max"),
        ({"params": {"groups.name": "x"}}, "is a name, not a number"),
        ({"rules": "repair"}, "did you mean repaired"),
        ({"record": "all"}, "record must be one of none, business, full"),
    ],
)
def test_bad_arguments_say_what_is_allowed(arguments: dict, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        World(**arguments)


def test_parameters_take_effect_and_do_not_leak() -> None:
    changed = Params.load({"groups.S1.budget_mean_usd": 60, "company.initial_cash_usd": 5})
    assert changed.groups.budget_mean_usd[0] == 60
    assert World(params=changed).company.cash_usd == 5
    assert Params.load().groups.budget_mean_usd[0] == 50
    with pytest.raises(ValueError, match="read-only"):
        changed.groups.budget_mean_usd[0] = 1


def test_rules_can_be_switched_one_by_one() -> None:
    mixed = Rules().replace(negotiated_quality_capped=False)
    assert sum(vars(Rules()).values()) - sum(vars(mixed).values()) == 1
    assert not any(vars(Rules.repaired()).values())
    with pytest.raises(ParameterError, match="did you mean negotiated_quality_capped"):
        Rules().replace(negotiated_quality_cap=False)
    with pytest.raises(ParameterError, match="true or false"):
        Rules().replace(loose_input=0)  # type: ignore[arg-type]


def test_every_rule_is_read_somewhere() -> None:
    """A switch that nothing reads would do nothing."""
    package = __import__("ceo_gym.simulators.ceobench", fromlist=["x"]).__path__[0]
    from pathlib import Path

    sources = "".join(p.read_text() for p in Path(package).glob("*.py") if p.name != "rules.py")
    for field in dataclasses.fields(Rules):
        assert f"rules.{field.name}" in sources, field.name


# --- the end --------------------------------------------------------------------------------------


def test_last_week_is_short_and_then_it_is_over() -> None:
    world = World(params={"clock.horizon_days": 10})
    assert [world.step_week().days, world.step_week().days] == [7, 3]
    assert world.ended
    assert not world.bankrupt
    before = world.save()
    for late in (world.step_week, world.step_day, world.research_market):
        with pytest.raises(InvalidDecision, match="game is over") as error:
            late()
        assert error.value.code == "limit_reached"
    with pytest.raises(InvalidDecision, match="game is over"):
        world.set_prices(A=3)
    assert world.save() == before


def test_bankruptcy_stops_the_week() -> None:
    world = World(params={"company.initial_cash_usd": 250.0})
    week = world.step_week()
    assert (week.days, world.day, world.bankrupt) == (3, 3, True)  # 85 a day
    assert world.company.cash_usd == -5.0


# --- forecasts ------------------------------------------------------------------------------------

GOOD = [[5.0, 4.0, 6.0]] * 4


@pytest.mark.parametrize(
    ("forecast", "code"),
    [
        (GOOD[:3], "wrong_type"),
        ([[1.0, 2.0]] * 4, "wrong_type"),
        ([["1", "0", "2"]] * 4, "wrong_type"),
        ([[float("nan"), 0.0, 1.0]] * 4, "wrong_type"),
        (5.0, "wrong_type"),
        ([[5.0, 6.0, 7.0]] * 4, "out_of_range"),
    ],
)
def test_bad_forecasts_are_refused_before_anything_happens(forecast: object, code: str) -> None:
    world = World()
    with pytest.raises(InvalidDecision) as error:
        world.step_week(forecast)  # type: ignore[arg-type]
    assert error.value.code == code
    assert (world.day, len(world.history.predictions)) == (0, 0)


def test_forecasts_are_kept_and_built_in_ones_start_from_present_cash() -> None:
    world = World()
    world.step_week(np.array(GOOD))
    assert world.history.predictions.lower_usd.tolist() == [4.0] * 4
    world.start_research_project(1)
    cash = world.company.cash_usd
    world.step_week()
    weekly = -85 * 7
    point = world.history.predictions.point_usd[4:]
    assert point == pytest.approx([cash + weekly * weeks for weeks in (1, 4, 12, 26)])
    assert world.history.predictions.horizon_days[4:].tolist() == [7, 28, 84, 182]


# --- snapshots ------------------------------------------------------------------------------------


def test_broken_snapshots_are_refused() -> None:
    data = World().save()
    for broken in (b"", b"nonsense", data[:-1], data[:60] + b"x" + data[61:]):
        with pytest.raises(SnapshotError):
            World.restore(broken)


def test_snapshot_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    data = World().save()
    monkeypatch.setattr("ceo_gym.simulators.ceobench.world.SNAPSHOT_VERSION", 99)
    with pytest.raises(SnapshotError, match="reads version 99"):
        World.restore(data)


def test_snapshot_keeps_parameters_rules_and_events() -> None:
    params = Params.load({"clock.horizon_days": 40})
    params = dataclasses.replace(
        params, company=dataclasses.replace(params.company, initial_cash_usd=7.0)
    )
    events = [RecordedEvent(day=3, shift=0.1, catch_up=0.2, caught_up=False)]
    world = World(4, params=params, rules=Rules().replace(loose_input=False), events=events)
    copy = World.restore(world.save())
    assert copy.params.company.initial_cash_usd == 7.0
    assert copy.params.clock.horizon_days == 40
    assert copy.rules == world.rules
    assert copy.replayed_events == events


def test_a_fork_leaves_the_original_alone() -> None:
    world = founded(3, "published")
    for _ in range(4):
        world.step_week()
    data = world.save()
    fork = World.restore(data)
    fork.set_prices(A=300)
    fork.step_week()
    assert world.save() == data


# --- replayed competitor events -------------------------------------------------------------------


def test_replayed_events_are_applied_as_recorded() -> None:
    events = [
        RecordedEvent(day=9, shift=0.2, catch_up=0.5, caught_up=True),
        RecordedEvent(day=4, shift=0.1, catch_up=0.5, caught_up=False),
    ]
    world = World(params={"clock.horizon_days": 30}, events=events)
    world.market.bank_shared = 1.0
    world.step_week()
    assert world.market.competitor_events == [(4, 0.1)]
    assert world.market.bank_shared == pytest.approx(1.0)
    world.step_week()
    assert world.market.shift_shared == pytest.approx(0.3)
    assert world.market.bank_shared == pytest.approx(0.5)
    reaction = world.params.groups.competitor_reaction
    assert world.market.shift_group == pytest.approx(reaction * 0.3)


def test_a_replay_of_a_run_gives_its_expectations() -> None:
    first = World(5, params={"clock.horizon_days": 200})
    while not first.ended:
        first.step_week()
    events = [
        RecordedEvent(day, shift, 0.3, False) for day, shift in first.market.competitor_events
    ]
    assert len(events) > 5
    again = World(6, params={"clock.horizon_days": 200}, events=events)
    while not again.ended:
        again.step_week()
    assert again.market.shift_group == pytest.approx(first.market.shift_group)


@pytest.mark.parametrize(
    "events",
    [
        [RecordedEvent(3, 0.1, 0.2, False)] * 2,
        [RecordedEvent(0, 0.1, 0.2, False)],
        [RecordedEvent(3, -0.1, 0.2, False)],
        [RecordedEvent(3, 0.1, 1.2, False)],
    ],
)
def test_bad_events_are_refused(events: list) -> None:
    with pytest.raises(ValueError, match="replayed event"):
        World(events=events)


# --- own posts ------------------------------------------------------------------------------------


def test_a_judge_of_ones_own() -> None:
    def fan(content: str, is_reply: bool, earlier: list[str], params: Params) -> np.ndarray:
        return np.full(26, 0.9 if "love" in content else -0.9)

    world = World(judge=fan)
    world.post_social_media("we love you")
    world.step_day()
    assert world.own_post_multiplier()[0] > 1.0
    assert world.own_post_multiplier()[10] == 1.0  # not discovered


def test_a_broken_judge_leaves_the_world_unchanged() -> None:
    world = World(judge=lambda *_: [1.0])  # type: ignore[arg-type,return-value]
    before = world.save()
    with pytest.raises(ValueError, match="26 finite scores"):
        world.post_social_media("hello")
    assert world.save() == before


# --- sizes ----------------------------------------------------------------------------------------


def test_absurd_spending_is_bounded_and_ruinous() -> None:
    world = World(params={"acquisition.max_prospects_per_day": 300_000.0}, record="none")
    world.set_targeted_ad_spend({"content_marketing": {"S1": 1e9, "E1": 1e9}})
    week = world.step_week()
    assert world.bankrupt
    assert week.days == 1
    assert 290_000 < week.new_leads < 310_000


def test_batches_of_prospects_do_not_change_the_draws(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = founded(8, "published")
    whole.step_week()
    monkeypatch.setattr("ceo_gym.simulators.ceobench.acquisition.BATCH", 7)
    parts = founded(8, "published")
    parts.step_week()
    a, b = (np.sort(w.history.arrivals.budget) for w in (whole, parts))
    assert a.tolist() == b.tolist()
    assert whole.company.cash_usd == pytest.approx(parts.company.cash_usd)
    ids = np.sort(parts.history.arrivals.customer_id)
    assert ids.tolist() == np.sort(whole.history.arrivals.customer_id).tolist()


def test_a_live_account_fits_in_200_bytes() -> None:
    population = World().population
    assert population.nbytes / population._capacity <= 200


def test_settings_history_can_be_read_as_json() -> None:
    world = World()
    world.set_promotion(by_group={"S1": 2})
    world.set_promotion()  # a read-back leaves no row
    ((day, setting, text),) = world.history.overrides
    assert (day, setting) == (0, "promotion")
    assert json.loads(text)["by_group"] == {"S1": 2.0}


def test_results_are_copies() -> None:
    world = World()
    world.set_promotion(by_customer={17: 5})["by_customer"][999] = -50.0
    assert world.company.promotion_customer == {17: 5.0}
