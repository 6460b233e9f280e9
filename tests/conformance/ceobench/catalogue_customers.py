"""Mechanisms of customers and service: renewals, satisfaction, reputation, issues, outages."""

from collections.abc import Iterator

import numpy as np

from tests.conformance.ceobench import figures as f
from tests.conformance.ceobench.catalogue import EARLY, GROUPS, SERVED, Mechanism
from tests.conformance.ceobench.figures import Played


def customers() -> Iterator[Mechanism]:
    """Every mechanism of this part."""
    for part in (_individuals, _moods, _service):
        yield from part()


def _individuals() -> Iterator[Mechanism]:
    for first, last in ((1, 29), (30, 119), (120, 240)):
        yield Mechanism(
            f"conversion, days {first}-{last}",
            "new_ind over leads_ind",
            EARLY,
            lambda x, a=first, b=last: f.ratio(x["new_ind"], x["leads_ind"], x.days(a, b)).each,
        )
    for first, last in ((31, 40), (41, 50), (51, 60)):
        yield Mechanism(
            f"leaving at the first renewal, arrivals of days {first - 30}-{last - 30}",
            "cancel_ind over the new_ind of thirty days before",
            EARLY,
            lambda x, a=first, b=last: f.at_renewal(x, "cancel_ind", a, b),
        )
    for metric in ("cancel_ind", "upgrades", "downgrades"):
        for first, last in ((31, 60), (61, 90), (91, 119), (120, 180), (181, 240)):
            yield Mechanism(
                f"{metric} at renewal, days {first}-{last}",
                f"{metric} over the individuals due that day",
                EARLY,
                lambda x, m=metric, a=first, b=last: f.at_renewal(x, m, a, b),
            )
    for plan in "BC":
        yield Mechanism(
            f"share of plan {plan} on day 29",
            f"subs_{plan} over subs",
            EARLY,
            lambda x, p=plan: f.ratio(x[f"subs_{p}"], x["subs"], x.days(29, 29)).each,
        )
    yield Mechanism(
        "price of a bill, days 31-119",
        "rev_subs over the individuals billed",
        ("P1", "P2", "P4"),
        lambda x: (
            f.ratio(x["rev_subs"], x["new_ind"] + f.due(x) - x["cancel_ind"], x.days(31, 119)).each
        ),
    )
    yield Mechanism(
        "revenue of ads a subscriber",
        "rev_ads over subs",
        ("P4",),
        lambda x: f.ratio(x["rev_ads"], x["subs"], x.days(30, 119)).each,
    )


def _moods() -> Iterator[Mechanism]:
    for policy, groups in SERVED.items():
        for group in groups:
            for first, last in ((10, 59), (60, 119), (120, 240)):
                yield Mechanism(
                    f"satisfaction of {group}, days {first}-{last}",
                    "what the day adds to it, less shared quality, plus the shift of expectations",
                    (policy,),
                    lambda x, g=group, a=first, b=last: f.mean(
                        f.surplus(x, g) - x["q_shared"] + x[f"qdrift_{g}"], x.days(a, b)
                    ),
                )
                yield Mechanism(
                    f"reputation of {group}, days {first}-{last}",
                    "daily change less the gain expected from the mean satisfaction",
                    (policy,),
                    lambda x, g=group, a=first, b=last: f.mean(
                        f.change(x[f"rep_{g}"]) - f.expected_reputation_gain(x, g), x.days(a, b)
                    ),
                )
    for group in GROUPS[3:]:
        yield Mechanism(
            f"reputation of {group} on day 119",
            f"rep_{group}, moved by the other groups",
            ("P2", "P3", "P4"),
            lambda x, g=group: f.mean(x[f"rep_{g}"], x.days(119, 119)),
        )
    for first, last in ((10, 59), (60, 119), (120, 240)):
        yield Mechanism(
            f"open issues a subscriber, days {first}-{last}",
            "open_issues over subs",
            EARLY,
            lambda x, a=first, b=last: f.ratio(x["open_issues"], x["subs"], x.days(a, b)).each,
        )
    yield Mechanism(
        "new issues of an outage",
        "rise of the share of open issues on a day with an outage less the mean rise",
        EARLY,
        _issues_of_outage,
        pooled=True,
    )


def _issues_of_outage(x: Played) -> f.Figure:
    rise = f.change(x["open_issues"]) / np.maximum(1.0, f.before(x["subs"]))
    return f.ratio(rise, 1.0, (x["outage"] == 1) & (f.before(x["subs"]) >= 50))


def _service() -> Iterator[Mechanism]:
    everywhere = ("P0", *EARLY, "P7", "P8")
    bands = {
        "calm days, operations below 400": lambda x: (x["overload"] == 0) & (x["cost_ops"] < 400),
        "calm days, operations 400-700": lambda x: (
            (x["overload"] == 0) & (x["cost_ops"] >= 400) & (x["cost_ops"] < 700)
        ),
        "calm days, operations from 700": lambda x: (x["overload"] == 0) & (x["cost_ops"] >= 700),
        "overload up to 0.5": lambda x: (x["overload"] > 0) & (x["overload"] <= 0.5),
        "overload above 0.5": lambda x: x["overload"] > 0.5,
    }
    for name, where in bands.items():
        yield Mechanism(
            f"outages, {name}",
            "over those expected from operations and overload",
            everywhere,
            lambda x, w=where: f.ratio(x["outage"], f.expected_outage(x), w(x)),
            pooled=True,
        )
    yield Mechanism(
        "outages, minutes",
        "downtime of a day with an outage",
        everywhere,
        lambda x: f.ratio(x["downtime"], x["outage"], x.days(1)),
        pooled=True,
    )
    for policy, group in (("P1", "S1"), ("P2", "S1"), ("P3", "S1"), ("P3", "S2"), ("P4", "S1")):
        yield Mechanism(
            f"satisfaction of {group}, loss by an outage",
            "what the day adds against the days around it",
            (policy,),
            lambda x, g=group: f.service_loss(x, g),
        )
        yield Mechanism(
            f"satisfaction of {group}, loss by overload",
            "slope of the change of what a day adds on the change of overload",
            (policy,),
            lambda x, g=group: f.overload_slope(x, g),
        )
    yield Mechanism(
        "usage on weekends",
        "usage a subscriber over that of weekdays",
        EARLY,
        lambda x: f.weekend_usage(x, 30, 119),
    )
    for first, last in ((10, 59), (60, 119), (120, 240)):
        yield Mechanism(
            f"usage a subscriber, days {first}-{last}",
            "usage over the subs of the day before",
            EARLY,
            lambda x, a=first, b=last: f.ratio(x["usage"], f.before(x["subs"]), x.days(a, b)).each,
        )
    yield Mechanism(
        "cost of computing a unit",
        "cost_compute over usage",
        EARLY,
        lambda x: f.ratio(x["cost_compute"], x["usage"], x.days(30, 119)).each,
    )
