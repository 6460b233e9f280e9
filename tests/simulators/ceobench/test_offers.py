"""Batches of offers and rejections: every entry stands alone."""

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import InvalidDecision, Offers, World
from ceo_gym.simulators.ceobench.codes import REJECTED
from tests.simulators.ceobench.reference import add_enterprises, add_leads


def with_leads(rules: str = "published", count: int = 3) -> tuple[World, list[int]]:
    world = World(rules=rules)
    world.set_usage_quotas(A=1e6, B=1e6, C=1e6)
    who = add_leads(world, "E1", count)
    return world, world.negotiations.leads.customer_id[who].tolist()


@pytest.mark.parametrize(
    ("bad", "text"),
    [
        (["x"], "a deal is"),
        ([True, [["A", 5]]], "whole number"),
        ({"offerings": [["A", 5]]}, "no customer_id"),
        ([3, []], "no offers"),
        ([3, [["A"]]], r"an offer is \[plan, price\]"),
        ([3, [["A", float("nan")]]], "finite"),
        ([99_999, [["A", 5]]], "no such customer"),
    ],
)
def test_a_bad_entry_does_not_stop_the_others(bad: object, text: str) -> None:
    world, ids = with_leads()
    results = world.send_offers([bad, [ids[0], [["A", 50]]]])["results"]
    assert "error" in results[0]
    assert results[1] == {"customer_id": ids[0], "success": True}
    assert world.negotiations.threads.turn.tolist() == [1, 0, 0]
    with pytest.raises(InvalidDecision, match=text):
        world.send_offers([bad])


def test_repaired_rules_check_plan_and_price_per_entry() -> None:
    world, ids = with_leads("repaired")
    deals = [[ids[0], [["Z", 50]]], [ids[1], [["A", -3]]], [ids[2], [["A", 50]]]]
    results = world.send_offers(deals)["results"]
    assert ["error" in entry for entry in results] == [True, True, False]
    arrays = Offers.uniform(np.array(ids), np.array([7, 0, 0]), np.array([5.0, -1.0, 5.0]))
    results = world.send_offers(arrays)["results"]
    assert ["error" in entry for entry in results] == [True, True, False]
    four = world.send_offers([[ids[2], [["A", 50]] * 4]])["results"]
    assert four[0]["warning"] == "only the first 3 offers were sent"


def test_published_rules_take_what_the_published_program_takes() -> None:
    world, ids = with_leads()
    results = world.send_offers([[ids[0], [["Z", -5]]], [ids[1], [["A", 1]] * 4]])["results"]
    assert all(entry.get("success") and "warning" not in entry for entry in results)


def test_writing_twice_uses_two_turns() -> None:
    world, ids = with_leads(count=1)
    results = world.send_offers([[ids[0], [["A", 50]]], [ids[0], [["B", 60]]]])["results"]
    assert [entry["success"] for entry in results] == [True, True]
    threads = world.negotiations.threads
    assert threads.turn[0] == 2
    assert threads.offer_usd[0, 0] == 60.0


def test_rejecting_twice_fails_the_second_time() -> None:
    world, ids = with_leads()
    results = world.reject_offers([ids[0], [ids[0]], {"customer_id": ids[1]}, "no"])["results"]
    assert ["success" in entry for entry in results] == [True, False, True, False]
    assert world.negotiations.threads.state.tolist() == [REJECTED, REJECTED, 0]
    assert world.step_day().leads_lost == 2


def test_a_rejected_threat_cancels_the_account_in_repaired_rules_only() -> None:
    lost = {}
    for rules in ("published", "repaired"):
        world = World(rules=rules)
        world.set_usage_quotas(A=1e6, B=1e6, C=1e6)
        add_enterprises(world, "E1", 4, budget=20.0, listed_usd=1000.0, effective_usd=1000.0)
        world.step_week()  # too dear: all complain
        waiting = world.observe().waiting.customer_id
        assert len(waiting) == 4
        reputation = world.market.reputation[3]
        world.reject_offers(waiting)
        lost[rules] = 4 - len(world.population)
        if rules == "repaired":
            assert world.market.reputation[3] < reputation
            assert world.step_week().enterprise_cancellations == 4
            assert len(world.history.departures) == 4
    assert lost == {"published": 0, "repaired": 4}


def test_nobody_to_write_to() -> None:
    world, _ = with_leads()
    for empty in ([], (), np.empty(0, int), Offers.uniform(np.empty(0, int), 0, 5.0)):
        with pytest.raises(InvalidDecision) as error:
            world.send_offers(empty)
        assert error.value.code == "missing_argument"
