"""How evenly a player used what can be done (harness.md 7)."""

from __future__ import annotations

import numpy as np
from scipy.special import entr

from ceo_gym.evaluation.analysis.measures import COUNT, SHARE, Measure, known, unknown
from ceo_gym.runs import RunRecord


def tool_evenness(record: RunRecord) -> Measure:
    """Evenness of tool calls: entropy of their counts / ln(number of tools used), 0 to 1.

    With counts n_k and p_k = n_k / sum(n): - sum of p_k ln p_k / ln K over the K tools with calls.
    1 is an equal use of all of them. Refused calls count, weekly steps do not.
    """
    return _evenness(record, "tool", "tools were called")


def action_evenness(record: RunRecord) -> Measure:
    """The same for structured actions, over the keys that asked for something, once a week each."""
    return _evenness(record, "key", "keys of the action were used")


def tools_used(record: RunRecord) -> Measure:
    """Number of different tools called."""
    return known(len(_counts(record, "tool")), COUNT)


def keys_used(record: RunRecord) -> Measure:
    """Number of different keys of the structured action that asked for something."""
    return known(len(_counts(record, "key")), COUNT)


def _counts(record: RunRecord, kind: str) -> dict[str, int]:
    rows = record.actions[record.actions["kind"] == kind]
    counts = rows.groupby("name")["count"].sum()
    return dict(counts[counts > 0])


def _evenness(record: RunRecord, kind: str, what: str) -> Measure:
    counts = np.array(list(_counts(record, kind).values()), float)
    if len(counts) < 2:
        return unknown(SHARE, f"fewer than two {what}")
    entropy = float(entr(counts / counts.sum()).sum())
    return known(min(1.0, entropy / np.log(len(counts))), SHARE)


MEASURES = (tool_evenness, tools_used, action_evenness, keys_used)
