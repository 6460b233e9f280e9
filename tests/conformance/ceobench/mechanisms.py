"""Mechanism by mechanism: our world against the recordings, where means of episodes are too blunt.

`mechanisms` compares figures read from the daily rows of P0 to P4, P7 and P8, `distributions` the
values of single days. P6 is left out: one recorded seed has no error. Runs may stop early; every
figure uses the days that a run has.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from scipy import stats

from tests.conformance.ceobench import figures as f
from tests.conformance.ceobench.figures import Played, Read
from tests.conformance.ceobench.runner import EARLY_DAYS, Runs
from tests.conformance.ceobench.seedwise import (
    LEAST,
    Row,
    compare_figures,
    holm,
    total,
    weekly_distance,
)

DIGITS = 6  # significant digits of the recordings
EARLY = ("P1", "P2", "P3", "P4")
GROUPS = f.GROUPS
INDIVIDUALS = GROUPS[:3]
SERVED = {"P1": INDIVIDUALS[:2], "P2": INDIVIDUALS, "P3": INDIVIDUALS, "P4": INDIVIDUALS}
OFFERS = (15.0, 22.0, 30.0)  # of P8
WEEKLY = np.arange(28, EARLY_DAYS + 1, 7)


class Mechanism(NamedTuple):
    """One figure and the policies under which it is compared."""

    name: str
    how: str
    policies: tuple[str, ...]
    read: Read
    pooled: bool = False  # all policies in one row, for rare events


def mechanisms(ours: Mapping[str, Runs], theirs: Mapping[str, Runs]) -> list[Row]:
    """All rows of the policies that both have, with their verdicts."""
    a, b = _rounded(ours), dict(theirs)
    both = [policy for policy in a if policy in b]
    rows: list[Row | None] = []
    for m in catalogue():
        present = [policy for policy in m.policies if policy in both]
        for policies in [present] if m.pooled and present else [[policy] for policy in present]:
            mine, other = (
                total([m.read(Played(policy, runs[policy])) for policy in policies])
                for runs in (a, b)
            )
            rows.append(compare_figures(m.name, " ".join(policies), m.how, mine, other))
    return holm(rows)


def distributions(ours: Mapping[str, Runs], theirs: Mapping[str, Runs]) -> list[Row]:
    """Two-sample rows over seed-days, times and survivals; medians and their spread as figures."""
    a, b = _rounded(ours), dict(theirs)
    both = [policy for policy in a if policy in b]
    rows: list[Row | None] = []
    for policy in both:
        mine, other = Played(policy, a[policy]), Played(policy, b[policy])
        if policy in EARLY:
            rows += _weekly_rows(mine, other)
            rows.append(_survival_row(mine, other))
        if policy in ("P3", "P8"):
            rows.append(_time_to_deal_row(mine, other))
    return holm(rows)


def catalogue() -> list[Mechanism]:
    """Every mechanism that is compared."""
    parts = (_surroundings, _competitors, _product, _prospects, _individuals, _moods, _service)
    return [m for part in (*parts, _enterprises, _discovery) for m in part()]


def _rounded(runs: Mapping[str, Runs]) -> dict[str, Runs]:
    """With as many digits as the recordings, so that nothing differs by rounding alone."""
    found = {}
    for policy, r in runs.items():
        size = np.abs(np.where(r.values == 0.0, 1.0, r.values))
        scale = 10.0 ** (DIGITS - 1 - np.floor(np.log10(size)))
        found[policy] = r._replace(values=np.round(r.values * scale) / scale)
    return found


# --- the catalogue -------------------------------------------------------------------------------


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


def _enterprises() -> Iterator[Mechanism]:
    sold = ("P2", "P3", "P8")
    spans = {"P2": [(100, 500)], "P3": [(1, 119), (120, 300)], "P8": [(1, 110), (111, 238)]}
    for policy, first, last in ((p, *span) for p, some in spans.items() for span in some):
        yield Mechanism(
            f"enterprises that pass the gate, days {first}-{last}",
            "leads_ent over all enterprises drawn",
            (policy,),
            lambda x, a=first, b=last: f.ratio(
                x["leads_ent"], f.enterprise_prospects(x), x.days(a, b)
            ),
        )
        yield Mechanism(
            f"deals a lead, days {first}-{last}",
            "new_ent over leads_ent",
            (policy,),
            lambda x, a=first, b=last: f.ratio(x["new_ent"], x["leads_ent"], x.days(a, b)),
        )
        yield Mechanism(
            f"offers waiting for an answer, days {first}-{last}",
            "open threads that do not wait for us over the leads of the days",
            (policy,),
            lambda x, a=first, b=last: f.ratio(
                x["open_threads"] - x["threads_wait_agent"], x["leads_ent"], x.days(a, b)
            ),
        )
    yield Mechanism(
        "seats of a new account",
        "new_ent_seats over new_ent",
        sold,
        lambda x: f.ratio(x["new_ent_seats"], x["new_ent"], x.days(1)),
    )
    yield Mechanism(
        "price of a deal",
        "rise of mrr over the seats of a new account that comes alone",
        ("P8",),
        lambda x: f.ratio(f.deal_price(x), 1.0, x.days(2)),
    )
    yield Mechanism(
        "deals at a counter-offer",
        "share of the new accounts whose price is none of our three",
        ("P8",),
        lambda x: f.ratio(f.haggled(x, OFFERS) * 1.0, 1.0, np.isfinite(f.deal_price(x))),
    )
    yield Mechanism(
        "price of a counter-offer",
        "mean of those prices",
        ("P8",),
        lambda x: f.ratio(f.deal_price(x), 1.0, f.haggled(x, OFFERS)),
    )
    yield Mechanism(
        "seats, monthly drift",
        "relative change of ent_seats on every 30th day without other changes",
        sold,
        f.seat_drift,
    )
    yield Mechanism(
        "seats, changes on other days",
        "share of quiet days on which ent_seats moves",
        sold,
        f.seat_jumps,
    )
    yield Mechanism(
        "accounts lost a day",
        "enterprises cancelled over subs_ent of the day before",
        sold,
        lambda x: f.ratio(f.lost_accounts(x), f.before(x["subs_ent"]), x.days(2)),
    )
    yield Mechanism(
        "later deals of a sitting account a day",
        "deals beyond new accounts over subs_ent of the day before",
        sold,
        lambda x: f.ratio(
            f.change(x["deals_cum"]) - x["new_ent"], f.before(x["subs_ent"]), x.days(2)
        ),
    )
    for policy, last in (("P3", 119), ("P8", 190)):
        yield Mechanism(
            "from lead to deal",
            f"days between the mean day of leads and of deals, to day {last}",
            (policy,),
            lambda x, b=last: f.lag_to_deal(x, b),
        )
    yield Mechanism(
        "wait for the first deal",
        "days from the first lead to the first deal, where there is one",
        ("P3", "P8"),
        f.wait_for_first_deal,
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


# --- distributions -------------------------------------------------------------------------------


def _weekly_rows(ours: Played, theirs: Played) -> Iterator[Row | None]:
    metrics = ["usage", "subs", "open_issues", "deals_cum", "ent_seats"]
    metrics += [f"{head}_{group}" for head in ("leads", "sat", "rep") for group in GROUPS]
    days = WEEKLY[min(x.runs.values.shape[1] for x in (ours, theirs)) >= WEEKLY]
    for metric in metrics:
        mine, other = (x[metric][:, days - 1] for x in (ours, theirs))
        how = f"{metric} every week of days {WEEKLY[0]} to {WEEKLY[-1]}"
        yield weekly_distance(f"distribution of {metric}", ours.policy, how, mine, other)


def _survival_row(ours: Played, theirs: Played) -> Row | None:
    a, b = (1.0 - f.at_renewal(x, "cancel_ind", 31, 60).known.top for x in (ours, theirs))
    if min(len(a), len(b)) < LEAST:
        return None
    test = stats.ks_2samp(a, b)
    figures = (np.median(a), stats.median_abs_deviation(a))
    figures += (np.median(b), stats.median_abs_deviation(b), test.statistic, test.pvalue)
    how = "1 less cancel_ind of days 31-60 over new_ind of days 1-30, by seed"
    name = "survival of the first renewal"
    return Row(name, ours.policy, how, len(a), len(b), *map(float, figures))


def _time_to_deal_row(ours: Played, theirs: Played) -> Row:
    """Log-rank test: a seed without a deal is censored on its last day."""
    sides, middle = [], []
    for x in (ours, theirs):
        day, last = f.first_day(x["new_ent"]), x.runs.last_day
        met = day.bottom > 0
        sides.append(stats.CensoredData(uncensored=day.top[met], right=last[~met]))
        middle.append(float(np.median(np.where(met, day.top, last))))
    test = stats.logrank(*sides)
    figures = (middle[0], np.nan, middle[1], np.nan, test.statistic, test.pvalue)
    n = (len(ours.runs.values), len(theirs.runs.values))
    how = "first day with new_ent; log-rank"
    return Row("day of the first deal", ours.policy, how, *n, *map(float, figures))
