"""The numbers of the company world, one frozen dataclass a subject.

The comment of a field gives its meaning, `par` its unit and legal range. Section numbers in the
docstrings point to where the equations that use the numbers stand in the specification. Values are
in the files of ``params/``; `params.Params` loads them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ceo_gym.simulators.common.parameters import freeze, par
from ceo_gym.simulators.common.rows import Bools, Floats

WEEK_DAYS = 7
MONTH_DAYS = 30  # billing cycle, drift and calendar months
PLANS = ("A", "B", "C")
CHANNELS = ("social_media", "search_ads", "linkedin", "content_marketing", "referral_program")
NETWORK = "network"  # the source of a prospect who was referred
SOURCES = (*CHANNELS, NETWORK)


@dataclass(frozen=True)
class Clock:
    """Horizon and calendar (day_loop.md 1)."""

    horizon_days: int = par("days", low=1, high=30_000)
    weekday_multiplier: Floats = par(low=0)  # [7], index day mod 7
    month_multiplier: Floats = par(low=0)  # [30], index day mod 30


@dataclass(frozen=True)
class CompanyStart:
    """Starting cash and the end by bankruptcy (day_loop.md 2, 6)."""

    initial_cash_usd: float = par("USD")
    ends_when_bankrupt: bool = par()  # false: play on below zero cash


@dataclass(frozen=True)
class Sampling:
    """How a customer is drawn (customers.md 3) and the first numbers of an account."""

    budget_floor_usd: float = par("USD/month", above=0)
    budget_sd_multiplier: float = par(low=0)
    positive_floor: float = par(above=0)  # of quality floor, span, lock-in, ads attributes
    usage_floor_units: float = par("units/day", low=0)
    left_steepness_mean: float = par(low=0)
    left_steepness_shift: float = par()
    left_steepness_min: float = par(above=0)
    left_steepness_max: float = par(above=0)
    right_steepness_mean: float = par(low=0)
    right_steepness_shift: float = par()
    right_steepness_min: float = par(above=0)
    right_steepness_max: float = par(above=0)
    decision_noise_low: float = par(low=0)  # factor on quality at the first decision
    decision_noise_high: float = par(low=0)
    initial_satisfaction: float = par()
    initial_relationship: float = par(low=0, high=1)
    usage_rate_relative_sd: float = par(low=0)


@dataclass(frozen=True)
class Curve:
    """The price-quality curve (customers.md 4); arguments are price over budget."""

    knee: float = par(above=0, high=1)
    left_centre: float = par()
    right_centre: float = par()
    gain: float = par(low=0)


@dataclass(frozen=True)
class Perceived:
    """Terms of perceived quality (customers.md 5)."""

    relationship_gain: float = par()
    relationship_neutral: float = par(low=0, high=1)
    tenure_gain: float = par()
    tenure_scale_days: float = par("days", above=0)
    issue_penalty_per_day: float = par("quality/day")
    ads_curve: float = par(above=0)
    overload_penalty: float = par("quality")
    outage_penalty: float = par("quality")


@dataclass(frozen=True)
class Acquisition:
    """How prospects arrive (market.md 3)."""

    spend_unit_usd: float = par("USD/day", above=0)
    lead_cost_usd: float = par("USD", low=0)
    saturation_exponent: float = par(above=0)
    growth_year_days: float = par("days", above=0)
    effectiveness_noise_sd: float = par(low=0)  # relative, monthly
    # technical ceiling, above the size of all markets together: what would come of spending
    # hundreds of millions a day is cut to it, in proportion
    max_prospects_per_day: float = par("prospects/day", above=0)


@dataclass(frozen=True)
class Surges:
    """Demand surges (market.md 5)."""

    probability_per_day: float = par(low=0, high=1)
    duration_min_days: int = par("days", low=1)
    duration_max_days: int = par("days", low=1)
    multiplier_min: float = par(low=0)
    multiplier_span: float = par(low=0)


@dataclass(frozen=True)
class Economy:
    """The business cycle, its publication and commentary (market.md 4, 9.5)."""

    initial_index: float = par()
    long_run_mean: float = par()
    cycle_amplitude: float = par()
    cycle_period_days: float = par("days", above=0)
    cycle_phase_rad: float = par()
    reversion_per_day: float = par(low=0, high=1)
    daily_sd: float = par(low=0)
    index_min: float = par()
    index_max: float = par()
    neutral_index: float = par()
    index_scale: float = par(above=0)
    multiplier_min: float = par(low=0)
    reading_interval_days: int = par("days", low=1)
    publication_delay_days: int = par("days", low=0)
    trend_min_strong_expansion: float = par()
    trend_min_expansion: float = par()
    trend_min_neutral: float = par()
    trend_min_contraction: float = par()
    phase_peak_min: float = par()
    phase_trough_below: float = par()
    commentary_gap_min_days: int = par("days", low=1)
    commentary_gap_max_days: int = par("days", low=1)
    commentary_size_min: int = par("posts", low=0)
    commentary_size_max: int = par("posts", low=0)


@dataclass(frozen=True)
class Competitors:
    """Competitor events (market.md 6) and posts about them (9.6)."""

    enabled: bool = par()
    grace_days: int = par("days", low=0)  # no event before this day
    late_cutoff_days: int = par("days", low=0)  # no event in the last days
    mean_interval_days: float = par("days", above=0)
    min_interval_days: float = par("days", low=0)
    first_half_stretch: float = par(above=0)
    size_log_mean: float = par()
    size_log_sd: float = par(low=0)
    size_min: float = par("quality", low=0)
    size_max: float = par("quality", low=0)
    ramp_end: float = par(low=0)  # factor on the size at the last possible day; 1 on day 1
    catch_up_min: float = par(low=0, high=1)  # share of the shared bank caught up with
    catch_up_max: float = par(low=0, high=1)
    targeted_leak_min: float = par(low=0, high=1)
    targeted_leak_max: float = par(low=0, high=1)
    post_days: int = par("days", low=0)  # after the day of the event
    posts_per_day: int = par("posts", low=0)
    post_noise: float = par(low=0, high=1)
    severity_moderate_min: float = par()
    severity_major_min: float = par()
    severity_transformative_min: float = par()


@dataclass(frozen=True)
class Product:
    """Quality investment and research projects (market.md 7)."""

    base_quality: float = par()
    shared_rate: float = par("quality", low=0)
    targeted_rate: float = par("quality", low=0)
    spend_scale_usd: float = par("USD/day", above=0)
    shared_noise_sd: float = par("quality", low=0)
    project_min_days: int = par("days", low=1)
    project_min_quality: float = par("quality", low=0)


@dataclass(frozen=True)
class Research:
    """Discovery of groups and reports about them (market.md 8)."""

    discovery_cost_usd: float = par("USD", low=0)
    discovery_probability: float = par(low=0, high=1)
    network_report_min: float = par(low=0)  # smallest rate that is reported
    reputation_report_min: float = par(low=0)


@dataclass(frozen=True)
class Service:
    """Overload, outage, latency and errors (customers.md 10)."""

    base_outage_probability: float = par(low=0, high=1)
    min_outage_probability: float = par(low=0, high=1)
    operations_scale_usd: float = par("USD/day", above=0)
    overload_factor: float = par(low=0)
    downtime_minutes: Floats = par("minutes", low=0)  # [k]
    downtime_probability: Floats = par(low=0, high=1)  # [k]
    latency_base_ms: float = par("ms")
    latency_per_overload_ms: float = par("ms")
    latency_sd_ms: float = par("ms", low=0)
    error_base: float = par()
    error_per_overload: float = par()
    error_sd: float = par(low=0)


@dataclass(frozen=True)
class Support:
    """Issues and their resolution (customers.md 11)."""

    issue_base_rate: float = par()
    issue_dissatisfaction_rate: float = par()
    issue_outage_rate: float = par()
    issue_probability_max: float = par(low=0, high=1)
    base_resolutions_per_day: float = par(low=0)
    individual_resolutions_per_usd: float = par(low=0)
    enterprise_resolutions_per_usd: float = par(low=0)
    boost_after_one_day: float = par()  # of the relationship, when resolved on the next day
    boost_after_two_days: float = par()
    relationship_decay_per_day: float = par(low=0)


@dataclass(frozen=True)
class Satisfaction:
    """Smoothed satisfaction (customers.md 12)."""

    weight_of_today: float = par(low=0, high=1)


@dataclass(frozen=True)
class Reputation:
    """Daily update, spill-over and damages (customers.md 13)."""

    initial: float = par()
    floor: float = par()
    ceiling: float = par()
    gain_per_account: float = par()
    negative_multiplier: float = par()
    min_own_change: float = par(low=0)
    spill_factor: float = par()
    min_spill_change: float = par(low=0)
    damage: float = par(low=0)
    damage_jitter_low: float = par()
    damage_jitter_high: float = par()
    damage_dissatisfaction_gain: float = par()


@dataclass(frozen=True)
class Drift:
    """Monthly drift of preferences (customers.md 14)."""

    grace_days: int = par("days", low=0)  # drift needs a later day than this
    budget_min_usd: float = par("USD/month", above=0)
    budget_max_usd: float = par("USD/month", above=0)
    left_steepness_min: float = par(above=0)
    left_steepness_max: float = par(above=0)


@dataclass(frozen=True)
class Enterprise:
    """Negotiation (enterprise.md)."""

    offer_factor_mean: float = par()
    offer_factor_sd: float = par(low=0)
    offer_factor_min: float = par()
    offer_factor_max: float = par()
    patience_min_turns: int = par("turns", low=0)
    reply_mean_sd_factor: float = par(low=0)
    reply_mean_min_days: float = par("days", low=0)
    reply_sd_sd_factor: float = par(low=0)
    reply_sd_min_days: float = par("days", low=0)
    concession_per_turn: float = par(low=0, high=1)
    deadline_days: int = par("days", low=1)
    quality_min: float = par()
    quality_max: float = par()
    late_reply_free_days: int = par("days", low=0)
    late_reply_penalty_per_day: float = par(low=0)
    deal_relationship_bonus: float = par()
    plan_change_min_gain: float = par()
    plan_change_gain_floor: float = par(above=0)
    plan_change_probability: float = par(low=0, high=1)
    reason_issue_days: int = par("days", low=0)
    reason_quality_below: float = par()


@dataclass(frozen=True)
class Social:
    """Public posts (market.md 9)."""

    posts_per_week: int = par("posts", low=0)
    extremity_gain: float = par()
    negative_gain: float = par()
    influencer_factor: float = par(low=0)
    newcomer_days: int = par("days", low=0)
    newcomer_factor: float = par(low=0)
    change_min: float = par(low=0)
    change_gain: float = par()
    trouble_gain: float = par()
    churn_weight: float = par(low=0)
    loss_weight: float = par(low=0)
    loss_satisfaction: float = par()
    intensity_mild_max: float = par(low=0)
    intensity_clear_max: float = par(low=0)
    post_max_characters: int = par("characters", low=1)
    viral_min: float = par(low=0)
    max_effect: float = par()
    half_life_days: float = par("days", above=0)
    multiplier_min: float = par(low=0)
    multiplier_max: float = par(low=0)
    views_base_min: float = par("views", low=0)
    views_per_account: float = par("views", low=0)
    views_at_threshold: float = par(above=0)
    views_at_one: float = par(above=0)
    views_log_sd: float = par(low=0)
    history_days: int = par("days", low=0)
    history_posts: int = par("posts", low=0)
    notice_positive_above: float = par()
    notice_negative_below: float = par()


@dataclass(frozen=True)
class Judge:
    """The scorer of the company's own posts (market.md 9.7)."""

    bias: float = par()
    audience_gain: float = par()
    specificity_gain: float = par()
    reply_gain: float = par()
    spam_cost: float = par()
    hostility_cost: float = par()
    bad_news_cost: float = par()
    repetition_cost: float = par()
    repetition_free: float = par(low=0, high=0.99)
    off_topic_cost: float = par()
    hits_for_full_topic: float = par(above=0)
    digit: float = par()
    unit: float = par()
    commitment: float = par()
    first_person: float = par()
    is_reply: float = par()
    courtesy: float = par()
    action: float = par()
    caps_ratio_above: float = par()
    caps: float = par()
    exclamations_free: float = par(low=0)
    per_exclamation: float = par()
    hashtags_free: float = par(low=0)
    per_hashtag: float = par()
    emoji_free: float = par(low=0)
    per_emoji: float = par()
    buzzwords_free: float = par(low=0)
    per_buzzword: float = par()
    bad_news_per_term: float = par()
    noise_sd: float = par(low=0)


@dataclass(frozen=True)
class Limits:
    """Upper limits of settings, in force unless ``rules.loose_input`` (tools.md 7.4)."""

    max_price_usd: float = par("USD", above=0)
    max_spend_usd_per_day: float = par("USD/day", above=0)


@dataclass(frozen=True)
class Groups:
    """The customer groups, one array entry a group in canonical order (customers.md 2)."""

    group_id: tuple[str, ...]
    name: tuple[str, ...]
    kind: tuple[str, ...]
    visible_at_start: Floats = par(low=0, high=1)
    q_floor_mean: Floats = par("quality")
    q_floor_sd: Floats = par("quality", low=0)
    q_span_mean: Floats = par("quality")
    q_span_sd: Floats = par("quality", low=0)
    budget_mean_usd: Floats = par("USD/month per seat")
    budget_sd_usd: Floats = par("USD/month per seat", low=0)
    usage_mean_units_per_day: Floats = par("units/day per seat")
    usage_sd_units_per_day: Floats = par("units/day per seat", low=0)
    market_cap_base: Floats = par("accounts", above=0)
    market_cap_growth_per_year: Floats = par("1/year")
    seats_min: Floats = par("seats", low=0)
    seats_max: Floats = par("seats", low=0)
    lockin_mean: Floats = par("quality/month")
    lockin_sd: Floats = par("quality/month", low=0)
    ads_annoyance_mean: Floats = par("quality per ads load")
    ads_annoyance_sd: Floats = par("quality per ads load", low=0)
    ads_yield_mean_usd: Floats = par("USD/day per seat and ads load")
    ads_yield_sd_usd: Floats = par("USD/day per seat and ads load", low=0)
    involuntary_churn_mean: Floats = par("1/month")
    involuntary_churn_sd: Floats = par("1/month", low=0)
    reply_delay_mean_days: Floats = par("days", low=0)
    reply_delay_sd_days: Floats = par("days", low=0)
    patience_mean_turns: Floats = par("turns")
    patience_sd_turns: Floats = par("turns", low=0)
    group_drift_budget_usd_per_day: Floats = par("USD/day")
    group_drift_quality_per_day: Floats = par("quality/day")
    own_drift_budget_rate_per_day: Floats = par("1/day")
    own_drift_quality_rate_per_day: Floats = par("1/day")
    own_drift_left_steepness_rate_per_day: Floats = par("1/day")
    own_drift_seats_rate_per_day: Floats = par("1/day")
    macro_beta_leads: Floats = par()
    macro_beta_budget: Floats = par()
    macro_beta_seats: Floats = par()
    macro_beta_deal_velocity: Floats = par()
    is_influencer: Floats = par(low=0, high=1)
    competitor_reaction: Floats = par(low=0)

    @property
    def ids(self) -> tuple[str, ...]:
        """Row names, for overrides of single cells."""
        return self.group_id

    @cached_property
    def index(self) -> dict[str, int]:
        """Group id -> position."""
        return {group: i for i, group in enumerate(self.group_id)}

    @cached_property
    def is_enterprise(self) -> Bools:
        """[G] whether a group negotiates."""
        return freeze(np.array([kind == "enterprise" for kind in self.kind]))

    @cached_property
    def betas(self) -> Floats:
        """[4, G] sensitivities to the business cycle: leads, budget, deal velocity, seats."""
        return freeze(
            np.stack(
                [
                    self.macro_beta_leads,
                    self.macro_beta_budget,
                    self.macro_beta_deal_velocity,
                    self.macro_beta_seats,
                ]
            )
        )


@dataclass(frozen=True)
class ModelTiers:
    """Model tiers 1 to 5; row k-1 is tier k (tools.md 3.2)."""

    ids: tuple[str, ...]
    cost_usd_per_unit: Floats = par("USD/unit", low=0)
    quality_multiplier: Floats = par(low=0)


@dataclass(frozen=True)
class CapacityTiers:
    """Capacity tiers 0 to 7 (tools.md 3.5)."""

    ids: tuple[str, ...]
    capacity_units_per_day: Floats = par("units/day", above=0)
    cost_usd_per_day: Floats = par("USD/day", low=0)


@dataclass(frozen=True)
class ResearchTiers:
    """Research projects 1 to 20; row k-1 is tier k (tools.md 4.3)."""

    ids: tuple[str, ...]
    label: tuple[str, ...]
    cost_usd: Floats = par("USD", low=0)
    duration_mean_days: Floats = par("days")
    duration_sd_days: Floats = par("days", low=0)
    quality_mean: Floats = par("quality")
    quality_sd: Floats = par("quality", low=0)


@dataclass(frozen=True)
class InfoLevels:
    """Information levels 0 to 5 (market.md 8.2)."""

    ids: tuple[str, ...]
    label: tuple[str, ...]
    noise_half_width: Floats = par(low=0)
    cost_usd: Floats = par("USD", low=0)
    delay_days: Floats = par("days", low=0)


@dataclass(frozen=True)
class Influence:
    """Matrices between groups and channels; row = source, column = target."""

    effectiveness: Floats = par("prospects/day per spend unit", low=0)  # [5 channels, G]
    referrals: Floats = par("prospects/day per account", low=0)  # [G, G]
    spillover: Floats = par()  # [G, G]

    @cached_property
    def largest_spillover(self) -> Floats:
        """[G] size of the largest weight of each source on another group."""
        others = np.abs(self.spillover) * ~np.eye(len(self.spillover), dtype=np.bool_)
        return freeze(others.max(axis=1))


@dataclass(frozen=True)
class PostTables:
    """Moods of customer posts and the judge's word lists (market.md 9.3, 9.7)."""

    sentiment_min: Floats = par()  # [5] smallest satisfaction of the row, descending, the last -inf
    sentiment_probability: Floats = par()  # [5, 3] positive, neutral, negative
    topics: tuple[str, ...] = par()  # ten topics
    topic_weight: Floats = par()  # [G, 10]
    terms: tuple[tuple[str, str], ...] = par()  # (list, term)
