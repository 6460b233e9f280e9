"""What a week of the published program cost, as it was recorded elsewhere.

CPU seconds of its seven days, in-process, without a language model, server or saves, on another
machine than the one that runs these benchmarks: speed-ups below are therefore rough. Through its
server a week costs more than twice that.
"""

from __future__ import annotations

NOTE = (
    "recorded: CPU seconds of a week of the published program, measured in-process on another "
    "machine; the speed-up is recorded / ours and therefore rough."
)
WEEK_SECONDS = {0: 0.015, 1_000: 0.3, 10_000: 1.8, 100_000: 20.0}  # by live customers
# a fit over all recorded weeks with more than 50 customers
FIXED, PER_LIVE, PER_NEW, PER_EVER = 0.010, 127e-6, 71e-6, 4.1e-6
LARGEST = 150_000  # customers; beyond it nothing was recorded


def week(size: int) -> float | None:
    """Recorded seconds of a week of a company of about that size, where there are any."""
    return WEEK_SECONDS.get(size)


def episode(live_weeks: float, new: float, ever_weeks: float, weeks: int) -> float:
    """Seconds of an episode by the fit.

    Args:
        live_weeks: sum over the weeks of the live customers.
        new: customers created in the episode.
        ever_weeks: sum over the weeks of the customers ever created.
        weeks: weeks played.
    """
    return FIXED * weeks + PER_LIVE * live_weeks + PER_NEW * new + PER_EVER * ever_weeks
