"""What is written down: daily money and service always, business events and hidden rows on demand.

Three levels, chosen when a world is made:

* ``"none"``: totals a day and a week only (a week also by group, see `tally`), for training;
* ``"business"``: also every event that the company's own books would hold (arrivals, bills,
  departures, tickets, messages, notices, …), as append-only columns;
* ``"full"``: also one row a day with hidden state, see `daily`.

Wide tables that follow from these events (usage or in-app ads revenue of each account and day)
are not stored; whoever needs them derives them. Texts are made from these rows elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ceo_gym.simulators.ceobench import daily
from ceo_gym.simulators.ceobench.codes import AGENT, ARRIVAL_LOST, NOTICES, POSTS, TOPIC
from ceo_gym.simulators.ceobench.crowd import every_customer
from ceo_gym.simulators.ceobench.finance import CATEGORIES, CATEGORY, HORIZONS_DAYS
from ceo_gym.simulators.ceobench.records import (
    Arrivals,
    Bills,
    ChannelLeads,
    Declined,
    Departures,
    Discoveries,
    Issues,
    LostLeads,
    Messages,
    Notices,
    Predictions,
    PublicPosts,
    Purchases,
    Seats,
    Settings,
    Terms,
)
from ceo_gym.simulators.ceobench.results import DayResult
from ceo_gym.simulators.ceobench.sections import CHANNELS
from ceo_gym.simulators.ceobench.state import truncated
from ceo_gym.simulators.ceobench.tally import RUNNING, Tally
from ceo_gym.simulators.common import snapshots
from ceo_gym.simulators.common.rows import Bools, Floats, Ints, Rows

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.customers import Prospects
    from ceo_gym.simulators.ceobench.params import Params
    from ceo_gym.simulators.ceobench.world import World

LEVELS = ("none", "business", "full")


class History:
    """The records of one world."""

    def __init__(self, level: str, params: Params) -> None:
        if level not in LEVELS:
            raise ValueError(f"record must be one of {', '.join(LEVELS)}, not {level!r}")
        self.level = level
        days = params.clock.horizon_days + 1
        self.ledger_usd = np.zeros((days, len(CATEGORIES)))  # [T + 1, 12]
        self.ledger_count = np.zeros((days, len(CATEGORIES)), np.int64)  # entries behind it
        self.service = np.zeros((days, 6))  # [T + 1, 6], fields of service.ServiceDay
        self.capacity_tier = np.zeros(days, np.int64)  # [T + 1]
        self.cash_usd = np.full(days, np.nan)  # [T + 1] after each day
        self.cash_by_week: list[float] = [params.company.initial_cash_usd]
        self.weeks: list[DayResult] = []
        self.tally = Tally.empty(len(params.groups.ids))
        self.overrides: list[tuple[int, str, str]] = []  # day, setting, JSON of its full state
        self.settings, self.discoveries = Settings(), Discoveries()
        self.posts, self.predictions = PublicPosts(), Predictions()
        self.arrivals, self.declined, self.terms = Arrivals(), Declined(), Terms()
        self.bills, self.departures, self.lost_leads = Bills(), Departures(), LostLeads()
        self.seats, self.issues, self.messages = Seats(), Issues(), Messages()
        self.notice_rows, self.channel_leads = Notices(), ChannelLeads()
        self.purchases = Purchases()
        self.daily = np.full((days, len(daily.COLUMNS)) if level == "full" else (0, 0), np.nan)

    @property
    def business(self) -> bool:
        """Whether business events are kept."""
        return self.level != "none"

    def day_rows(self) -> dict[str, Floats]:
        """The full record: column -> values of the days played so far (record ``"full"`` only).

        Raises:
            ValueError: at another record level.
        """
        if self.level != "full":
            raise ValueError('hidden daily rows need a world with record="full"')
        played = ~np.isnan(self.daily[:, 0])
        rows = {name: self.daily[played, i] for i, name in enumerate(daily.COLUMNS)}
        ended = np.bincount(self.departures.end_day, minlength=len(played))[: len(played)]
        return rows | daily.money(self.ledger_usd[played]) | {"churn_all": ended[played]}

    # --- small records, kept at every level ---

    def post(
        self,
        day: int,
        kind: str,
        topics: list[str],
        *,
        customer_id: list[int] | int = 1,
        group: list[int] | int = -1,
        sentiment: list[int] | int = 0,
        intensity: list[int] | int = 0,
        value: float = np.nan,
        reply_to: int = 0,
    ) -> None:
        """Write public posts of one kind, one for each of the topics."""
        if topics:
            self.posts.append(
                len(topics),
                day=day,
                kind=POSTS.index(kind),
                customer_id=customer_id,
                group=group,
                topic=[TOPIC[topic] for topic in topics],
                sentiment=sentiment,
                intensity=intensity,
                value=value,
                reply_to=reply_to,
            )

    def record_settings(self, world: World) -> None:
        """Keep the settings in force after a change; one row a day, the last one stands."""
        company, settings = world.company, self.settings
        row: dict[str, Any] = {
            "day": world.day,
            "price_usd": company.price_usd,
            "model_tier": company.model_tier,
            "quota_units": company.quota_units,
            "capacity_tier": company.capacity_tier,
            "operations_usd": company.operations_usd,
            "development_usd": company.development_usd,
            "ads_usd": company.ads_spend_usd.sum(axis=1),
        }
        if len(settings) and settings.day[-1] == world.day:
            for name, value in row.items():
                getattr(settings, name)[-1] = value
        else:
            settings.append(1, **{name: np.asarray(value)[None] for name, value in row.items()})

    def record_forecast(self, day: int, forecast: Floats) -> None:
        """Keep the four forecasts of a week: rows of point, lower, upper."""
        self.predictions.append(
            len(HORIZONS_DAYS),
            day=day,
            horizon_days=HORIZONS_DAYS,
            point_usd=forecast[:, 0],
            lower_usd=forecast[:, 1],
            upper_usd=forecast[:, 2],
        )

    # --- business events ---

    def notice(self, day: int, type_: str, *, ref: int = 0, value: float = np.nan) -> None:
        """One notice."""
        self.notices(day, type_, [ref], value=value)

    def notices(
        self,
        day: int,
        type_: str,
        refs: NDArray[Any] | list[int],
        *,
        kind: int = 0,
        value: Floats | float = np.nan,
    ) -> None:
        """Several notices of one type."""
        if self.business and len(refs):
            self.notice_rows.append(
                len(refs), day=day, type=NOTICES.index(type_), ref=refs, kind=kind, value=value
            )

    def record_purchase(self, day: int, category: str, amount_usd: float) -> None:
        """One purchase of the player, as it is in the ledger."""
        if self.business:
            self.purchases.append(1, day=day, category=CATEGORY[category], amount_usd=amount_usd)

    def record_arrivals(
        self,
        world: World,
        prospects: Prospects,
        ids: Ints,
        sources: Ints,
        outcome: Ints,
    ) -> None:
        """All prospects of a day."""
        lost = outcome == ARRIVAL_LOST
        self.tally.arrived(prospects.group, prospects.weight)
        self.tally.left_before_deal(prospects.group[lost], prospects.weight[lost])
        if self.business:
            each, ids = every_customer(ids, prospects.weight)
            self.arrivals.append(
                len(ids),
                customer_id=ids,
                day=world.day,
                group=prospects.group[each],
                source=sources[each],
                outcome=outcome[each],
                seats=prospects.seats[each],
                usage=prospects.usage[each],
                budget=prospects.budget[each],
                ads_yield=prospects.ads_yield[each],
            )

    def record_declined(
        self, world: World, ids: Ints, weight: Floats, plan: Ints, promotion: Floats
    ) -> None:
        """Individuals who turned the offer down."""
        if self.business and len(ids):
            each, ids = every_customer(ids, weight)
            plan, promotion = plan[each], promotion[each]
            self.declined.append(
                len(ids),
                customer_id=ids,
                day=world.day,
                end_day=-1 if world.rules.declined_without_end_day else world.day,
                plan=plan,
                listed_usd=world.company.price_usd[plan],
                promotion_usd=promotion,
            )

    def record_terms(self, world: World, rows: Ints, starts: Bools | bool) -> None:
        """New terms of accounts: sign-ups, deals, plan changes."""
        if starts is False and not self.business:
            return
        if len(rows) and np.any(starts):
            p, new = world.population, rows if isinstance(starts, bool) else rows[starts]
            self.tally.began(p.group[new], p.plan[new], p.weights(new))
        if self.business and len(rows):
            p, starts = world.population, np.broadcast_to(starts, len(rows))
            rows, ids, starts = world.members(rows, starts)
            self.terms.append(
                len(rows),
                customer_id=ids,
                day=world.day,
                plan=p.plan[rows],
                listed_usd=p.listed_usd[rows],
                promotion_usd=p.promotion_usd[rows],
                effective_usd=p.effective_usd[rows],
                rate=p.rate[rows],
                seats=p.whole_seats[rows],
                starts=starts,
            )

    def record_bills(
        self, world: World, rows: Ints, payment: Floats | float, *, suspended: bool = False
    ) -> None:
        """The bills of a day."""
        if self.business and len(rows):
            p = world.population
            rows, ids, payment = world.members(rows, np.broadcast_to(payment, len(rows)))
            self.bills.append(
                len(rows),
                customer_id=ids,
                day=world.day,
                plan=p.plan[rows],
                payment_usd=payment,
                suspended=suspended,
                seats=p.whole_seats[rows],
                rate=p.rate[rows],
            )

    def record_departures(
        self,
        world: World,
        rows: Ints,
        reason: Ints | int,
        detail: Ints | int = 0,
    ) -> None:
        """Accounts that are about to be removed."""
        if not len(rows):
            return
        p = world.population
        cell = p.cell[rows]
        self.tally.ended(cell, p.weights(rows))
        last = self.weeks[-1].day if self.weeks else 0
        if world.day > last:  # else the player ended it between weeks, after the week was counted
            self.tally.used_before_leaving(
                cell,
                p.times_weight(p.week_units[rows], rows),
                p.times_weight(np.minimum(world.day - p.start_day[rows], world.day - last), rows),
                p.times_weight(p.week_full[rows], rows),
            )
        if not self.business:
            return
        if not world.rules.departed_issues_stay_open:
            self.record_issues(world, rows[p.issue_days[rows] > 0], closed=True, left=True)
        reason, detail = (np.broadcast_to(values, len(rows)) for values in (reason, detail))
        rows, ids, reason, detail = world.members(rows, reason, detail)
        end_day = np.full(len(rows), world.day)
        enterprise = p.lead[rows] >= 0
        contract_end = world.negotiations.leads.contract_end_day[p.lead[rows][enterprise]]
        end_day[enterprise] = np.maximum(contract_end, world.day)
        self.departures.append(
            len(rows),
            customer_id=ids,
            day=world.day,
            end_day=end_day,
            reason=reason,
            detail=detail,
            plan=p.plan[rows],
            listed_usd=p.listed_usd[rows],
            promotion_usd=p.promotion_usd[rows],
            effective_usd=p.effective_usd[rows],
            seats=p.billed_seats[rows],
            first_bill_done=p.first_bill_done[rows],
        )

    def record_lost_leads(self, world: World, leads: Ints) -> None:
        """Enterprises that end without a deal."""
        if len(leads):
            self.tally.left_before_deal(world.negotiations.leads.group[leads], None)
        if self.business and len(leads):
            ids = world.negotiations.leads.customer_id[leads]
            self.lost_leads.append(len(ids), customer_id=ids, day=world.day)

    def record_seats(self, world: World) -> None:
        """Seats of enterprise accounts after a drift."""
        if self.business:
            rows = (world.population.lead >= 0).nonzero()[0]
            ids, seats = world.population.customer_id[rows], world.population.seats[rows]
            self.seats.append(len(rows), customer_id=ids, day=world.day, seats=seats)

    def record_issues(
        self, world: World, rows: Ints, *, closed: bool = False, left: bool = False
    ) -> None:
        """Tickets opened or closed today."""
        if self.business and len(rows):
            p = world.population
            rows, ids = world.members(rows)
            self.issues.append(
                len(rows),
                customer_id=ids,
                day=world.day,
                group=p.group[rows],
                closed=closed,
                left=left,
            )

    def record_messages(self, world: World, threads: Ints) -> None:
        """The last message of each thread."""
        if not (self.business and len(threads)):
            return
        t, leads = world.negotiations.threads, world.negotiations.leads
        who = t.lead[threads]
        account = leads.account[who]
        seats = leads.seats[who]
        seats[account >= 0] = world.population.seats[account[account >= 0]]
        if world.rules.agent_messages_show_one_seat:
            seats[t.sender[threads] == AGENT] = 1.0
        self.messages.append(
            len(threads),
            thread=threads,
            customer_id=leads.customer_id[who],
            kind=t.kind[threads],
            turn=t.turn[threads],
            sender=t.sender[threads],
            day=world.day,
            offer_plan=t.offer_plan[threads],
            offer_usd=t.offer_usd[threads],
            asked_plan=t.asked_plan[threads],
            asked_usd=t.asked_usd[threads],
            seats=truncated(seats),
            state=t.state[threads],
        )

    def record_channels(self, world: World, by_source: Ints) -> None:
        """Prospects of the day for every channel and group with spend."""
        if not world.company.ads_spend_usd.any():
            return
        spend = world.company.ads_spend_usd * world.market.discovered
        prospects = np.where(spend > 0.0, by_source[: len(CHANNELS)], 0)
        self.tally.channel_prospects[RUNNING] += prospects
        self.tally.channel_spend_usd[RUNNING] += spend
        channel, group = np.nonzero(spend > 0.0)
        if self.business and len(channel):
            self.channel_leads.append(
                len(channel),
                day=world.day,
                channel=channel,
                group=group,
                prospects=by_source[: len(CHANNELS)][channel, group],
                spend_usd=spend[channel, group],
            )

    def get_state(self) -> dict[str, Any]:
        """Everything, as plain data."""
        return {name: snapshots.to_plain(value) for name, value in vars(self).items()}

    def set_state(self, state: dict[str, Any]) -> None:
        """Replace everything by what `get_state` gave."""
        for name, value in vars(self).items():
            if isinstance(value, Rows):
                value.set_state(state[name])
            else:
                setattr(self, name, state[name])
        self.weeks = snapshots.from_plain(list[DayResult], state["weeks"])
        self.tally = snapshots.from_plain(Tally, state["tally"])
        self.overrides = [(day, setting, text) for day, setting, text in state["overrides"]]
