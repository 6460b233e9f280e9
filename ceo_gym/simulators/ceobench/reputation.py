"""Reputation of the company in each group: daily update, spill-over, damages (customers.md 13)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import PLANS, Reputation
from ceo_gym.simulators.common.rows import Bools, Floats, Ints, sums_by

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.world import World


def event_scale(accounts: ArrayLike) -> Floats:
    """log2(N) / N with N at least 2: how much one voice of N counts."""
    n = np.maximum(accounts, 2.0)
    return np.log2(n) / n


def voice(satisfaction: Floats, reputation: Reputation) -> Floats:
    """[n] satisfaction, with more weight where it is negative."""
    anger = np.minimum(satisfaction, 0.0)
    anger *= reputation.negative_multiplier - 1.0
    return satisfaction + anger


def apply_votes(
    reputation: Floats, votes: Floats, voters: Ints, discovered: Bools, params: Params
) -> Floats:
    """[G] reputations after the day's votes and their spill-over into other known groups.

    Groups act one after the other in canonical order, each clipped before the next; the order
    matters only where a clip binds.
    """
    r, spill = params.reputation, params.influence.spillover
    reputation, voting = reputation.copy(), voters.nonzero()[0]
    changes = votes[voting] * event_scale(voters[voting])
    for h, change in zip(voting.tolist(), changes.tolist()):
        if abs(change) < r.min_own_change:
            continue
        reputation[h] = min(max(float(reputation[h]) + change, r.floor), r.ceiling)
        reach = abs(r.spill_factor) * params.influence.largest_spillover[h]
        if abs(change) * reach <= r.min_spill_change:
            continue
        effect = r.spill_factor * change * spill[h]
        felt = (np.abs(effect) > r.min_spill_change) & discovered
        felt[h] = False
        if felt.any():
            moved = reputation[felt] + effect[felt]
            reputation[felt] = np.clip(moved, r.floor, r.ceiling)
    return reputation


def count_votes(world: World) -> None:
    """After step 11a: keep today's votes, leavers of later phases included, for step 13."""
    population, r = world.population, world.params.reputation
    if len(population):
        sums = np.zeros(len(PLANS) * len(population.accounts))
        for part in population.chunks():
            sums += population.by_cell(voice(population.satisfaction[part], r), part)
        world.today.votes = r.gain_per_account * sums.reshape(len(PLANS), -1).sum(axis=0)


def update(world: World) -> None:
    """Step 13 of the day."""
    market, today = world.market, world.today
    if len(today.votes):
        # nobody joins or leaves between the morning and the vote
        voters = today.accounts_at_start
        market.reputation = apply_votes(
            market.reputation, today.votes, voters, market.discovered, world.params
        )


def cancel_damage(
    satisfaction: Floats, uniform: Floats, accounts: ArrayLike, reputation: Reputation
) -> Floats:
    """[n] damage by each individual that cancels by choice (customers.md 13.2)."""
    anger = 1.0 + reputation.damage_dissatisfaction_gain * np.minimum(satisfaction, 0.0) ** 2
    return loss_damage(uniform, accounts, reputation) * anger


def loss_damage(uniform: Floats, accounts: ArrayLike, reputation: Reputation) -> Floats:
    """[n] damage by each enterprise account lost in a negotiation."""
    span = reputation.damage_jitter_high - reputation.damage_jitter_low
    jitter = reputation.damage_jitter_low + span * uniform
    return reputation.damage * jitter * event_scale(accounts)


def harm(world: World, group: Ints, damage: Floats) -> None:
    """Subtract damages from the reputation of their groups, at once for all of a phase."""
    r, market = world.params.reputation, world.market
    total = sums_by(group, damage, len(market.reputation))
    hit = total > 0.0
    market.reputation[hit] = np.clip(market.reputation[hit] - total[hit], r.floor, r.ceiling)
