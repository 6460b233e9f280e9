"""The company world: owns the state and the streams, and the order of the day.

    world = World(seed=1)
    world.set_prices(A=40, B=80, C=150)
    ...
    week = world.step_week()

`World.step_day` is the table of contents of the simulator: one line a phase, in the order of
day_loop.md 4. What a phase does stands in the module of its subject.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from ceo_gym.simulators.ceobench import (
    acquisition,
    billing,
    competitors,
    crowd,
    drift,
    economy,
    finance,
    judge,
    negotiation,
    observe,
    product,
    renewal,
    reputation,
    research,
    satisfaction,
    service,
    social,
    support,
    talks,
)
from ceo_gym.simulators.ceobench.competitors import RecordedEvent
from ceo_gym.simulators.ceobench.crowd import Crowd
from ceo_gym.simulators.ceobench.customers import Prospects
from ceo_gym.simulators.ceobench.daily import row
from ceo_gym.simulators.ceobench.decisions import Decisions
from ceo_gym.simulators.ceobench.exogenous import Exogenous
from ceo_gym.simulators.ceobench.history import History
from ceo_gym.simulators.ceobench.observe import Observation
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.results import DayResult, Today
from ceo_gym.simulators.ceobench.rules import Rules
from ceo_gym.simulators.ceobench.sections import MONTH_DAYS, WEEK_DAYS
from ceo_gym.simulators.ceobench.state import Company, Market, Negotiations, Population, View
from ceo_gym.simulators.ceobench.validation import InvalidDecision, number
from ceo_gym.simulators.common import snapshots
from ceo_gym.simulators.common.rows import Floats, Ints
from ceo_gym.simulators.common.streams import Streams

SNAPSHOT_KIND = "ceobench world"
SNAPSHOT_VERSION = 4

Judge = Callable[[str, bool, list[str], Params], Floats]


class World(Decisions):
    """One company and its market, from day 0 to the horizon.

    The methods inherited from `Decisions` are everything a player can do. Attributes are the whole
    truth, hidden state included; `observe` gives what a player may see.

    Args:
        seed: whole number >= 0. Same seed and decisions give the same bits.
        params: numbers of the world, or changes to the published ones by name
            (see `Params.load`).
        rules: ``"published"``, ``"repaired"`` or any `Rules`.
        record: ``"none"``, ``"business"`` or ``"full"``, see `history`.
        judge: scores the company's own posts; `judge.score_post` unless given. It is not part of a
            snapshot.
        events: competitor events of a recorded run to play instead of drawn ones.
        max_agents: simulate about so many individuals at most; above that each stands for several
            customers, see `crowd`. Every one is simulated unless given.
        real: the type of customers' attributes and moods, see `state.Population`.

    Raises:
        ValueError: for a bad seed, parameter, profile or record level.
    """

    def __init__(
        self,
        seed: int = 0,
        *,
        params: Params | Mapping[str, Any] | None = None,
        rules: Rules | str = "published",
        record: str = "business",
        judge: Judge = judge.score_post,
        events: Sequence[RecordedEvent] | None = None,
        max_agents: int | None = None,
        real: DTypeLike = np.float32,
    ) -> None:
        self.params = params if isinstance(params, Params) else Params.load(params)
        self.rules = rules if isinstance(rules, Rules) else Rules.named(rules)
        self.judge = judge
        self.streams = Streams(seed)
        self.replayed_events = None if events is None else list(events)
        self.exogenous = Exogenous.drawn(
            self.params, self.rules, self.streams, self.replayed_events
        )
        self.day = 0
        self.bankrupt = False
        self.company = Company.founded(self.params)
        self.market = Market.opened(self.params)
        self.population = Population(len(self.params.groups.ids), real)
        self.tenure_bonus = self.params.tenure_bonus.astype(real)  # [T + 1]
        self.negotiations = Negotiations()
        self.crowd = Crowd.limited(max_agents)
        self.history = History(record, self.params)
        self.today = self._morning()
        self.history.ledger_usd[0, 0] = self.company.cash_usd  # initial funding
        self.history.ledger_count[0, 0] = 1
        self.history.cash_usd[0] = self.company.cash_usd
        self.history.record_settings(self)

    @property
    def ended(self) -> bool:
        """Whether the horizon is reached or the company bankrupt."""
        return self.bankrupt or self.day >= self.params.clock.horizon_days

    def refuse_if_ended(self) -> None:
        """Nothing can be done after the end.

        Raises:
            InvalidDecision: `limit_reached`.
        """
        if self.ended:
            raise InvalidDecision("limit_reached", "the game is over; start a new world")

    def observe(self) -> Observation:
        """What the player may know now, as structured numbers."""
        return observe.observe(self)

    # --- time ---

    def step_week(self, forecast: Floats | None = None) -> DayResult:
        """Play seven days, fewer at the horizon or a bankruptcy; returns the week's numbers.

        Args:
            forecast: [4, 3] point, lower and upper cash in 7, 28, 84 and 182 days; the built-in
                forecast unless given. It is recorded and changes nothing.

        Raises:
            InvalidDecision: if the game is over, or the forecast is not lower <= point <= upper
                and finite.
        """
        self.refuse_if_ended()
        self.history.record_forecast(self.day, self.checked_forecast(forecast))
        self.population.begin_week()
        days: list[DayResult] = []
        while len(days) < WEEK_DAYS and not self.ended:
            days.append(self.step_day())
        self.history.cash_by_week.append(self.company.cash_usd)
        week = DayResult.of_week(days)
        self.history.weeks.append(week)
        self.history.tally.close_week()
        return week

    def step_day(self) -> DayResult:
        """Play one day: the phases of day_loop.md 4 in their order."""
        self.refuse_if_ended()
        self.day += 1
        self.today = self._morning()
        service.serve(self)
        product.finish_projects(self)
        research.finish_studies(self)
        self._turn_of_month()
        economy.advance(self)
        social.decay(self)
        competitors.strike(self)
        product.develop(self)
        satisfaction.update(self)
        reputation.count_votes(self)
        social.consider_accounts(self)
        support.resolve_and_raise(self)
        renewal.renew(self)
        negotiation.negotiate(self)
        reputation.update(self)
        acquisition.arrive(self)
        billing.bill(self)
        finance.book_costs(self)
        social.write_posts(self)
        social.judge_own_posts(self)
        finance.test_cash(self)
        crowd.fit(self)
        return self._evening()

    def _morning(self) -> Today:
        """Steps 1 and 2: freeze what customers perceive today."""
        view = View.of(self.company, self.market, self.params)
        before = self.today.view if hasattr(self, "today") else view
        today = Today(view, self.population.accounts.copy())
        # rejections since yesterday count today
        today.lost_leads = self.negotiations.rejected_leads
        today.cancelled_enterprises = self.negotiations.rejected_accounts
        self.negotiations.rejected_leads = self.negotiations.rejected_accounts = 0
        if len(self.population) and (before.budget_shift != view.budget_shift).any():
            self.today = today
            satisfaction.refresh_demanded(self)
        return today

    def _turn_of_month(self) -> None:
        """Step 6, on days 30, 60, …: preferences drift, then channels' effectiveness moves."""
        if self.day % MONTH_DAYS == 0:
            drift.drift(self)
            acquisition.change_effectiveness(self)

    def _evening(self) -> DayResult:
        """The numbers of the day, and their records."""
        today, history, population = self.today, self.history, self.population
        today.firms = self.negotiations.subscribed()
        today.mrr_usd = finance.monthly_recurring_revenue(self, today.firms)
        history.service[self.day] = today.service
        history.capacity_tier[self.day] = self.company.capacity_tier
        history.cash_usd[self.day] = self.company.cash_usd
        if history.level == "full":
            history.daily[self.day] = row(self)
        money = dict(zip(finance.CATEGORIES, history.ledger_usd[self.day].tolist()))
        seats = int(population.whole_seats[today.firms].sum()) if len(today.firms) else 0
        capacity = self.params.capacity_tiers.capacity_units_per_day[self.company.capacity_tier]
        return DayResult(
            day=self.day,
            days=1,
            cash_usd=self.company.cash_usd,
            mrr_usd=today.mrr_usd,
            usage_units=today.service.usage_units,
            overload_peak=today.service.overload,
            utilisation_peak=today.service.usage_units / float(capacity),
            latency_p95_ms=today.service.latency_p95_ms,
            error_rate=today.service.error_rate,
            outage_days=int(today.service.outage),
            downtime_minutes=today.service.downtime_minutes,
            new_leads=int(today.prospects.sum()),
            new_individual_leads=today.new_individuals + today.lost_individuals,
            new_enterprise_leads=today.new_leads_enterprise,
            new_enterprise_lead_seats=today.new_lead_seats,
            new_individual_subscribers=today.new_individuals,
            new_subscribers=today.new_individuals + today.new_leads_enterprise,
            new_enterprise_accounts=today.new_enterprises,
            new_enterprise_subscribers_seats=today.new_enterprise_seats,
            individual_subscribers=int(population.accounts.sum()) - len(today.firms),
            enterprise_accounts=len(today.firms),
            enterprise_subscription_seats=seats,
            cancellations=today.cancellations,
            involuntary_cancellations=today.involuntary,
            enterprise_cancellations=today.cancelled_enterprises,
            leads_lost=today.lost_leads,
            upgrades=today.upgrades,
            downgrades=today.downgrades,
            deals=today.deals,
            customer_replies=today.customer_replies,
            customer_requests=today.opened_by_customers,
            open_issues=support.open_issues(self),
            threads_waiting=len(talks.waiting_for_player(self)),
            payments_usd=money["subscription_payment"],
            ad_revenue_usd=money["ad_revenue"],
            total_costs_usd=-sum(money[name] for name in finance.DAILY_COSTS),
            lead_costs_usd=-money["lead_acquisition_cost"],
        )

    def checked_forecast(self, forecast: Floats | None) -> Floats:
        """[4, 3] a forecast as it would be recorded; the built-in one for None.

        Raises:
            InvalidDecision: if it is not finite with lower <= point <= upper.
        """
        built_in = finance.forecast(self.company.cash_usd, self.history.cash_by_week)
        if forecast is None:
            return built_in
        rows = forecast.tolist() if isinstance(forecast, np.ndarray) else forecast
        if not (isinstance(rows, Sequence) and len(rows) == len(built_in)) or not all(
            isinstance(row, Sequence) and len(row) == 3 for row in rows
        ):
            raise InvalidDecision(
                "wrong_type",
                "a forecast is 4 rows (7, 28, 84, 182 days) of 3 numbers (point, lower, upper)",
            )
        given = np.array([[number("a forecast", value) for value in row] for row in rows])
        if ((given[:, 1] > given[:, 0]) | (given[:, 0] > given[:, 2])).any():
            raise InvalidDecision("out_of_range", "a forecast needs lower <= point <= upper")
        return given

    # --- what several phases share ---

    def book(self, category: str, amount_usd: float, count: int = 1) -> None:
        """Write money to the ledger: income positive, costs negative."""
        column = finance.CATEGORY[category]
        self.history.ledger_usd[self.day, column] += amount_usd
        self.history.ledger_count[self.day, column] += count
        self.company.cash_usd += amount_usd

    def sign_up(
        self, people: Prospects, won: Ints, ids: Ints, plan: Ints, promotion: Floats
    ) -> None:
        """Add individuals who take a plan today; today's bill completes their terms.

        Args:
            people: individuals.
            won: [n] positions of those who sign up.
            ids: [n] customer ids, the first of each.
            plan: [n] plan positions.
            promotion: [n] lead promotion, USD.
        """
        if not len(ids):
            return
        population = self.population
        listed = self.company.price_usd[plan]
        rows = population.append(
            len(ids),
            customer_id=ids,
            group=people.group[won],
            plan=plan,
            anchor=self.day % MONTH_DAYS,
            start_day=self.day,
            issue_days=0,
            lead=-1,
            weight=people.weight[won],
            place=self.crowd.register(ids, people.weight[won]),
            billed_seats=1,
            week_full=0,
            week_units=0.0,
            first_bill_done=False,
            left=people.left[won],
            right=people.right[won],
            budget=people.budget[won],
            q_floor=people.q_floor[won],
            q_ceiling=people.q_ceiling[won],
            joined_shift=people.joined_shift[won],
            usage=people.usage[won],
            annoyance=people.annoyance[won],
            ads_yield=people.ads_yield[won],
            seats=1.0,
            whole_seats=1.0,
            listed_usd=listed,
            promotion_usd=promotion,
            effective_usd=0.0,
            reference_budget=people.budget[won],
            demanded=0.0,
            rate=0.0,
            satisfaction=self.params.sampling.initial_satisfaction,
            relationship=self.params.sampling.initial_relationship,
            served_share=1.0,
            old_satisfaction=self.params.sampling.initial_satisfaction,
        )
        new = np.arange(rows.start, rows.stop)
        population.weighted |= bool((people.weight[won] > 1.0).any())
        self.count_accounts(new, 1)
        stored = promotion + self.ongoing_promotion(new, plan)
        population.promotion_usd[new] = stored
        population.effective_usd[new] = np.maximum(0.0, listed - stored)
        self.history.record_terms(self, new, starts=True)

    def remove_accounts(self, rows: Ints) -> None:
        """Take accounts out of the population."""
        if not len(rows):
            return
        population, leads = self.population, self.negotiations.leads
        self.count_accounts(rows, -1)
        if len(leads):
            firms = rows[population.lead[rows] >= 0]
            gone = population.lead[firms]
            leads.seats[gone], leads.account[gone] = population.seats[firms], -1
        self.drop_rows(rows)

    def drop_rows(self, rows: Ints) -> None:
        """Remove rows of the population; a lead's link follows its account."""
        population, leads = self.population, self.negotiations.leads
        _, moved_to = population.remove(rows)
        if len(leads):
            lead = population.lead[moved_to]
            leads.account[lead[lead >= 0]] = moved_to[lead >= 0]

    def members(self, rows: Ints, *values: Any) -> tuple[Any, ...]:
        """Rows of accounts and ids of all customers behind them, with values given by account.

        Returns:
            ([m] rows, [m] customer ids, [m] each of the values); without `max_agents` m = n.
        """
        population = self.population
        if not population.weighted:
            return rows, population.customer_id[rows], *values
        weight = population.weight[rows]
        each = np.repeat(np.arange(len(rows)), weight.astype(np.int64))
        ids = self.crowd.members(population.place[rows], weight)
        return rows[each], ids, *(column[each] for column in values)

    def count_accounts(self, rows: Ints, sign: int) -> None:
        """Add accounts to the count of their groups, or take them off it."""
        population = self.population
        counts = population.customers_by(population.group[rows], rows, len(population.accounts))
        population.accounts += sign * counts

    def ongoing_promotion(self, rows: Ints, plan: Ints | None = None) -> Floats:
        """Ongoing promotion of accounts, USD a month and seat.

        Args:
            rows: [n] accounts.
            plan: [n] the plan of each; all plans unless given.

        Returns:
            [n], or [3, n] without `plan`.
        """
        company, population = self.company, self.population
        table = self.group_promotion()
        if not (company.promotion_customer or table.any()):
            return np.zeros(len(rows) if plan is not None else (len(table), len(rows)))
        group = population.group[rows].astype(np.intp)
        if plan is None:
            promotion = table.take(group, axis=1)
        else:
            promotion = table.ravel().take(plan * table.shape[1] + group)
        if company.promotion_customer:
            ids = population.customer_id[rows]
            promotion += finance.account_values(company.promotion_customer, ids)
        return promotion

    def group_promotion(self) -> Floats:
        """[3, G] ongoing promotion of accounts without one of their own, USD a month and seat."""
        company = self.company
        table: Floats = company.promotion_group + company.promotion_group_plan.T
        table += company.promotion_global
        return table

    def own_post_multiplier(self) -> Floats:
        """[G] effect of the company's own posts on prospects."""
        return social.own_post_multiplier(self.market.post_strength, self.params.social)

    # --- snapshots ---

    def save(self) -> bytes:
        """The whole world as bytes; `restore` continues it bit for bit."""
        state = {
            "params": snapshots.to_plain(self.params),
            "rules": vars(self.rules),
            "events": snapshots.to_plain(self.replayed_events),
            "streams": self.streams.get_state(),
            "day": self.day,
            "bankrupt": self.bankrupt,
            "view_budget_shift": self.today.view.budget_shift,
            "company": snapshots.to_plain(self.company),
            "market": snapshots.to_plain(self.market),
            "real": self.population.real.str,
            "population": self.population.get_state(),
            "crowd": snapshots.to_plain(self.crowd.packed()),
            "negotiations": snapshots.to_plain(self.negotiations),
            "history": self.history.get_state(),
        }
        return snapshots.dump(SNAPSHOT_KIND, SNAPSHOT_VERSION, state)

    @classmethod
    def restore(cls, data: bytes, *, judge: Judge = judge.score_post) -> World:
        """The world that `save` wrote.

        Args:
            data: bytes from `save`.
            judge: scores the company's own posts from now on.

        Raises:
            SnapshotError: if the bytes are damaged or of another version.
        """
        state = snapshots.load(SNAPSHOT_KIND, SNAPSHOT_VERSION, data)
        history = state["history"]
        events = state["events"]
        world = cls(
            state["streams"]["seed"],
            params=snapshots.from_plain(Params, state["params"]),
            rules=Rules(**state["rules"]),
            record=history["level"],
            judge=judge,
            events=events and snapshots.from_plain(list[RecordedEvent], events),
            real=state["real"],
        )
        world.streams = Streams.from_state(state["streams"])
        world.day, world.bankrupt = state["day"], state["bankrupt"]
        world.company = snapshots.from_plain(Company, state["company"])
        world.market = snapshots.from_plain(Market, state["market"])
        world.negotiations = snapshots.from_plain(Negotiations, state["negotiations"])
        world.population.set_state(state["population"])
        world.crowd = snapshots.from_plain(Crowd, state["crowd"])
        world.history.set_state(history)
        view = View.of(world.company, world.market, world.params)
        world.today = Today(
            View(view.delivered, view.quality_shift, state["view_budget_shift"]),
            world.population.accounts.copy(),
        )
        return world


__all__ = ["InvalidDecision", "World"]
