"""One HTML file that needs nothing else: style, scripts, data and licence in it, no network."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

# in the order in which they are read
SCRIPTS = (
    "format.js",
    "dom.js",
    "series.js",
    "plot.js",
    "chart.js",
    "entries.js",
    "news.js",
    "week.js",
    "runs.js",
)
START = "main.js"
STYLES = ("page.css", "charts.css", "week.css", "widths.css")
_ROOM = files(__package__)
_UPLOT = _ROOM / "vendored" / "uplot"


def page(data: Mapping[str, Any]) -> str:
    """The page of some data, see `data.page_data`.

    The policy of the page forbids every request, and all scripts but the two that it begins with.
    Data are one JSON element without a ``<``; the scripts put them on the page as text only.

    Raises:
        ValueError: if the data hold numbers that are not finite.
    """
    library = _UPLOT.joinpath("uPlot.iife.min.js").read_text(encoding="utf-8")
    own = "\n".join(_asset(name) for name in (*SCRIPTS, START))
    viewer = f'"use strict";\n(() => {{\n{own}\n}})();'
    library_style = _UPLOT.joinpath("uPlot.min.css").read_text(encoding="utf-8")
    style = "\n".join((library_style, *map(_asset, STYLES)))
    parts = {
        "policy": _policy(style, library, viewer),
        "style": style,
        "licence": _UPLOT.joinpath("LICENSE").read_text(encoding="utf-8"),
        "data": as_json(data),
        "library": library,
        "viewer": viewer,
    }
    # in one pass, so that nothing that a part holds is taken for a mark
    return re.sub(r"\{\{(\w+)\}\}", lambda mark: parts[mark[1]].strip(), _asset("page.html"))


def as_json(data: Any) -> str:
    r"""JSON that can stand in an HTML element: ASCII only, and ``<``, ``>``, ``&`` as ``\\u003c``.

    Raises:
        ValueError: if there are numbers that are not finite.
    """
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _policy(style: str, *scripts: str) -> str:
    """The content security policy: nothing but these inline parts, and images in data."""
    allowed = " ".join(_hash(script) for script in scripts)
    return (
        f"default-src 'none'; script-src {allowed}; style-src {_hash(style)}; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.strip().encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _asset(name: str) -> str:
    return _ROOM.joinpath("assets", name).read_text(encoding="utf-8")
