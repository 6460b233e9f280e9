"""Words for the company's own posts, made from a topic, an audience and a number.

The judge of the world reads them like any text. Variants rotate, so that a post differs from the
last ones on its topic.
"""

from __future__ import annotations

from ceo_gym.simulators.ceobench import Params

MAX_NAME = 40  # characters of an audience's name; the rest of a sentence needs 240

_OPENINGS = (
    "For {who}:",
    "{who}, this week",
    "We listened, {who}.",
    "News for {who}.",
    "To {who}: a promise.",
)

# two sentences a topic; {n} is the number of the post, which keeps them apart
_SENTENCES: dict[str, tuple[str, ...]] = {
    "price": (
        "Our pricing stays simple: pick a plan that fits your budget, no hidden fees, and we give "
        "30 days notice before any cost moves.",
        "We looked for savings on {n} items this month so that your plan stays affordable to the "
        "dollar.",
    ),
    "quality": (
        "We measured model accuracy on {n} benchmark sets this week and made the results better "
        "where answers were not precise.",
        "Better output by Friday: our team corrects {n} kinds of wrong results in the model.",
    ),
    "speed": (
        "We cut latency this week: most answers arrive within {n} % less time, fast at every hour.",
        "Quick replies matter. By Monday our throughput work makes {n} slow paths faster by "
        "seconds.",
    ),
    "reliability": (
        "We watch uptime every hour and add redundant capacity this month, {n} days of stable "
        "service at a time.",
        "Reliable by design: we test failover {n} times a week to stay available and stable.",
    ),
    "support": (
        "Our support team now answers each ticket within {n} hours, and a person helps until it is "
        "resolved.",
        "Need help? We contact you within one day and follow every ticket to its resolution.",
    ),
    "security": (
        "We encrypt all data and run {n} audits this month, with privacy and compliance reports "
        "open to you.",
        "Security first: our certified controls were audited this week, {n} days ahead of plan.",
    ),
    "features": (
        "We ship {n} new features this week; the roadmap shows each release by month.",
        "New tools launch Friday: {n} updates from our roadmap, in beta for you today.",
    ),
    "integration": (
        "Our API and SDK now connect {n} workflows, with webhooks and export to automate your "
        "pipeline by Monday.",
        "We add {n} connectors this month, so that imports and integrations take hours, not days.",
    ),
    "community": (
        "Join our open community event on Thursday: {n} tutorials, guides and your feedback.",
        "We share {n} new guides from the community forum this week; tell us what to add.",
    ),
    "outcomes": (
        "A case study this week: customers saved {n} hours a month and saw ROI in revenue and "
        "productivity.",
        "We report outcomes, not promises: {n} % efficiency growth for clients this month.",
    ),
}
_REPLIES = (
    "Thank you for telling us. We are sorry and fix this today.",
    "We appreciate it, and sorry. Our team investigates and reports by tomorrow.",
    "Thanks for your words. We address this within 24 hours.",
)


def topic_text(topic: str, group: int, earlier: int, params: Params) -> str:
    """A post about a topic for an audience.

    Args:
        topic: one of the judge's topics.
        group: position of a group whose name may be used.
        earlier: posts written so far.
        params: the world's parameters.
    """
    name = params.groups.name[group][:MAX_NAME]
    opening = _OPENINGS[earlier % len(_OPENINGS)].format(who=name)
    return f"{opening} {_sentence(topic, earlier)}"


def reply_text(topic: str, earlier: int) -> str:
    """A reply to a customer, with a sentence about a topic."""
    return f"{_REPLIES[earlier % len(_REPLIES)]} {_sentence(topic, earlier)}"


def _sentence(topic: str, earlier: int) -> str:
    variants = _SENTENCES[topic]
    return variants[earlier % len(variants)].format(n=3 + earlier % 17)
