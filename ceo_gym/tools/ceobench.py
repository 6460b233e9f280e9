"""The tools of the company world: what an agent may ask and do, by name with JSON arguments.

    world = World(seed=1)
    call(world, "set_prices", {"A": 40, "B": 80})
    call(world, "get_market_overview")

The names, arguments and results are those of CEO-Bench (arXiv 2606.18543), with a few additions
(`ADDITIONS`). Tools are thin: what a decision does and when it is refused is the world's affair.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ceo_gym.simulators.ceobench.validation import InvalidDecision
from ceo_gym.simulators.ceobench.world import World
from ceo_gym.tools import ceobench_actions as actions
from ceo_gym.tools import ceobench_reading as reading
from ceo_gym.tools import ceobench_settings as settings
from ceo_gym.tools import ceobench_workspace as workspace
from ceo_gym.tools import declaration
from ceo_gym.tools.declaration import ANY_MAP, TEXT, TEXT_OR_TEXTS, Field, Output, Tool

ADDITIONS = ("query", "get_current_config", "get_week_summary", "get_open_threads", "validate")

# names that agents invent, and what they look for
MISNOMERS = (
    (r"sql|query|database", "the tables are asked with query"),
    (r"^(get|list|show|read)_.*(thread|lead|inbox|deal|negotiation)", "see get_open_threads"),
    (
        r"^(get|list|show|read)_.*(price|tier|quota|spend|ads|promotion|capacity|config|setting)",
        "every setting in force is read with get_current_config",
    ),
    (r"dashboard|status|summary|^get_(state|cash|metrics)", "see get_week_summary"),
    (
        r"^(get|list|show|read)_.*(customer|subscri|ledger|issue|notif|notice|revenue|churn)",
        "the books are asked with query; list_all_tables names the tables",
    ),
    (r"memory|note", "log_rationale takes a note, which the transcript keeps"),
    (r"^(advance|step|end|simulate|next)(_|$)|^nextweek", "next_week ends the week"),
)


def call(
    world: World,
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    extended_scopes: bool = False,
) -> dict[str, Any]:
    """Use a tool on a world, at once, within the current week.

    Args:
        world: the world.
        name: one of `TOOLS`.
        arguments: by name; null counts as not given.
        extended_scopes: let set_targeted_ops_spend take plans and customers as well, which the
            published program does not.

    Returns:
        The fields that the tool declares, as plain data that JSON gives back unchanged (ids of
        customers are texts where they are keys of a map).

    Raises:
        InvalidDecision: with ``code``, saying what is allowed; the world is as it was.
    """
    return find(name, extended_scopes=extended_scopes).call(world, arguments)


def find(name: Any, *, extended_scopes: bool = False) -> Tool:
    """The declaration of a tool.

    Raises:
        InvalidDecision: `not_found`, saying what to use instead or naming the nearest.
    """
    return declaration.find(_toolbox(extended_scopes), name, MISNOMERS)


def validate(
    world: World,
    name: str,
    arguments: Mapping[str, Any] | None = None,
    *,
    extended_scopes: bool = False,
) -> dict[str, Any]:
    """Try a call on a copy of the world, which costs a save and a restore unless it only reads.

    The result is not told: it would give away for nothing what a purchase will find.

    Returns:
        ``{"valid": True}``.

    Raises:
        InvalidDecision: as the call would.
    """
    tool = find(name, extended_scopes=extended_scopes)
    if tool.kind == "time" or tool.name == "validate":
        raise InvalidDecision("not_found", f"{tool.name} cannot be tried out")
    tool.read(arguments)  # many mistakes show before the copy
    changes = tool.kind in ("setting", "immediate")
    tool.call(World.restore(world.save(), judge=world.judge) if changes else world, arguments)
    return {"valid": True}


def schemas(*, extended_scopes: bool = False, served_only: bool = False) -> list[dict[str, Any]]:
    """All tools in the function format of chat interfaces.

    Args:
        extended_scopes: see `call`.
        served_only: leave out those that need a workspace, which would only take up space in a
            prompt where there is none.
    """
    tools = _toolbox(extended_scopes).values()
    return [tool.schema for tool in tools if tool.served or not served_only]


def reference(*, extended_scopes: bool = False, served_only: bool = False) -> str:
    """All tools as Markdown tables, one a family; for the arguments see `schemas`."""
    tools = _toolbox(extended_scopes)
    return declaration.reference({n: t for n, t in tools.items() if t.served or not served_only})


def python_functions() -> list[dict[str, Any]]:
    """The tools as functions of modules, for the client that programs use."""
    return declaration.python_functions(TOOLS)


def _documentation(extended_scopes: bool) -> Tool:
    """The tool that tells about the tools of one toolbox."""

    def tell(world: World, given: dict[str, Any]) -> dict[str, Any]:
        names = given.get("tool_names", list(TOOLS))
        names = [names] if isinstance(names, str) else list(names)
        found = {}
        for tool in (find(name, extended_scopes=extended_scopes) for name in names):
            found[tool.name] = tool.schema["function"] | {
                "kind": tool.kind,
                "python": f"nm.{tool.path}" if tool.path else None,
                "usage": tool.signature,
                "returns": {output.name: output.type for output in tool.result},
            }
        return {"tools": found}

    return Tool(
        "get_tool_documentation",
        workspace.DOCUMENTATION,
        "read",
        "What tools do, their arguments and results.",
        tell,
        fields=(Field("tool_names", TEXT_OR_TEXTS, "Names of tools", default="all"),),
        result=(Output("tools", "map"),),
    )


def _validate(extended_scopes: bool) -> Tool:
    """The tool that tries out calls of the tools of one toolbox."""

    def attempt(world: World, given: dict[str, Any]) -> dict[str, Any]:
        return validate(world, given["tool"], given.get("args"), extended_scopes=extended_scopes)

    return Tool(
        "validate",
        workspace.DOCUMENTATION,
        "read",
        "Tells whether a call would be carried out, without doing it: valid, or the error of the "
        "call.",
        attempt,
        fields=(
            Field("tool", TEXT, "Name of a tool", required=True),
            Field("args", ANY_MAP, "Its arguments", default="none"),
        ),
        result=(Output("valid", "boolean"),),
    )


_ALL = (
    settings.SET_PRICES,
    settings.SET_MODEL_TIERS,
    settings.SET_USAGE_QUOTAS,
    settings.SET_PROMOTION,
    settings.SET_ADS_STRENGTH,
    settings.SET_TARGETED_AD_SPEND,
    settings.SET_LEAD_PROMOTION,
    actions.RESEARCH_MARKET,
    settings.SET_DAILY_SPEND,
    settings.SET_TARGETED_DEV_SPEND,
    actions.START_RESEARCH_PROJECT,
    reading.LIST_RESEARCH_PROJECTS,
    settings.SET_CAPACITY_TIER,
    settings.SET_TARGETED_OPS_SPEND,
    actions.RESEARCH_GROUP,
    reading.GET_MARKET_OVERVIEW,
    reading.GET_GROUP_INSIGHTS,
    reading.GET_SOCIAL_POSTS,
    reading.GET_COST_INFO,
    actions.POST_SOCIAL_MEDIA,
    actions.SEND_ENTERPRISE_DEAL,
    actions.REJECT_ENTERPRISE_DEAL,
    actions.NEXT_WEEK,
    *workspace.WORKSPACE_TOOLS,
    workspace.LIST_ALL_TABLES,
    workspace.DESCRIBE_TABLES,
    _documentation(False),
    actions.LOG_RATIONALE,
    workspace.QUERY,
    reading.GET_CURRENT_CONFIG,
    reading.GET_WEEK_SUMMARY,
    reading.GET_OPEN_THREADS,
    _validate(False),
)

TOOLS: dict[str, Tool] = {tool.name: tool for tool in _ALL}
"""All tools by name: the 34 of the benchmark in its order, log_rationale, and `ADDITIONS`."""

_EXTENDED = TOOLS | {
    tool.name: tool
    for tool in (settings.SET_TARGETED_OPS_SPEND_EXTENDED, _documentation(True), _validate(True))
}


def _toolbox(extended_scopes: bool) -> dict[str, Tool]:
    return _EXTENDED if extended_scopes else TOOLS
