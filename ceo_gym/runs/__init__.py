"""The one format of a recorded run: a directory of plain files."""

from ceo_gym.runs.directory import read_config, read_weeks, write_config
from ceo_gym.runs.journal import DamagedJournal, Journal, read_journal
from ceo_gym.runs.record import RunRecord

__all__ = [
    "DamagedJournal",
    "Journal",
    "RunRecord",
    "read_config",
    "read_journal",
    "read_weeks",
    "write_config",
]
