"""Who posts: the race of candidates is a weighted draw without replacement."""

from itertools import permutations

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import World, social
from tests.properties.decisions import founded


def test_race_has_the_right_order_probabilities() -> None:
    """Against the exact probability of every order of three candidates."""
    weight, runs = np.array([5.0, 3.0, 0.5]), 8_000
    world, seen = World(params={"social.posts_per_week": 3}), {}
    for _ in range(runs):
        order = tuple(k for _, k in social._race(world, weight))
        seen[order] = seen.get(order, 0) + 1
    for order in permutations(range(3)):
        left, p = weight.sum(), 1.0
        for k in order:
            p *= weight[k] / left
            left -= weight[k]
        assert seen.get(order, 0) / runs == pytest.approx(p, abs=4 * (p * (1 - p) / runs) ** 0.5)


def test_race_times_are_those_of_exponential_runners() -> None:
    """The first time is exponential with the sum of all rates."""
    world = World(params={"social.posts_per_week": 2})
    first = [social._race(world, np.array([2.0, 6.0]))[0][0] for _ in range(4_000)]
    assert np.mean(first) == pytest.approx(1 / 8, rel=4 / 4_000**0.5)
    assert np.std(first) == pytest.approx(1 / 8, rel=0.1)


def test_pools_are_drawn_from_together() -> None:
    """Two pools raced apart and merged by time give each candidate its share of the first post."""
    world, wins = World(params={"social.posts_per_week": 1}), 0
    for _ in range(4_000):
        a = social._race(world, np.array([1.0, 1.0]))[0]
        b = social._race(world, np.array([6.0]))[0]
        wins += b < a
    assert wins / 4_000 == pytest.approx(0.75, abs=4 * (0.75 * 0.25 / 4_000) ** 0.5)


def test_posts_of_a_company() -> None:
    world = founded(4, "published", **{"company.ends_when_bankrupt": False})
    for _ in range(10):
        world.step_week()
    posts = world.history.posts
    customers = posts.kind == 0
    assert 0 < customers.sum() <= 50
    assert (posts.day[customers] % 7 == 0).all()
    assert (posts.customer_id[customers] > 1).all()
    assert set(posts.sentiment[customers].tolist()) <= {-1, 0, 1}
