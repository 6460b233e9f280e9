"""All numbers of the company world, and how to change some of them by name.

    params = Params.load({"competitors.catch_up_max": 0.1, "groups.S1.budget_mean_usd": 60})

`sections` says what each number means.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ceo_gym.simulators.ceobench.sections import (
    CHANNELS,
    Acquisition,
    CapacityTiers,
    Clock,
    CompanyStart,
    Competitors,
    Curve,
    Drift,
    Economy,
    Enterprise,
    Groups,
    Influence,
    InfoLevels,
    Judge,
    Limits,
    ModelTiers,
    Perceived,
    PostTables,
    Product,
    Reputation,
    Research,
    ResearchTiers,
    Sampling,
    Satisfaction,
    Service,
    Social,
    Support,
    Surges,
)
from ceo_gym.simulators.common.parameters import (
    ParameterError,
    build,
    freeze,
    nearest,
    read_csv,
    read_matrix,
    read_toml,
)
from ceo_gym.simulators.common.rows import Floats

_PACKAGE = "ceo_gym.simulators.ceobench"

_SCALARS: dict[str, type] = {
    "clock": Clock,
    "company": CompanyStart,
    "sampling": Sampling,
    "curve": Curve,
    "perceived": Perceived,
    "acquisition": Acquisition,
    "surges": Surges,
    "economy": Economy,
    "competitors": Competitors,
    "product": Product,
    "research": Research,
    "service": Service,
    "support": Support,
    "satisfaction": Satisfaction,
    "reputation": Reputation,
    "drift": Drift,
    "enterprise": Enterprise,
    "social": Social,
    "judge": Judge,
    "limits": Limits,
}
_TABLES: dict[str, tuple[type, str, str]] = {  # section -> class, file, column of the row names
    "groups": (Groups, "groups.csv", "group_id"),
    "model_tiers": (ModelTiers, "model_tiers.csv", "tier"),
    "capacity_tiers": (CapacityTiers, "capacity_tiers.csv", "tier"),
    "research_tiers": (ResearchTiers, "research_tiers.csv", "tier"),
    "info_levels": (InfoLevels, "info_levels.csv", "level"),
}


@dataclass(frozen=True)
class AttributeTable:
    """The normal and exponential draws of customers.md 3 as arrays, one column an attribute.

    Columns of the normals: budget, quality floor, span, usage, lock-in, ads annoyance, ads yield.
    Columns of the exponentials: left and right steepness.
    """

    mean: Floats  # [G, 7]
    sd: Floats  # [G, 7]
    floor: Floats  # [7]
    steepness_mean: Floats  # [2]
    steepness_shift: Floats  # [2]
    steepness_min: Floats  # [2]
    steepness_max: Floats  # [2]

    @classmethod
    def of(cls, g: Groups, s: Sampling) -> AttributeTable:
        """Collect the columns."""
        tiny = s.positive_floor
        pairs = (
            (g.budget_mean_usd, s.budget_sd_multiplier * g.budget_sd_usd, s.budget_floor_usd),
            (g.q_floor_mean, g.q_floor_sd, tiny),
            (g.q_span_mean, g.q_span_sd, tiny),
            (g.usage_mean_units_per_day, g.usage_sd_units_per_day, s.usage_floor_units),
            (g.lockin_mean, g.lockin_sd, tiny),
            (g.ads_annoyance_mean, g.ads_annoyance_sd, tiny),
            (g.ads_yield_mean_usd, g.ads_yield_sd_usd, tiny),
        )
        mean, sd, floor = zip(*pairs)
        return cls(
            np.stack(mean, axis=1),
            np.stack(sd, axis=1),
            np.array(floor),
            np.array([s.left_steepness_mean, s.right_steepness_mean]),
            np.array([s.left_steepness_shift, s.right_steepness_shift]),
            np.array([s.left_steepness_min, s.right_steepness_min]),
            np.array([s.left_steepness_max, s.right_steepness_max]),
        )


@dataclass(frozen=True)
class Params:
    """Every number of one world. Make it with `Params.load`."""

    clock: Clock
    company: CompanyStart
    sampling: Sampling
    curve: Curve
    perceived: Perceived
    acquisition: Acquisition
    surges: Surges
    economy: Economy
    competitors: Competitors
    product: Product
    research: Research
    service: Service
    support: Support
    satisfaction: Satisfaction
    reputation: Reputation
    drift: Drift
    enterprise: Enterprise
    social: Social
    judge: Judge
    limits: Limits
    groups: Groups
    model_tiers: ModelTiers
    capacity_tiers: CapacityTiers
    research_tiers: ResearchTiers
    info_levels: InfoLevels
    influence: Influence
    posts: PostTables
    overrides: Mapping[str, Any]  # what `load` was asked to change

    @classmethod
    def load(cls, overrides: Mapping[str, Any] | None = None) -> Params:
        """The published numbers with some of them changed by name.

        Args:
            overrides: ``{"section.field": value}``, or ``{"section.row.field": value}`` for one
                cell of a table, such as ``"groups.S1.budget_mean_usd"`` or
                ``"capacity_tiers.3.cost_usd_per_day"``.

        Raises:
            ParameterError: for an unknown name (with the nearest ones), a value of the wrong type
                or shape, or one outside its range.
        """
        values = _published()
        overrides = dict(overrides or {})
        for path, value in overrides.items():
            _apply(values, path, value)
        sections: dict[str, Any] = {
            name: build(kind, values[name], name) for name, kind in _SECTIONS.items()
        }
        params = cls(**sections, overrides=overrides)
        params._check_pairs()
        return params

    @cached_property
    def attributes(self) -> AttributeTable:
        """Means, deviations and floors of a customer's draws, ready for array use."""
        return AttributeTable.of(self.groups, self.sampling)

    @cached_property
    def tenure_bonus(self) -> Floats:
        """[T + 1] theta(d), perceived quality gained by d days of tenure (customers.md 5)."""
        from ceo_gym.simulators.ceobench.customers import tenure_bonus  # which imports this module

        return freeze(tenure_bonus(np.arange(self.clock.horizon_days + 1), self.perceived))

    @cached_property
    def resolutions_per_usd(self) -> Floats:
        """[G] issues that a dollar of support resolves (customers.md 11.1)."""
        s = self.support
        return freeze(
            np.where(
                self.groups.is_enterprise,
                s.enterprise_resolutions_per_usd,
                s.individual_resolutions_per_usd,
            )
        )

    def _check_pairs(self) -> None:
        """Limits that concern two numbers at once."""
        pairs = [
            ("surges.duration_min_days", "surges.duration_max_days"),
            ("economy.index_min", "economy.index_max"),
            ("economy.commentary_gap_min_days", "economy.commentary_gap_max_days"),
            ("economy.commentary_size_min", "economy.commentary_size_max"),
            ("competitors.size_min", "competitors.size_max"),
            ("competitors.catch_up_min", "competitors.catch_up_max"),
            ("competitors.targeted_leak_min", "competitors.targeted_leak_max"),
            ("sampling.decision_noise_low", "sampling.decision_noise_high"),
            ("reputation.floor", "reputation.ceiling"),
            ("drift.budget_min_usd", "drift.budget_max_usd"),
        ]
        for low, high in pairs:
            a, b = (getattr(getattr(self, s), f) for s, f in (low.split("."), high.split(".")))
            if a > b:
                raise ParameterError(f"{low} ({a:g}) must not exceed {high} ({b:g})")
        if not (self.groups.seats_min <= self.groups.seats_max).all():
            raise ParameterError("groups.seats_min must not exceed groups.seats_max")


_SECTIONS: dict[str, type] = {
    **_SCALARS,
    **{name: kind for name, (kind, _, _) in _TABLES.items()},
    "influence": Influence,
    "posts": PostTables,
}


def _published() -> dict[str, dict[str, Any]]:
    """Section -> field -> value, as the files have them. Fresh dicts, to be changed freely."""
    return {section: dict(fields) for section, fields in _FILES.load().items()}


class _Files:
    """The parameter files, read once a process."""

    def __init__(self) -> None:
        self._values: dict[str, dict[str, Any]] | None = None

    def load(self) -> dict[str, dict[str, Any]]:
        if self._values is None:
            self._values = self._read()
        return self._values

    @staticmethod
    def _read() -> dict[str, dict[str, Any]]:
        values: dict[str, dict[str, Any]] = read_toml(_PACKAGE, "params/world.toml")
        for section, (kind, name, row_names) in _TABLES.items():
            values[section] = _table(kind, read_csv(_PACKAGE, f"params/{name}"), row_names)
        groups = values["groups"]["group_id"]
        matrices = {
            "effectiveness": read_matrix(read_csv(_PACKAGE, "params/channels.csv"), CHANNELS).T,
            "referrals": read_matrix(read_csv(_PACKAGE, "params/referrals.csv"), groups),
            "spillover": read_matrix(read_csv(_PACKAGE, "params/reputation_spillover.csv"), groups),
        }
        values["influence"] = matrices
        sentiment = read_csv(_PACKAGE, "params/post_sentiment.csv")
        topics = read_csv(_PACKAGE, "params/judge_topics.csv")
        names = tuple(name for name in topics[0] if name != "group_id")
        values["posts"] = {
            # a finite stand-in for "no lower bound", since parameters are finite numbers
            "sentiment_min": np.maximum(
                [float(row["satisfaction_min"]) for row in sentiment], -1e300
            ),
            "sentiment_probability": read_matrix(
                sentiment, ("p_positive", "p_neutral", "p_negative")
            ),
            "topics": names,
            "topic_weight": read_matrix(topics, names),
            "terms": tuple(
                (row["list"], row["term"]) for row in read_csv(_PACKAGE, "params/judge_lexicon.csv")
            ),
        }
        return values


_FILES = _Files()


def _table(kind: type, rows: list[dict[str, str]], row_names: str) -> dict[str, Any]:
    """One CSV file as the fields of a table class: texts as tuples, numbers as arrays."""
    values: dict[str, Any] = {}
    for field in dataclasses.fields(kind):
        column = [row[row_names if field.name == "ids" else field.name] for row in rows]
        texts = "tuple" in str(field.type)
        values[field.name] = tuple(column) if texts else np.array(column, dtype=np.float64)
    return values


def _apply(values: dict[str, dict[str, Any]], path: str, value: Any) -> None:
    """Change one entry of the raw values.

    Raises:
        ParameterError: if the name is unknown or the shape does not fit.
    """
    section, _, rest = str(path).partition(".")
    if section not in values:
        known = [
            f"{s}.{f}" for s, fields in values.items() for f, v in fields.items() if not _text(v)
        ]
        raise ParameterError(f"unknown parameter {path!r}; {nearest(str(path), known)}")
    fields = values[section]
    if rest in fields:
        old = fields[rest]
        if _text(old):
            raise ParameterError(f"{path} is a name, not a number, and cannot be changed")
        if np.shape(value) != np.shape(old):
            raise ParameterError(
                f"{path} has shape {np.shape(old)}; the new value has {np.shape(value)}"
            )
        fields[rest] = value
        return
    row, _, field = rest.partition(".")
    rows = fields.get("ids") or fields.get("group_id") or ()
    if row in rows and isinstance(fields.get(field), np.ndarray):
        column: NDArray[np.float64] = fields[field].copy()
        try:
            column[rows.index(row)] = value
        except (TypeError, ValueError) as error:
            raise ParameterError(f"{path} must be a number, not {value!r}") from error
        fields[field] = column
        return
    known = [f"{section}.{f}" for f, v in fields.items() if not _text(v)]
    if row in rows:
        known = [f"{section}.{row}.{f}" for f in fields if isinstance(fields[f], np.ndarray)]
    raise ParameterError(f"unknown parameter {path!r}; {nearest(str(path), known)}")


def _text(value: Any) -> bool:
    """Whether an entry is a row of names, which cannot be changed."""
    return isinstance(value, tuple)
