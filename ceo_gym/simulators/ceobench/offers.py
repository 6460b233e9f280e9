"""Offers to enterprises as the player writes them: reading, checking, handing on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ceo_gym.simulators.ceobench import negotiation
from ceo_gym.simulators.ceobench.rules import Rules
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.ceobench.validation import InvalidDecision, customer_id, number
from ceo_gym.simulators.common.rows import Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World

MAX_OFFERS = 3
NO_OFFER = -1
UNKNOWN_PLAN = len(PLANS)


@dataclass
class Offers:
    """Offers to many enterprises at once.

    Attributes:
        customer_id: [n] whom they are for.
        plan: [n, 3] plan positions 0 to 2, `NO_OFFER` where unused.
        price_usd: [n, 3] price a month and seat.
    """

    customer_id: Ints
    plan: Ints
    price_usd: Floats

    @classmethod
    def uniform(cls, customer_id: Ints, plan: Ints, price_usd: Floats) -> Offers:
        """One offer a customer; `plan` and `price_usd` are [n] or numbers."""
        n = len(customer_id)
        plans = np.full((n, MAX_OFFERS), NO_OFFER, np.int8)
        prices = np.full((n, MAX_OFFERS), np.nan)
        plans[:, 0], prices[:, 0] = plan, price_usd
        return cls(np.asarray(customer_id, np.int64), plans, prices)


def read(deals: Any, rules: Rules) -> Offers:
    """Offers from the lists or dictionaries of the published tool.

    Raises:
        InvalidDecision: for a form that cannot be understood.
    """
    if isinstance(deals, (str, Mapping)) or not isinstance(deals, Sequence) or not deals:
        raise InvalidDecision(
            "wrong_type", "deals must be a list of [customer_id, [[plan, price], …]]"
        )
    ids, plans, prices = [], [], []
    for deal in deals:
        who, offerings = _split(deal)
        if not isinstance(offerings, Sequence) or isinstance(offerings, str) or not offerings:
            raise InvalidDecision("missing_argument", f"no offers for customer {who}")
        plan, price = [NO_OFFER] * MAX_OFFERS, [np.nan] * MAX_OFFERS
        for k, offering in enumerate(offerings[:MAX_OFFERS]):
            plan[k], price[k] = _offering(offering, who, rules)
        ids.append(who)
        plans.append(plan)
        prices.append(price)
    return Offers(np.array(ids), np.array(plans, np.int8), np.array(prices, np.float64))


def _split(deal: Any) -> tuple[int, Any]:
    if isinstance(deal, Mapping):
        if "customer_id" not in deal:
            raise InvalidDecision("missing_argument", f"no customer_id in {deal!r}")
        return customer_id(deal["customer_id"]), deal.get("offerings")
    if isinstance(deal, Sequence) and not isinstance(deal, str) and len(deal) >= 2:
        return customer_id(deal[0]), deal[1]
    raise InvalidDecision(
        "wrong_type", f"a deal is [customer_id, [[plan, price], …]], not {deal!r}"
    )


def _offering(offering: Any, who: int, rules: Rules) -> tuple[int, float]:
    """Plan position and price; a missing plan means B."""
    if isinstance(offering, Mapping):
        plan = offering.get("plan", "B")
        price = offering.get("price_per_seat", offering.get("price"))
    elif isinstance(offering, Sequence) and not isinstance(offering, str) and len(offering) >= 2:
        plan, price = offering[0], offering[1]
    else:
        plan, price = None, None
    if price is None:
        raise InvalidDecision(
            "wrong_type", f"an offer to customer {who} is [plan, price], not {offering!r}"
        )
    above = -np.inf if rules.offers_unchecked else 0.0
    amount = number(f"the price offered to customer {who}", price, above=above, unit="USD")
    if plan in PLANS:
        return PLANS.index(plan), amount
    if not rules.offers_unchecked:
        raise InvalidDecision("unknown_key", f"unknown plan {plan!r}; known: A, B, C")
    return UNKNOWN_PLAN, amount


def read_ids(deals: Any) -> Ints:
    """Customer ids from numbers, one-element lists or dictionaries.

    Raises:
        InvalidDecision: for a form that cannot be understood.
    """
    if isinstance(deals, np.ndarray):
        deals = deals.tolist()
    if isinstance(deals, (str, Mapping)) or not isinstance(deals, Sequence) or not deals:
        raise InvalidDecision("wrong_type", "deals must be a list of customer ids")
    ids = []
    for deal in deals:
        if isinstance(deal, Mapping):
            deal = deal.get("customer_id")
        elif isinstance(deal, Sequence) and not isinstance(deal, str) and deal:
            deal = deal[0]
        if deal is None:
            raise InvalidDecision("missing_argument", "a deal to reject needs a customer_id")
        ids.append(customer_id(deal))
    return np.array(ids)


def send(world: World, batch: Offers) -> dict[str, Any]:
    """Check whom one may write to, then send; see `Decisions.send_offers`."""
    plan, price = np.asarray(batch.plan), np.asarray(batch.price_usd, dtype=np.float64)
    offered = plan != NO_OFFER
    if plan.shape != (len(batch.customer_id), MAX_OFFERS) or price.shape != plan.shape:
        raise InvalidDecision("wrong_type", "offers need plans and prices of shape [n, 3]")
    if not offered.any(axis=1).all() or not np.isfinite(price[offered]).all():
        raise InvalidDecision("wrong_type", "every customer needs an offer with a finite price")
    if not world.rules.offers_unchecked and not (
        (price[offered] > 0.0).all() and ((plan[offered] >= 0) & (plan[offered] < 3)).all()
    ):
        raise InvalidDecision("out_of_range", "offers need a plan A, B or C and a price above 0")
    who, errors = _find(world, batch.customer_id)
    leads = world.negotiations.leads
    at = np.maximum(who, 0)
    idle = (who >= 0) & (leads.thread[at] < 0) if len(leads) else np.zeros(len(who), np.bool_)
    if idle.any():
        stuck = idle & (leads.status[at] != negotiation.SUBSCRIBED)
        for k in np.flatnonzero(stuck):
            errors[int(k)] = "no active subscription and no open thread"
        who[stuck] = -1
    good = _last_of_each(who)
    if good.any():
        negotiation.send(world, who[good], plan[good], price[good])
    return _report(batch.customer_id, errors)


def reject(world: World, ids: Ints) -> dict[str, Any]:
    """Check which threads are open, then close them; see `Decisions.reject_offers`."""
    who, errors = _find(world, ids)
    leads = world.negotiations.leads
    for k in np.flatnonzero(who >= 0):
        if leads.thread[who[k]] < 0:
            errors[int(k)] = "no open thread"
            who[k] = -1
    good = _last_of_each(who)
    if good.any():
        negotiation.reject(world, who[good])
    return _report(ids, errors)


def _find(world: World, ids: Ints) -> tuple[Ints, dict[int, str]]:
    """Rows of the leads with these customer ids, -1 with an error where there is none."""
    leads = world.negotiations.leads
    errors: dict[int, str] = {}
    if not len(leads):
        who = np.full(len(ids), -1)
    else:
        who = np.minimum(np.searchsorted(leads.customer_id, ids), len(leads) - 1)
        who = np.where(leads.customer_id[who] == ids, who, -1)
    for k in np.flatnonzero(who < 0):
        known = 1 < ids[k] < world.company.next_customer_id
        errors[int(k)] = "not an enterprise lead or account" if known else "no such customer"
    return who, errors


def _last_of_each(who: Ints) -> NDArray[np.bool_]:
    """Mask of the usable entries; of several for one enterprise the last one counts."""
    good = who >= 0
    reverse = who[::-1]
    _, first = np.unique(reverse, return_index=True)
    last = np.zeros(len(who), np.bool_)
    last[len(who) - 1 - first] = True
    return good & last


def _report(ids: Ints, errors: dict[int, str]) -> dict[str, Any]:
    """Result of each entry.

    Raises:
        InvalidDecision: if every entry failed.
    """
    if len(errors) == len(ids):
        first = errors[0] if errors else "nothing to do"
        raise InvalidDecision("not_found", f"customer {ids[0] if len(ids) else '?'}: {first}")
    return {
        "results": [
            {"customer_id": int(i), "error": errors[k]}
            if k in errors
            else {"customer_id": int(i), "success": True}
            for k, i in enumerate(ids.tolist())
        ]
    }
