"""Whether programs can run in their box here."""

import shutil
import sys

import pytest

HAS_BOX = sys.platform.startswith("linux") and shutil.which("bwrap") is not None
NEEDS_BOX = pytest.mark.skipif(
    not HAS_BOX,
    reason="programs run in bubblewrap, which is not installed here",
)
