"""The enterprise part of an action: one treatment for each waiting thread (observation.md 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from ceo_gym.envs.ceobench.action_keys import (
    BULK_ACCEPT,
    BULK_LIST,
    BULK_REJECT,
    BULK_TABLE,
    SLOT_BULK,
    SLOT_OFFER,
    SLOT_REJECT,
)
from ceo_gym.envs.ceobench.observation_sales import Slots
from ceo_gym.simulators.ceobench import InvalidDecision, Offers, World
from ceo_gym.simulators.ceobench.codes import (
    CHURN_PREVENTION,
    NEW_LEAD,
    PLAN_CHANGE,
    RENEGOTIATION,
)
from ceo_gym.simulators.ceobench.observe import Waiting, waiting
from ceo_gym.simulators.ceobench.offers import NO_OFFER
from ceo_gym.simulators.ceobench.sections import PLANS
from ceo_gym.simulators.common.rows import Floats, Ints

NOTHING = np.nan  # price of a plan that is not offered


class Refused(Protocol):
    """Where refusals go."""

    def add(self, key: str, cell: object, code: str, message: str) -> None:
        """Note one."""


class Letters:
    """Offers and rejections to be sent, in batches, with the cells that asked for them."""

    def __init__(self) -> None:
        self._rejections: list[_Batch] = []
        self._offers: list[_Batch] = []

    def reject(self, customer_ids: Any, key: str, cells: Any) -> None:
        """Add rejections: ids [n] and the cells [n] of a key that asked for them."""
        self._rejections.append(_Batch.of(customer_ids, [[NOTHING] * len(PLANS)], key, cells))

    def offer(self, customer_ids: Any, prices: Any, key: str, cells: Any) -> None:
        """Add offers: ids [n], prices [n, 3] with `NOTHING` for a plan left out, and cells [n]."""
        self._offers.append(_Batch.of(customer_ids, prices, key, cells))

    def send(self, world: World, refused: Refused) -> None:
        """Rejections first, then offers; each kind in one call."""

        def reject(who: Ints, prices: Floats) -> Any:
            return world.reject_offers(who)

        def offer(who: Ints, prices: Floats) -> Any:
            return world.send_offers(packed(who, prices))

        _send(reject, self._rejections, refused)
        _send(offer, self._offers, refused)


@dataclass(frozen=True)
class _Batch:
    customer_id: Ints  # [n]
    price_usd: Floats  # [n, 3]
    key: str
    cell: Ints  # [n]

    @classmethod
    def of(cls, customer_ids: Any, prices: Any, key: str, cells: Any) -> _Batch:
        who = np.asarray(customer_ids, np.int64)
        price = np.broadcast_to(np.asarray(prices, np.float64), (len(who), len(PLANS)))
        return cls(who, price, key, np.asarray(cells, np.int64))


def packed(customer_ids: Ints, price: Floats) -> Offers:
    """Offers of up to three plans each; `price` has `NOTHING` for a plan that is left out."""
    plan = np.where(np.isnan(price), NO_OFFER, np.arange(len(PLANS)))
    order = np.argsort(plan == NO_OFFER, axis=1, kind="stable")  # offered plans to the front
    return Offers(
        customer_ids,
        np.take_along_axis(plan, order, axis=1),
        np.take_along_axis(price, order, axis=1),
    )


def bulk_kinds(threads: Waiting) -> Ints:
    """[n] row of ``bulk_op`` for each thread."""
    rows = np.zeros(4, np.int64)
    rows[[NEW_LEAD, CHURN_PREVENTION, PLAN_CHANGE, RENEGOTIATION]] = 0, 2, 2, 3
    return np.where((threads.kind == NEW_LEAD) & (threads.turn > 0), 1, rows[threads.kind])


def negotiate(world: World, action: Mapping[str, Any], slots: Slots, refused: Refused) -> None:
    """Decide about every waiting thread, open renegotiations, and send everything."""
    letters = Letters()
    threads = waiting(world)
    left = np.ones(len(threads.customer_id), bool)
    if "inbox_op" in action:
        _slots(action, slots, threads, left, letters, refused)
    _bulk(world, action, threads, left, letters)
    if "account_op" in action:
        _accounts(action, slots, letters, refused)
    letters.send(world, refused)


def _slots(
    action: Mapping[str, Any],
    slots: Slots,
    threads: Waiting,
    left: np.ndarray,
    letters: Letters,
    refused: Refused,
) -> None:
    """Explicit treatments; `left` loses the threads that had one."""
    row_of = {who: row for row, who in enumerate(threads.customer_id.tolist())}
    included = action["inbox_plan"].reshape(-1, len(PLANS))
    for slot in np.flatnonzero(action["inbox_op"] != SLOT_BULK).tolist():
        op = int(action["inbox_op"][slot])
        if slot >= len(slots.inbox):
            refused.add("inbox_op", slot, "not_found", "there is no thread in the slot")
            continue
        who = int(slots.inbox[slot])
        if who not in row_of:
            text = "the thread in the slot waits no longer"
            refused.add("inbox_op", slot, "not_found", text)
            continue
        left[row_of[who]] = False
        if op == SLOT_REJECT:
            letters.reject([who], "inbox_op", [slot])
        elif op == SLOT_OFFER:
            prices = _decimals(action["inbox_price"][slot])
            prices[included[slot] == 0] = NOTHING
            if np.isnan(prices).all():
                text = "an offer needs at least one plan"
                refused.add("inbox_op", slot, "missing_argument", text)
            else:
                letters.offer([who], [prices], "inbox_op", [slot])


def _bulk(
    world: World,
    action: Mapping[str, Any],
    threads: Waiting,
    left: np.ndarray,
    letters: Letters,
) -> None:
    ops, kinds = action["bulk_op"], bulk_kinds(threads)
    if not (left.any() and ops.any()):
        return
    row_of = np.cumsum(world.params.groups.is_enterprise) - 1
    table = np.array([_decimals(row) for row in action["bulk_price"]])
    table[table <= 0.0] = NOTHING
    listed = np.where(world.company.price_usd > 0.0, world.company.price_usd, NOTHING)
    rows = left.nonzero()[0]
    op, cell, who = ops[kinds[rows]], kinds[rows], threads.customer_id[rows]
    prices = np.full((len(rows), len(PLANS)), NOTHING)
    by_table = (op == BULK_TABLE) | (op == BULK_ACCEPT)
    prices[by_table] = table[row_of[threads.group[rows[by_table]]]]
    prices[op == BULK_LIST] = listed
    asked, asked_usd = threads.asked_plan[rows], threads.asked_usd[rows]
    accepted = (op == BULK_ACCEPT) & (asked >= 0) & (asked_usd > 0.0)
    prices[accepted] = NOTHING
    prices[accepted, asked[accepted]] = asked_usd[accepted]
    rejected, offered = op == BULK_REJECT, ~np.isnan(prices).all(axis=1)
    letters.reject(who[rejected], "bulk_op", cell[rejected])
    letters.offer(who[offered], prices[offered], "bulk_op", cell[offered])


def _accounts(action: Mapping[str, Any], slots: Slots, letters: Letters, refused: Refused) -> None:
    for slot in np.flatnonzero(action["account_op"]).tolist():
        if slot >= len(slots.accounts):
            refused.add("account_op", slot, "not_found", "there is no account in the slot")
            continue
        prices = _decimals(action["account_offer"][slot])
        prices[prices <= 0.0] = NOTHING
        if np.isnan(prices).all():
            text = "an offer needs at least one plan"
            refused.add("account_op", slot, "missing_argument", text)
        else:
            letters.offer([slots.accounts[slot]], [prices], "account_op", [slot])


def _send(call: Callable[[Ints, Floats], Any], batches: list[_Batch], refused: Refused) -> None:
    """Send batches in one call; each failed entry is a refusal of the cell that asked for it."""
    if not any(len(batch.customer_id) for batch in batches):
        return
    who = np.concatenate([batch.customer_id for batch in batches])
    prices = np.concatenate([batch.price_usd for batch in batches])
    try:
        results = call(who, prices)["results"]
        failed = [k for k, result in enumerate(results) if "error" in result]
    except InvalidDecision:
        failed = list(range(len(who)))
    if not failed:
        return
    cells = [(batch.key, cell) for batch in batches for cell in batch.cell.tolist()]
    for k in failed:  # alone, as a batch tells no codes, and one reason where all fail
        try:
            call(who[k : k + 1], prices[k : k + 1])
        except InvalidDecision as error:
            refused.add(*cells[k], error.code, str(error))


def _decimals(prices: np.ndarray) -> Floats:
    return np.array([float(str(price)) for price in prices])
