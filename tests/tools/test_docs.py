"""The generated page of tools names every tool."""

import runpy
from pathlib import Path

from ceo_gym.tools.ceobench import TOOLS

DOCS = Path(__file__).parents[2] / "docs"


def test_every_tool_is_in_the_docs() -> None:
    runpy.run_path(str(DOCS / "conf.py"))
    table = (DOCS / "_generated" / "tools.md").read_text(encoding="utf-8")
    for name in TOOLS:
        assert f"| `{name}`" in table
    assert "_generated/tools.md" in (DOCS / "tools.md").read_text(encoding="utf-8")
    assert "\ntools\n" in (DOCS / "index.md").read_text(encoding="utf-8")
