"""How mechanisms are read from the daily rows: functions of the runs of a policy to a `Figure`.

What a formula of the specification expects from the recorded state (prospects given spending,
reputation and subscribers; reputation given satisfaction) serves as a yardstick: it is applied to
both sets of runs alike, so that the differences between their states cancel.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import CHANNELS
from tests.conformance.ceobench.runner import Runs
from tests.conformance.ceobench.seedwise import Figure

PARAMS = Params.load()
GROUPS = ("S1", "S2", "S3", "E1", "E2", "E3")
AT = {group: PARAMS.groups.ids.index(group) for group in GROUPS}
MONTH, LAST = 30, 500

# shares of the advertising total by (channel, group); all policies keep them while they spend
SPLIT: dict[str, dict[tuple[str, str], float]] = {
    "P1": {("search_ads", "S1"): 1 / 2, ("social_media", "S2"): 1 / 2},
    "P3": {
        ("content_marketing", "S2"): 4 / 18,
        ("content_marketing", "E1"): 7 / 18,
        ("linkedin", "S2"): 4 / 18,
        ("linkedin", "E1"): 3 / 18,
    },
    "P8": {("content_marketing", "E1"): 4 / 5, ("linkedin", "E1"): 1 / 5},
}
SPLIT["P2"] = SPLIT["P4"] = {(c, g): 1 / 15 for c in CHANNELS for g in ("S1", "S2", "S3")}
SHARED_USD = {"P0": 0, "P1": 2000, "P2": 500, "P3": 0, "P4": 500, "P8": 0}  # shared development


class Played(NamedTuple):
    """Runs of one policy."""

    policy: str
    runs: Runs

    def __getitem__(self, metric: str) -> np.ndarray:
        return self.runs.of(metric)

    @property
    def day(self) -> np.ndarray:
        return np.arange(1, self.runs.values.shape[1] + 1)

    def days(self, first: int, last: int = LAST) -> np.ndarray:
        """[1, days] whether a day is in a range."""
        return ((self.day >= first) & (self.day <= last))[None]


Read = Callable[[Played], Figure]


def before(values: np.ndarray, days: int = 1) -> np.ndarray:
    """Values some days earlier; NaN where there are none."""
    earlier = np.full_like(values, np.nan)
    earlier[:, days:] = values[:, :-days]
    return earlier


def change(values: np.ndarray) -> np.ndarray:
    return values - before(values)


def over(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """a / b, NaN where b is 0."""
    return np.divide(a, b, out=np.full(np.broadcast(a, b).shape, np.nan), where=b != 0)


def ratio(top: np.ndarray, bottom: np.ndarray | float, where: np.ndarray) -> Figure:
    """Sums over the days of a condition on which both have values."""
    top, bottom, where = np.broadcast_arrays(top, bottom, where)
    use = where & np.isfinite(top) & np.isfinite(bottom)
    return Figure(np.where(use, top, 0.0).sum(axis=1), np.where(use, bottom, 0.0).sum(axis=1))


def mean(values: np.ndarray, where: np.ndarray) -> Figure:
    """Mean over days of every seed, each seed with the same weight."""
    return ratio(values, 1.0, where).each


def first_day(happened: np.ndarray) -> Figure:
    """The first day of every seed on which something happened."""
    some = (happened > 0).any(axis=1)
    return Figure(np.where(some, (happened > 0).argmax(axis=1) + 1.0, 0.0), some * 1.0)


# --- surroundings --------------------------------------------------------------------------------


def pmi_pull(x: Played) -> tuple[np.ndarray, np.ndarray]:
    """Daily change of the index and its distance to the long-run mean the day before."""
    e = PARAMS.economy
    wave = np.sin(2 * np.pi * x.day / e.cycle_period_days + e.cycle_phase_rad)
    return change(x["pmi"]), e.long_run_mean + e.cycle_amplitude * wave - before(x["pmi"])


def pmi_noise(x: Played) -> np.ndarray:
    moved, distance = pmi_pull(x)
    return moved - PARAMS.economy.reversion_per_day * distance


def surge_start(x: Played) -> np.ndarray:
    """1 on days on which a surge begins: the product of the multipliers rises."""
    return np.where(
        np.isfinite(x["surge"]), np.nan_to_num(before(x["surge"]), nan=1.0) < x["surge"], np.nan
    )


def event(x: Played) -> np.ndarray:
    """1 on days of a competitor event."""
    return change(x["comp_events"])


def log_size(x: Played) -> np.ndarray:
    """Logarithm of the shift of an event over the ramp of the specification."""
    c = PARAMS.competitors
    ramp = 1 + (c.ramp_end - 1) * np.clip((x.day - 1) / (LAST - c.late_cutoff_days - 1), 0, 1)
    size = change(x["qdrift_global"])
    return np.log(np.where((event(x) > 0) & (size > 0), size / ramp, np.nan))


def caught_up(x: Played) -> np.ndarray:
    """[seeds, days] whether competitors drained the bank."""
    return (event(x) > 0) & (change(x["bank"]) < 0)


def group_bank(x: Played, group: str) -> tuple[np.ndarray, np.ndarray]:
    """Leak at an event out of what a group's targeted development has gained, and that bank.

    Neither is recorded: the leak is the group's shift beyond its reaction to the global one.
    """
    reaction = PARAMS.groups.competitor_reaction[AT[group]]
    own = change(x[f"qdrift_{group}"]) - (1 + reaction) * change(x["qdrift_global"])
    leak = np.where(event(x) > 0, own, 0.0)
    gained = x[f"qbonus_{group}"]
    return leak, before(gained - np.cumsum(leak, axis=1))


# --- product -------------------------------------------------------------------------------------


def shared_noise(x: Played) -> np.ndarray:
    """Daily change of the shared quality beyond development, without finished projects."""
    p = PARAMS.product
    bought = p.shared_rate * np.log1p(SHARED_USD[x.policy] / p.spend_scale_usd)
    return np.where(change(x["rnd_done"]) == 0, change(x["q_shared"]) - bought, np.nan)


def targeted_gain(x: Played, group: str, usd: np.ndarray) -> Figure:
    """Gain of targeted development over the formula."""
    p = PARAMS.product
    return ratio(
        change(x[f"qbonus_{group}"]), p.targeted_rate * np.log1p(usd / p.spend_scale_usd), x.days(2)
    )


def project(x: Played, number: int) -> np.ndarray:
    """[seeds, days] 1 on the day on which so many projects are done."""
    return (change(x["rnd_done"]) > 0) & (x["rnd_done"] == number)


# --- prospects -----------------------------------------------------------------------------------


def expected_leads(x: Played, group: str) -> np.ndarray:
    """[seeds, days] prospects expected from spending, referrals, reputation and the day.

    Without the walk of the channels, which has mean 1, and with the subscribers of the day before.
    NaN once a discovered group may refer, too, since their subscribers are recorded as one sum.
    """
    g, clock = AT[group], PARAMS.clock
    effect = PARAMS.influence.effectiveness[:, g] / PARAMS.acquisition.spend_unit_usd
    share = sum(
        part * effect[CHANNELS.index(channel)]
        for (channel, target), part in SPLIT.get(x.policy, {}).items()
        if target == group
    )
    own = before(x[f"subs_{group}"])
    referred = sum(
        before(x[f"subs_{source}"]) * PARAMS.influence.referrals[AT[source], g] for source in GROUPS
    )
    cap = PARAMS.groups.market_cap_base[g] * (
        1
        + PARAMS.groups.market_cap_growth_per_year[g] * x.day / PARAMS.acquisition.growth_year_days
    )
    calendar = clock.weekday_multiplier[x.day % 7] * clock.month_multiplier[x.day % 30]
    beta = np.nan_to_num(PARAMS.groups.macro_beta_leads[g])
    economy = np.maximum(PARAMS.economy.multiplier_min, 1 + beta * (x["pmi"] - 50) / 50)
    expected = x[f"rep_{group}"] * (1 - (own / cap) ** 2) * calendar * economy * x["surge"]
    expected = expected * (x["cost_advert"] * share + referred)
    return np.where(before(x["n_discovered"]) == 0, expected, np.nan)


def leads(x: Played, group: str, first: int, last: int) -> Figure:
    """Prospects over those expected, from the second day on."""
    return ratio(x[f"leads_{group}"], expected_leads(x, group), x.days(first, last))


def lead_spread(x: Played, group: str) -> Figure:
    """Square of the daily count's distance to its expectation, over the expectation; 1 if Poisson.

    Before day 30, when the walk of the channels has not begun.
    """
    expected = expected_leads(x, group)
    some = x.days(2, 29) & (expected > 0)
    square = (x[f"leads_{group}"] - expected) ** 2 / np.where(some, expected, 1.0)
    return ratio(square, 1.0, some)


# --- individuals ---------------------------------------------------------------------------------


def due(x: Played) -> np.ndarray:
    """[seeds, days] individuals whose renewal falls on a day.

    Exact: everybody is billed every thirty days, so who was due thirty days ago and stayed, or
    joined then, is due today, and nobody leaves on another day.
    """
    joined, left = x["new_ind"], x["cancel_ind"]
    waiting = np.zeros_like(joined)
    for k in range(MONTH, joined.shape[1]):
        waiting[:, k] = waiting[:, k - MONTH] - left[:, k - MONTH] + joined[:, k - MONTH]
    return waiting


def at_renewal(x: Played, metric: str, first: int, last: int, age: int | None = None) -> Figure:
    """Share of the due individuals who cancel or switch; `age` 1 if it is the first for all."""
    return ratio(x[metric], due(x), x.days(first, last)).each


def expected_reputation_gain(x: Played, group: str) -> np.ndarray:
    """Daily gain from the group's own mean satisfaction, as if all its accounts had the mean."""
    n = np.maximum(2.0, before(x[f"subs_{group}"]))
    mood = x[f"sat_{group}"]
    r = PARAMS.reputation
    rate = r.gain_per_account * np.where(mood >= 0, 1.0, r.negative_multiplier)
    return np.where(before(x[f"subs_{group}"]) > 0, rate * mood * np.log2(n), np.nan)


def surplus(x: Played, group: str) -> np.ndarray:
    """What today added to the smoothed satisfaction: perceived less required quality, on average.

    Newcomers, who start at 0.5, blur it a little; it is read alike in both sets of runs.
    """
    keep = 1 - PARAMS.satisfaction.weight_of_today
    return (x[f"sat_{group}"] - keep * before(x[f"sat_{group}"])) / (1 - keep)


def service_loss(x: Played, group: str) -> Figure:
    """Drop of the surplus on days of an outage against the days around it."""
    s = surplus(x, group)
    after = np.full_like(s, np.nan)
    after[:, :-1] = s[:, 1:]
    alone = np.full_like(s, np.nan)
    alone[:, 1:-1] = x["outage"][:, :-2] + x["outage"][:, 2:]
    return ratio(s - (before(s) + after) / 2, 1.0, (x["outage"] == 1) & (alone == 0))


def overload_slope(x: Played, group: str) -> Figure:
    """Slope of the change of the surplus on the change of the overload, without outages."""
    more = change(x["overload"])
    calm = (x["outage"] == 0) & (before(x["outage"]) == 0) & (np.abs(more) > 0.05)
    return ratio(change(surplus(x, group)) * more, more**2, calm)


def weekend_usage(x: Played, first: int, last: int) -> Figure:
    """Usage a subscriber on weekend days over that on weekdays."""
    a_head = x["usage"] / np.maximum(1.0, before(x["subs"]))
    weekend = np.isin(x.day % 7, (5, 6))[None]
    low = ratio(a_head, 1.0, x.days(first, last) & weekend)
    high = ratio(a_head, 1.0, x.days(first, last) & ~weekend)
    return Figure(low.top * high.bottom, high.top * low.bottom).each


# --- service -------------------------------------------------------------------------------------


def expected_outage(x: Played) -> np.ndarray:
    s = PARAMS.service
    calm = s.base_outage_probability * np.exp(-x["cost_ops"] / s.operations_scale_usd)
    return np.maximum(s.min_outage_probability, calm) * (1 + s.overload_factor * x["overload"])


# --- enterprises ---------------------------------------------------------------------------------


def enterprise_prospects(x: Played) -> np.ndarray:
    return x["leads_all"] - x["leads_ind"]


def lost_accounts(x: Played) -> np.ndarray:
    """Enterprises that leave on a day.

    Not from churn_all: an account that leaves in its first month is listed there only when the
    month is over.
    """
    return x["new_ent"] - change(x["subs_ent"])


def lag_to_deal(x: Played, last: int) -> Figure:
    """Days between the mean day of a lead and the mean day of a deal."""
    parts = [ratio(x[m] * x.day, x[m], x.days(1, last)) for m in ("new_ent", "leads_ent")]
    (deal_day, deals), (lead_day, prospects) = parts
    both = (deals > 0) & (prospects > 0)
    lag = deal_day / np.maximum(deals, 1) - lead_day / np.maximum(prospects, 1)
    return Figure(np.where(both, lag, 0.0), both * 1.0)


def wait_for_first_deal(x: Played) -> Figure:
    """Days from the first lead to the first new account, of the seeds that get one."""
    deal, lead = first_day(x["new_ent"]), first_day(x["leads_ent"])
    return Figure(np.where(deal.bottom > 0, deal.top - lead.top, 0.0), deal.bottom)


def quiet(x: Played) -> np.ndarray:
    """[seeds, days] days on which no enterprise came, left or made a new deal."""
    return (x["new_ent"] == 0) & (lost_accounts(x) == 0) & (change(x["deals_cum"]) == 0)


def deal_price(x: Played) -> np.ndarray:
    """[seeds, days] price a seat of a new account, on days on which nothing else moves the MRR."""
    alone = (x["new_ent"] == 1) & (lost_accounts(x) == 0) & (change(x["deals_cum"]) == 1)
    alone &= (change(x["subs_ind"]) == 0) & (x.day % MONTH != 0)
    return over(change(x["mrr"]), np.where(alone, x["new_ent_seats"], 0.0))


def haggled(x: Played, offered: tuple[float, ...]) -> np.ndarray:
    """[seeds, days] whether a new account pays none of our first prices."""
    return np.abs(deal_price(x)[..., None] - np.array(offered)).min(axis=-1) > 0.005


def seat_drift(x: Played) -> Figure:
    """Relative change of all seats at a monthly drift."""
    monthly = (x.day % MONTH == 0)[None] & x.days(61)
    return ratio(change(x["ent_seats"]), before(x["ent_seats"]), monthly & quiet(x))


def seat_jumps(x: Played) -> Figure:
    """Share of the other quiet days on which the number of seats changes."""
    other = (x.day % MONTH != 0)[None] & quiet(x) & (before(x["ent_seats"]) > 0)
    return ratio(change(x["ent_seats"]) != 0, 1.0, other)
