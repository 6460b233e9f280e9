"""Each cell of the observation equals its query, tool or memory (observation.md 8, check 2)."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from ceo_gym.envs.ceobench import CEOBenchEnv
from ceo_gym.simulators.ceobench import InvalidDecision, Params, World
from ceo_gym.sql.ceobench import BusinessDatabase
from tests.envs import observation_oracle as whole
from tests.envs import observation_oracle_groups as groups
from tests.envs import observation_oracle_plans as plans
from tests.envs import observation_oracle_sales as sales
from tests.envs.companies import grown, make, sparse
from tests.envs.observation_oracle import Cells, Player
from tests.envs.test_env import equal

OPTIONAL = ("influence", "channel_group_lead_promotion", "reply_slots", "forecast")
MODULES: tuple[ModuleType, ...] = (whole, plans, groups, sales)
# float32 has 24 bits; sums of a query and of the env differ far less than that
TOLERANCE = 1e-6


def oracle(key: str, player: Player) -> Cells:
    """The expected cells of a key; a key that nobody computes fails here."""
    found = [getattr(module, key) for module in MODULES if hasattr(module, key)]
    assert len(found) == 1, f"no oracle for {key}"
    cells: Cells = found[0](player)
    return cells


def check(player: Player, observation: dict[str, Any]) -> None:
    """Compare every cell that the env describes."""
    described = player.env.describe()["observation"]
    assert described.keys() == observation.keys()
    wrong = []
    for key, block in described.items():
        expected = oracle(key, player)
        assert expected.keys() == block["cells"].keys(), f"cells of {key} without an oracle"
        assert len(expected) == observation[key].size
        for name, cell in block["cells"].items():
            seen, want = float(observation[key][cell["index"]]), float(expected[name])
            if abs(seen - want) > TOLERANCE * max(1.0, abs(want)):
                wrong.append(f"{key} {name}: observed {seen}, computed {want}")
    assert not wrong, f"day {player.day}: " + "; ".join(wrong[:20])


# --- companies that grow -------------------------------------------------------------------------


def decide(env: CEOBenchEnv, rng: np.random.Generator) -> dict[str, Any]:
    """A varied week: few cells of every lever, offers to most enterprises."""
    action = sparse(env, rng, density=0.03)
    for name, chance in (("capacity", 0.2), ("model_tier", 0.1)):
        keep = rng.random(np.shape(action[name])) > chance
        action[name] = np.where(keep, 0, action[name])[()]
    for name in ("price_set", "quota_set"):
        action[name] = (rng.random(3) < 0.15).astype(np.int64)
    action["price"] = (10.0 + action["price"]).astype(np.float32)
    action["market_research"] = np.int64(rng.integers(3))
    action["bulk_op"] = rng.choice([1, 2, 3, 4], 4, p=[0.2, 0.5, 0.25, 0.05])
    action["bulk_price"] = (5.0 + 0.3 * action["bulk_price"]).astype(np.float32)
    action["inbox_op"] = (action["inbox_op"] * (rng.random(64) < 0.2)).astype(np.int64)
    action["account_op"] = (rng.random(32) < 0.1).astype(np.int64)
    # by the tool, since the player must remember the answer
    action["group_research"] = np.zeros_like(action["group_research"])
    return action


def play(player: Player, rng: np.random.Generator, *twins: CEOBenchEnv) -> list[dict[str, Any]]:
    """Play a week on the player's env and on twins of it; the observations of all."""
    env = player.env
    player.remember()
    action = decide(env, rng)
    if rng.random() < 0.4:
        group, level = str(rng.choice(groups.known(player))), int(rng.integers(2, 6))
        with contextlib.suppress(InvalidDecision):
            player.research(group, level)
        for twin in twins:
            with contextlib.suppress(InvalidDecision):
                twin.call("research_group", {"group_id": group, "target_level": level})
    seen = [each.step(action)[0] for each in (env, *twins)]
    player.after_week()
    return seen


# much cash for a long life, few prospects for short tables
LONG_LIFE = {"company.initial_cash_usd": 1e9, "acquisition.max_prospects_per_day": 60.0}
LOOKS = (1, 2, 4, 7, 9, 11, 13, 15, 18, 21, 25)  # weeks; seats drift from day 90 on


@pytest.mark.parametrize(("rules", "seed"), [("published", 1), ("repaired", 4)])
def test_every_cell_is_its_query_or_tool(rules: str, seed: int) -> None:
    how: dict[str, Any] = {"rules": rules, "params": LONG_LIFE, "blocks": OPTIONAL, "seed": seed}
    env, twin = (grown(weeks=0, record=record, **how) for record in ("business", "none"))
    env.action_space.seed(seed)
    player, rng, shown = (
        Player(env, quota_per_seat=rules == "repaired"),
        np.random.default_rng(seed),
        set(),
    )
    for week in range(1, max(LOOKS) + 1):
        observation, unrecorded = play(player, rng, twin)
        assert equal(observation, unrecorded), f"week {week}: records are seen"
        if week in LOOKS:
            check(player, observation)
        shown |= {key for key, values in observation.items() if values.any()}
        if week == 14:
            check_restored(player)
    check_tables_do_not_depend_on_when_they_are_read(player)
    # every block has had something to show, but for threads that nobody has opened too many of
    assert env.observation_space.keys() - shown <= {"inbox_overflow"}


def check_tables_do_not_depend_on_when_they_are_read(player: Player) -> None:
    """Accounts as the player read them week by week, and read for the first time now."""
    sql = "SELECT * FROM subscriptions ORDER BY customer_id LIMIT 5000 OFFSET {}"
    fresh = BusinessDatabase(player.env.world)
    for first in range(0, int(player.number("SELECT COUNT(*) FROM subscriptions")), 5_000):
        assert fresh.query(sql.format(first)) == player.env.query(sql.format(first))


def check_restored(player: Player) -> None:
    """The next week of a restored company, in the full and in the compact form."""
    saved, seed = player.env.save_state(), 14
    how = {"rules": player.env.world.rules, "params": LONG_LIFE}
    for form in ({"blocks": OPTIONAL}, {"obs": "compact"}):
        env = make(**how, **form)
        env.restore_state(saved)
        env.action_space.seed(seed)
        other = player.beside(env)
        (observation,) = play(other, np.random.default_rng(seed))
        check(other, observation)


@pytest.mark.parametrize("form", [{"blocks": OPTIONAL}, {"obs": "compact"}])
def test_every_cell_directly_after_a_reset(form: dict[str, Any]) -> None:
    for start in ("empty", "configured"):
        env = make(**form)
        observation, _ = env.reset(seed=5, options={"start": start})
        check(Player(env), observation)


def test_every_cell_up_to_a_short_last_week() -> None:
    env = make(params={"clock.horizon_days": 24}, blocks=OPTIONAL)
    env.reset(seed=6, options={"start": "configured"})
    player = Player(env, horizon=24)
    for week in range(1, 5):
        player.remember()
        action = env.action(
            ads={("content_marketing", "S1"): 100 * week}, bulk_op={"new_lead": "list_price"}
        )
        observation, _, ended, *_ = env.step(action)
        player.after_week()
        check(player, observation)
    assert ended
    assert player.day == 24


def test_every_cell_at_a_bankruptcy_in_mid_week() -> None:
    env = grown(weeks=0, seed=4, record="business", blocks=OPTIONAL)
    env.action_space.seed(4)
    player, rng = Player(env), np.random.default_rng(4)
    while not env.world.ended:
        (observation,) = play(player, rng)
        check(player, observation)
    assert player.day % 7
    assert observation["company"][0] < 0


def opinion(content: str, is_reply: bool, earlier: list[str], params: Params) -> np.ndarray:
    """A judge whom few groups hear; its numbers lie between two roundings."""
    effect = np.zeros(len(params.groups.ids))
    effect[:2] = 0.35, -0.65
    return effect


def test_the_effect_of_a_post_is_what_the_notice_says() -> None:
    env = make(judge=opinion, blocks=OPTIONAL)
    env.reset(seed=7, options={"start": "configured"})
    player = Player(env)
    player.remember()
    action = env.action(post_op="post", post_group="S1", post_topic="support")
    observation, *_ = env.step(action)
    player.after_week()
    check(player, observation)
    assert observation["post_effect"][:, 1].sum() == 2


# --- what must not be seen -----------------------------------------------------------------------


def _market(**changes: float) -> Callable[[World], None]:
    def change(world: World) -> None:
        for name, amount in changes.items():
            setattr(world.market, name, getattr(world.market, name) + amount)

    return change


def _columns(table: str, *names: str) -> Callable[[World], None]:
    def change(world: World) -> None:
        rows = {
            "population": world.population,
            "leads": world.negotiations.leads,
            "threads": world.negotiations.threads,
        }[table]
        assert len(rows)
        for name in names:
            column = getattr(rows, name)
            column += np.asarray(3, column.dtype)

    return change


def _seats_moved(world: World) -> None:
    """Drift since the last bills that leaves the total, which the report tells, as it is."""
    population = world.population
    first, second = (population.lead >= 0).nonzero()[0][:2]
    for column in (population.seats, population.whole_seats):
        column[first] += 1.0
        column[second] -= 1.0


def _future(world: World) -> None:
    """Everything that is drawn in advance, from tomorrow on."""
    exogenous, tomorrow = world.exogenous, world.day + 1
    exogenous.index[tomorrow:] += 5.0
    exogenous.surge[tomorrow:] *= 2.0
    exogenous.quality_walk[tomorrow:] += 0.1
    exogenous.prospect_uniforms[tomorrow:] *= 0.5
    exogenous.post_noise[tomorrow:] *= 0.5
    exogenous.event_on.clear()
    exogenous.commentary.clear()
    exogenous.readings.clear()


def _streams(world: World) -> None:
    for name in ("issues", "usage", "support", "churn", "posters", "reply_delay"):
        world.streams(name).random(3)


def _unknown_groups(world: World) -> None:
    """The truth about groups that are not discovered."""
    market, unknown = world.market, ~world.market.discovered
    assert unknown.any()
    for name in ("reputation", "snapshot_budget", "snapshot_floor", "snapshot_cap"):
        getattr(market, name)[unknown] += 1.0


HIDDEN: dict[str, Callable[[World], None]] = {
    "reputation": _market(reputation=0.1),
    "today's index": _market(index=5.0),
    "expectations": _market(shift_shared=0.5, shift_group=0.25, budget_shift=-7.0),
    "channel effectiveness": _market(effectiveness=3.0),
    "banks of competitors": _market(bank_shared=1.0, bank_group=1.0),
    "strength of own posts": _market(post_strength=0.4),
    "a competitor's event": lambda world: world.market.competitor_events.append((world.day, 0.3)),
    "groups not discovered": _unknown_groups,
    "moods": _columns("population", "satisfaction", "relationship", "demanded"),
    "tastes": _columns(
        "population", "budget", "q_floor", "q_ceiling", "left", "right", "joined_shift"
    ),
    "reference budgets": _columns("population", "reference_budget"),
    "usage to come": _columns("population", "usage", "rate"),
    "answers to in-app ads": _columns("population", "annoyance", "ads_yield"),
    "seats drifted since the bill": _seats_moved,
    "tastes of leads": _columns("leads", "budget", "q_floor", "q_ceiling", "usage", "lockin"),
    "patience of leads": _columns(
        "leads", "patience_turns", "offer_factor", "relationship", "decision_noise"
    ),
    "days of replies": _columns("threads", "reply_day", "repeats_from"),
    "the future": _future,
    "random streams": _streams,
}


@pytest.fixture(scope="module")
def saved_company() -> bytes:
    """A company with everything that hidden state is about."""
    env = grown(weeks=14, params=LONG_LIFE, blocks=OPTIONAL)
    assert (env.world.population.lead >= 0).sum() > 1
    return env.save_state()


def look(saved: bytes, change: Callable[[World], None]) -> dict[str, Any]:
    """What a fresh env shows of a saved company after a change, with nothing remembered of it."""
    env = make(params=LONG_LIFE, blocks=OPTIONAL)
    env.restore_state(saved)
    change(env.world)
    return env._observer.observe(env.world, new_week=True)


@pytest.mark.parametrize("kind", HIDDEN)
def test_hidden_state_that_has_not_acted_is_not_seen(kind: str, saved_company: bytes) -> None:
    assert equal(look(saved_company, lambda world: None), look(saved_company, HIDDEN[kind]))


def test_a_change_that_may_be_seen_is_seen(saved_company: bytes) -> None:
    def bill(world: World) -> None:
        world.population.billed_seats[:] += 1

    assert not equal(look(saved_company, lambda world: None), look(saved_company, bill))
