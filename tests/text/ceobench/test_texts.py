"""Words follow from ids and records, and tell what they should and no more."""

import json
import re

import numpy as np
import pytest

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import POSTS, TOPICS
from ceo_gym.text.ceobench import vocabulary
from ceo_gym.text.ceobench.keys import choices, keyed
from ceo_gym.text.ceobench.messages import messages
from ceo_gym.text.ceobench.notices import notices
from ceo_gym.text.ceobench.personas import personas
from ceo_gym.text.ceobench.posts import posts
from tests.sql.ceobench.companies import RULES, played

PARAMS = World().params


def described(group: str, usage: float, budget_share: float, seats: int = 1) -> str:
    g = PARAMS.groups.index[group]
    who = personas(
        1,
        PARAMS,
        np.array([5]),
        np.array([g]),
        np.array([usage]),
        np.array([budget_share * PARAMS.groups.budget_mean_usd[g]]),
        np.array([seats]),
    )
    return str(who.description[0])


@pytest.mark.parametrize(
    ("usage", "phrase"),
    [(29.9, "light"), (30.0, "regular"), (70.0, "heavy"), (119.9, "heavy"), (120.0, "power")],
)
def test_usage_phrases(usage: float, phrase: str) -> None:
    assert f"{phrase} user" in described("S1", usage, 1.0)


@pytest.mark.parametrize(
    ("share", "phrase"),
    [(0.69, "budget-conscious"), (0.7, "value-oriented"), (0.99, "value"), (1.0, "willing")],
)
def test_money_phrases(share: float, phrase: str) -> None:
    assert phrase in described("S1", 50.0, share + 1e-9)


def test_quality_phrases_follow_the_group() -> None:
    assert vocabulary.QUALITY[0] in described("S1", 50.0, 1.0)  # floor 0.1
    assert vocabulary.QUALITY[2] in described("S2", 50.0, 1.0)  # floor 0.3
    assert vocabulary.QUALITY[3] in described("E1", 50.0, 1.0)  # floor 0.5


@pytest.mark.parametrize(("seats", "text"), [(499, "499 seats"), (500, "500+ seats")])
def test_enterprises_tell_their_seats(seats: int, text: str) -> None:
    assert text in described("E1", 50.0, 1.0, seats)


def test_sizes_of_the_vocabularies() -> None:
    groups = PARAMS.groups
    firms = groups.is_enterprise.astype(bool)
    assert set(vocabulary.ENTERPRISES) == {g for g, f in zip(groups.ids, firms) if f}
    assert set(vocabulary.INDIVIDUALS) == {g for g, f in zip(groups.ids, firms) if not f}
    assert {len(set(lines)) for lines in vocabulary.ENTERPRISES.values()} == {6}
    assert {len(set(lines)) for lines, _ in vocabulary.INDIVIDUALS.values()} == {6}
    assert {len(set(roles)) for _, roles in vocabulary.INDIVIDUALS.values()} == {5, 6}
    for words, size in (
        (vocabulary.EXPERIENCE, 4),
        (vocabulary.WORK_STYLE, 5),
        (vocabulary.TECH_SAVVY, 5),
        (vocabulary.CONTACT_ROLE, 5),
        (vocabulary.CONTACT_TECH, 3),
        (vocabulary.COMPANY_SIZE, 5),
        (vocabulary.COMPANY_CULTURE, 5),
        (vocabulary.DECISION_STYLE, 5),
        (vocabulary.PRIMARY_CONCERN, 5),
    ):
        assert len(set(words)) == size


def test_choices_are_even_and_keyed() -> None:
    ids = np.arange(60_000)
    counts = np.bincount(choices(1, "role", ids, 6))
    assert counts == pytest.approx(10_000, rel=0.05)
    a, b, c = keyed(1, "role", ids), keyed(2, "role", ids), keyed(1, "tech", ids)
    assert not (a == b).any()
    assert not (a == c).any()
    assert (keyed(1, "role", ids[7:8]) == a[7]).all()
    assert abs(np.corrcoef(choices(1, "x", ids, 5), choices(1, "y", ids, 5))[0, 1]) < 0.02


@pytest.mark.parametrize("rules", RULES)
def test_messages(rules: str) -> None:
    world = played(rules)
    rows = world.history.messages
    said = messages(world, 0, len(rows))
    assert messages(world, 3, 5) == said[3:5]
    kinds = set()
    for k, message in enumerate(said):
        data = json.loads(message.offer_json)
        sender = rows.sender[k]
        kinds.add((int(sender), type(data).__name__, bool(data)))
        if sender == 2 and data:
            assert [d["contract_months"] for d in data] == [1] * len(data)
            assert all(f"${d['price_per_seat']:,.2f}" in message.text for d in data)
        if sender == 1 and data:
            assert f"plan {data['plan']} at ${data['price']:,.2f}" in message.text
            assert "1 month" in message.text
        assert message.text
    assert {(0, "dict", False), (1, "dict", True), (2, "list", True)} <= kinds


def test_posts_tell_their_topic_and_the_size_of_competitor_events() -> None:
    world = played("published")
    rows = world.history.posts
    said = posts(world, 0, len(rows))
    assert posts(world, 4, 6) == said[4:6]
    for k, text in enumerate(said):
        numbers = re.findall(r"\d+\.\d+", text)
        value = float(rows.value[k])
        if POSTS[rows.kind[k]] == "competitor":
            assert numbers == [f"{value:.4f}"]
        elif np.isnan(value):
            assert numbers == []
        else:
            assert numbers == [f"{value:.1f}"]
    economy = {t for t, kind in zip(rows.topic.tolist(), rows.kind.tolist()) if kind == 1}
    for topic in economy:
        words = TOPICS[topic].replace("_", " ")
        texts = [t for t, of in zip(said, rows.topic.tolist()) if of == topic]
        assert all(words in text.lower() for text in texts)


def test_every_post_has_words() -> None:
    world = World(3)
    for kind, topics in (("customer", TOPICS[:10]), ("economy", TOPICS[10:15])):
        for mood in (-1, 0, 1):
            for intensity in (0, 1, 2):
                world.history.post(1, kind, list(topics), sentiment=mood, intensity=intensity)
    world.history.post(1, "competitor", list(TOPICS[15:19]), value=0.1234)
    world.history.post(1, "reply", ["reply"], sentiment=1)
    world.history.post(1, "reply", ["reply"], sentiment=-1)
    said = posts(world, 0, len(world.history.posts))
    assert all(len(text) > 10 for text in said)
    assert sum("0.1234" in text for text in said) == 4


@pytest.mark.parametrize("rules", RULES)
def test_notices(rules: str) -> None:
    world = played(rules)
    rows = world.history.notice_rows
    said = notices(world, 0, len(rows))
    assert len(said) == len(rows)
    assert notices(world, 2, 4) == said[2:4]
    assert any(re.search(r"Deal won: customer \d+ agreed to \$25\.00", text) for text in said)
    own = [text for text in said if text.startswith("Your post")]
    assert len(own) == sum(post.judged for post in world.market.own_posts)
    assert all(
        re.search(r"[\d,]+ views; the response was (positive|neutral|negative)", t) for t in own
    )
