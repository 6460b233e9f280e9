"""The enterprise part of an action: one treatment for each waiting thread (observation.md 5.3)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
    """Offers and rejections to be sent, with the cell that asked for each."""

    def __init__(self) -> None:
        self.rejections: list[tuple[int, str, object]] = []  # customer id, key, cell
        self.offers: list[tuple[int, Floats, str, object]] = []  # with [3] prices

    def send(self, world: World, refused: Refused) -> None:
        """Rejections first, then offers; each kind in one call."""
        if self.rejections:
            cells = [(key, cell) for _, key, cell in self.rejections]

            def reject(part: slice) -> Any:
                return world.reject_offers([who for who, *_ in self.rejections[part]])

            _send(reject, cells, refused)
        if self.offers:
            cells = [(key, cell) for _, _, key, cell in self.offers]

            def offer(part: slice) -> Any:
                some = self.offers[part]
                return world.send_offers(packed([o[0] for o in some], [o[1] for o in some]))

            _send(offer, cells, refused)


def packed(customer_ids: list[int], prices: list[Floats]) -> Offers:
    """Offers of up to three plans each; `prices` has `NOTHING` for a plan that is left out."""
    price = np.array(prices)
    plan = np.where(np.isnan(price), NO_OFFER, np.arange(len(PLANS)))
    order = np.argsort(plan == NO_OFFER, axis=1, kind="stable")  # offered plans to the front
    return Offers(
        np.array(customer_ids, np.int64),
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
            letters.rejections.append((who, "inbox_op", slot))
        elif op == SLOT_OFFER:
            prices = _decimals(action["inbox_price"][slot])
            prices[included[slot] == 0] = NOTHING
            if np.isnan(prices).all():
                text = "an offer needs at least one plan"
                refused.add("inbox_op", slot, "missing_argument", text)
            else:
                letters.offers.append((who, prices, "inbox_op", slot))


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
    for row in left.nonzero()[0].tolist():
        op, who = int(ops[kinds[row]]), int(threads.customer_id[row])
        cell = int(kinds[row])
        if op == BULK_REJECT:
            letters.rejections.append((who, "bulk_op", cell))
            continue
        prices = np.full(len(PLANS), NOTHING)
        asked = int(threads.asked_plan[row])
        if op == BULK_ACCEPT and asked >= 0 and threads.asked_usd[row] > 0.0:
            prices[asked] = threads.asked_usd[row]
        elif op in (BULK_TABLE, BULK_ACCEPT):
            prices = table[row_of[threads.group[row]]]
        elif op == BULK_LIST:
            prices = listed
        if not np.isnan(prices).all():
            letters.offers.append((who, prices, "bulk_op", cell))


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
            letters.offers.append((int(slots.accounts[slot]), prices, "account_op", slot))


def _send(call: Callable[[slice], Any], cells: list[tuple[str, object]], refused: Refused) -> None:
    """Send a batch; each failed entry is a refusal of the cell that asked for it."""
    try:
        results = call(slice(None))["results"]
        failed = [k for k, result in enumerate(results) if "error" in result]
    except InvalidDecision:
        failed = list(range(len(cells)))
    for k in failed:  # alone, as a batch tells no codes, and one reason where all fail
        try:
            call(slice(k, k + 1))
        except InvalidDecision as error:
            refused.add(*cells[k], error.code, str(error))


def _decimals(prices: np.ndarray) -> Floats:
    return np.array([float(str(price)) for price in prices])
