"""How soon a player answers competitors (harness.md 7). Needs the hidden days of the events.

An event falls into the week in which its day lies, and the first answer can be in what is decided
for the week after it: a lag of 1 week. A lag is counted to the end of the record.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from ceo_gym.evaluation.analysis.measures import COUNT, SHARE, WEEKS, Measure, known, unknown
from ceo_gym.runs import RunRecord

CHANGE = 0.10  # relative change of development spend that counts as an answer
KEYWORDS = ("competitor", "competition", "rival")
NO_EVENTS = "no competitor event before the last week"
NO_DAYS = "the record has no hidden_competitor_events.csv"
NO_TEXTS = "the record has no texts.csv"


def development_lags(record: RunRecord) -> pd.DataFrame:
    """For each event, the weeks until development spend had changed by 10 % or more.

    The change is that of all development a day, shared and targeted, against what it was in the
    week of the event: the first later week w with abs(d_w - d_0) >= 0.1 d_0 and d_w != d_0.
    Nothing tells a change that answers an event from one that was coming anyway.

    Returns:
        Columns ``day``, ``week`` (of the event) and ``lag_weeks`` (NaN = no change to the end).
        Events of the last week are left out: nothing could answer them.
    """
    weeks = record.weeks
    a_day = (
        weeks["spent_development_shared_usd"] + weeks["spent_development_targeted_usd"]
    ).to_numpy(float) / weeks["days"].to_numpy(float)

    def lag(week: int) -> float:
        before, later = a_day[week - 1], a_day[week:]
        # amounts a day are quotients, so that equal ones may differ in their last digit
        moved = ~np.isclose(later, before, rtol=1e-9, atol=1e-9)
        moved &= np.abs(later - before) >= CHANGE * before * (1.0 - 1e-9)
        return float(moved.argmax() + 1) if moved.any() else np.nan

    events = _events(record)
    return events.assign(lag_weeks=[lag(week) for week in events["week"]])


def mention_lags(record: RunRecord, keywords: Sequence[str] = KEYWORDS) -> pd.DataFrame:
    """For each event, the weeks until the player's texts name one of the keywords.

    Args:
        record: of a run, with texts.
        keywords: parts of words, in any case.

    Returns:
        As `development_lags`.

    Raises:
        ValueError: if the record has no texts, or there are no keywords.
    """
    if record.texts is None:
        raise ValueError(NO_TEXTS)
    if not keywords:
        raise ValueError("at least one keyword is needed")
    pattern = "|".join(map(re.escape, keywords))
    said = record.texts["text"].str.contains(pattern, case=False, regex=True)
    weeks = np.sort(record.texts["week"][said].to_numpy(int))

    def lag(week: int) -> float:
        later = weeks[weeks > week]
        return float(later[0] - week) if len(later) else np.nan

    events = _events(record)
    return events.assign(lag_weeks=[lag(week) for week in events["week"]])


def event_lag(record: RunRecord) -> Measure:
    """Median lag of a change of development spend by 10 % or more, weeks, of answered events."""
    return _median(record, "development spend never changed by 10 % after an event")


def event_answer_share(record: RunRecord) -> Measure:
    """Share of events after which development spend changed by 10 % or more."""
    return _share(record)


def event_lag_in_texts(record: RunRecord, keywords: Sequence[str] = KEYWORDS) -> Measure:
    """Median lag until a text of the player names a keyword, weeks, of events that are named."""
    if record.texts is None:
        return unknown(WEEKS, NO_TEXTS)
    return _median(record, "no text names a keyword after an event", keywords)


def event_mention_share(record: RunRecord, keywords: Sequence[str] = KEYWORDS) -> Measure:
    """Share of events after which a text of the player names a keyword."""
    if record.texts is None:
        return unknown(SHARE, NO_TEXTS)
    return _share(record, keywords)


def competitor_events(record: RunRecord) -> Measure:
    """Number of competitor events that the company lived through."""
    if record.hidden_competitor_events is None:
        return unknown(COUNT, NO_DAYS)
    return known(len(record.hidden_competitor_events), COUNT)


def _events(record: RunRecord) -> pd.DataFrame:
    """Events that could be answered, with the week (from 1) of each."""
    if record.hidden_competitor_events is None:
        raise ValueError(NO_DAYS)
    days = record.hidden_competitor_events["day"].to_numpy(int)
    week = np.searchsorted(record.weeks["day"].to_numpy(int), days) + 1
    could = week < len(record.weeks)
    return pd.DataFrame({"day": days[could], "week": week[could]})


def _lags(record: RunRecord, keywords: Sequence[str] | None) -> pd.Series:
    found = development_lags(record) if keywords is None else mention_lags(record, keywords)
    return found["lag_weeks"]


def _median(record: RunRecord, never: str, keywords: Sequence[str] | None = None) -> Measure:
    if record.hidden_competitor_events is None:
        return unknown(WEEKS, NO_DAYS)
    lags = _lags(record, keywords)
    if lags.empty:
        return unknown(WEEKS, NO_EVENTS)
    if lags.isna().all():
        return unknown(WEEKS, never)
    return known(lags.median(), WEEKS)


def _share(record: RunRecord, keywords: Sequence[str] | None = None) -> Measure:
    if record.hidden_competitor_events is None:
        return unknown(SHARE, NO_DAYS)
    lags = _lags(record, keywords)
    if lags.empty:
        return unknown(SHARE, NO_EVENTS)
    return known(lags.notna().mean(), SHARE)


MEASURES = (
    competitor_events,
    event_lag,
    event_answer_share,
    event_lag_in_texts,
    event_mention_share,
)
