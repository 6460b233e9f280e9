"""What the check tests share: the agreed values, and worlds whose state is set by hand."""

from __future__ import annotations

import csv
import json
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ceo_gym.simulators import ceobench
from ceo_gym.simulators.ceobench import (
    InvalidDecision,
    Params,
    Rules,
    codes,
    customers,
    satisfaction,
    service,
    talks,
)
from ceo_gym.simulators.ceobench.customers import Prospects
from ceo_gym.simulators.ceobench.enterprise import Preferences
from ceo_gym.simulators.ceobench.results import Today
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.ceobench.service import ServiceDay
from ceo_gym.simulators.ceobench.state import View, truncated
from ceo_gym.simulators.common.streams import Streams

EXACT = 1e-9  # tolerance of the check files, unless a section says otherwise
CENT = 0.005  # of prices that are rounded to cents
ERRORS = 4.0  # standard errors allowed between two sample statistics

SHARED = Path(__file__).resolve().parents[3].parent / "shared"
SPEC = "spec/ceobench/params"

PARAMS = Params.load()
GROUP = PARAMS.groups.index
GROUPS = len(GROUP)
PLAN = {name: i for i, name in enumerate(PLANS)}
CHANNEL = {name: i for i, name in enumerate(CHANNELS)}
INITIAL = ("S1", "S2", "S3", "E1", "E2", "E3")

# changes to the numbers of a world that take one kind of chance out of it
NO_OUTAGES = {"service.base_outage_probability": 0.0, "service.min_outage_probability": 0.0}
NO_ISSUES = {
    "support.issue_base_rate": 0.0,
    "support.issue_dissatisfaction_rate": 0.0,
    "support.issue_outage_rate": 0.0,
}
NO_CHURN = {
    "groups.involuntary_churn_mean": np.zeros(GROUPS),
    "groups.involuntary_churn_sd": np.zeros(GROUPS),
}
NO_MARKET_NOISE = {
    "product.shared_noise_sd": 0.0,
    "surges.probability_per_day": 0.0,
    "competitors.enabled": False,
}
NO_REFERRALS = {"influence.referrals": np.zeros((GROUPS, GROUPS))}
CALM = NO_OUTAGES | NO_ISSUES | NO_CHURN | NO_MARKET_NOISE


# --- the agreed values ----------------------------------------------------------------------------


def shared(path: str) -> Path:
    """A file of the shared material; the tests that need it are skipped where it is absent."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(
            f"needs {path} in {SHARED.name}/ beside the repository", allow_module_level=True
        )
    return found


def checks(name: str) -> dict[str, Any]:
    """A file of check values."""
    return tomllib.loads(shared(f"{SPEC}/{name}").read_text(encoding="utf-8"))


def table(path: str) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    with shared(path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def rows(section: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A section of equally long lists, one dict an entry; other entries are left out."""
    lists = {name: value for name, value in section.items() if isinstance(value, list)}
    assert len({len(value) for value in lists.values()}) == 1, "lists of unequal lengths"
    return [dict(zip(lists, values)) for values in zip(*lists.values())]


def label(row: Mapping[str, Any]) -> str:
    """A row as the id of a test."""
    return ", ".join(f"{name} {value}" for name, value in row.items())


def unit_values() -> dict[str, list[tuple[dict[str, Any], Any]]]:
    """Function -> (inputs, output) of every recorded case."""
    found: dict[str, list[tuple[dict[str, Any], Any]]] = {}
    for row in table("conformance/ceobench_unit_values.csv"):
        case = (json.loads(row["inputs_json"]), json.loads(row["output_json"]))
        found.setdefault(row["function"], []).append(case)
    return found


def by_group(values: Mapping[str, float], rest: float = 0.0) -> np.ndarray:
    """[G] an array with some groups set by name."""
    array = np.full(GROUPS, rest)
    for group, value in values.items():
        array[GROUP[group]] = value
    return array


# --- comparing ------------------------------------------------------------------------------------


def close(actual: Any, expected: Any, tolerance: float = EXACT) -> None:
    """Fail unless all values agree to an absolute tolerance."""
    np.testing.assert_allclose(actual, expected, rtol=0.0, atol=tolerance)


def agree(actual: float, expected: float, *errors: float, rounding: float = 0.0) -> None:
    """Fail unless two statistics agree within four of their combined standard errors.

    `rounding` is half a unit of the last printed digit of the agreed value.
    """
    allowed = ERRORS * float(np.hypot.reduce(errors)) + rounding
    assert abs(actual - expected) <= allowed, (
        f"{actual:.6g} is not {expected:.6g}: off by {actual - expected:.3g}, allowed {allowed:.3g}"
    )


def share_error(share: float, *samples: float) -> float:
    """Standard error of the difference of a share between two samples of these sizes."""
    spread = share * (1.0 - share)
    return float(np.sqrt(spread * sum(1.0 / n for n in samples)))


def sd_error(sample: np.ndarray, n: int | None = None) -> float:
    """Standard error of the standard deviation of n draws from the distribution of `sample`."""
    centred = sample - sample.mean()
    variance = float((centred**2).mean())
    if variance == 0.0:
        return 0.0
    kurtosis = float((centred**4).mean()) / variance**2
    return float(np.sqrt(variance * (kurtosis - 1.0) / (4.0 * (n or len(sample)))))


# --- worlds in a given state ----------------------------------------------------------------------


class World(ceobench.World):
    """A world in float64 throughout, for values agreed to more digits than float32 has."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{"real": np.float64} | kwargs)


def morning(world: World, day: int, *, overload: float = 0.0, outage: bool = False) -> None:
    """Begin a day by hand: freeze the view, serve the accounts, with a given state of service.

    Call it last, when accounts, market and company are as they should be; then any phase of the
    day may follow.
    """
    world.day = day
    view = View.of(world.company, world.market, world.params)
    world.today = Today(view, world.population.accounts.copy())
    if len(world.population):
        satisfaction.refresh_demanded(world)
    service.serve(world)
    world.today.service = ServiceDay(0.0, overload, outage, 0.0, 0.0, 0.0)
    world.population.old_satisfaction[:] = world.population.satisfaction


def add_accounts(world: World, group: str, count: int = 1, **columns: Any) -> np.ndarray:
    """Subscribe accounts of a group by hand; returns their rows.

    Columns that are not given get the values of an ordinary individual on plan A.
    """
    population = world.population
    first = world.company.next_customer_id
    if "customer_id" not in columns:
        world.company.next_customer_id += count
    given = dict.fromkeys(population.column_names(), 0) | {
        "customer_id": np.arange(first, first + count),
        "group": GROUP[group],
        "lead": codes.NONE,
        "first_bill_done": True,
        "left": 1.2,
        "right": 2.8,
        "budget": 100.0,
        "q_floor": 0.2,
        "q_ceiling": 0.8,
        "usage": 100.0,
        "seats": 1.0,
        "listed_usd": 40.0,
        "effective_usd": 40.0,
        "rate": 100.0,
        "satisfaction": 0.5,
        "relationship": 0.5,
        "weight": 1.0,
        "served_share": 1.0,
    }
    given |= columns
    if "reference_budget" not in columns:
        given["reference_budget"] = given["budget"]
    given["whole_seats"] = truncated(np.asarray(given["seats"], dtype=np.float64))
    where = population.append(count, **given)
    population.accounts[GROUP[group]] += count
    return np.arange(where.start, where.stop)


def add_leads(world: World, group: str, count: int = 1, **columns: Any) -> np.ndarray:
    """Open negotiations with new enterprises today; returns their rows in ``leads``."""
    first = world.company.next_customer_id
    world.company.next_customer_id += count
    people = prospects(group, count, **columns)
    talks.open_leads(world, people, np.arange(first, first + count))
    leads = len(world.negotiations.leads)
    return np.arange(leads - count, leads)


def add_enterprises(
    world: World,
    group: str,
    count: int = 1,
    *,
    lead: Mapping[str, Any] | None = None,
    **columns: Any,
) -> np.ndarray:
    """Enterprises that subscribe and have no open thread; returns their rows in ``leads``.

    Args:
        world: the world.
        group: id of an enterprise group.
        count: how many.
        lead: columns of the lead, such as ``patience_turns``.
        columns: columns of the account.
    """
    who = add_leads(world, group, count, **(lead or {}))
    sales = world.negotiations
    sales.threads.state[sales.leads.thread[who]] = codes.ACCEPTED
    sales.leads.thread[who] = codes.NONE
    sales.leads.status[who] = codes.SUBSCRIBED
    ids = sales.leads.customer_id[who]
    rows = add_accounts(world, group, count, **{"customer_id": ids, "lead": who} | columns)
    sales.leads.account[who] = rows
    return who


def prospects(group: str, count: int = 1, **columns: Any) -> Prospects:
    """Prospects with given attributes, otherwise ordinary and without noise."""
    given = {
        "group": GROUP[group],
        "left": 1.2,
        "right": 2.5,
        "budget": 60.0,
        "q_floor": 0.5,
        "q_ceiling": 0.95,
        "usage": 100.0,
        "lockin": 0.1,
        "annoyance": 0.0,
        "ads_yield": 0.0,
        "joined_shift": 0.0,
        "decision_noise": 1.0,
        "source_draw": 0.0,
        "seats": 1.0,
        "weight": 1.0,
        "reply_mean_days": 1.0,
        "reply_sd_days": 0.0,
        "offer_factor": 0.75,
        "patience_turns": 6.0,
    }
    unknown = columns.keys() - given.keys()
    assert not unknown, f"no such attributes: {unknown}"
    return Prospects(**{name: np.full(count, value) for name, value in (given | columns).items()})


def draw(
    group: str,
    count: int,
    seed: int = 1,
    *,
    shift: float = 0.0,
    budget_shift: float = 0.0,
    deal_velocity: float = 1.0,
) -> Prospects:
    """Prospects of one group from the sampler of the simulator."""
    counts = np.zeros(GROUPS, np.int64)
    counts[GROUP[group]] = count
    return customers.draw_prospects(
        counts,
        PARAMS,
        Streams(seed),
        quality_shift=np.full(GROUPS, shift),
        budget_shift=np.full(GROUPS, budget_shift),
        deal_velocity=np.full(GROUPS, deal_velocity),
    )


def preferences(**customer: Any) -> Preferences:
    """The curve of one enterprise; names as in the recorded cases or as in the check files."""
    return Preferences(
        left=np.array([customer["left"]]),
        right=np.array([customer["right"]]),
        budget=np.array([customer["budget"]]),
        floor=np.array([customer["floor"]]),
        ceiling=np.array([customer["ceiling"]]),
        lockin=np.array([customer.get("lockin", 0.0)]),
    )


def play(world: World, days: int) -> Iterator[int]:
    """Step day by day; yields each day after it has been played."""
    for _ in range(days):
        world.step_day()
        yield world.day


class Dice:
    """Streams that return chosen draws instead of random ones, under every name alike."""

    def __init__(self, draws: Any) -> None:
        self._draws = draws

    def __call__(self, name: str, *index: int) -> Dice:
        """The generator of a stream, which is this object."""
        return self

    fresh = __call__

    def random(self, size: Any) -> np.ndarray:
        """The chosen draws, in the asked shape."""
        return np.broadcast_to(self._draws, size)

    standard_normal = random


# --- decisions -----------------------------------------------------------------------------------

RICH = {"company.initial_cash_usd": 1e9}
INDIVIDUAL, LEAD, ENTERPRISE, LOST = 2, 3, 4, 5  # customer ids in `company`


def company(rules: Rules | str = "published", **changes) -> World:
    """A world on day 7 with one customer of each kind and money to spend."""
    world = World(params=CALM | RICH | changes, rules=rules)
    add_accounts(world, "S1")
    leads = [add_leads(world, "E1"), add_enterprises(world, "E1"), add_leads(world, "E1")]
    morning(world, 7)
    assert world.negotiations.leads.customer_id[np.concatenate(leads)].tolist() == [3, 4, 5]
    world.reject_offers([LOST])
    return world


def level_of(group: str, level: int) -> Callable[[World], object]:
    """Sets the information level of a group."""
    return lambda world: world.market.info_level.__setitem__(GROUP[group], level)


def refuse(world: World, code: str, decision: Callable[[World], object]) -> None:
    """A decision must fail with a code and leave the world exactly as it was."""
    before = world.save()
    with pytest.raises(InvalidDecision) as error:
        decision(world)
    assert error.value.code == code, f"{error.value.code}, not {code}: {error.value}"
    assert str(error.value), "an error without a message"
    assert world.save() == before, "the refused decision has changed the world"
