"""What an entry of the catalogue of mechanisms is, and the names that all entries share."""

from typing import NamedTuple

from tests.conformance.ceobench import figures as f
from tests.conformance.ceobench.figures import Read

EARLY = ("P1", "P2", "P3", "P4")
GROUPS = f.GROUPS
INDIVIDUALS = GROUPS[:3]
SERVED = {"P1": INDIVIDUALS[:2], "P2": INDIVIDUALS, "P3": INDIVIDUALS, "P4": INDIVIDUALS}


class Mechanism(NamedTuple):
    """One figure and the policies under which it is compared."""

    name: str
    how: str
    policies: tuple[str, ...]
    read: Read
    pooled: bool = False  # all policies in one row, for rare events
