"""Whether advertising went where it worked (harness.md 7). Needs the hidden effectiveness.

x_{c,g,t} is the spend in channel c for group g on day t, L_{c,g,t} the prospects that a unit of it
brings there on that day, before what all channels share (reputation, saturation, season).
"""

from __future__ import annotations

import pandas as pd

from ceo_gym.evaluation.analysis.measures import SHARE, Measure, ratio, unknown
from ceo_gym.runs import RunRecord

NO_SPEND = "nothing was spent on advertising"
NO_EFFECTIVENESS = "the record has no hidden_effectiveness.csv"


def spend_by_day(record: RunRecord) -> pd.DataFrame:
    """Spend with what it could bring, a row for each day, channel and group with spend.

    Returns:
        Columns ``day``, ``channel``, ``group``, ``spend_usd`` (a week's spend in equal parts: a
        setting holds for a whole week), ``effectiveness`` (L) and ``best`` (the largest L of all
        channels for that group and day).

    Raises:
        ValueError: if the record has no effectiveness.
    """
    if record.hidden_effectiveness is None:
        raise ValueError(NO_EFFECTIVENESS)
    truth = record.hidden_effectiveness.sort_values("from_day", kind="stable")
    best = truth.groupby(["from_day", "group"], as_index=False)["effectiveness"].max()
    truth = truth.merge(best.rename(columns={"effectiveness": "best"}), on=["from_day", "group"])
    return pd.merge_asof(
        _daily(record).sort_values("day", kind="stable"),
        truth.sort_values("from_day", kind="stable"),
        left_on="day",
        right_on="from_day",
        by=["channel", "group"],
    )


def ad_best_channel_share(record: RunRecord) -> Measure:
    """Share of spend on the truly best channel: sum of x_{c*,g,t} / sum of x_{c,g,t}.

    c* = argmax over c of L_{c,g,t}; equally good channels are all the best one. A random choice of
    one of five channels reaches 0.2 on average.
    """
    if record.hidden_effectiveness is None:
        return unknown(SHARE, NO_EFFECTIVENESS)
    rows = spend_by_day(record)
    on_best = rows["spend_usd"][rows["effectiveness"] >= rows["best"]].sum()
    return ratio(on_best, rows["spend_usd"].sum(), SHARE, NO_SPEND)


def ad_best_channel_decisions(record: RunRecord) -> Measure:
    """Share of decisions for the truly best channel: the same, with every group and day alike.

    Of each group and day with spend the channel with the most spend counts; of k channels that
    share the most, each counts 1 / k.
    """
    if record.hidden_effectiveness is None:
        return unknown(SHARE, NO_EFFECTIVENESS)
    rows = spend_by_day(record)
    most = rows.groupby(["day", "group"])["spend_usd"].transform("max")
    chosen = rows[rows["spend_usd"] >= most]
    right = (chosen["effectiveness"] >= chosen["best"]).astype(float)
    each = right.groupby([chosen["day"], chosen["group"]]).mean()
    return ratio(each.sum(), len(each), SHARE, NO_SPEND)


def ad_efficiency(record: RunRecord) -> Measure:
    """What advertising brought of what the best channels would: sum of x L / sum of x max_c L."""
    if record.hidden_effectiveness is None:
        return unknown(SHARE, NO_EFFECTIVENESS)
    rows = spend_by_day(record)
    brought = (rows["spend_usd"] * rows["effectiveness"]).sum()
    return ratio(brought, (rows["spend_usd"] * rows["best"]).sum(), SHARE, NO_SPEND)


def _daily(record: RunRecord) -> pd.DataFrame:
    """The days of each week's spend: ``day``, ``channel``, ``group``, ``spend_usd``."""
    weeks = record.weeks
    length = pd.DataFrame({"last_day": weeks["day"].to_numpy(), "days": weeks["days"].to_numpy()})
    rows = record.advertising.merge(length, left_on="week", right_on=length.index + 1)
    each = rows.loc[rows.index.repeat(rows["days"])]
    before = each.groupby(level=0).cumcount()
    each = each.assign(
        day=(each["last_day"] - before).astype("int64"),
        spend_usd=each["spend_usd"] / each["days"],
    )
    return each[["day", "channel", "group", "spend_usd"]].reset_index(drop=True)


MEASURES = (ad_best_channel_share, ad_best_channel_decisions, ad_efficiency)
