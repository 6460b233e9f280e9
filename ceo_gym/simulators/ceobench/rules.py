"""The quirk switches: where the published program does something odd, one flag says which way.

Every switch is named for what the published program does and is true in the profile
``published``; false is the repaired behaviour. The ids in brackets are those of the quirk tables
of the specification.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from ceo_gym.simulators.common.parameters import ParameterError, nearest


def _quirk(ids: str, published: str, repaired: str) -> Any:
    return dataclasses.field(
        default=True, metadata={"ids": ids, "published": published, "repaired": repaired}
    )


@dataclass(frozen=True)
class Rules:
    """One flag a quirk; ``Rules()`` are the published rules, ``Rules.repaired()`` the mended ones.

    ``Rules(open_leads_ignored_in_saturation=False)`` repairs a single one.
    """

    quality_shift_stored: bool = _quirk(
        "C1 M14 N3",
        "the market's shift of quality expectations is stored in a new prospect and added again at "
        "every later reading",
        "it is added at reading only",
    )
    budget_shift_stored: bool = _quirk(
        "C2 N3",
        "the group's budget shift is stored in a new prospect and in the reference budget of each "
        "bill, and added again at every later reading",
        "it is added at reading only",
    )
    zero_relationship_reads_neutral: bool = _quirk(
        "C3 N7",
        "a relationship of exactly 0 counts as 0.5 in satisfaction, support and negotiation",
        "it counts as 0",
    )
    quota_per_account: bool = _quirk(
        "C8",
        "a plan's quota holds for a whole enterprise, whatever its seats",
        "it holds per seat",
    )
    account_ads_hidden_from_decisions: bool = _quirk(
        "C10",
        "in-app ads set for a single account lower its satisfaction but are not seen when it "
        "renews or negotiates",
        "they are seen",
    )
    departed_issues_stay_open: bool = _quirk(
        "C16",
        "tickets of accounts that left stay open and age for ever (tables only)",
        "they are closed on departure",
    )
    declined_without_end_day: bool = _quirk(
        "D10",
        "individuals who turned the offer down have no end day in their row (tables only)",
        "it is the day they declined",
    )
    own_drift_scales_stored_shift: bool = _quirk(
        "C21",
        "monthly drift of an account's quality floor and ceiling also multiplies the shift stored "
        "on joining",
        "the shift is left out of the drift",
    )
    surges_start_with_week: bool = _quirk(
        "L5 M3",
        "a demand surge already acts from the first day of the week it falls in",
        "it acts from its own day",
    )
    offers_see_live_quality: bool = _quirk(
        "L2",
        "replies to offers see today's quality and expectations, one day before everybody else",
        "they see the values of the start of the day",
    )
    insight_noise_by_group_name: bool = _quirk(
        "M8",
        "errors of group insights depend on the first four letters of the group id alone, so two "
        "levels reveal the true value",
        "they depend on seed, group, level and day of the snapshot",
    )
    competitor_posts_on_oldest_event: bool = _quirk(
        "M10",
        "posts of a day are about the oldest event of the last days",
        "they are about the newest",
    )
    refresh_keeps_research_day: bool = _quirk(
        "M11",
        "refreshing a group's level leaves its 'last researched' day as it was",
        "the day is updated",
    )
    open_leads_ignored_in_saturation: bool = _quirk(
        "M19",
        "saturation counts subscribed accounts only",
        "enterprises in a first negotiation count as taken",
    )
    offers_above_budget_accepted: bool = _quirk(
        "N1",
        "an enterprise whose quality exceeds its ceiling accepts any price and stays content",
        "a price above the budget is never acceptable",
    )
    negotiated_quality_capped: bool = _quirk(
        "N2",
        "quality in a negotiation is cut at 1 although expectations are not",
        "no upper cut",
    )
    patience_before_acceptance: bool = _quirk(
        "N4",
        "on its last turn an enterprise leaves even if the offer is good",
        "a good offer is accepted first",
    )
    lost_threads_fire_daily: bool = _quirk(
        "N5",
        "some lost negotiations repeat their reputation damage every day",
        "a lost thread is closed for good",
    )
    offers_ignore_tenure: bool = _quirk(
        "N6",
        "replies to offers leave out tenure and weekday, which the daily triggers include",
        "both use the same quality",
    )
    rejected_churn_threat_stays: bool = _quirk(
        "N10",
        "rejecting a churn-prevention thread keeps the account",
        "the account is cancelled",
    )
    agent_messages_show_one_seat: bool = _quirk(
        "N15",
        "messages of the player carry a seat count of 1 (tables only)",
        "they carry the account's seats",
    )
    offers_unchecked: bool = _quirk(
        "N17",
        "plan letters and the sign of prices in offers are not checked",
        "invalid offers are refused",
    )
    loose_input: bool = _quirk(
        "tools.md 7.4",
        "prices and spends have no upper limit, true counts as 1, settings for unknown customer "
        "ids are kept",
        "all three are refused",
    )
    lead_lost_notice_daily: bool = dataclasses.field(
        default=False,
        metadata={
            "ids": "D7",
            "published": "each lost lead of a longer negotiation repeats its notice every day; off "
            "in both profiles, since it changes nothing but the number of notices",
            "repaired": "one notice a lead",
        },
    )

    @classmethod
    def published(cls) -> Rules:
        """The rules of the published program, odd ones included."""
        return cls()

    @classmethod
    def repaired(cls) -> Rules:
        """All quirks repaired."""
        return cls(**{field.name: False for field in dataclasses.fields(cls)})

    @classmethod
    def named(cls, profile: str) -> Rules:
        """The rules of a profile, ``"published"`` or ``"repaired"``.

        Raises:
            ParameterError: if there is no such profile.
        """
        if profile not in PROFILES:
            raise ParameterError(f"no profile {profile!r}; {nearest(str(profile), PROFILES)}")
        return cls.published() if profile == "published" else cls.repaired()

    def replace(self, **switches: bool) -> Rules:
        """A copy with some switches changed.

        Raises:
            ParameterError: if a switch is unknown or not true or false.
        """
        known = [field.name for field in dataclasses.fields(self)]
        for name, value in switches.items():
            if name not in known:
                raise ParameterError(f"no rule {name!r}; {nearest(name, known)}")
            if not isinstance(value, bool):
                raise ParameterError(f"rule {name} is true or false, not {value!r}")
        return dataclasses.replace(self, **switches)


PROFILES = ("published", "repaired")
