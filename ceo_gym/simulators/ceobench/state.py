"""The state of the world, typed: what would have to be written down to continue it tomorrow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ceo_gym.simulators.ceobench import economy
from ceo_gym.simulators.ceobench.codes import LEAD
from ceo_gym.simulators.ceobench.customers import delivered_quality
from ceo_gym.simulators.ceobench.economy import Multipliers, Reading
from ceo_gym.simulators.ceobench.params import Params
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.common.rows import TOGETHER, Bools, Floats, Ints, Rows, counts_by, sums_by

F8, F4 = np.float64, np.float32
CHUNK = 16_384  # accounts whose columns are worked on together

I1, I2, I4, I8 = np.int8, np.int16, np.int32, np.int64


def truncated(seats: Floats) -> Floats:
    """Whole seats of a real seat number, at least 1."""
    return np.maximum(1.0, np.floor(seats))


@dataclass
class Company:
    """Cash and standing settings. G = 26 groups, 3 plans, 5 channels."""

    cash_usd: float
    price_usd: Floats  # [3] list price a month (per seat)
    model_tier: Ints  # [3] 1 to 5
    quota_units: Floats  # [3] units a day and account
    ads_spend_usd: Floats  # [5, G] a day
    development_group_usd: Floats  # [G] a day
    support_group_usd: Floats  # [G] a day
    support_plan_usd: Floats  # [3] a day
    support_group_plan_usd: Floats  # [G, 3] a day
    ads_strength_group: Floats  # [G] in-app, 0 to 1
    promotion_group: Floats  # [G] USD/month
    promotion_group_plan: Floats  # [G, 3] USD/month
    lead_promotion_group: Floats  # [G] USD
    lead_promotion_channel: Floats  # [5] USD
    lead_promotion_channel_group: Floats  # [5, G] USD
    capacity_tier: int = 0
    operations_usd: float = 0.0  # a day
    development_usd: float = 0.0  # a day
    ads_strength_global: float = 0.0
    promotion_global: float = 0.0
    lead_promotion_global: float = 0.0
    support_customer_usd: dict[int, float] = field(default_factory=dict)  # id -> USD/day
    ads_strength_customer: dict[int, float] = field(default_factory=dict)  # id -> 0 to 1
    promotion_customer: dict[int, float] = field(default_factory=dict)  # id -> USD/month
    next_customer_id: int = 2  # 1 is the author of commentary

    @classmethod
    def founded(cls, params: Params) -> Company:
        """The company of day 0: cash, and every setting at zero or the lowest tier."""
        groups, plans, channels = len(params.groups.ids), len(PLANS), len(CHANNELS)
        return cls(
            cash_usd=params.company.initial_cash_usd,
            price_usd=np.zeros(plans),
            model_tier=np.ones(plans, np.int64),
            quota_units=np.zeros(plans),
            ads_spend_usd=np.zeros((channels, groups)),
            development_group_usd=np.zeros(groups),
            support_group_usd=np.zeros(groups),
            support_plan_usd=np.zeros(plans),
            support_group_plan_usd=np.zeros((groups, plans)),
            ads_strength_group=np.zeros(groups),
            promotion_group=np.zeros(groups),
            promotion_group_plan=np.zeros((groups, plans)),
            lead_promotion_group=np.zeros(groups),
            lead_promotion_channel=np.zeros(channels),
            lead_promotion_channel_group=np.zeros((channels, groups)),
        )

    @property
    def targeted_support_usd(self) -> float:
        """All targeted support spend a day."""
        return float(
            self.support_group_usd.sum()
            + self.support_plan_usd.sum()
            + self.support_group_plan_usd.sum()
            + sum(self.support_customer_usd.values())
        )


class Projects(Rows):
    """Research projects, in the order of their start."""

    tier: Annotated[Ints, I4]
    count: Annotated[Ints, I4]  # of that tier, from 0
    started_day: Annotated[Ints, I4]
    due_day: Annotated[Ints, I4]
    finished_day: Annotated[Ints, I4]  # -1 while running
    quality: Annotated[Floats, F8]


class GroupStudies(Rows):
    """Running and finished research of single groups."""

    group: Annotated[Ints, I4]
    level: Annotated[Ints, I4]
    started_day: Annotated[Ints, I4]
    due_day: Annotated[Ints, I4]
    done: Annotated[Bools, np.bool_]


@dataclass
class OwnPost:
    """A public post of the company."""

    day: int
    content: str
    reply_to_post_id: int  # 0 = none
    score: Floats  # [G] the judge's opinion
    effect: Floats  # [G] what came of it in the groups known the day after, zeros until then
    views: Floats  # [G]
    judged: bool = False


@dataclass
class Market:
    """Everything outside the company that moves. G = 26 groups, 5 channels."""

    index: float  # business cycle, PMI scale
    multipliers: Multipliers
    quality_group: Floats  # [G] targeted quality bonus
    shift_group: Floats  # [G] extra shift of quality expectations
    budget_shift: Floats  # [G] USD/month
    bank_group: Floats  # [G] improvements competitors have not caught up with
    effectiveness: Floats  # [5, G] prospects per spend unit and day
    reputation: Floats  # [G]
    info_level: Ints  # [G] 0 undiscovered to 5
    discovered_day: Ints  # [G] -1 = not
    researched_day: Ints  # [G] last completed research, -1 = none
    snapshot_day: Ints  # [G] -1 = none
    snapshot_budget: Floats  # [G]
    snapshot_floor: Floats  # [G]
    snapshot_cap: Floats  # [G]
    post_strength: Floats  # [G] decaying sum of own posts' effects
    quality_shared: float = 0.0
    shift_shared: float = 0.0
    bank_shared: float = 0.0
    discovery_attempts: int = 0
    projects: Projects = field(default_factory=Projects)
    studies: GroupStudies = field(default_factory=GroupStudies)
    own_posts: list[OwnPost] = field(default_factory=list)
    published: list[Reading] = field(default_factory=list)
    competitor_events: list[tuple[int, float]] = field(default_factory=list)  # day, shift

    @classmethod
    def opened(cls, params: Params) -> Market:
        """The market of day 0."""
        g = params.groups
        n = len(g.ids)
        known = g.visible_at_start > 0
        return cls(
            index=params.economy.initial_index,
            multipliers=economy.neutral_multipliers(params),
            quality_group=np.zeros(n),
            shift_group=np.zeros(n),
            budget_shift=np.zeros(n),
            bank_group=np.zeros(n),
            effectiveness=params.influence.effectiveness.copy(),
            reputation=np.full(n, params.reputation.initial),
            info_level=known.astype(np.int64),
            discovered_day=np.where(known, 0, -1),
            researched_day=np.full(n, -1),
            snapshot_day=np.where(known, 0, -1),
            snapshot_budget=np.where(known, g.budget_mean_usd, 0.0),
            snapshot_floor=np.where(known, g.q_floor_mean, 0.0),
            snapshot_cap=np.where(known, g.market_cap_base, 0.0),
            post_strength=np.zeros(n),
        )

    @property
    def discovered(self) -> Bools:
        """[G] groups the company knows."""
        return self.info_level > 0

    @property
    def quality_shift(self) -> Floats:
        """[G] shift of expectations a customer of each group feels."""
        return self.shift_shared + self.shift_group

    def product_quality(self, params: Params) -> Floats:
        """[G] base + shared + group quality."""
        return params.product.base_quality + self.quality_shared + self.quality_group


class Population(Rows):
    """Active accounts: individuals and enterprises that subscribe.

    Money is float64; attributes and moods are float32 unless `real` says otherwise, which halves
    the memory and the time of a day.
    """

    customer_id: Annotated[Ints, I4, TOGETHER]
    group: Annotated[Ints, I1]
    plan: Annotated[Ints, I1]  # set by `set_plan` only
    cell: Annotated[Ints, I8]  # plan x G + group, the index of tables in the hot paths
    anchor: Annotated[Ints, I1]  # billing day mod 30
    start_day: Annotated[Ints, I4]
    issue_days: Annotated[Ints, I4]  # age of the open issue, 0 = none
    lead: Annotated[Ints, I4, TOGETHER]  # row in Negotiations.leads, -1 for individuals
    weight: Annotated[Floats, F4]  # customers that the row stands for, see `crowd`
    # of its members in `crowd.Crowd.ids`
    place: Annotated[Ints, I4, TOGETHER]
    # whole seats of the last deal or bill, as the books have it
    billed_seats: Annotated[Ints, I4, TOGETHER]
    week_full: Annotated[Ints, I1]  # days of the running week with the quota used up
    week_units: Annotated[Floats, F4]  # units served in the running week
    first_bill_done: Annotated[Bools, np.bool_]
    left: Annotated[Floats, F4, TOGETHER]
    right: Annotated[Floats, F4, TOGETHER]
    budget: Annotated[Floats, F4, TOGETHER]  # own, USD/month per seat
    q_floor: Annotated[Floats, F4, TOGETHER]
    q_ceiling: Annotated[Floats, F4, TOGETHER]
    # part of floor and ceiling that is a stored shift
    joined_shift: Annotated[Floats, F4, TOGETHER]
    usage: Annotated[Floats, F4, TOGETHER]  # units/day per seat
    annoyance: Annotated[Floats, F4]
    seats: Annotated[Floats, F4]  # real number
    whole_seats: Annotated[Floats, F4]  # truncated, at least 1
    reference_budget: Annotated[Floats, F4, TOGETHER]  # of the last bill
    demanded: Annotated[Floats, F4]  # own quality demand, see satisfaction.refresh_demanded
    rate: Annotated[Floats, F4]  # usage rate of the billing period, units/day
    satisfaction: Annotated[Floats, F4]
    relationship: Annotated[Floats, F4]
    ads_yield: Annotated[Floats, F8]  # USD/day per seat and ads load
    listed_usd: Annotated[Floats, F8, TOGETHER]  # before promotions
    promotion_usd: Annotated[Floats, F8, TOGETHER]
    effective_usd: Annotated[Floats, F8]  # paid, per month and seat
    # of the running day
    served_share: Annotated[Floats, F4]  # phi, the served share of the demand
    old_satisfaction: Annotated[Floats, F4]  # yesterday's

    growth: ClassVar[float] = 1.2  # the one table whose size counts: it is as large as the company

    def __init__(self, groups: int, real: DTypeLike = F4) -> None:
        super().__init__(capacity=64, real=real)
        self.accounts: Ints = np.zeros(groups, np.int64)  # [G] active accounts a group
        self.weighted = False  # whether any row stands for more than one customer

    def append(self, count: int, /, **columns: Any) -> slice:
        """Add accounts; `cell` follows from plan and group, whatever is given for it.

        Returns:
            The slice of the new rows.
        """
        plan, group = np.asarray(columns["plan"], np.int64), np.asarray(columns["group"], np.int64)
        return super().append(count, **columns | {"cell": plan * len(self.accounts) + group})

    def set_plan(self, rows: Ints, plan: Ints) -> None:
        """Move accounts to other plans."""
        self.plan[rows] = plan
        self.cell[rows] = plan * len(self.accounts) + self.group[rows]

    def chunks(self) -> Iterator[slice]:
        """All rows, in portions whose columns stay in a processor's cache."""
        for start in range(0, self.size, CHUNK):
            yield slice(start, min(start + CHUNK, self.size))

    def weights(self, rows: Ints | slice = slice(None)) -> Floats | None:
        """[n] how many customers rows stand for; None if it is one for all."""
        return self.weight[rows] if self.weighted else None

    def times_weight(self, values: Any, rows: Ints | slice = slice(None)) -> Any:
        """[n] values of rows times the customers they stand for."""
        return values * self.weight[rows] if self.weighted else values

    def customers(self, rows: Ints) -> int:
        """The customers that rows stand for."""
        return int(self.weight[rows].sum(dtype=np.float64)) if self.weighted else len(rows)

    def customers_by(self, label: Ints, rows: Ints | slice, count: int) -> Ints:
        """[count] customers behind rows, by a label of each row."""
        return counts_by(label, self.weights(rows), count)

    def by_cell(self, values: Floats, part: slice) -> Floats:
        """[3 G] sums of a chunk's values over all customers behind them."""
        cells = len(PLANS) * len(self.accounts)
        return sums_by(self.cell[part], self.times_weight(values, part), cells)

    def begin_week(self) -> None:
        """Count the usage of a new week from zero."""
        self.week_units[:] = 0.0
        self.week_full[:] = 0

    def set_state(self, state: dict[str, NDArray[np.generic]]) -> None:
        """Replace all rows, and count the accounts anew."""
        super().set_state(state)
        self.weighted = bool((self.weight != 1.0).any())
        self.accounts = self.customers_by(self.group, slice(None), len(self.accounts))


class Leads(Rows):
    """Enterprises that ever opened a negotiation, in order of arrival."""

    customer_id: Annotated[Ints, I4]
    group: Annotated[Ints, I1]
    status: Annotated[Ints, I1]
    created_day: Annotated[Ints, I2]
    contract_end_day: Annotated[Ints, I4]  # of the last deal, -1 = none
    account: Annotated[Ints, I4]  # row in Population, -1 unless subscribed
    thread: Annotated[Ints, I4]  # the open thread, -1 = none
    left: Annotated[Floats, F8, TOGETHER]
    right: Annotated[Floats, F8, TOGETHER]
    budget: Annotated[Floats, F8, TOGETHER]
    q_floor: Annotated[Floats, F8, TOGETHER]
    q_ceiling: Annotated[Floats, F8, TOGETHER]
    joined_shift: Annotated[Floats, F8, TOGETHER]
    usage: Annotated[Floats, F8, TOGETHER]
    lockin: Annotated[Floats, F8, TOGETHER]
    annoyance: Annotated[Floats, F8, TOGETHER]
    ads_yield: Annotated[Floats, F8, TOGETHER]
    seats: Annotated[Floats, F8, TOGETHER]
    decision_noise: Annotated[Floats, F8, TOGETHER]  # nu, sticky
    reply_mean_days: Annotated[Floats, F8, TOGETHER]
    reply_sd_days: Annotated[Floats, F8, TOGETHER]
    offer_factor: Annotated[Floats, F8, TOGETHER]
    patience_turns: Annotated[Floats, F8, TOGETHER]
    relationship: Annotated[Floats, F8, TOGETHER]  # until the deal; then the account's counts


class Threads(Rows):
    """Negotiations; the last message carries the state."""

    lead: Annotated[Ints, I4]
    kind: Annotated[Ints, I1]
    state: Annotated[Ints, I1]
    turn: Annotated[Ints, I2]  # of the last message
    sender: Annotated[Ints, I1]
    day: Annotated[Ints, I2]
    previous_sender: Annotated[Ints, I1]  # of the message before, -1 = none
    previous_day: Annotated[Ints, I2]
    customer_day: Annotated[Ints, I2]  # newest customer message, -1 = none
    reply_day: Annotated[Ints, I2]  # when the customer answers, -1 = not waiting
    offer_plan: Annotated[Ints, np.dtype((I1, 3))]  # of the last player message, -1 = unused
    offer_usd: Annotated[Floats, np.dtype((F8, 3))]
    asked_plan: Annotated[Ints, I1]  # of the last customer message, -1 = none
    asked_usd: Annotated[Floats, F8]  # nan = none
    repeats_from: Annotated[Ints, I2]  # quirk N5: day from which the loss repeats, -1 = never


@dataclass
class Negotiations:
    """All enterprise sales."""

    leads: Leads = field(default_factory=Leads)
    threads: Threads = field(default_factory=Threads)
    deals: int = 0  # accepted so far
    lead_lost_notices: int = 0
    oldest_open: int = 0  # row in `threads`; all before it are closed, and stay so
    repeating: Ints = field(default_factory=lambda: np.zeros(0, np.int64))  # quirk N5, rows
    rejected_leads: int = 0  # by the player since the last day
    rejected_accounts: int = 0  # likewise, cancelled by it (quirk N10 repaired)

    def subscribed(self) -> Ints:
        """Rows in `Population` of the enterprises that subscribe."""
        account = self.leads.account
        return account[account >= 0] if len(account) else account

    def open_leads_by_group(self, groups: int) -> Floats:
        """[G] enterprises in a first negotiation."""
        waiting = self.leads.group[self.leads.status == LEAD]
        return np.bincount(waiting, minlength=groups).astype(np.float64)


@dataclass(frozen=True)
class View:
    """What customers perceive on a day: quality and expectations at one moment (day_loop.md 3)."""

    delivered: Floats  # [3, G]
    quality_shift: Floats  # [G]
    budget_shift: Floats  # [G]

    @classmethod
    def of(cls, company: Company, market: Market, params: Params) -> View:
        """The values of this moment, copied."""
        multiplier = params.model_tiers.quality_multiplier[company.model_tier - 1]
        return cls(
            delivered_quality(multiplier, market.product_quality(params)),
            market.quality_shift,
            market.budget_shift.copy(),
        )
