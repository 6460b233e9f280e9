"""The companies that are timed are what their descriptions say."""

import numpy as np
import pytest

from benchmarks.companies import FastGrowing, growing, settled
from benchmarks.phases import phases, timed_phases
from ceo_gym.simulators.ceobench import World


@pytest.mark.parametrize("size", [0, 1_000, 10_000])
def test_settled_companies_have_their_size_and_stay(size: int) -> None:
    world = settled(size, record="none")
    assert len(world.population) == pytest.approx(size, rel=0.04)
    before = len(world.population)
    week = world.step_week()
    assert week.new_leads == 0
    assert week.outage_days == 0
    assert len(world.population) >= 0.98 * before


def test_settled_companies_differ_in_size_only() -> None:
    small, large = settled(1_000, record="none"), settled(10_000, record="none")
    for name in ("satisfaction", "usage", "demanded", "effective_usd"):
        means = [float(getattr(world.population, name).mean()) for world in (small, large)]
        assert means[0] == pytest.approx(means[1], rel=0.15), name
    shares = [
        np.bincount(world.population.plan) / len(world.population) for world in (small, large)
    ]
    assert np.allclose(*shares, atol=0.05)


def test_growing_companies_gain_a_sixth_a_week() -> None:
    world = growing(10_000, record="none")
    before = len(world.population)
    assert before == pytest.approx(10_000, rel=0.05)
    week = world.step_week()
    assert 0.12 < (len(world.population) - before) / before < 0.22
    assert week.new_enterprise_leads == 0


def test_the_fast_growing_company_grows_the_same_way_again() -> None:
    one = FastGrowing(3, record="none").play(days=56)
    other = FastGrowing(3, record="none").play(days=56)
    assert one.save() == other.save()
    assert one.day == 56
    assert 5_000 < len(one.population) < 50_000
    assert one.negotiations.deals > 0


def test_arguments_reach_the_world() -> None:
    company = FastGrowing(
        1, record="business", rules="repaired", params={"company.initial_cash_usd": 2e7}
    )
    assert company.world.history.level == "business"
    assert company.world.company.cash_usd == 2e7
    assert company.world.params.groups.market_cap_base[1] == 5 * 136_000
    assert settled(0, rules="repaired", params={"surges.probability_per_day": 0.5}).day == 35


def test_phases_are_those_of_the_day_and_are_put_back() -> None:
    before = {name: getattr(owner, attribute) for name, owner, attribute in phases()}
    assert {
        "satisfaction.update",
        "acquisition.arrive",
        "renewal.renew",
        "evening",
    } <= before.keys()
    world = World(1)
    with timed_phases() as spent:
        world.step_week()
    assert spent.keys() <= before.keys()
    assert len(spent) > 15
    assert before == {name: getattr(owner, attribute) for name, owner, attribute in phases()}
