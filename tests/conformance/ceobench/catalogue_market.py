"""Mechanisms of the market: business index, surges, competitors, research, prospects, search."""

from collections.abc import Iterator

import numpy as np

from tests.conformance.ceobench import figures as f
from tests.conformance.ceobench.catalogue import EARLY, GROUPS, INDIVIDUALS, Mechanism
from tests.conformance.ceobench.figures import Played


def market() -> Iterator[Mechanism]:
    """Every mechanism of this part."""
    for part in (_surroundings, _competitors, _product, _prospects, _discovery):
        yield from part()


def _surroundings() -> Iterator[Mechanism]:
    long = ("P0", "P3")  # P0 has eight whole episodes, P3 24 seeds
    for first, last in ((2, 119), (120, 300), (301, 500)):
        yield Mechanism(
            f"business index, level days {first}-{last}",
            "mean of pmi",
            long,
            lambda x, a=first, b=last: f.mean(x["pmi"], x.days(a, b)),
        )
    yield Mechanism(
        "business index, pull to its mean",
        "slope of the daily change on the distance to the long-run mean",
        long,
        lambda x: f.ratio(np.prod(f.pmi_pull(x), axis=0), f.pmi_pull(x)[1] ** 2, x.days(2)),
    )
    yield Mechanism(
        "business index, variance of a day",
        "mean square of the daily change less the pull",
        long,
        lambda x: f.mean(f.pmi_noise(x) ** 2, x.days(2)),
    )
    yield Mechanism(
        "business index, memory of the noise",
        "autocorrelation of the daily change less the pull",
        long,
        lambda x: f.ratio(
            f.pmi_noise(x) * f.before(f.pmi_noise(x)), f.pmi_noise(x) ** 2, x.days(3)
        ),
    )
    yield Mechanism(
        "surges, beginnings a day",
        "days on which the multiplier rises",
        long,
        lambda x: f.ratio(f.surge_start(x), 1.0, x.days(1)),
    )
    yield Mechanism(
        "surges, share beginning with a week",
        "days d with d mod 7 = 1 among the days on which the multiplier rises",
        long,
        lambda x: f.ratio(f.surge_start(x) * (x.day % 7 == 1), f.surge_start(x), x.days(1)),
    )
    yield Mechanism(
        "surges, days each",
        "days above 1 over beginnings",
        long,
        lambda x: f.ratio(x["surge"] > 1, f.surge_start(x), x.days(1)),
    )
    yield Mechanism(
        "surges, height",
        "mean logarithm of the multiplier on days above 1",
        long,
        lambda x: f.ratio(np.log(x["surge"]), 1.0, x["surge"] > 1),
    )


def _competitors() -> Iterator[Mechanism]:
    long = ("P0", "P3")
    for first, last in ((1, 59), (60, 249), (250, 470), (471, 500)):
        yield Mechanism(
            f"competitors, events a day in days {first}-{last}",
            "rise of comp_events",
            long,
            lambda x, a=first, b=last: f.ratio(f.event(x), 1.0, x.days(a, b)),
        )
    for first, last in ((60, 249), (251, 470)):
        yield Mechanism(
            f"competitors, events on the day after one in days {first}-{last}",
            "share of the event days that follow an event day",
            long,
            lambda x, a=first, b=last: f.ratio(
                f.event(x) * f.before(f.event(x)), f.event(x), x.days(a, b)
            ),
        )
    for first, last in ((60, 250), (251, 470)):
        yield Mechanism(
            f"competitors, size in days {first}-{last}",
            "mean logarithm of the rise of qdrift_global over the ramp, without any bank",
            ("P0",),
            lambda x, a=first, b=last: f.ratio(f.log_size(x), 1.0, x.days(a, b)),
        )
        yield Mechanism(
            f"competitors, second moment of the size in days {first}-{last}",
            "mean square of that logarithm",
            ("P0",),
            lambda x, a=first, b=last: f.ratio(f.log_size(x) ** 2, 1.0, x.days(a, b)),
        )
    yield Mechanism(
        "competitors, shift a day to day 119",
        "qdrift_global on day 119",
        EARLY,
        lambda x: f.mean(x["qdrift_global"], x.days(119, 119)),
    )
    yield Mechanism(
        "competitors, share of events that drain the bank",
        "events with a fall of bank among all events",
        (*EARLY, "P8"),
        lambda x: f.ratio(f.caught_up(x), f.event(x), x.days(60)),
    )
    yield Mechanism(
        "competitors, part of the bank taken",
        "rise of qdrift_global over the bank of the day before, on days on which it is drained",
        EARLY,
        lambda x: f.ratio(
            f.over(f.change(x["qdrift_global"]), f.before(x["bank"])), 1.0, f.caught_up(x)
        ),
    )
    for policy, group in (("P2", "S1"), ("P3", "S2"), ("P3", "E1"), ("P8", "E1")):
        yield Mechanism(
            f"competitors, leak of targeted development of {group}",
            "shift of the group beyond its reaction over its unanswered gain, at an event",
            (policy,),
            lambda x, g=group: f.ratio(f.over(*f.group_bank(x, g)), 1.0, f.event(x) > 0),
        )
    for group in GROUPS:
        yield Mechanism(
            f"competitors, reaction of {group}",
            "rise of the group's shift over the rise of the global one, at an event",
            ("P0",),
            lambda x, g=group: f.ratio(
                f.change(x[f"qdrift_{g}"]),
                f.change(x["qdrift_global"]),
                (f.event(x) > 0) & (x.day % 30 != 0),
            ),
        )
        yield Mechanism(
            f"drift of what {group} expects",
            "change of the group's shift on every 30th day without an event",
            ("P0",),
            lambda x, g=group: f.mean(
                np.round(f.change(x[f"qdrift_{g}"]), 4), (f.event(x) == 0) & (x.day % 30 == 0)
            ),
        )


def _product() -> Iterator[Mechanism]:
    policies = ("P0", *EARLY, "P8")
    yield Mechanism(
        "shared quality, gain of a day beyond development",
        "daily change of q_shared less the formula",
        policies,
        lambda x: f.mean(f.shared_noise(x), x.days(2)),
    )
    yield Mechanism(
        "shared quality, variance of a day",
        "mean square of it",
        policies,
        lambda x: f.mean(f.shared_noise(x) ** 2, x.days(2)),
    )
    for policy, group, usd in (
        ("P2", "S1", lambda x: x["cost_dev"] - f.SHARED_USD["P2"]),
        ("P3", "S2", lambda x: x["cost_dev"] / 2),
        ("P3", "E1", lambda x: x["cost_dev"] / 2),
        ("P4", "S1", lambda x: x["cost_dev"] - f.SHARED_USD["P4"]),
        ("P8", "E1", lambda x: x["cost_dev"]),
    ):
        yield Mechanism(
            f"targeted development of {group}",
            "gain over the formula",
            (policy,),
            lambda x, g=group, u=usd: f.targeted_gain(x, g, u(x)),
        )
    for number in (1, 2):
        yield Mechanism(
            f"research project {number}, gain",
            "change of q_shared on the day on which it is done",
            ("P3",),
            lambda x, k=number: f.ratio(f.change(x["q_shared"]), 1.0, f.project(x, k)),
        )
        yield Mechanism(
            f"research project {number}, second moment of the gain",
            "mean square of it",
            ("P3",),
            lambda x, k=number: f.ratio(f.change(x["q_shared"]) ** 2, 1.0, f.project(x, k)),
        )
        yield Mechanism(
            f"research project {number}, day done",
            "first day with so many projects",
            ("P3",),
            lambda x, k=number: f.first_day(x["rnd_done"] >= k),
        )


def _prospects() -> Iterator[Mechanism]:
    for policy, groups in {**dict.fromkeys(EARLY, GROUPS), "P8": ("E1",)}.items():
        for group in groups:
            for first, last in ((2, 29), (30, 119), (120, 300)):
                if group in INDIVIDUALS or last > 29:
                    yield Mechanism(
                        f"prospects of {group}, days {first}-{last}",
                        "leads over those expected from spending, subscribers and reputation",
                        (policy,),
                        lambda x, g=group, a=first, b=last: f.leads(x, g, a, b),
                    )
        for group in groups[:2] if policy in EARLY else ():
            yield Mechanism(
                f"prospects of {group}, spread of a day",
                "square of the distance to the expectation over the expectation, to day 29",
                (policy,),
                lambda x, g=group: f.lead_spread(x, g),
            )


def _discovery() -> Iterator[Mechanism]:
    yield Mechanism(
        "market research that finds a group",
        "rise of n_discovered over the calls, which the cost of the day tells",
        ("P3", "P7"),
        _finds,
        pooled=True,
    )
    for week in (3, 5, 8, 11):
        yield Mechanism(
            f"groups found by week {week}",
            "n_discovered at its end",
            ("P7",),
            lambda x, d=7 * week: f.mean(x["n_discovered"], x.days(d, d)),
        )
    for found in (1, 2, 3):
        yield Mechanism(
            f"prospects of discovered groups, {found} known",
            "mean square root of leads_disc to day 119",
            ("P7",),
            lambda x, k=found: f.mean(
                np.sqrt(x["leads_disc"]), x.days(1, 119) & (x["n_discovered"] == k)
            ),
        )


def _finds(x: Played) -> f.Figure:
    """Purchases bear the date of the last finished day; the find shows on the next one."""
    calls = f.before(x["cost_mktres"]) / f.PARAMS.research.discovery_cost_usd
    return f.ratio(f.change(x["n_discovered"]), calls, calls > 0)
