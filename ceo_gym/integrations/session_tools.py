"""A session as a set of tools for programs that drive language models: what there is, what it says.

Both doors of this room take their lists and their answers from here, and this one takes them from
the declarations of the tools.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from ceo_gym.sandbox import SandboxError
from ceo_gym.sessions import Session
from ceo_gym.sessions.decisions import ADVANCE, PLAYS
from ceo_gym.tools import ceobench as tools
from ceo_gym.tools.declaration import TEXT, Field, Output, Tool
from ceo_gym.wrappers.desk import NEXT_WEEK, Refused, code_of
from ceo_gym.wrappers.tool_action import cut_answer

RUN_PYTHON = "run_python"
NO_SANDBOX = "no_sandbox"  # code of an answer
HOW_TO_ACT = (
    "Act by the tools: each acts or answers at once within the week, and next_week plays the week. "
    "A call that is refused has changed nothing, and its error says what is allowed. "
    "get_tool_documentation tells what a tool takes and answers, query asks the books in SQL. The "
    "game ends with the last day, or when the cash is gone; the score is the cash at the end."
)
PROGRAMS = (
    "A program reaches the company by `import novamind_api as nm`: `nm.pricing.set_prices(A=40)` "
    "and other functions act at once, `nm.query(sql)['rows']` asks the books. NumPy, pandas and "
    "SciPy are there, files in the working directory stay, and the answer is what it prints."
)


class Answer(NamedTuple):
    """What a call comes to.

    Attributes:
        text: the result, or why it was refused.
        code: the kind of mistake if it was refused, otherwise empty.
        failed: whether it was refused, or ran a program that failed.
    """

    text: str
    code: str = ""
    failed: bool = False


class SessionTools:
    """The tools of a session, by name.

    These are the declared ones that the session serves, which are all of them where programs can
    run; then also ``run_python``, for a program as a session runs it; and ``advance``, if asked.

    Args:
        session: open, and used by nobody else.
        programs: whether programs can be run: True, False, or None for where a sandbox works.
        advance: whether a week can also be played without a forecast.

    Raises:
        SandboxError: if programs are to run, and no sandbox works here.
    """

    def __init__(
        self, session: Session, *, programs: bool | None = None, advance: bool = False
    ) -> None:
        self.session = session
        self.runs_programs = programs is not False and _programs_run(session, must=bool(programs))
        self._own = {ADVANCE: _advance(session)} if advance else {}
        if self.runs_programs:
            self._own[RUN_PYTHON] = _run_python(session)

    def schemas(self) -> list[dict[str, Any]]:
        """All tools, each with ``name``, ``description`` and ``parameters`` (a JSON schema)."""
        served = self.session.desk.schemas() + [tool.schema for tool in self._own.values()]
        return [schema["function"] for schema in served]

    def only_reads(self, name: str) -> bool:
        """Whether a tool changes nothing; code that others run may do anything."""
        tool = self._own.get(name) or tools.TOOLS[name]
        return tool.kind == "read" and tool.served

    def guide(self) -> str:
        """What a player needs to know at the start, as Markdown."""
        how = HOW_TO_ACT
        if self.runs_programs:
            how += f" {RUN_PYTHON} runs a Python program. {PROGRAMS}"
        return self.session.desk.guide(how)

    def use(self, name: str, arguments: Mapping[str, Any] | None = None) -> Answer:
        """Use a tool; whatever is wrong with the call is an answer too.

        Raises:
            OSError: if the journal cannot be written.
        """
        try:
            if name in self._own:
                result = self._own[name].handler(None, self._read(name, arguments))
            else:
                result = self.session.call(name, arguments)
        except Refused as error:
            return Answer(str(error), code_of(error), failed=True)
        except SandboxError as error:
            return Answer(str(error), NO_SANDBOX, failed=True)
        if name == RUN_PYTHON:
            return _ran(result)
        if name in PLAYS:
            return Answer(result["dashboard"] + self._end())
        return Answer(cut_answer(json.dumps(result, ensure_ascii=False)))

    def _read(self, name: str, arguments: Mapping[str, Any] | None) -> dict[str, Any]:
        """Check the arguments of a tool that no desk knows; a refusal is written down here."""
        try:
            return self._own[name].read(arguments)
        except Refused as error:
            self.session.note(
                "refused", tool=name, args=arguments, error=str(error), code=code_of(error)
            )
            raise

    def _end(self) -> str:
        """What is added to the report of the last week."""
        if not self.session.desk.over:
            return ""
        status = self.session.status
        return (
            f"\nTHE GAME IS OVER ({status['status']} on day {status['current_day']}): the final "
            f"cash is ${status['cash_usd']:,.2f}. No more week can be played.\n"
        )


def _programs_run(session: Session, *, must: bool) -> bool:
    """Whether a program can be run; the worker is started, since only this shows it."""
    served_before = session.desk.servant
    try:
        session.workspace.sandbox.start()
    except SandboxError:
        session.desk.servant = served_before  # the tools that need a workspace are not served
        if must:
            raise
        return False
    return True


def _ran(outcome: Mapping[str, Any]) -> Answer:
    text = outcome["stdout"]
    if outcome["stderr"]:
        text += f"\n[stderr]\n{outcome['stderr']}"
    if outcome["exit_code"]:
        text += f"\n[exit code {outcome['exit_code']}]\n"
    return Answer(cut_answer(text), failed=outcome["exit_code"] != 0)


def _advance(session: Session) -> Tool:
    return Tool(
        ADVANCE,
        tools.TOOLS[NEXT_WEEK].family,
        "time",
        "Ends the week as next_week does, without a forecast; the built-in one stands in.",
        lambda _, given: session.advance(**given),
        fields=(Field("rationale", TEXT, "Why you decided as you did", default="none"),),
        result=(Output("dashboard", "text"),),
    )


def _run_python(session: Session) -> Tool:
    return Tool(
        RUN_PYTHON,
        tools.TOOLS["python_exec"].family,
        "immediate",
        f"Runs a Python program in the sandbox. {PROGRAMS}",
        lambda _, given: session.run(**given)._asdict(),
        fields=(Field("code", TEXT, "Source of the program", required=True),),
        result=(Output("stdout", "text"),),
    )
