"""The one format of a recorded run: a directory of plain files."""

from ceo_gym.runs.directory import read_config, read_weeks, write_config, write_weeks

__all__ = ["read_config", "read_weeks", "write_config", "write_weeks"]
