"""Whether a run that is played again comes out the same, bit for bit."""

from __future__ import annotations

from ceo_gym.runs import RunRecord
from ceo_gym.runs.record import TABLES


def refuse_other(stored: RunRecord, again: RunRecord) -> None:
    """Compare the record of a run with that of the same run played again.

    What is hidden may be missing in either.

    Raises:
        ValueError: naming the first table and row that differ.
    """
    for name, table in TABLES.items():
        then, now = getattr(stored, name), getattr(again, name)
        if then is None or now is None:
            continue  # what is hidden may have been left out
        if then.equals(now):
            continue
        if list(then.columns) != list(now.columns):
            raise ValueError(f"{table.file}: its columns are others when played again")
        rows = min(len(then), len(now))
        differs = [
            (row, column)
            for column in then.columns
            for row in range(rows)
            if then[column][row] != now[column][row] and then[column][row] == then[column][row]
        ]
        row, column = min(differs, default=(rows, "its number of rows"))
        raise ValueError(f"{table.file}, row {row + 1}: {column} is another when played again")
    if stored.config["result"] != again.config["result"]:
        raise ValueError(
            f"config.json: the result is {again.config['result']} when played again, not "
            f"{stored.config['result']}"
        )
