"""Who a customer is in words: labels, a sentence, an address (customers.md 16).

Labels follow from the seed and the customer's number and mean nothing to the dynamics. The
sentence does tell something: how much a customer uses, how its budget compares with its group's,
and what quality its group expects.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.common.rows import Floats, Ints
from ceo_gym.text.ceobench import vocabulary as words
from ceo_gym.text.ceobench.keys import choices

Labels = list[str | None]

USAGE_BOUNDS = (30.0, 70.0, 120.0)  # units a day
MONEY_BOUNDS = (0.7, 1.0)  # budget over the group's mean
QUALITY_BOUNDS = (0.2, 0.3, 0.4)  # the group's mean floor
ENTERPRISE_QUALITY_BOUNDS = (0.25, 0.35, 0.45)
MANY_SEATS = 500  # from here on the sentence gives the seats with a plus


class Personas(NamedTuple):
    """Columns of the customer table, [n] each; None where a label does not apply."""

    industry: Labels
    role: Labels
    experience: Labels
    work_style: Labels
    tech_savvy: Labels
    company_size: Labels
    company_culture: Labels
    decision_style: Labels
    primary_concern: Labels
    description: Labels
    email: Labels


def personas(
    seed: int,
    params: Params,
    customer_id: Ints,
    group: Ints,
    usage: Floats,
    budget: Floats,
    seats: Ints,
) -> Personas:
    """Labels of customers.

    Args:
        seed: of the episode.
        params: the world's parameters.
        customer_id: [n] numbers of the customers.
        group: [n] positions of their groups.
        usage: [n] desired usage, units/day (per seat).
        budget: [n] budget on arrival, USD/month (per seat).
        seats: [n] seats on arrival.
    """
    n = len(customer_id)
    columns: list[np.ndarray] = [np.full(n, None, object) for _ in Personas._fields]
    firms = params.groups.is_enterprise[group].astype(bool)
    for rows, describe in ((~firms, _individuals), (firms, _enterprises)):
        at = rows.nonzero()[0]
        if len(at):
            found = describe(
                seed, params, customer_id[at], group[at], usage[at], budget[at], seats[at]
            )
            for column, values in zip(columns, found):
                column[at] = values
    return Personas(*(column.tolist() for column in columns))


def email(seed: int, customer_id: Ints, group: Ints, params: Params) -> list[str]:
    """[n] addresses of enterprises."""
    industry = _by_group(seed, "industry", customer_id, group, params, words.ENTERPRISES)
    return [
        f"office{number}@{line.replace(' ', '-')}.example"
        for number, line in zip(customer_id.tolist(), industry)
    ]


def _individuals(
    seed: int,
    params: Params,
    ids: Ints,
    group: Ints,
    usage: Floats,
    budget: Floats,
    seats: Ints,
) -> Personas:
    del seats
    lines = {g: of_group[0] for g, of_group in words.INDIVIDUALS.items()}
    roles = {g: of_group[1] for g, of_group in words.INDIVIDUALS.items()}
    industry = _by_group(seed, "industry", ids, group, params, lines)
    role = _by_group(seed, "role", ids, group, params, roles)
    experience = _pick(seed, "experience", ids, words.EXPERIENCE)
    style = _pick(seed, "work style", ids, words.WORK_STYLE)
    skill = _pick(seed, "tech", ids, words.TECH_SAVVY)
    use = _phrase(usage, USAGE_BOUNDS, words.USAGE)
    money = _phrase(budget / params.groups.budget_mean_usd[group], MONEY_BOUNDS, words.MONEY)
    quality = _phrase(params.groups.q_floor_mean[group], QUALITY_BOUNDS, words.QUALITY)
    description = [
        f"{r.capitalize()} in {i} ({e}, {s}, tech: {t}): {u}, {m}, {q}."
        for r, i, e, s, t, u, m, q in zip(
            role, industry, experience, style, skill, use, money, quality
        )
    ]
    none: Labels = [None] * len(ids)
    return Personas(
        [*industry],
        [*role],
        [*experience],
        [*style],
        [*skill],
        none,
        none,
        none,
        none,
        [*description],
        none,
    )


def _enterprises(
    seed: int,
    params: Params,
    ids: Ints,
    group: Ints,
    usage: Floats,
    budget: Floats,
    seats: Ints,
) -> Personas:
    del usage, budget
    industry = _by_group(seed, "industry", ids, group, params, words.ENTERPRISES)
    role = _pick(seed, "role", ids, words.CONTACT_ROLE)
    skill = _pick(seed, "tech", ids, words.CONTACT_TECH)
    size = _pick(seed, "size", ids, words.COMPANY_SIZE)
    culture = _pick(seed, "culture", ids, words.COMPANY_CULTURE)
    decision = _pick(seed, "decision", ids, words.DECISION_STYLE)
    concern = _pick(seed, "concern", ids, words.PRIMARY_CONCERN)
    quality = _phrase(params.groups.q_floor_mean[group], ENTERPRISE_QUALITY_BOUNDS, words.QUALITY)
    people = [f"{n}+" if n >= MANY_SEATS else str(n) for n in seats.tolist()]
    description = [
        f"{z.capitalize()} in {i} with {n} seats, {c} culture: decides by {d}, asks first about "
        f"{p}, {q}."
        for z, i, n, c, d, p, q in zip(size, industry, people, culture, decision, concern, quality)
    ]
    return Personas(
        [*industry],
        [*role],
        [words.CONTACT_EXPERIENCE] * len(ids),
        [*culture],
        [*skill],
        [*size],
        [*culture],
        [*decision],
        [*concern],
        [*description],
        [*email(seed, ids, group, params)],
    )


def _pick(seed: int, label: str, ids: Ints, vocabulary: tuple[str, ...]) -> list[str]:
    chosen = choices(seed, label, ids, len(vocabulary))
    return np.array(vocabulary, object)[chosen].tolist()


def _by_group(
    seed: int,
    label: str,
    ids: Ints,
    group: Ints,
    params: Params,
    vocabularies: dict[str, tuple[str, ...]],
) -> list[str]:
    result = np.empty(len(ids), object)
    for g in np.unique(group).tolist():
        rows = (group == g).nonzero()[0]
        result[rows] = _pick(seed, label, ids[rows], vocabularies[params.groups.ids[g]])
    return result.tolist()


def _phrase(values: Floats, bounds: tuple[float, ...], phrases: tuple[str, ...]) -> list[str]:
    """The phrase of the first bound a value lies below, or the last phrase."""
    return np.array(phrases, object)[np.searchsorted(bounds, values, side="right")].tolist()
