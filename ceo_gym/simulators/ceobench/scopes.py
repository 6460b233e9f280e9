"""Reading and showing settings that come in scopes: everywhere, by group, plan, channel, customer.

A map replaces its whole scope; a scope that is not given keeps its values. Entries of 0 vanish.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.ceobench.validation import (
    InvalidDecision,
    customer_id,
    mapping,
    member,
    number,
    shown,
)
from ceo_gym.simulators.common.rows import Floats

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World

Map = Mapping[Any, Any]


class ScopeReader:
    """Checks the scope maps of one setting.

    Args:
        world: the world, for its groups and customers.
        what: name of the amounts, for messages.
        unit: their unit.
        high: largest amount.
    """

    def __init__(self, world: World, what: str, unit: str, high: float) -> None:
        self._world, self._what, self._unit, self._high = world, what, unit, high

    def _amount(self, where: str, value: Any) -> float:
        return number(f"{self._what} {where}", value, low=0.0, high=self._high, unit=self._unit)

    def one(self, value: Any, current: float) -> float:
        """The amount for everybody."""
        return current if value is None else self._amount("for everybody", value)

    def groups(self, values: Map | None, current: Floats) -> Floats:
        """[G] amounts by group; only known groups may be named."""
        if values is None:
            return current
        result = np.zeros(len(current))
        for group, value in mapping("by_group", values, "{group: amount}").items():
            g = self._world._known_group(group)
            result[g] = self._amount(f"for {group}", value)
        return result

    def plans(self, values: Map | None, current: Floats) -> Floats:
        """[3] amounts by plan."""
        return self._named(values, current, PLANS, "plan")

    def channels(self, values: Map | None, current: Floats) -> Floats:
        """[5] amounts by channel."""
        return self._named(values, current, CHANNELS, "channel")

    def _named(
        self, values: Map | None, current: Floats, names: Sequence[str], kind: str
    ) -> Floats:
        if values is None:
            return current
        result = np.zeros(len(current))
        for name, value in mapping(f"by_{kind}", values, f"{{{kind}: amount}}").items():
            position = names.index(member(kind, name, names))
            result[position] = self._amount(f"for {name}", value)
        return result

    def group_plans(self, values: Map | None, current: Floats) -> Floats:
        """[G, 3] amounts by group and plan."""
        if values is None:
            return current
        result = np.zeros(current.shape)
        for group, plans in mapping("by_group_plan", values, "{group: {plan: amount}}").items():
            g = self._world._known_group(group)
            inner = mapping(f"the entry of {group}", plans, "{plan: amount}")
            for plan, value in inner.items():
                position = PLANS.index(member("plan", plan, PLANS))
                result[g, position] = self._amount(f"for {group} on {plan}", value)
        return result

    def channel_groups(self, values: Map) -> Floats:
        """[5, G] amounts by channel and group; the map may also be the other way round."""
        named = [key in self._world.params.groups.index for key in values]
        inverted = bool(named) and all(named)
        if any(named) and not inverted:
            raise InvalidDecision(
                "unknown_key",
                "groups and other names side by side; write {channel: {group: amount}} throughout, "
                f"with the channels {', '.join(CHANNELS)}",
            )
        result = np.zeros((len(CHANNELS), len(self._world.params.groups.ids)))
        for key, inner in values.items():
            form = "{channel: amount}" if inverted else "{group: amount}"
            for other, value in mapping(f"the entry of {shown(key)}", inner, form).items():
                channel, group = (other, key) if inverted else (key, other)
                c = CHANNELS.index(member("channel", channel, CHANNELS))
                g = self._world._known_group(group)
                result[c, g] = self._amount(f"for {channel} and {group}", value)
        return result

    def customers(self, values: Map | None, current: dict[int, float]) -> dict[int, float]:
        """Amounts by customer id."""
        if values is None:
            return current
        result = {}
        for key, value in mapping("by_customer", values, "{customer id: amount}").items():
            number_ = customer_id(key)
            if not self._world.rules.loose_input and not (
                2 <= number_ < self._world.company.next_customer_id
            ):
                raise InvalidDecision("not_found", f"there is no customer {number_}")
            result[number_] = self._amount(f"for customer {number_}", value)
        return {key: value for key, value in result.items() if value > 0.0}

    # --- showing ---

    def show(self, values: Floats, names: Sequence[str]) -> dict[str, float]:
        """Entries that are not 0, by name."""
        return {name: value for name, value in zip(names, values.tolist()) if value}

    def show_groups(self, values: Floats) -> dict[str, float]:
        """Entries by group that are not 0."""
        return self.show(values, self._world.params.groups.ids)

    def show_group_plans(self, values: Floats) -> dict[str, dict[str, float]]:
        """Entries by group and plan that are not 0."""
        rows = zip(self._world.params.groups.ids, values)
        return {group: self.show(row, PLANS) for group, row in rows if row.any()}

    def show_channel_groups(self, values: Floats) -> dict[str, dict[str, float]]:
        """Entries by channel and group that are not 0."""
        return {c: self.show_groups(row) for c, row in zip(CHANNELS, values) if row.any()}

    def log(self, setting: str, state: dict[str, Any], *given: object) -> dict[str, Any]:
        """Record the full state of the setting if anything was given for it; returns the state."""
        if any(argument is not None for argument in given):
            self._world.history.overrides.append((self._world.day, setting, json.dumps(state)))
        return state
