"""Offers to enterprises as the player writes them: reading, checking, handing on.

Entries of a batch stand alone: a bad one gets an error of its own and the others are carried out.
Only if none can be, the whole call is refused with the error of the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from ceo_gym.simulators.ceobench import talks
from ceo_gym.simulators.ceobench.codes import SUBSCRIBED
from ceo_gym.simulators.ceobench.rules import Rules
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.ceobench.validation import InvalidDecision, customer_id, number, shown
from ceo_gym.simulators.common.rows import Bools, Floats, Ints

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World

MAX_OFFERS = 3
NO_OFFER = -1
UNKNOWN_PLAN = len(PLANS)
_FORM = "[customer_id, [[plan, price], …]]"
NOBODY = -1  # customer id of an entry that could not be read


@dataclass
class Offers:
    """Offers to many enterprises at once.

    Attributes:
        customer_id: [n] whom they are for.
        plan: [n, 3] plan positions 0 to 2, `NO_OFFER` where unused.
        price_usd: [n, 3] price a month and seat.
        errors: entries that could not be read, by position.
        cut: positions of entries with more than three offers.
    """

    customer_id: Ints
    plan: Ints
    price_usd: Floats
    errors: dict[int, InvalidDecision] = field(default_factory=dict)
    cut: set[int] = field(default_factory=set)

    @classmethod
    def uniform(cls, customer_id: Ints, plan: Ints | int, price_usd: Floats | float) -> Offers:
        """One offer a customer; `plan` and `price_usd` are [n] or numbers."""
        n = len(customer_id)
        plans = np.full((n, MAX_OFFERS), NO_OFFER, np.int8)
        prices = np.full((n, MAX_OFFERS), np.nan)
        plans[:, 0], prices[:, 0] = plan, price_usd
        return cls(np.asarray(customer_id, np.int64), plans, prices)


# --- reading -------------------------------------------------------------------------------------


def read(deals: Any, rules: Rules) -> Offers:
    """Offers from the lists or dictionaries of the published tool.

    Raises:
        InvalidDecision: if `deals` is no list, or an empty one.
    """
    entries = _entries(deals, _FORM)
    n = len(entries)
    batch = Offers(
        np.full(n, NOBODY, np.int64),
        np.full((n, MAX_OFFERS), NO_OFFER, np.int8),
        np.full((n, MAX_OFFERS), np.nan),
    )
    for k, entry in enumerate(entries):
        try:
            batch.customer_id[k], offerings = _split(entry)
            if len(offerings) > MAX_OFFERS:
                batch.cut.add(k)
            for m, offering in enumerate(offerings[:MAX_OFFERS]):
                batch.plan[k, m], batch.price_usd[k, m] = _offering(offering, rules)
        except InvalidDecision as error:
            batch.errors[k] = error
    return batch


def read_ids(deals: Any) -> Offers:
    """Customer ids from numbers, one-element lists or dictionaries, as a batch without offers.

    Raises:
        InvalidDecision: if `deals` is no list, or an empty one.
    """
    entries = _entries(deals, "customer ids")
    batch = Offers.uniform(np.full(len(entries), NOBODY), NO_OFFER, np.nan)
    for k, entry in enumerate(entries):
        value = entry
        if isinstance(entry, Mapping):
            value = entry.get("customer_id")
        elif isinstance(entry, Sequence) and not isinstance(entry, str) and entry:
            value = entry[0]
        try:
            if value is None:
                raise InvalidDecision("missing_argument", "an entry needs a customer_id")
            batch.customer_id[k] = customer_id(value)
        except InvalidDecision as error:
            batch.errors[k] = error
    return batch


def _entries(deals: Any, form: str) -> Sequence[Any]:
    if isinstance(deals, np.ndarray):
        deals = deals.tolist()
    if isinstance(deals, (str, Mapping)) or not isinstance(deals, Sequence):
        raise InvalidDecision("wrong_type", f"deals must be a list of {form}")
    if not deals:
        raise InvalidDecision("missing_argument", f"deals must name at least one of {form}")
    return deals


def _split(deal: Any) -> tuple[int, Sequence[Any]]:
    if isinstance(deal, Mapping):
        if "customer_id" not in deal:
            raise InvalidDecision("missing_argument", f"no customer_id in {shown(deal)}")
        who, offerings = customer_id(deal["customer_id"]), deal.get("offerings")
    elif isinstance(deal, Sequence) and not isinstance(deal, str) and len(deal) >= 2:
        who, offerings = customer_id(deal[0]), deal[1]
    else:
        raise InvalidDecision("wrong_type", f"a deal is {_FORM}, not {shown(deal)}")
    if not isinstance(offerings, Sequence) or isinstance(offerings, str) or not offerings:
        raise InvalidDecision("missing_argument", f"no offers for customer {who}; write {_FORM}")
    return who, offerings


def _offering(offering: Any, rules: Rules) -> tuple[int, float]:
    """Plan position and price; a missing plan means B."""
    plan: Any = None
    price: Any = None
    if isinstance(offering, Mapping):
        plan = offering.get("plan", "B")
        price = offering.get("price_per_seat", offering.get("price"))
    elif isinstance(offering, Sequence) and not isinstance(offering, str) and len(offering) >= 2:
        plan, price = offering[0], offering[1]
    if price is None:
        raise InvalidDecision("wrong_type", f"an offer is [plan, price], not {shown(offering)}")
    above = -np.inf if rules.offers_unchecked else 0.0
    amount = number("an offered price", price, above=above, unit="USD a month and seat")
    if plan in PLANS:
        return PLANS.index(plan), amount
    if not rules.offers_unchecked:
        raise InvalidDecision("unknown_key", f"unknown plan {shown(plan)}; known: A, B, C")
    return UNKNOWN_PLAN, amount


# --- carrying out --------------------------------------------------------------------------------


def send(world: World, batch: Offers) -> dict[str, Any]:
    """Check whom one may write to, then send; see `Decisions.send_offers`."""
    plan, price = np.asarray(batch.plan), np.asarray(batch.price_usd, dtype=np.float64)
    if plan.shape != (len(batch.customer_id), MAX_OFFERS) or price.shape != plan.shape:
        raise InvalidDecision("wrong_type", "offers need plans and prices of shape [n, 3]")
    errors = dict(batch.errors)
    offered = plan != NO_OFFER
    bad = ~offered.any(axis=1) | (offered & ~np.isfinite(price)).any(axis=1)
    _fail(errors, bad, "wrong_type", "an offer needs a plan and a finite price")
    if not world.rules.offers_unchecked:
        bad = (offered & ~((price > 0.0) & (plan >= 0) & (plan < len(PLANS)))).any(axis=1)
        _fail(errors, bad, "out_of_range", "an offer needs a plan A, B or C and a price above 0")
    who = _find(world, batch.customer_id, errors)
    for turn in _turns(who):
        leads = world.negotiations.leads
        idle = leads.thread[who[turn]] < 0
        stuck = idle & (leads.status[who[turn]] != SUBSCRIBED)
        for k in turn[stuck].tolist():
            text = "no active subscription and no open negotiation"
            errors[k] = InvalidDecision("not_found", text)
        good = turn[~stuck]
        if len(good):
            talks.send(world, who[good], plan[good], price[good])
    warnings = {}
    if not world.rules.offers_unchecked:
        warnings = dict.fromkeys(batch.cut, f"only the first {MAX_OFFERS} offers were sent")
    return _report(batch.customer_id, errors, warnings)


def reject(world: World, batch: Offers) -> dict[str, Any]:
    """Check which threads are open, then close them; see `Decisions.reject_offers`."""
    errors = dict(batch.errors)
    who = _find(world, batch.customer_id, errors)
    for turn in _turns(who):
        closed = world.negotiations.leads.thread[who[turn]] < 0
        for k in turn[closed].tolist():
            errors[k] = InvalidDecision("not_found", "no open negotiation")
        good = turn[~closed]
        if len(good):
            talks.reject(world, who[good])
    return _report(batch.customer_id, errors, {})


def _fail(errors: dict[int, InvalidDecision], bad: Bools, code: str, message: str) -> None:
    for k in bad.nonzero()[0].tolist():
        errors.setdefault(k, InvalidDecision(code, message))


def _find(world: World, ids: Ints, errors: dict[int, InvalidDecision]) -> Ints:
    """[n] rows of the leads with these customer ids, -1 with an error where there is none."""
    leads = world.negotiations.leads
    who = np.full(len(ids), -1)
    if len(leads):
        at = np.minimum(leads.customer_id.searchsorted(ids), len(leads) - 1)
        who = np.where(leads.customer_id[at] == ids, at, -1)
    who[list(errors)] = -1
    for k in (who < 0).nonzero()[0].tolist():
        known = 1 < ids[k] < world.company.next_customer_id
        text = "not an enterprise that ever negotiated" if known else "no such customer"
        errors.setdefault(k, InvalidDecision("not_found", text))
    return who


def _turns(who: Ints) -> list[Ints]:
    """Positions of the usable entries; an enterprise named again comes in a later turn."""
    turns: list[Ints] = []
    left: Ints = (who >= 0).nonzero()[0]
    while len(left):
        _, first = np.unique(who[left], return_index=True)
        turns.append(left[np.sort(first)])
        left = np.delete(left, first)
    return turns


def _report(
    ids: Ints, errors: dict[int, InvalidDecision], warnings: dict[int, str]
) -> dict[str, Any]:
    """Result of each entry.

    Raises:
        InvalidDecision: if every entry failed.
    """
    if len(errors) == len(ids):
        if not errors:
            raise InvalidDecision("missing_argument", "there is nobody to write to")
        first = errors[0]
        name = f"customer {ids[0]}" if ids[0] != NOBODY else "the first deal"
        raise InvalidDecision(first.code, f"{name}: {first}")
    results: list[dict[str, Any]] = [{"customer_id": i, "success": True} for i in ids.tolist()]
    for k, error in errors.items():
        who = results[k]["customer_id"]
        results[k] = {"customer_id": who if who != NOBODY else None, "error": str(error)}
    for k, warning in warnings.items():
        results[k]["warning"] = warning
    return {"results": results}
