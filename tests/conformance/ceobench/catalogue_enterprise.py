"""Mechanisms of enterprise sales: deals, prices, seats."""

from collections.abc import Iterator

import numpy as np

from tests.conformance.ceobench import figures as f
from tests.conformance.ceobench.catalogue import Mechanism

OFFERS = (15.0, 22.0, 30.0)  # of P8


def enterprise() -> Iterator[Mechanism]:
    """Every mechanism of this part."""
    yield from _enterprises()


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
