"""Client of a company: ``import novamind_api as nm``.

    nm.pricing.set_prices(A=35, B=90)
    nm.query("SELECT category, SUM(amount) AS usd FROM ledger GROUP BY category")["rows"]
    nm.vars.current_day
    nm.next_week(predictions, rationale)     # or nm.advance()

The functions are in the modules pricing, marketing, infrastructure, enterprise, market, research
and analytics; each returns a dict or raises NovaMindAPIError. ``nm.call(tool, args)`` reaches every
tool by its name.
"""

import sys

from novamind_api._client import NovaMindAPIError, advance, call, next_week, query, vars
from novamind_api._client import show_error as _show_error

__all__ = ["NovaMindAPIError", "advance", "call", "next_week", "query", "vars"]

sys.excepthook = _show_error
