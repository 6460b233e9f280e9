"""Tools of the published list that are not the world's: code, scripts, documentation (tools.md 6).

Code and scripts need a workspace, which a world does not have. Their names are declared so that a
call of them tells where code runs instead of looking like a slip of the pen.
"""

from __future__ import annotations

from typing import Any

from ceo_gym.simulators.ceobench.validation import InvalidDecision, shown
from ceo_gym.simulators.ceobench.world import World
from ceo_gym.simulators.common.parameters import nearest
from ceo_gym.sql.ceobench import BusinessDatabase, QueryError
from ceo_gym.tools import ceobench_texts
from ceo_gym.tools.declaration import NUMBER, TEXT, TEXTS, Field, Output, Tool

WORKSPACE = "analysis and operations"
DOCUMENTATION = "documentation"
BOOKS = "books"

_WHERE_CODE_RUNS = (
    "Python runs in the workspace of CodeAction or of a session; without one, use the other tools "
    "and query"
)


def _in_workspace(name: str, kind: str, doc: str, *fields: Field, **rest: Any) -> Tool:
    """A tool that answers with where its service is to be had."""

    def refuse(world: World, given: dict[str, Any]) -> dict[str, Any]:
        raise InvalidDecision("not_found", f"{name} is not served here: {_WHERE_CODE_RUNS}")

    doc = f"{doc} Served in a workspace only."
    return Tool(name, WORKSPACE, kind, doc, refuse, "", fields, **rest, served=False)


_NAME = Field("name", TEXT, "Name of the snippet: letters, digits and _", required=True)
_CODE = Field("code", TEXT, "Python source", required=True)
_PRINTED = (Output("stdout", "text"), Output("stderr", "text"))
_REGISTERED, _REMOVED = (Output("registered", "text"),), (Output("removed", "text"),)

WORKSPACE_TOOLS = (
    _in_workspace(
        "python_exec",
        "read",
        "Runs Python code, which finds np, pd, nm (novamind_api), rows(sql) and row(sql). The "
        "middle of a long output is left out.",
        _CODE,
        Field(
            "timeout_seconds",
            NUMBER,
            "Time limit; that of programs holds as well",
            unit="s",
            default="600",
        ),
        result=_PRINTED,
    ),
    _in_workspace(
        "register_daily_calculation",
        "tool state",
        "Keeps code that is run after every week; what it prints is added to the report. It may "
        "use the tools that read, and query.",
        _NAME,
        _CODE,
        result=_REGISTERED,
    ),
    _in_workspace(
        "remove_daily_calculation", "tool state", "Forgets such code.", _NAME, result=_REMOVED
    ),
    _in_workspace(
        "list_daily_calculations",
        "read",
        "Names the code that is run after every week.",
        result=(Output("calculations", "list"),),
    ),
    _in_workspace(
        "register_script", "tool state", "Keeps a script.", _NAME, _CODE, result=_REGISTERED
    ),
    _in_workspace(
        "run_script", "read", "Runs a kept script, as python_exec does.", _NAME, result=_PRINTED
    ),
    _in_workspace(
        "list_scripts", "read", "Names the kept scripts.", result=(Output("scripts", "list"),)
    ),
    _in_workspace("delete_script", "tool state", "Forgets a script.", _NAME, result=_REMOVED),
)


def _list_all_tables(world: World, given: dict[str, Any]) -> dict[str, Any]:
    return {"tables": list(ceobench_texts.table_descriptions())}


def _describe_tables(world: World, given: dict[str, Any]) -> dict[str, Any]:
    tables = ceobench_texts.table_descriptions()
    names = list(given.get("table_names", tables))
    for name in names:
        if name not in tables:
            raise InvalidDecision(
                "not_found", f"no table {shown(name)}; {nearest(name[:60], tables)}"
            )
    return {"tables": {name: tables[name] for name in names}}


def _query(world: World, given: dict[str, Any]) -> dict[str, Any]:
    # filled anew each time: an environment keeps its database from one query to the next
    return answer(BusinessDatabase(world), given)


def answer(books: BusinessDatabase, given: dict[str, Any]) -> dict[str, Any]:
    """What the tool `query` answers from a company's books.

    Raises:
        InvalidDecision: if the query cannot be answered.
    """
    try:
        return books.query(given["sql"])
    except QueryError as error:
        raise InvalidDecision(error.code, str(error)) from error


QUERY = Tool(
    "query",
    BOOKS,
    "read",
    "Answers a question about the company's books: one SELECT (dialect of SQLite) on the tables "
    "of list_all_tables.",
    _query,
    path="query",
    fields=(Field("sql", TEXT, "The SELECT", low=1, required=True),),
    result=(
        Output("success", "boolean"),
        Output("columns", "list"),
        Output("rows", "list"),
        Output("row_count", "integer"),
        Output("truncated", "boolean", False),
        Output("warning", "text", False),
        Output("hint", "text", False),
    ),
)

LIST_ALL_TABLES = Tool(
    "list_all_tables",
    DOCUMENTATION,
    "read",
    "Names the tables of the company's database.",
    _list_all_tables,
    result=(Output("tables", "list"),),
)

DESCRIBE_TABLES = Tool(
    "describe_tables",
    DOCUMENTATION,
    "read",
    "Columns of tables of the company's database, with type, unit and meaning.",
    _describe_tables,
    fields=(Field("table_names", TEXTS, "Names of tables", default="all"),),
    result=(Output("tables", "map"),),
)
