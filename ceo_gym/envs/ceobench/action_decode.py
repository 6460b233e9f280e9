"""A Dict action as calls of the world's decision methods, in the canonical order (tools.md 7.1).

Nothing here knows a rule of the world: every call is checked by the world, and what it refuses is
listed. A setting that comes as a map is sent as the map in force with the written cells changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ceo_gym.envs.ceobench import posts
from ceo_gym.envs.ceobench.action_keys import NO_POST, REPLY
from ceo_gym.envs.ceobench.action_sales import negotiate
from ceo_gym.envs.ceobench.keys import Action
from ceo_gym.envs.ceobench.observation_sales import Slots
from ceo_gym.simulators.ceobench import InvalidDecision, World
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.common.rows import Bools, Floats


class Refusals:
    """What could not be carried out."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []

    def add(self, key: str, cell: object, code: str, message: str) -> None:
        """Note one refused cell of a key, by its position (or a whole call: cell None)."""
        self.entries.append({"key": key, "cell": cell, "code": code, "message": message})

    def attempt(
        self, key: str, cell: object, call: Callable[..., Any], *args: Any, **kw: Any
    ) -> Any:
        """Carry out a decision; its result, or None if it is refused."""
        try:
            return call(*args, **kw)
        except InvalidDecision as error:
            self.add(key, cell, error.code, str(error))
            return None


def decimal(value: np.float32) -> float:
    """The shortest decimal number that a float32 stands for: 45.1, not 45.09999847."""
    return float(str(value))


def carry_out(world: World, action: Mapping[str, Any], slots: Slots) -> list[dict[str, Any]]:
    """Make all decisions of a checked action of the profile ``full`` or ``core``.

    Args:
        world: the company.
        action: checked values; missing keys change nothing.
        slots: whom the slots of the last observation were about.

    Returns:
        The refusals: key, position of the cell in it, code and message of each.
    """
    refused = Refusals()
    known = world.market.discovered
    _plans(world, action, refused)
    _spends(world, action, refused, known)
    _promotions(world, action, refused, known, slots)
    _purchases(world, action, refused, known)
    negotiate(world, action, slots, refused)
    _post(world, action, refused, known, slots)
    return refused.entries


def own_forecast(action: Mapping[str, Any]) -> Floats | None:
    """[4, 3] point, lower and upper of a forecast that is to be handed in; None = built-in."""
    if not action.get("forecast_set", 0):
        return None
    point, below, above = np.asarray(action["forecast"], np.float64).T
    return np.stack([point, point - below, point + above], axis=1)


# --- settings ------------------------------------------------------------------------------------


class Cells(NamedTuple):
    """Written cells of a key: positions in the flattened value, and the numbers."""

    at: list[int]
    numbers: list[float]


def written(action: Mapping[str, Any], key: str, switches: NDArray[Any] | None = None) -> Cells:
    """The cells of a key whose switch is on."""
    if key not in action:
        return Cells([], [])
    at = (action[f"{key}_set"] if switches is None else switches).nonzero()[0]
    if not len(at):
        return Cells([], [])
    return Cells(at.tolist(), [decimal(v) for v in action[key].ravel()[at]])


def _plans(world: World, action: Mapping[str, Any], refused: Refusals) -> None:
    prices = {}
    for p, price in zip(*written(action, "price")):
        if price > 0.0:
            prices[PLANS[p]] = price
        else:
            refused.add("price", p, "out_of_range", "a list price must be above 0")
    if prices:
        refused.attempt("price", None, world.set_prices, **prices)
    chosen = np.flatnonzero(action["model_tier"]).tolist()
    tiers = {PLANS[p]: int(action["model_tier"][p]) for p in chosen}
    if tiers:
        refused.attempt("model_tier", None, world.set_model_tiers, **tiers)
    quotas = {PLANS[p]: float(round(q)) for p, q in zip(*written(action, "quota"))}
    if quotas:
        refused.attempt("quota", None, world.set_usage_quotas, **quotas)
    if action["capacity"]:
        tier = int(action["capacity"]) - 1
        refused.attempt("capacity", None, world.set_capacity_tier, tier)
    names = ("operations", "development")
    spends = {names[k]: usd for k, usd in zip(*written(action, "spend"))}
    if spends:
        refused.attempt("spend", None, world.set_daily_spend, **spends)


def _patched(
    current: Floats,
    cells: Cells,
    first: int,
    refused: Refusals,
    key: str,
    known: Bools | None,
    per_group: int = 1,
) -> Floats | None:
    """A copy of a scope's amounts with the written cells in it; None if no cell was written.

    Args:
        current: amounts in force, of any shape.
        cells: written cells of the whole key.
        first: position of the scope's first cell in the key.
        refused: where cells of unknown groups go.
        key: name of the key.
        known: [G] known groups, None where the scope has no groups.
        per_group: cells a group, where groups come first.
    """
    changed = None
    flat = current.copy().ravel()
    for at, number in zip(*cells):
        k = at - first
        if not 0 <= k < flat.size:
            continue
        if known is not None:
            g = k // per_group % len(known)
            if not known[g]:
                refused.add(key, at, "not_discovered", "the group is not discovered yet")
                continue
        flat[k] = number
        changed = flat
    return None if changed is None else changed.reshape(current.shape)


def _map(amounts: Floats | None, names: tuple[str, ...]) -> dict[str, float] | None:
    if amounts is None:
        return None
    return {name: amount for name, amount in zip(names, amounts.tolist()) if amount}


def _nested(
    amounts: Floats | None, outer: tuple[str, ...], inner: tuple[str, ...]
) -> dict[str, dict[str, float]] | None:
    if amounts is None:
        return None
    rows = {name: _map(row, inner) or {} for name, row in zip(outer, amounts)}
    return {name: row for name, row in rows.items() if row}


def _spends(world: World, action: Mapping[str, Any], refused: Refusals, known: Bools) -> None:
    company, groups = world.company, world.params.groups.ids
    cells = written(action, "ads")
    ads = _patched(company.ads_spend_usd, cells, 0, refused, "ads", known)
    if ads is not None:
        spend = _nested(ads, CHANNELS, groups)
        refused.attempt("ads", None, world.set_targeted_ad_spend, spend)
    for key, current, call in (
        ("dev", company.development_group_usd, world.set_targeted_dev_spend),
        ("ops", company.support_group_usd, world.set_targeted_ops_spend),
    ):
        amounts = _patched(current, written(action, key), 0, refused, key, known)
        if amounts is not None:
            refused.attempt(key, None, call, _map(amounts, groups))


def _promotions(
    world: World, action: Mapping[str, Any], refused: Refusals, known: Bools, slots: Slots
) -> None:
    if "promotion" not in action:
        return
    company, groups = world.company, world.params.groups.ids
    n, c = len(groups), len(CHANNELS)

    def everywhere(cells: Cells) -> float | None:
        return dict(zip(*cells)).get(0)

    cells = written(action, "strength")
    by_group = _patched(company.ads_strength_group, cells, 1, refused, "strength", known)
    customers = _customers(world, action, refused, slots, "strength", company.ads_strength_customer)
    strength = (everywhere(cells), _map(by_group, groups), customers)
    if any(scope is not None for scope in strength):
        refused.attempt("strength", None, world.set_ads_strength, *strength)

    cells = written(action, "promotion")
    by_group = _patched(company.promotion_group, cells, 1, refused, "promotion", known)
    by_plan = _patched(
        company.promotion_group_plan, cells, 1 + n, refused, "promotion", known, len(PLANS)
    )
    customers = _customers(world, action, refused, slots, "promotion", company.promotion_customer)
    promotion = (
        everywhere(cells),
        _map(by_group, groups),
        customers,
        _nested(by_plan, groups, PLANS),
    )
    if any(scope is not None for scope in promotion):
        refused.attempt("promotion", None, world.set_promotion, *promotion)

    key, cells = "lead_promotion", written(action, "lead_promotion")
    by_group = _patched(company.lead_promotion_group, cells, 1, refused, key, known)
    by_channel = _patched(company.lead_promotion_channel, cells, 1 + n, refused, key, None)
    by_both = _patched(company.lead_promotion_channel_group, cells, 1 + n + c, refused, key, known)
    lead = (
        everywhere(cells),
        _map(by_group, groups),
        _map(by_channel, CHANNELS),
        _nested(by_both, CHANNELS, groups),
    )
    if any(scope is not None for scope in lead):
        refused.attempt(key, None, world.set_lead_promotion, *lead)


def _customers(
    world: World,
    action: Mapping[str, Any],
    refused: Refusals,
    slots: Slots,
    name: str,
    current: dict[int, float],
) -> dict[int, float] | None:
    """The map of customers in force with the written account slots in it."""
    key, column = f"account_{name}", ("promotion", "strength").index(name)
    cells = written(action, key, action["account_set"].reshape(-1, 2)[:, column])
    changed = None
    for slot, number in zip(*cells):
        if slot >= len(slots.accounts):
            refused.add(key, slot, "not_found", "there is no account in the slot")
            continue
        changed = changed or dict(current)
        changed[int(slots.accounts[slot])] = number
    return changed


# --- purchases and posts -------------------------------------------------------------------------


def _purchases(world: World, action: Mapping[str, Any], refused: Refusals, known: Bools) -> None:
    """Within a family from cheap to dear, so that a lack of cash drops the dearest.

    A group that market research finds in this step is no target yet (observation.md 5.4).
    """
    for _ in range(int(action["market_research"])):
        if refused.attempt("market_research", None, world.research_market) is None:
            break
    ids, wanted = world.params.groups.ids, action["group_research"]
    level = np.where(wanted == 1, np.maximum(world.market.info_level, 2), wanted)
    for g in np.argsort(level, kind="stable").tolist():
        if wanted[g] and not known[g]:
            refused.add("group_research", g, "not_discovered", "the group is not discovered yet")
        elif wanted[g]:
            target = None if wanted[g] == 1 else int(wanted[g])
            refused.attempt("group_research", g, world.research_group, ids[g], target)
    cost = world.params.research_tiers.cost_usd
    for k in np.argsort(cost, kind="stable").tolist():
        if action["rnd"][k]:
            refused.attempt("rnd", k, world.start_research_project, k + 1)


def _post(
    world: World, action: Mapping[str, Any], refused: Refusals, known: Bools, slots: Slots
) -> None:
    op = int(action["post_op"])
    if op == NO_POST:
        return
    params, earlier = world.params, len(world.market.own_posts)
    topic = params.posts.topics[int(action["post_topic"])]
    if op == REPLY:
        slot = int(action["post_reply"])
        if slot >= len(slots.replies):
            refused.add("post_reply", slot, "not_found", "there is no post in the slot")
            return
        text, number = posts.reply_text(topic, earlier), int(slots.replies[slot])
        refused.attempt("post_op", None, world.post_social_media, text, number)
        return
    group = int(action["post_group"])
    if not known[group]:
        refused.add("post_group", group, "not_discovered", "the group is not discovered yet")
        return
    text = posts.topic_text(topic, group, earlier, params)
    refused.attempt("post_op", None, world.post_social_media, text)


__all__ = ["Action", "Refusals", "carry_out", "decimal", "own_forecast"]
