"""What is said in negotiations with enterprises (enterprise.md 12)."""

from __future__ import annotations

import json
import math
from typing import NamedTuple

from ceo_gym.simulators.ceobench import World
from ceo_gym.simulators.ceobench.codes import (
    ACCEPTED,
    AGENT,
    CHURN_PREVENTION,
    KINDS,
    NEW_LEAD,
    NONE,
    PLAN_CHANGE,
    SYSTEM,
)
from ceo_gym.simulators.ceobench.sections import PLANS

CONTRACT_MONTHS = 1


class Message(NamedTuple):
    """One message in words and as data."""

    text: str
    offer_json: str


def messages(world: World, start: int, stop: int) -> list[Message]:
    """Rows `start` to `stop` of ``world.history.messages`` in words."""
    rows = world.history.messages
    part = slice(start, stop)
    return [
        _message(sender, kind, state, plans, prices, asked, usd, seats)
        for sender, kind, state, plans, prices, asked, usd, seats in zip(
            rows.sender[part].tolist(),
            rows.kind[part].tolist(),
            rows.state[part].tolist(),
            rows.offer_plan[part].tolist(),
            rows.offer_usd[part].tolist(),
            rows.asked_plan[part].tolist(),
            rows.asked_usd[part].tolist(),
            rows.seats[part].tolist(),
        )
    ]


def closing(plan: int, price_usd: float, seats: int) -> Message:
    """The system's confirmation of a deal."""
    text = f"Deal closed: plan {_plan(plan)} at ${price_usd:,.2f} per seat for {_seats(seats)}."
    return Message(text, _terms(plan, price_usd))


def _message(
    sender: int,
    kind: int,
    state: int,
    plans: list[int],
    prices: list[float],
    asked: int,
    usd: float,
    seats: int,
) -> Message:
    if sender == SYSTEM:
        return Message(_opening(kind, seats), "{}")
    if sender == AGENT:
        return _offers(plans, prices)
    return _answer(kind, state, asked, usd)


def _opening(kind: int, seats: int) -> str:
    if kind == NEW_LEAD:
        return f"A new enterprise lead for {_seats(seats)} is waiting for an offer."
    return f"Conversation opened by the customer: {KINDS[kind].replace('_', ' ')}."


def _offers(plans: list[int], prices: list[float]) -> Message:
    offered = [(p, usd) for p, usd in zip(plans, prices) if p != NONE]
    if not offered:
        return Message("We have to decline and close this conversation.", "{}")
    data = [
        {"plan": _plan(p), "price_per_seat": usd, "contract_months": CONTRACT_MONTHS}
        for p, usd in offered
    ]
    parts = [f"plan {_plan(p)} at ${usd:,.2f} per seat and month" for p, usd in offered]
    return Message(f"Our offer, one month at a time: {'; or '.join(parts)}.", json.dumps(data))


def _answer(kind: int, state: int, asked: int, usd: float) -> Message:
    """A customer's message: agreement, another price, a complaint or a wish."""
    months = f"{CONTRACT_MONTHS} month"
    if not math.isnan(usd):
        terms = f"plan {_plan(asked)} at ${usd:,.2f} per seat for {months}"
        if state == ACCEPTED:
            return Message(f"Agreed: we take {terms}.", _terms(asked, usd))
        return Message(f"That is more than we would pay. We propose {terms}.", _terms(asked, usd))
    if kind == CHURN_PREVENTION:
        return Message(
            "What we get is no longer worth what we pay. Without a better offer we will leave.",
            "{}",
        )
    if kind == PLAN_CHANGE and asked != NONE:
        return Message(f"We would like to move to plan {_plan(asked)}. What can you offer?", "{}")
    return Message("", "{}")


def _terms(plan: int, usd: float) -> str:
    return json.dumps({"price": usd, "plan": _plan(plan)})


def _plan(plan: int) -> str:
    """The letter of a plan; unchecked offers may name none (quirk N17)."""
    return PLANS[plan] if 0 <= plan < len(PLANS) else "unknown"


def _seats(count: int) -> str:
    return "1 seat" if count == 1 else f"{count} seats"
