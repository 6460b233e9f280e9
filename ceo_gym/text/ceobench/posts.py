"""Public posts by customers, commentators and industry watchers (market.md 9).

A post tells its topic and mood; posts about competitors quote the perceived size of the event to
four decimals, as the published world's do. Which wording of several is used follows from the seed
and the number of the post.
"""

from __future__ import annotations

import math

import numpy as np

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import POSTS, TOPICS
from ceo_gym.simulators.ceobench.social import NEGATIVE, NEUTRAL, POSITIVE
from ceo_gym.text.ceobench.keys import choices
from ceo_gym.text.ceobench.vocabulary import FAMILY_NAMES, FIRST_NAMES

_NO_CUSTOMER = 1  # the account that stands for commentators
_WORDINGS = 2**20  # enough to be split among any lists

# mood -> intensity (mild, clear, strong) -> openings
_MOODS: dict[int, tuple[tuple[str, ...], ...]] = {
    POSITIVE: (
        ("Fairly happy with it.", "Nothing to grumble about."),
        ("Really good service.", "Glad that we picked this one."),
        ("Best tool I have ever paid for!", "Absolutely love it!"),
    ),
    NEUTRAL: (
        ("It does the job.", "Neither great nor bad."),
        ("Mixed feelings here.", "Some good days, some bad ones."),
        ("Hard to say where this is going.", "Of two minds about it."),
    ),
    NEGATIVE: (
        ("Slightly disappointed.", "Could be better."),
        ("Not good enough for the money.", "This keeps letting me down."),
        ("Enough of this product!", "Utterly fed up!"),
    ),
}

_TOPICS: dict[str, tuple[str, ...]] = {
    "overload": ("The servers crawl at busy hours.", "Everything is slow under load today."),
    "outage": ("The service was down today.", "No access for a good while during the outage."),
    "issue": ("My support ticket is still open.", "Waiting for support to solve my problem."),
    "quota": ("I hit the usage limit again.", "The daily quota of my plan is too small."),
    "improving": ("It has got better lately.", "I notice real progress."),
    "declining": ("It was better before.", "It goes downhill lately."),
    "general": ("That is my experience so far.", "Just my two cents after using it."),
    "left_for_quality": ("Cancelled: the quality is not there.", "I left, others do it better."),
    "left_for_price": ("Cancelled: it costs too much.", "I left, the price is out of reach."),
    "lost_negotiation": (
        "Our talks with them came to nothing, so we are gone.",
        "We asked for fair terms and got none; our whole firm has left.",
    ),
}

# a mood that goes against the topic
_CONTRARY = dict.fromkeys(("overload", "outage", "issue", "quota", "declining"), POSITIVE)
_CONTRARY["improving"] = NEGATIVE

_ECONOMY: dict[str, tuple[str, ...]] = {
    "strong_expansion": (
        "The economy is in strong expansion: order books are overflowing.",
        "Business is booming everywhere, a strong expansion.",
        "Hiring wherever one looks; call it a strong expansion.",
    ),
    "expansion": (
        "The economy is in expansion, demand grows at a healthy pace.",
        "Firms report more orders: a steady expansion.",
        "Good months for business, the expansion goes on.",
    ),
    "neutral": (
        "The economy moves sideways, a neutral climate.",
        "Neither boom nor slump: conditions look neutral.",
        "Buyers wait and see; neutral is the word.",
    ),
    "contraction": (
        "The economy is in contraction, budgets get smaller.",
        "Orders shrink this month: a contraction.",
        "Firms cut spending as the contraction bites.",
    ),
    "severe_contraction": (
        "The economy is in severe contraction, firms freeze all spending.",
        "A severe contraction: closures and lay-offs in the news.",
        "Worst climate in years, a severe contraction.",
    ),
}

_COMPANIES = ("Quillmind", "Brightloom", "Veridian Stack", "Pellucid AI", "Northforge")
_AUTHORS = (
    "Industry analyst",
    "Tech reporter",
    "Software buyer",
    "Venture investor",
    "Newsletter writer",
    "Product reviewer",
    "Former engineer",
)
_SEVERITIES: dict[str, tuple[str, ...]] = {
    "minor": ("a small update", "a modest improvement"),
    "moderate": ("a solid new version", "a noticeable step forward"),
    "major": ("a major release", "a big leap in quality"),
    "transformative": ("a release that changes the market", "a breakthrough"),
}

_REPLIES = {
    POSITIVE: (
        "Now that is what I want to hear from a company!",
        "Well said, this convinces me.",
        "Great to see, count me in.",
    ),
    NEGATIVE: (
        "This is not what your customers need to hear.",
        "Empty words, no thanks.",
        "Posts like this make me trust you less.",
    ),
}


def posts(world: World, start: int, stop: int) -> list[str]:
    """Rows `start` to `stop` of ``world.history.posts`` in words."""
    rows = world.history.posts
    part = slice(start, stop)
    wording = choices(world.streams.seed, "post", np.arange(start, stop), _WORDINGS)
    return [
        _post(POSTS[kind], TOPICS[topic], mood, intensity, value, pick)
        for kind, topic, mood, intensity, value, pick in zip(
            rows.kind[part].tolist(),
            rows.topic[part].tolist(),
            rows.sentiment[part].tolist(),
            rows.intensity[part].tolist(),
            rows.value[part].tolist(),
            wording.tolist(),
        )
    ]


def writers(world: World, start: int, stop: int) -> list[str | None]:
    """The names under rows `start` to `stop` of ``world.history.posts``.

    None under commentary and posts about competitors. Who wrote a post is hidden, so a name
    follows from the number of the post and tells nothing about its customer.
    """
    rows, numbers = world.history.posts, np.arange(start, stop)
    first = choices(world.streams.seed, "first name", numbers, len(FIRST_NAMES))
    family = choices(world.streams.seed, "family name", numbers, len(FAMILY_NAMES))
    return [
        f"{FIRST_NAMES[f]} {FAMILY_NAMES[n]}" if who != _NO_CUSTOMER else None
        for who, f, n in zip(rows.customer_id[start:stop].tolist(), first.tolist(), family.tolist())
    ]


def reading_sentence(value: float, change: float, trend: str, phase: str) -> str:
    """A published reading of the business cycle in a sentence."""
    move = "unchanged" if change == 0 else f"{'up' if change > 0 else 'down'} {abs(change):.1f}"
    return (
        f"The purchasing managers' index averaged {value:.1f} ({move} on the month before): "
        f"{trend.replace('_', ' ')}, the cycle is {_PHASES[phase]}."
    )


_PHASES = {
    "peak": "at its peak",
    "declining": "declining",
    "trough": "in a trough",
    "recovering": "recovering",
}


def _post(kind: str, topic: str, mood: int, intensity: int, value: float, pick: int) -> str:
    if kind == "customer":
        pick, opening = _take(pick, _MOODS[mood][intensity])
        about = _take(pick, _TOPICS[topic])[1]
        if _CONTRARY.get(topic) == mood:
            return f"{about} On the whole, though: {opening[0].lower()}{opening[1:]}"
        return f"{opening} {about}"
    if kind == "economy":
        text = _take(pick, _ECONOMY[topic])[1]
        return text if math.isnan(value) else f"{text} The new PMI reading is {value:.1f}."
    if kind == "competitor":
        pick, company = _take(pick, _COMPANIES)
        pick, author = _take(pick, _AUTHORS)
        what = _take(pick, _SEVERITIES[topic])[1]
        return (
            f"{author}: {company} has shipped {what}. I put the gain in product quality at "
            f"{value:.4f}."
        )
    return _take(pick, _REPLIES[mood])[1]


def _take(pick: int, texts: tuple[str, ...]) -> tuple[int, str]:
    """What is left of the choice for further lists, and the chosen text."""
    return pick // len(texts), texts[pick % len(texts)]
