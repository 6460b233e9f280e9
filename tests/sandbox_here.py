"""Whether programs can run in their box here."""

import shutil
import sys

import pytest

NEEDS_BOX = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("bwrap") is None,
    reason="programs run in bubblewrap, which is not installed here",
)
