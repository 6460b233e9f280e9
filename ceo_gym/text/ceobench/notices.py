"""Notices to the company, one sentence each."""

from __future__ import annotations

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import (
    CHURN_PREVENTION,
    COUNTER_OFFER,
    NEW_LEAD,
    NOTICES,
    PLAN_CHANGE,
)
from ceo_gym.simulators.ceobench.social import NEGATIVE, NEUTRAL, POSITIVE

QUOTED_CHARACTERS = 80  # of the own post in its notice
NAMED_GROUPS = 3  # groups whose opinion the notice tells

_MOODS = {POSITIVE: "positive", NEUTRAL: "neutral", NEGATIVE: "negative"}
_REQUESTS = {
    NEW_LEAD: "New enterprise lead: customer {} is waiting for an offer.",
    COUNTER_OFFER: "Customer {} answered with a counter-offer.",
    CHURN_PREVENTION: "Churn risk: enterprise customer {} threatens to leave.",
    PLAN_CHANGE: "Enterprise customer {} asks for another plan.",
}


def notices(world: World, start: int, stop: int) -> list[str]:
    """Rows `start` to `stop` of ``world.history.notice_rows`` in words."""
    rows = world.history.notice_rows
    part = slice(start, stop)
    return [
        _notice(world, NOTICES[type_], ref, kind, value)
        for type_, ref, kind, value in zip(
            rows.type[part].tolist(),
            rows.ref[part].tolist(),
            rows.kind[part].tolist(),
            rows.value[part].tolist(),
        )
    ]


def _notice(world: World, type_: str, ref: int, kind: int, value: float) -> str:
    groups = world.params.groups
    if type_ == "large_customer_message":
        return _REQUESTS[kind].format(ref)
    if type_ == "lead_lost":
        return f"Lead lost: the talks with customer {ref} ended without a deal."
    if type_ == "deal_won":
        return f"Deal won: customer {ref} agreed to ${value:,.2f} per seat and month."
    if type_ == "market_discovery":
        return f"Market research found a new group: {groups.ids[ref]} ({groups.name[ref]})."
    if type_ == "research_complete":
        return (
            f"A research project of tier {ref} is complete: product quality rises by {value:.4f}."
        )
    if type_ == "group_research_complete":
        return f"Research of group {groups.ids[ref]} is complete; its level is {value:.0f}."
    if type_ == "macro_economic_update":
        return f"A new reading of the economy is out: PMI {value:.1f}."
    return _own_post(world, ref, kind)


def _own_post(world: World, number: int, mood: int) -> str:
    """How a post of the company was received (market.md 9.4)."""
    post = world.market.own_posts[number - 1]
    content = post.content
    if len(content) > QUOTED_CHARACTERS:
        content = content[:QUOTED_CHARACTERS] + "…"
    effects = sorted(
        ((effect, g) for g, effect in enumerate(post.effect.tolist()) if effect),
        key=lambda item: -abs(item[0]),
    )[:NAMED_GROUPS]
    named = ", ".join(f"{world.params.groups.ids[g]} {effect:+.1f}" for effect, g in effects)
    return (
        f'Your post "{content}" got {int(post.views.sum()):,} views; the response was '
        f"{_MOODS[mood]}. Strongest in: {named or 'no group'}."
    )
