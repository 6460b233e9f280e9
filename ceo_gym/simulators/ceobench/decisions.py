"""Everything a player can do, checked once (DESIGN section 2; tools.md 3 and 4).

A decision that cannot be carried out raises `InvalidDecision` and changes nothing. Settings act
from the next simulated day and stay until changed; purchases are paid at once, on the current day.
Results are plain dictionaries with the field names of the published tools.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np

from ceo_gym.simulators.ceobench import offers, product, research, social
from ceo_gym.simulators.ceobench.offers import Offers
from ceo_gym.simulators.ceobench.scopes import ScopeReader
from ceo_gym.simulators.ceobench.sections import CHANNELS, PLANS
from ceo_gym.simulators.ceobench.state import Company, Market, OwnPost
from ceo_gym.simulators.ceobench.validation import (
    InvalidDecision,
    customer_id,
    mapping,
    member,
    number,
    shown,
    whole,
)

if TYPE_CHECKING:
    from ceo_gym.simulators.ceobench.history import History
    from ceo_gym.simulators.ceobench.params import Params
    from ceo_gym.simulators.ceobench.rules import Rules
    from ceo_gym.simulators.ceobench.world import World
    from ceo_gym.simulators.common.streams import Streams

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])
Map = Mapping[Any, Any]


def _decision(method: F) -> F:
    """A method that can be called only while the game goes on."""

    @functools.wraps(method)
    def checked(self: Decisions, *args: Any, **kwargs: Any) -> Any:
        self._world.refuse_if_ended()
        return method(self, *args, **kwargs)

    return cast("F", checked)


class Decisions:
    """The decision methods of `World`."""

    params: Params
    rules: Rules
    streams: Streams
    day: int
    company: Company
    market: Market
    history: History

    @property
    def _world(self) -> World:
        """This object as the world that it always is."""
        return cast("World", self)

    # --- pricing and plan design ---

    @_decision
    def set_prices(
        self, *, A: float | None = None, B: float | None = None, C: float | None = None
    ) -> dict[str, Any]:
        """Set list prices in dollars a month (per seat), above 0; omitted plans keep theirs.

        New individuals see them from the next day, subscribers at their next bill; enterprises
        keep what was agreed.
        """
        high = self._limit(self.params.limits.max_price_usd)
        given = {
            plan: number(f"the price of {plan}", value, above=0.0, high=high, unit="USD a month")
            for plan, value in _given(A=A, B=B, C=C).items()
        }
        return self._set_plans(self.company.price_usd, given)

    @_decision
    def set_model_tiers(
        self, *, A: int | None = None, B: int | None = None, C: int | None = None
    ) -> dict[str, Any]:
        """Set the model tier (1 to 5) behind each plan; omitted plans keep theirs."""
        top = len(self.params.model_tiers.ids)
        given = {
            plan: whole(
                f"the model tier of {plan}", value, 1, top, true_counts=self.rules.loose_input
            )
            for plan, value in _given(A=A, B=B, C=C).items()
        }
        return self._set_plans(self.company.model_tier, given)

    @_decision
    def set_usage_quotas(
        self, *, A: float | None = None, B: float | None = None, C: float | None = None
    ) -> dict[str, Any]:
        """Set daily quotas in units per account (0 serves nothing); omitted plans keep theirs."""
        given = {
            plan: number(f"the quota of {plan}", value, low=0.0, unit="units a day")
            for plan, value in _given(A=A, B=B, C=C).items()
        }
        self._set_plans(self.company.quota_units, given)
        return {"quotas": _by_plan(self.company.quota_units)}

    @_decision
    def set_promotion(
        self,
        global_promotion: float | None = None,
        by_group: Map | None = None,
        by_customer: Map | None = None,
        by_group_plan: Map | None = None,
    ) -> dict[str, Any]:
        """Set ongoing discounts in dollars a month and seat; scopes add up.

        An omitted scope is kept, a given map replaces its scope. Without arguments: what is set.
        """
        read, company = self._scopes("promotion", "USD a month"), self.company
        everywhere = read.one(global_promotion, company.promotion_global)
        group = read.groups(by_group, company.promotion_group)
        customer = read.customers(by_customer, company.promotion_customer)
        plans = read.group_plans(by_group_plan, company.promotion_group_plan)
        company.promotion_global, company.promotion_group = everywhere, group
        company.promotion_customer, company.promotion_group_plan = customer, plans
        result = {
            "global": everywhere,
            "by_group": read.show_groups(group),
            "by_customer": dict(customer),
            "by_group_plan": read.show_group_plans(plans),
        }
        given = (global_promotion, by_group, by_customer, by_group_plan)
        return read.log("promotion", result, *given)

    @_decision
    def set_ads_strength(
        self,
        global_strength: float | None = None,
        by_group: Map | None = None,
        by_customer: Map | None = None,
    ) -> dict[str, Any]:
        """Set the strength of in-app advertising, 0 to 1; scopes add up to at most 1.

        An omitted scope is kept, a given map replaces its scope. Without arguments: what is set.
        """
        read, company = self._scopes("ads strength", "", high=1.0), self.company
        everywhere = read.one(global_strength, company.ads_strength_global)
        group = read.groups(by_group, company.ads_strength_group)
        customer = read.customers(by_customer, company.ads_strength_customer)
        company.ads_strength_global, company.ads_strength_group = everywhere, group
        company.ads_strength_customer = customer
        result = {
            "global": everywhere,
            "by_group": read.show_groups(group),
            "by_customer": dict(customer),
        }
        return read.log("ads_strength", result, global_strength, by_group, by_customer)

    # --- growth ---

    @_decision
    def set_targeted_ad_spend(self, targeted_spend: Map) -> dict[str, Any]:
        """Set advertising in dollars a day: ``{channel: {group: amount}}`` replaces everything.

        ``{group: {channel: amount}}`` is understood too. ``{}`` stops all advertising.
        """
        read = self._scopes("advertising spend", "USD a day", spend=True)
        spend = read.channel_groups(
            mapping("targeted_spend", targeted_spend, "{channel: {group: amount}}")
        )
        self.company.ads_spend_usd = spend
        self.history.record_settings(self._world)
        shown = read.show_channel_groups(spend)
        read.log("targeted_ad_spend", shown, targeted_spend)
        return {"targeted_spend": shown, "total_per_day": float(spend.sum())}

    @_decision
    def set_lead_promotion(
        self,
        global_promotion: float | None = None,
        by_group: Map | None = None,
        by_channel: Map | None = None,
        by_channel_group: Map | None = None,
    ) -> dict[str, Any]:
        """Set discounts on the first bill of new individuals, in dollars; scopes add up.

        An omitted scope is kept, a given map replaces its scope. Without arguments: what is set.
        """
        read, company = self._scopes("lead promotion", "USD"), self.company
        everywhere = read.one(global_promotion, company.lead_promotion_global)
        group = read.groups(by_group, company.lead_promotion_group)
        channel = read.channels(by_channel, company.lead_promotion_channel)
        cells = company.lead_promotion_channel_group
        if by_channel_group is not None:
            cells = read.channel_groups(mapping("by_channel_group", by_channel_group, "of maps"))
        company.lead_promotion_global, company.lead_promotion_group = everywhere, group
        company.lead_promotion_channel, company.lead_promotion_channel_group = channel, cells
        result = {
            "global": everywhere,
            "by_group": read.show_groups(group),
            "by_channel": read.show(channel, CHANNELS),
            "by_channel_group": read.show_channel_groups(cells),
        }
        given = (global_promotion, by_group, by_channel, by_channel_group)
        return read.log("lead_promotion", result, *given)

    @_decision
    def research_market(self) -> dict[str, Any]:
        """Pay for one attempt to find an unknown group; a find is known at once."""
        cost = self.params.research.discovery_cost_usd
        self._pay("market_research", cost)
        found = research.discover(self._world)
        return {"cost": cost} if found is None else {"cost": cost, "discovered_group_id": found}

    # --- quality and service ---

    @_decision
    def set_daily_spend(
        self, *, operations: float | None = None, development: float | None = None
    ) -> dict[str, Any]:
        """Set shared support (operations) and development in dollars a day; omitted ones stay."""
        high = self._limit(self.params.limits.max_spend_usd_per_day)
        given = {
            name: number(f"{name} spend", value, low=0.0, high=high, unit="USD a day")
            for name, value in _given(operations=operations, development=development).items()
        }
        company = self.company
        company.operations_usd = given.get("operations", company.operations_usd)
        company.development_usd = given.get("development", company.development_usd)
        self.history.record_settings(self._world)
        current = {"operations": company.operations_usd, "development": company.development_usd}
        return {"updated": given, "current": current}

    @_decision
    def set_targeted_dev_spend(self, targeted_spend: Map) -> dict[str, Any]:
        """Set development for single groups: ``{group: USD a day}`` replaces everything."""
        read = self._scopes("development spend", "USD a day", spend=True)
        groups = self.company.development_group_usd
        spend = read.groups(mapping("targeted_spend", targeted_spend, "{group: amount}"), groups)
        self.company.development_group_usd = spend
        shown = read.show_groups(spend)
        read.log("targeted_dev_spend", shown, targeted_spend)
        return {"targeted_spend": shown, "total_extra_per_day": float(spend.sum())}

    @_decision
    def set_targeted_ops_spend(
        self,
        targeted_spend: Map | None = None,
        *,
        by_group: Map | None = None,
        by_plan: Map | None = None,
        by_group_plan: Map | None = None,
        by_customer: Map | None = None,
    ) -> dict[str, Any]:
        """Set support for single groups, plans or customers in dollars a day.

        `targeted_spend` is another name of `by_group`. An omitted scope is kept, a given map
        replaces its scope. Without arguments: what is set.
        """
        if targeted_spend is not None and by_group is not None:
            raise InvalidDecision("unknown_key", "give targeted_spend or by_group, not both")
        read = self._scopes("support spend", "USD a day", spend=True)
        company = self.company
        chosen = by_group if targeted_spend is None else targeted_spend
        group = read.groups(chosen, company.support_group_usd)
        plan = read.plans(by_plan, company.support_plan_usd)
        cells = read.group_plans(by_group_plan, company.support_group_plan_usd)
        customer = read.customers(by_customer, company.support_customer_usd)
        company.support_group_usd, company.support_plan_usd = group, plan
        company.support_group_plan_usd, company.support_customer_usd = cells, customer
        result = {
            "by_group": read.show_groups(group),
            "by_plan": read.show(plan, PLANS),
            "by_group_plan": read.show_group_plans(cells),
            "by_customer": dict(customer),
        }
        read.log("targeted_ops_spend", result, chosen, by_plan, by_group_plan, by_customer)
        return result | {
            "total_extra_per_day": company.targeted_support_usd,
            "targeted_spend": result["by_group"],
        }

    @_decision
    def set_capacity_tier(self, tier: int) -> dict[str, Any]:
        """Set the capacity tier, 0 to 7; any jump is free and acts from the next day."""
        tiers = self.params.capacity_tiers
        top = len(tiers.ids) - 1
        tier = whole("the capacity tier", tier, 0, top, true_counts=self.rules.loose_input)
        self.company.capacity_tier = tier
        self.history.record_settings(self._world)
        return {
            "tier": tier,
            "capacity_units": float(tiers.capacity_units_per_day[tier]),
            "cost_per_day": float(tiers.cost_usd_per_day[tier]),
        }

    @_decision
    def start_research_project(self, tier: int) -> dict[str, Any]:
        """Pay for a research project, tier 1 to 20; its end and gain are fixed and told at once."""
        tiers, projects = self.params.research_tiers, self.market.projects
        loose = self.rules.loose_input
        tier = whole("the project tier", tier, 1, len(tiers.ids), true_counts=loose)
        same = projects.tier == tier
        if (same & (projects.finished_day < 0)).any():
            raise InvalidDecision("busy", f"a project of tier {tier} is still running")
        cost = float(tiers.cost_usd[tier - 1])
        self._pay("research_project", cost)
        count = int(same.sum())
        duration, quality = product.draw_project(tier, count, self.params, self.streams)
        projects.append(
            1,
            tier=tier,
            count=count,
            started_day=self.day,
            due_day=self.day + duration,
            finished_day=-1,
            quality=quality,
        )
        return {
            "project_id": f"t{tier}_{count}",
            "tier": tier,
            "name": tiers.label[tier - 1],
            "cost": cost,
            "expected_completion_day": self.day + duration,
            "expected_duration_days": duration,
            "expected_quality_boost": quality,
        }

    # --- information and communication ---

    @_decision
    def research_group(self, group_id: str, target_level: int | None = None) -> dict[str, Any]:
        """Pay for research of a known group, to level 2 to 5; it is done some days later.

        Without a level: level 2, or a refresh of a higher one.
        """
        g = self._known_group(group_id)
        market, levels = self.market, self.params.info_levels
        current, top = int(market.info_level[g]), len(levels.ids) - 1
        level = max(current, 2)
        if target_level is not None:
            loose = self.rules.loose_input
            level = whole("the target level", target_level, 2, top, true_counts=loose)
        if level < current:
            raise InvalidDecision(
                "out_of_range", f"{group_id} is at level {current}; the target must not be lower"
            )
        studies = market.studies
        if ((studies.group == g) & ~studies.done).any():
            raise InvalidDecision("busy", f"research of {group_id} is still running")
        self._pay("group_research", float(levels.cost_usd[level]))
        due = self.day + int(levels.delay_days[level])
        studies.append(1, group=g, level=level, started_day=self.day, due_day=due, done=False)
        return {
            "group_id": group_id,
            "new_level": level,
            "expected_completion_day": due,
            "is_refresh": level == current,
        }

    def group_insights(self, group_id: str) -> dict[str, Any]:
        """The noisy report about a known group, as of its last research (market.md 8.3)."""
        return research.insights(self._world, self._known_group(group_id))

    @_decision
    def post_social_media(
        self, content: str, reply_to_post_id: int | None = None
    ) -> dict[str, Any]:
        """Publish a text of at most 280 characters; one post a day, felt from the next.

        The world's judge reads it at once; what it thinks becomes known and acts at the end of the
        next day.
        """
        limit, posts = self.params.social.post_max_characters, self.market.own_posts
        if not isinstance(content, str):
            raise InvalidDecision("wrong_type", f"the content must be a text, not {shown(content)}")
        if not 1 <= len(content) <= limit or not content.strip():
            raise InvalidDecision(
                "out_of_range", f"a post has 1 to {limit} characters, not {len(content)}"
            )
        try:
            content.encode()
        except UnicodeEncodeError as error:  # half of a pair; the tables could not hold it
            raise InvalidDecision(
                "wrong_type", "the content has a broken character (half of a surrogate pair)"
            ) from error
        reply = 0
        if reply_to_post_id is not None:
            reply = customer_id(reply_to_post_id, what="a post id")
            last = len(self.history.posts)
            if not 1 <= reply <= last:
                text = f"there are posts 1 to {last}" if last else "there is no public post yet"
                raise InvalidDecision("not_found", f"no post {reply} to reply to; {text}")
        if posts and posts[-1].day == self.day:
            raise InvalidDecision("limit_reached", "one post a day; the next can follow next week")
        score = social.judge_text(self._world, content, is_reply=reply > 0)
        groups = len(self.params.groups.ids)
        posts.append(OwnPost(self.day, content, reply, score, np.zeros(groups), np.zeros(groups)))
        return {
            "agent_post_id": len(posts),
            "day": self.day,
            "content": content,
            "reply_to_post_id": reply or None,
        }

    # --- enterprise sales ---

    @_decision
    def send_offers(self, deals: Any) -> dict[str, Any]:
        """Offer plans and prices per seat to enterprises, in their thread or in a new one.

        Args:
            deals: a list of ``[customer_id, [[plan, price], …]]`` or of
                ``{"customer_id": …, "offerings": [{"plan": …, "price_per_seat": …}]}``, or
                `Offers` for many at once. At most three offers a customer count.

        Returns:
            ``results``: for each deal ``customer_id`` and ``success`` or ``error``.

        Raises:
            InvalidDecision: if no deal can be sent.
        """
        batch = deals if isinstance(deals, Offers) else offers.read(deals, self.rules)
        return offers.send(self._world, batch)

    @_decision
    def reject_offers(self, deals: Any) -> dict[str, Any]:
        """Close open threads: new leads are lost, subscribers keep their terms.

        Args:
            deals: a list of customer ids (also as ``[id]`` or ``{"customer_id": id}``).

        Returns:
            ``results`` as of `send_offers`.

        Raises:
            InvalidDecision: if no thread can be closed.
        """
        return offers.reject(self._world, offers.read_ids(deals))

    # --- helpers ---

    def _set_plans(self, target: np.ndarray, given: dict[str, Any]) -> dict[str, Any]:
        for plan, value in given.items():
            target[PLANS.index(plan)] = value
        self.history.record_settings(self._world)
        return {"updated": given, "current": _by_plan(target)}

    def _limit(self, limit: float) -> float:
        return np.inf if self.rules.loose_input else limit

    def _scopes(
        self, what: str, unit: str, *, high: float | None = None, spend: bool = False
    ) -> ScopeReader:
        """A reader of scope maps with the upper limit of this kind of amount."""
        limits = self.params.limits
        if high is None:
            high = self._limit(limits.max_spend_usd_per_day if spend else limits.max_price_usd)
        return ScopeReader(self._world, what, unit, high)

    def _known_group(self, group_id: Any) -> int:
        """Position of a discovered group.

        Raises:
            InvalidDecision: `unknown_key` or `not_discovered`.
        """
        g = self.params.groups.index[member("group", group_id, self.params.groups.ids)]
        if not self.market.info_level[g] > 0:
            known = [i for i, yes in zip(self.params.groups.ids, self.market.discovered) if yes]
            raise InvalidDecision(
                "not_discovered",
                f"group {group_id} is not discovered yet; known so far: {', '.join(known)}",
            )
        return g

    def _pay(self, category: str, cost: float) -> None:
        """Book a purchase on the current day.

        Raises:
            InvalidDecision: `insufficient_funds`.
        """
        if self.company.cash_usd < cost:
            raise InvalidDecision(
                "insufficient_funds",
                f"this costs ${cost:,.0f} and cash is ${self.company.cash_usd:,.0f}",
            )
        self._world.book(category, -cost)
        self.history.record_purchase(self.day, category, -cost)


def _given(**values: T | None) -> dict[str, T]:
    """The arguments that were given.

    Raises:
        InvalidDecision: `missing_argument` if there is none.
    """
    given = {name: value for name, value in values.items() if value is not None}
    if not given:
        raise InvalidDecision("missing_argument", f"give at least one of {', '.join(values)}")
    return given


def _by_plan(values: np.ndarray) -> dict[str, Any]:
    return dict(zip(PLANS, values.tolist()))
