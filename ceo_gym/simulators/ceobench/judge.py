"""The built-in judge of the company's own posts: how attractive a text is to each group.

Pure functions of the text (market.md 9.7). A world takes any callable of the same signature as
`score_post` in its place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import Judge
from ceo_gym.simulators.common.rows import Floats

DECIMALS = 2

_TOKEN = re.compile(r"[a-z0-9]+(?:[-'\u2019][a-z0-9]+)*|[%$]")
_EMOJI = re.compile("[\U0001f300-\U0001faff\u2600-\u27bf]")


class Features(NamedTuple):
    """What the score of a post depends on, for one group."""

    match: float  # audience match
    specificity: float
    reply: float
    spam: float
    hostility: float
    bad_news: float
    repetition: float
    topic_hits: float


def score_post(content: str, is_reply: bool, earlier: list[str], params: Params) -> Floats:
    """[G] effect of a post on each group, in [-1, 1].

    Args:
        content: the text.
        is_reply: whether it answers another post.
        earlier: the company's posts of the last two weeks.
        params: the world's parameters.
    """
    common, topics = read_post(content, is_reply, earlier, params)
    total = topics.sum()
    if total > 0.0:
        match = (params.posts.topic_weight * topics).sum(axis=1) / total * min(1.0, total)
    else:
        match = np.zeros(len(params.groups.ids))
    return np.array(
        [
            score(common._replace(match=float(m), topic_hits=float(total)), params.judge)
            for m in match
        ]
    )


def score(f: Features, judge: Judge) -> float:
    """The effect for one set of features."""
    repeated = max(0.0, f.repetition - judge.repetition_free) / (1.0 - judge.repetition_free)
    z = (
        judge.bias
        + judge.audience_gain * f.match
        + judge.specificity_gain * f.specificity
        + judge.reply_gain * f.reply
        - judge.spam_cost * f.spam
        - judge.hostility_cost * f.hostility
        - judge.bad_news_cost * f.bad_news
        - judge.repetition_cost * repeated
        - judge.off_topic_cost * (f.topic_hits == 0.0)
    )
    return float(np.clip(np.round(np.tanh(z), DECIMALS), -1.0, 1.0))


def tokens(text: str) -> list[str]:
    """Lower-case words, with inner hyphens and apostrophes, and the signs % and $."""
    return _TOKEN.findall(text.lower())


def read_post(
    content: str, is_reply: bool, earlier: list[str], params: Params
) -> tuple[Features, Floats]:
    """Features common to all groups (match left at 0), and [10] topic hits."""
    judge, words = params.judge, tokens(content)
    hits = {name: _matches(words, terms) for name, terms in _lexicon(params).items()}
    topics = np.array(
        [min(1.0, hits.get(topic, 0) / judge.hits_for_full_topic) for topic in params.posts.topics]
    )
    specificity = (
        judge.digit * any(char.isdigit() for char in content)
        + judge.unit * (hits["unit"] > 0)
        + judge.commitment * (hits["commitment"] > 0)
        + judge.first_person * (hits["first_person"] > 0)
    )
    reply = 0.0
    if is_reply:
        reply = judge.is_reply + judge.courtesy * (hits["courtesy"] > 0)
        reply += judge.action * (hits["action"] > 0)
    bad_news = 0.0 if hits["action"] else min(1.0, judge.bad_news_per_term * hits["bad_news"])
    features = Features(
        match=0.0,
        specificity=specificity,
        reply=reply,
        spam=_spam(content, hits["buzzword"], judge),
        hostility=float(hits["hostile"] > 0),
        bad_news=bad_news,
        repetition=max((_similarity(words, tokens(old)) for old in earlier), default=0.0),
        topic_hits=float(topics.sum()),
    )
    return features, topics


def _lexicon(params: Params) -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    for name, term in params.posts.terms:
        lists.setdefault(name, []).append(term)
    return lists


def _matches(words: list[str], terms: list[str]) -> int:
    """Words that match a term; a term ending in * matches as a prefix."""
    exact = {term for term in terms if not term.endswith("*")}
    prefixes = tuple(term[:-1] for term in terms if term.endswith("*"))
    return sum(word in exact or bool(prefixes and word.startswith(prefixes)) for word in words)


def _spam(content: str, buzzwords: int, judge: Judge) -> float:
    letters = [char for char in content if char.isalpha()]
    shouting = sum(char.isupper() for char in letters) > judge.caps_ratio_above * len(letters)
    cost = (
        judge.caps * (shouting and bool(letters))
        + judge.per_exclamation * max(0.0, content.count("!") - judge.exclamations_free)
        + judge.per_hashtag * max(0.0, content.count("#") - judge.hashtags_free)
        + judge.per_emoji * max(0.0, len(_EMOJI.findall(content)) - judge.emoji_free)
        + judge.per_buzzword * max(0.0, buzzwords - judge.buzzwords_free)
    )
    return min(1.0, cost)


def _similarity(words: list[str], others: list[str]) -> float:
    """Jaccard similarity of two token lists."""
    a, b = set(words), set(others)
    return len(a & b) / len(a | b) if a | b else 0.0
