"""Companies to be timed: made ones of a given size, and one that grows to a million by itself.

* `settled`: a company of a size that stays as it is: nobody arrives, few leave.
* `growing`: the same with referrals and advertising, so that prospects arrive.
* `FastGrowing`: 500 days from nothing to about a million individuals, with enterprises.

Arguments that are not theirs (`record`, `rules`, `params`, ...) go to the `World`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ceo_gym.simulators.ceobench import Offers, World
from ceo_gym.simulators.ceobench.customers import draw_prospects
from ceo_gym.simulators.ceobench.sections import PLANS

FIRST_GROUPS = ("S1", "S2", "S3")
SETTLING_WEEKS = 5
LOST_WHILE_SETTLING = 0.13  # of the accounts, the same share at every size
BATCH = 50_000  # accounts signed up at a time, so that making a company takes little memory
# every made company has these, so that only its size differs
STILL = {"surges.probability_per_day": 0.0, "competitors.enabled": False}
# markets so large that no company of the benchmarks comes near saturation
UNSATURATED = {f"groups.{group}.market_cap_base": 1e8 for group in FIRST_GROUPS}


def settled(size: int, *, seed: int = 1, **world_arguments: Any) -> World:
    """A company with about `size` live customers who stay.

    Made rather than grown, so that every size has the same mix: individuals of the three first
    groups on the three plans, as many of each billing day, in the order of sign-up. It starts with
    15 % more and is played for five weeks, with signing-up switched off, until satisfaction and
    issues have settled.

    Args:
        size: customers after settling, within about 3 %.
        seed: of the world.
        **world_arguments: of `World`.
    """
    params = STILL | UNSATURATED | dict(world_arguments.pop("params", {}))
    world = World(seed, params=params, **world_arguments)
    world.company.cash_usd = 1e9
    world.set_prices(A=20, B=40, C=80)
    world.set_model_tiers(A=4, B=5, C=5)
    world.set_usage_quotas(A=300, B=800, C=100_000)
    first = round(size / (1.0 - LOST_WHILE_SETTLING))
    world.set_daily_spend(operations=0.15 * first)
    capacity = world.params.capacity_tiers.capacity_units_per_day
    enough = int(np.searchsorted(capacity, 300.0 * first))
    # the top tier is below 300 units each from a million on, but still above what they use
    world.set_capacity_tier(min(enough, len(capacity) - 1))
    world.market.quality_shared = 1.5
    world.market.info_level[:] = 0  # unknown groups send nobody: the company stays as it is
    _sign_up(world, first)
    for _ in range(SETTLING_WEEKS):
        world.step_week()
    return world


def growing(size: int, *, seed: int = 1, **world_arguments: Any) -> World:
    """A company of about `size` customers to whom some 15 to 20 % a week are added.

    The settled company with its three groups awake: they refer, and advertising brings more. It
    grows some 15 % in the week that is played before it is handed out.
    """
    world = settled(round(size / 1.15), seed=seed, **world_arguments)
    groups = world.params.groups
    world.market.info_level[[groups.index[group] for group in FIRST_GROUPS]] = 1
    channels = {"S1": "content_marketing", "S2": "content_marketing", "S3": "referral_program"}
    spend: dict[str, dict[str, float]] = {}
    for group, channel in channels.items():
        spend.setdefault(channel, {})[group] = 0.01 * size
    world.set_targeted_ad_spend(spend)
    world.step_week()
    return world


def _sign_up(world: World, size: int) -> None:
    """Let `size` individuals of the first groups sign up, as if over the month before."""
    groups = len(world.params.groups.ids)
    zero = np.zeros(groups)
    for start in range(0, size, BATCH):
        n = min(BATCH, size - start)
        counts = np.zeros(groups, np.int64)
        counts[:3] = np.diff(np.linspace(0, n, 4).astype(int))
        people = draw_prospects(
            counts,
            world.params,
            world.streams,
            quality_shift=zero,
            budget_shift=zero,
            deal_velocity=zero + 1.0,
        )
        mixed = np.random.default_rng(start + 1).permutation(n)  # groups mixed, as in a grown one
        count = np.arange(start, start + n)
        world.sign_up(people, mixed, count + 2, count % 3, np.zeros(n))
    population = world.population
    # a day's sign-ups lie side by side, as those of a company that grows do
    population.anchor[:] = np.arange(size) * 30 // size
    population.start_day[:] = 0
    population.rate[:] = population.usage
    population.first_bill_done[:] = True
    world.company.next_customer_id = size + 2


class FastGrowing:
    """A company that grows by advertising from nothing to about a million individuals.

    Its rules look only at what a player sees, as `policies` of the benchmark would:

    * prices 45, 85 and 150 USD, model tiers 2, 3 and 4, quotas 200, 400 and 1,000,000 units a day;
    * advertising to `S2` and `S3`: 4 % of the revenue, 2 to 25 thousand dollars a day;
    * development of both and of `E1`: 20 thousand dollars a day and group at first, up to eight
      times as much later, so that quality keeps up with the competitors;
    * support 500 dollars and 15 cents a customer a day; the smallest capacity tier that holds one
      and a half times last week's use;
    * an enterprise is offered plan C at the mean budget of its group, and gets what it asks for up
      to that.

    It begins with ten million dollars, so that no seed goes bankrupt, and the markets of `S2` and
    `S3` hold five and three times as many as in the published world. No competitor comes in the
    last 150 days; with those the company would lose a third of its customers again before the end.
    On seeds 1, 2 and 4 it had some 50 thousand customers on day 91, 600 to 1,000 thousand on day
    182, and 1,060 to 1,090 thousand on day 500, and 240 to 620 thousand enterprises had written.

    Args:
        seed: of the world.
        **world_arguments: of `World`; `params` on top of those above.
    """

    PARAMS = {  # noqa: RUF012 - not changed
        "company.initial_cash_usd": 1e7,
        "competitors.late_cutoff_days": 150,
        "groups.S2.market_cap_base": 5 * 136_000.0,
        "groups.S3.market_cap_base": 3 * 85_000.0,
    }

    def __init__(self, seed: int, **world_arguments: Any) -> None:
        params = self.PARAMS | dict(world_arguments.pop("params", {}))
        self.world = world = World(seed, params=params, **world_arguments)
        world.set_prices(A=45, B=85, C=150)
        world.set_model_tiers(A=2, B=3, C=4)
        world.set_usage_quotas(A=200, B=400, C=1_000_000)

    def decide(self) -> None:
        """The decisions of a week."""
        world = self.world
        seen = world.observe()
        accounts, revenue_a_day = float(seen.accounts.sum()), seen.mrr_usd / 30
        world.set_daily_spend(operations=500 + 0.15 * accounts, development=0)
        development = 20_000 * min(1 + world.day / 60, 8)
        world.set_targeted_dev_spend({"S2": development, "S3": development, "E1": 20_000})
        advertising = min(max(2_000, 0.04 * revenue_a_day), 25_000) / 2
        world.set_targeted_ad_spend(
            {"content_marketing": {"S2": advertising}, "referral_program": {"S3": advertising}}
        )
        capacity = world.params.capacity_tiers.capacity_units_per_day
        enough = int(np.searchsorted(capacity, 1.5 * float(seen.week.get("usage_units", 0.0)) / 7))
        world.set_capacity_tier(min(max(enough, 1), len(capacity) - 1))
        self._answer(seen.waiting)

    def _answer(self, waiting: Any) -> None:
        if not len(waiting.customer_id):
            return
        most = np.floor(100 * self.world.params.groups.budget_mean_usd[waiting.group]) / 100
        asked = np.isfinite(waiting.asked_usd)
        plan = np.where(asked, waiting.asked_plan, PLANS.index("C"))
        price = np.where(asked, np.minimum(waiting.asked_usd, most), most)
        self.world.send_offers(Offers.uniform(waiting.customer_id, plan, price))

    def play(self, days: int | None = None) -> World:
        """Play to a day, or to the end; returns the world."""
        until = self.world.params.clock.horizon_days if days is None else days
        while not self.world.ended and self.world.day < until:
            self.decide()
            self.world.step_week()
        return self.world
