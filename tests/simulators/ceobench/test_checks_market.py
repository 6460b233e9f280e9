"""The market against ``market_checks.toml``: all sections but the statistics.

Prospect formula, saturation, business cycle, own posts, development, competitor events, research
projects, insights, drift and the post judge: market.md 16, numbers 1 to 9, 11, 12, 14 and 16.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from ceo_gym.simulators.ceobench import (
    Params,
    acquisition,
    competitors,
    economy,
    judge,
    product,
    research,
    social,
)
from ceo_gym.simulators.ceobench.codes import POSTS
from ceo_gym.simulators.ceobench.competitors import Event
from tests.simulators.ceobench.reference import (
    CALM,
    CHANNEL,
    GROUP,
    GROUPS,
    PARAMS,
    Dice,
    World,
    add_accounts,
    add_enterprises,
    by_group,
    checks,
    close,
    label,
    morning,
    play,
    rows,
)

CHECKS = checks("market_checks.toml")
STILL_INDEX = {"economy.daily_sd": 0.0}


# --- prospects ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("day", "multiplier"), list(zip(*CHECKS["calendar"].values())))
def test_calendar(day, multiplier):
    close(acquisition.calendar(day, PARAMS), multiplier)


PROSPECTS = CHECKS["expected_prospects"]


@pytest.fixture(scope="module")
def day_58():
    """The state of the note of `expected_prospects`."""
    world = World(params=CALM)
    company, market = world.company, world.market
    add_accounts(world, "S1", 2000)
    add_accounts(world, "S3", 300)
    add_enterprises(world, "E1", 40)
    market.reputation[:] = by_group({"S1": 0.62, "E1": 0.45}, rest=0.5)
    market.index = 44.0
    market.multipliers = economy.multipliers(market.index, world.params)
    spend = {
        ("content_marketing", "S1"): 2000.0,
        ("referral_program", "S1"): 500.0,
        ("linkedin", "E1"): 3000.0,
        ("linkedin", "D_S01"): 1000.0,
    }
    for (channel, group), usd in spend.items():
        company.ads_spend_usd[CHANNEL[channel], GROUP[group]] = usd
    effect = by_group({"S1": 0.9, "E1": -0.7})
    market.post_strength = social.post_contribution(effect, 58 - 55, world.params.social)
    world.exogenous.surge[58] = 2.5
    morning(world, 58)
    return world


def factor(world: World, name: str) -> np.ndarray:
    """[G] one factor or term of the prospect formula."""
    market, params = world.market, world.params
    accounts = world.population.accounts.astype(float)
    terms = acquisition.attraction(
        world.company.ads_spend_usd, market.effectiveness, accounts, market.discovered, params
    )
    return {
        "reputation": market.reputation,
        "saturation": acquisition.saturation(accounts, world.day, params),
        "calendar": np.full(GROUPS, acquisition.calendar(world.day, params)),
        "macro": market.multipliers.leads,
        "social": world.own_post_multiplier(),
        "surge": np.full(GROUPS, world.exogenous.surge[world.day]),
        "channel_term": terms[:-1].sum(axis=0),
        "network_term": terms[-1],
    }[name]


@pytest.mark.parametrize("group", PROSPECTS["groups"])
@pytest.mark.parametrize("name", [k for k in PROSPECTS if k not in ("note", "groups", "expected")])
def test_factors_of_expected_prospects(day_58, name, group):
    expected = dict(zip(PROSPECTS["groups"], PROSPECTS[name]))[group]
    close(factor(day_58, name)[GROUP[group]], expected)


def test_expected_prospects(day_58, monkeypatch):
    """The means that the day's counts are drawn from."""
    means = []

    def nobody(uniform, mean):
        means.append(mean)
        return np.zeros(GROUPS, np.int64)

    monkeypatch.setattr(acquisition, "poisson", nobody)
    acquisition.arrive(day_58)
    (mean,) = means
    for group, expected in zip(PROSPECTS["groups"], PROSPECTS["expected"]):
        close(mean[GROUP[group]], expected)
    assert (mean[~day_58.market.discovered] == 0.0).all()
    assert day_58.market.discovered.sum() == 6


@pytest.mark.parametrize("row", rows(CHECKS["saturation"]), ids=lambda row: row["groups"])
def test_saturation(row):
    g = GROUP[row["groups"]]
    close(acquisition.market_cap(row["day"], PARAMS)[g], row["cap"])
    taken = np.full(GROUPS, float(row["subscribers"]))
    close(acquisition.saturation(taken, row["day"], PARAMS)[g], row["factor"])


# --- business cycle -------------------------------------------------------------------------------

DIMENSION = {
    "lead_generation": "leads",
    "willingness_to_pay": "budget",
    "deal_velocity": "deal_velocity",
    "seat_count": "seats",
}


@pytest.mark.parametrize(
    "row", rows(CHECKS["macro_multiplier"]), ids=lambda r: f"index {r['index']}"
)
def test_macro_multiplier(row):
    found = economy.multipliers(row.pop("index"), PARAMS)
    for name, expected in row.items():
        (dimension,) = (d for d in DIMENSION if name.endswith(d))
        group = name.removesuffix(f"_{dimension}")
        close(getattr(found, DIMENSION[dimension])[GROUP[group]], expected)


PATH = CHECKS["index_path_without_noise"]
READINGS = {k: v for k, v in PATH.items() if k not in ("note", "days", "index")}


@pytest.fixture(scope="module")
def year_without_noise():
    """The index on every day, and the world at the end, of a played episode."""
    world = World(params=CALM | STILL_INDEX, record="none")
    return [world.market.index, *(world.market.index for _ in play(world, 500))], world


@pytest.mark.parametrize(("day", "index"), list(zip(PATH["days"], PATH["index"])))
def test_index_path(year_without_noise, day, index):
    played, world = year_without_noise
    close(played[day], index)
    close(economy.index_path(world.params, world.streams)[day], index)


def test_number_of_published_readings(year_without_noise):
    assert len(year_without_noise[1].market.published) == len(READINGS["value"])


@pytest.mark.parametrize("row", rows(READINGS), ids=lambda row: f"of day {row['measured_day']}")
def test_published_reading(year_without_noise, row):
    number = READINGS["measured_day"].index(row["measured_day"])
    reading = year_without_noise[1].market.published[number]
    assert (reading.day, reading.published_day) == (row["measured_day"], row["published_day"])
    close([reading.value, reading.change], [row["value"], row["change"]])
    assert (reading.trend, reading.phase) == (row["trend"], row["phase"])


@pytest.mark.parametrize(
    "row", rows(CHECKS["index_noise_sd"]), ids=lambda row: f"day {row['days']}"
)
def test_index_noise_sd(row):
    """The noise enters linearly, so its spread follows from the answer to one disturbed day."""
    days = PARAMS.clock.horizon_days
    limits = {"economy.index_min": -1e9, "economy.index_max": 1e9}  # "ignoring the clip"
    params = Params.load(limits)
    impulse = np.zeros(days)
    impulse[0] = 1.0
    answer = economy.index_path(params, Dice(impulse)) - economy.index_path(params, Dice(0.0))
    close(np.sqrt((answer[1 : row["days"] + 1] ** 2).sum()), row["sd"])


# --- own posts ------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows(CHECKS["ceo_post_multiplier"]), ids=label)
def test_ceo_post_multiplier(row):
    s = PARAMS.social
    strength = sum(
        social.post_contribution(np.array([effect]), row["day"] - day, s)
        for day, effect in zip(row["post_days"], row["effects"])
    )
    close(social.own_post_multiplier(strength, s), row["multiplier"])


JUDGED = [r for r in rows(CHECKS["ceo_post_multiplier"]) if max(r["post_days"]) < r["day"]]


@pytest.mark.parametrize("row", JUDGED, ids=label)
def test_ceo_post_multiplier_in_a_played_world(row):
    """Posts as decisions; the factor after the day of the table, when all are judged."""
    effects = dict(zip(row["post_days"], row["effects"]))
    scores = {f"post of day {day}": effect for day, effect in effects.items()}
    world = World(
        params=CALM, judge=lambda content, *_: np.full(GROUPS, scores[content]), record="none"
    )
    for day in play(world, row["day"]):
        if day in effects:
            world.post_social_media(f"post of day {day}")
    known = world.market.discovered
    close(world.own_post_multiplier()[known], row["multiplier"])
    close(world.own_post_multiplier()[~known], 1.0)


# --- product quality ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "row", rows(CHECKS["development_increment"]), ids=lambda r: f"{r['spend_usd']:g}"
)
def test_development_increment(row):
    p = PARAMS.product
    close(product.development_gain(row["spend_usd"], p.shared_rate, p), row["shared"])
    close(product.development_gain(row["spend_usd"], p.targeted_rate, p), row["targeted"])


def test_development_thirty_days():
    expected = CHECKS["development_thirty_days"]
    world = World(params=CALM, record="none")
    world.set_daily_spend(development=1000)
    world.set_targeted_dev_spend({"E1": 20_000, "S1": 500})
    for _ in play(world, 30):
        pass
    market = world.market
    close(market.quality_shared, expected["shared_bonus"])
    close(market.bank_shared, expected["shared_bank"])
    groups = {k.rsplit("_", 1)[1]: v for k, v in expected.items() if k.startswith("group_bonus")}
    close(market.quality_group, by_group(groups))
    close(market.bank_group[GROUP["E1"]], expected["group_bank_E1"])


RESEARCH = rows(CHECKS["research_distribution"])
BY_TIER = {"argnames": "row", "argvalues": RESEARCH, "ids": lambda row: f"tier {row['tier']}"}
CLOSED_FORM = 1e-4  # tolerance of the section
FAR = 9.0  # normal draws beyond this many deviations do not matter


@pytest.mark.parametrize(**BY_TIER)
def test_duration_of_research_projects(row):
    """Durations are whole, so each is the outcome of an interval of normal draws."""
    tiers, k, shortest = PARAMS.research_tiers, row["tier"] - 1, PARAMS.product.project_min_days
    mean, sd = tiers.duration_mean_days[k], tiers.duration_sd_days[k]
    cuts = np.arange(shortest + 1, mean + FAR * sd)
    z = (cuts - mean) / sd
    probability = np.diff(norm.cdf(z))
    inside = [
        product.draw_project(row["tier"], 0, PARAMS, Dice(draw))[0] for draw in (z[:-1] + z[1:]) / 2
    ]
    shortest_drawn = {
        product.draw_project(row["tier"], 0, PARAMS, Dice(draw))[0]
        for draw in np.linspace(-FAR, z[0] - 1e-9, 50)
    }
    assert shortest_drawn == {shortest}
    p_shortest = float(norm.cdf(z[0]))
    close(p_shortest, row["probability_of_minimum_duration"], CLOSED_FORM)
    close(p_shortest * shortest + probability @ inside, row["mean_duration_days"], CLOSED_FORM)


@pytest.mark.parametrize(**BY_TIER)
def test_quality_of_research_projects(row):
    tiers, k, least = PARAMS.research_tiers, row["tier"] - 1, PARAMS.product.project_min_quality
    kink = (least - tiers.quality_mean[k]) / tiers.quality_sd[k]

    def mean_between(low, high):
        nodes, weights = np.polynomial.legendre.leggauss(60)
        z = low + (high - low) * (nodes + 1.0) / 2.0
        quality = [product.draw_project(row["tier"], 0, PARAMS, Dice(draw))[1] for draw in z]
        return float(weights @ (quality * norm.pdf(z))) * (high - low) / 2.0

    close(mean_between(-FAR, kink) + mean_between(kink, FAR), row["mean_quality"], CLOSED_FORM)


# --- competitors ----------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(4))
def test_competitor_event(number):
    case = CHECKS["competitor_event"]
    row = {k: v[number] for k, v in case.items() if k != "note"}
    size = competitors.exogenous_size(row["lognormal_draw"], row["day"], PARAMS)
    close(size, row["sampled"])

    world = World(params=CALM)
    market = world.market
    market.bank_shared = row["shared_bank_before"]
    if number == 0:  # of the note
        market.bank_group[:] = by_group({"S1": 0.2, "E1": 0.05})
    leaks = by_group({"S1": 0.1, "E1": 0.05})
    event = Event(row["day"], size, row["shared_u"], leaks)
    world.exogenous.event_on[row["day"]] = event
    for day in range(row["day"], row["day"] + 10):
        world.day = day
        competitors.strike(world)

    assert market.competitor_events == [(row["day"], pytest.approx(row["applied"], abs=1e-9))]
    close(market.shift_shared, row["applied"])
    assert (market.competitor_events[0][1] > size) == (row["winner"] == "catch_up")
    close(market.bank_shared, row["shared_bank_after"])
    for group in ("S1", "E1", "D_S08"):
        close(market.shift_group[GROUP[group]], row[f"shift_{group}"])
    for group in ("S1", "E1"):
        close(market.bank_group[GROUP[group]], row[f"targeted_after_{group}"])
    posts = world.history.posts
    about = posts.day[posts.kind == POSTS.index("competitor")]
    days = range(row["day"], row["last_post_day"] + 1)
    assert about.tolist() == [day for day in days for _ in range(2)]  # two a day (market.md 9.6)


def test_competitors_catch_up_with_the_improvements_of_yesterday():
    """Step 8 of the day precedes the development of step 10."""
    world = World(params=CALM)
    world.set_daily_spend(development=5000)
    spend = rows(CHECKS["development_increment"])
    (gain,) = (row["shared"] for row in spend if row["spend_usd"] == 5000.0)
    world.exogenous.event_on[70] = Event(70, 0.0, 0.5, np.zeros(GROUPS))
    for _ in play(world, 70):
        pass
    close(world.market.shift_shared, 0.5 * 69 * gain)
    close(world.market.bank_shared, 0.5 * 69 * gain + gain)


# --- insights -------------------------------------------------------------------------------------


@pytest.mark.parametrize("row", rows(CHECKS["insight_noise"]), ids=lambda row: row["groups"])
@pytest.mark.parametrize(("level", "day"), [(1, 0), (3, 210), (5, 7)])
def test_insight_noise(row, level, day):
    assert research.insight_seed(row["groups"], level, day) == row["seed"]
    world, g = World(), GROUP[row["groups"]]
    world.market.info_level[g], world.market.snapshot_day[g] = level, day
    draws = research.insight_noise(world, g).uniform(-1.0, 1.0, len(row["draws"]))
    close(draws, row["draws"])


ESTIMATE = {  # name in the check file -> name in the report
    "budget_usd": "willingness_to_pay",
    "usage": "usage_volume",
    "quality_floor": "quality_floor_q_min",
    "market_cap": "market_cap",
    "growth": "annual_market_cap_growth_rate",
    "lockin": "contract_lockin_aversion",
    "seat_range": "seat_range",
    "decision_rounds": "decision_rounds",
    "response_days": "avg_response_days",
}


@pytest.mark.parametrize(
    ("group", "name"),
    [
        (group, name)
        for group in ("S1", "E1")
        for name in CHECKS[f"insight_{group}_level1_day0"]
        if name in ESTIMATE
    ],
)
def test_insight_estimates(group, name):
    report = research.insights(World(), GROUP[group])
    expected = CHECKS[f"insight_{group}_level1_day0"][name]
    assert report["info_level"] == 1
    close(report["estimates"][ESTIMATE[name]], expected)


@pytest.mark.parametrize(("direction", "name"), [("outgoing", "out"), ("incoming", "in")])
def test_insight_network(direction, name):
    expected = CHECKS["insight_S1_level1_day0"]
    found = research.insights(World(), GROUP["S1"])["network_influence"][direction]
    assert list(found) == expected[f"network_{name}_groups"]  # largest first
    close(list(found.values()), expected[f"network_{name}"])


def test_insight_after_research_is_about_the_values_of_that_day():
    """Level and snapshot change together; the errors stay the same relative ones (market.md 8)."""
    at_first = CHECKS["insight_noise"]
    draws = dict(zip(at_first["groups"], at_first["draws"]))["S3"]
    g, world = GROUP["S3"], World(params=CALM)
    world.research_group("S3", 3)
    for _ in play(world, 4):
        pass
    world.market.shift_shared, world.market.shift_group[g] = 0.3, 0.05
    world.market.budget_shift[g] = -20.0
    world.step_day()  # the fifth day, when the research is due
    world.market.shift_shared = 9.0  # later moves do not matter
    report, groups = research.insights(world, g), PARAMS.groups
    assert report["info_level"] == 3
    width = PARAMS.info_levels.noise_half_width[3]
    cap = acquisition.market_cap(5, PARAMS)[g]
    true = {
        "willingness_to_pay": (groups.budget_mean_usd[g] - 20.0, draws[0], 2),
        "quality_floor_q_min": (groups.q_floor_mean[g] + 0.35, draws[2], 3),
        "market_cap": (cap, draws[3], 0),
    }
    for name, (value, draw, digits) in true.items():
        expected = value * (1.0 + width * draw)
        close(report["estimates"][name], expected, 10.0**-digits)


def test_every_value_of_the_insight_sections_is_checked():
    network = {f"network_{way}{end}" for way in ("out", "in") for end in ("", "_groups")}
    for section in ("insight_S1_level1_day0", "insight_E1_level1_day0"):
        assert CHECKS[section].keys() <= ESTIMATE.keys() | network | {"note"}


# --- drift and judge ------------------------------------------------------------------------------


def test_group_drift():
    expected = CHECKS["group_drift"]
    world = World(params=CALM, record="none")  # no competitor events
    found: dict[int, tuple[np.ndarray, np.ndarray]] = {}
    for day in play(world, max(expected["days"])):
        found[day] = world.market.shift_group.copy(), world.market.budget_shift.copy()
    for row in rows(expected):
        quality, budget = found[row["days"]]
        for name, value in row.items():
            if name != "days":
                kind, group = name.split("_", 1)
                close((quality if kind == "quality" else budget)[GROUP[group]], value)


@pytest.mark.parametrize("row", rows(CHECKS["judge_surrogate"]), ids=lambda row: str(row["inputs"]))
def test_judge_surrogate(row):
    close(judge.score(judge.Features(*row["inputs"]), PARAMS.judge), row["effect"])
