"""What an agent is told: the rules once, the report and its notes at the beginning of a context."""

from __future__ import annotations

from typing import Any

from ceo_gym.llm import notes
from ceo_gym.llm.options import AgentOptions
from ceo_gym.sandbox.sandbox import SOURCE_CHARACTERS
from ceo_gym.sessions import Session
from ceo_gym.tools.ceobench import TOOLS
from ceo_gym.wrappers.desk import NEXT_WEEK

RUN_PYTHON, WRITE_NOTES = "run_python", "write_notes"
IDLE = (
    "That did nothing: use a tool. next_week ends the week; it takes a forecast of cash and a "
    "rationale."
)
LAST_TURN = "This was the last turn but one of this week: use next_week now."
SUMMARISE = (
    "Your conversation has become long and will be begun anew. Write down, in at most a thousand "
    "words, what you need to know to go on: what you have learned about the market, what you have "
    "set and why, what you are waiting for, and what you plan. Use no tool."
)
SKIPPED = "not done: the week was over before this call; look at its report first"

_PROGRAMS = """\
Programs reach the company with `import novamind_api as nm`: `nm.pricing.set_prices(A=40)` and other
functions act at once, `nm.query(sql)["rows"]` asks the books, `nm.vars.current_day` is the day,
`nm.next_week(predictions, rationale)` plays a week, `nm.call(tool, args)` uses any tool. NumPy,
pandas and SciPy are there, and files in the working directory stay."""
_TOOLS = "Tools act at once; use as many as you like in a week, also several in one reply."


def system(session: Session, options: AgentOptions) -> str:
    """The rules, and how to act."""
    parts = [_TOOLS]
    if options.act != "tools":
        parts.append(f"`{RUN_PYTHON}` runs a Python program and gives what it prints. {_PROGRAMS}")
    parts.append(
        "`next_week` ends the week. It takes your forecasts of cash after 1, 4, 12 and 26 weeks, "
        "each with the bounds of a 95 % interval, and a rationale; both are kept, and your "
        "forecasts are compared with what comes."
    )
    kept = (
        "A new week begins a new conversation"
        if options.context == "weekly"
        else "A long conversation is begun anew with a summary"
    )
    parts.append(
        f"{kept}: what you want to remember belongs in your notes, the file `{notes.NAME}`, which "
        f"`{WRITE_NOTES}` replaces. You see it at the beginning of every conversation."
    )
    return session.desk.guide("\n\n".join(parts))


def beginning(session: Session, summary: str = "") -> str:
    """The first message of a conversation."""
    kept = notes.read(session.folder)
    parts = [session.report()]
    parts.append(f"# Your notes\n\n{kept}" if kept else "# Your notes\n\nThere are none yet.")
    if summary:
        parts.append(f"# Your summary of the conversation before\n\n{summary}")
    return "\n\n".join(parts)


def schemas(session: Session, options: AgentOptions) -> list[dict[str, Any]]:
    """The tools of an agent, in the function format of chat completions."""
    found = [_write_notes()]
    if options.act != "tools":
        found.append(_run_python())
    for schema in session.desk.schemas():
        name = schema["function"]["name"]
        # run_python takes the place of those that need a workspace
        if TOOLS[name].served and (options.act != "programs" or name == NEXT_WEEK):
            found.append(schema)
    return found


def _run_python() -> dict[str, Any]:
    code = {
        "type": "string",
        "maxLength": SOURCE_CHARACTERS,
        "description": "Python source; what it prints is the answer.",
    }
    return _function(RUN_PYTHON, "Runs a Python program in your workspace.", {"code": code})


def _write_notes() -> dict[str, Any]:
    text = {
        "type": "string",
        "maxLength": notes.MOST_CHARACTERS,
        "description": "All of your notes; they replace those before.",
    }
    doc = f"Replaces your notes ({notes.NAME}), which you see in every conversation."
    return _function(WRITE_NOTES, doc, {"text": text})


def _function(name: str, doc: str, properties: dict[str, Any]) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "function",
        "function": {"name": name, "description": doc, "parameters": parameters},
    }
