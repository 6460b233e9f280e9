"""The company as a task of Inspect: ``inspect eval ceo_gym/ceobench --model ...``.

Needs the extra ``inspect``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

try:
    import anyio
    from inspect_ai import Task, task
    from inspect_ai.agent import AgentPrompt, as_solver, react
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import GenerateConfig
    from inspect_ai.solver import solver
    from inspect_ai.tool import ToolDef, ToolError, ToolParams
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        'the Inspect task needs inspect-ai: pip install "ceo-gym[inspect]"'
    ) from error

from ceo_gym.evaluation.seeds import parse_seeds
from ceo_gym.integrations.inspect_scorer import SESSION, game_score
from ceo_gym.integrations.one_thread import OneThread
from ceo_gym.integrations.session_tools import SessionTools
from ceo_gym.sandbox import SandboxError, bubblewrap
from ceo_gym.sessions import Session
from ceo_gym.sessions.decisions import make_env

BEGIN = "Run the company. Its report today:\n\n{report}"
GO_ON = "The game goes on: it is day {day} of {last}. next_week plays the next week."
IDLE = 5  # answers without a call of a tool, one after the other, that end a game
_ANSWER_BYTES = 200_000  # answers are cut by us, in characters


@task
def ceobench(
    env: str = "CEOBench-v0",
    seeds: str | int | Sequence[int | str] = "paper",
    days: int | None = None,
    env_args: Mapping[str, Any] | None = None,
    needs_forecast: bool = True,
    programs: bool = True,
    sessions: str = "runs/inspect",
) -> Any:
    """Run a company week by week with tools; one sample is one game.

    Args:
        env: id of an environment.
        seeds: of the games: the name of a set, numbers with commas between them, or a range A-B
            (B included; Inspect would read A:B as a time of the day).
        days: horizon in days, that of the env unless given.
        env_args: further arguments of the env, plain JSON values.
        needs_forecast: whether next_week must bring forecasts and a rationale.
        programs: offer ``run_python`` and the other tools that need our sandbox.
        sessions: folder of the records, a directory a game.

    Raises:
        ValueError: for an unknown env, argument or seed, or if programs cannot run here.
    """
    arguments = dict(env_args or {})
    if days is not None:
        params = dict(arguments.get("params", {}))
        arguments["params"] = params | {"clock.horizon_days": days}
    # what is wrong is told here, before a model is asked
    make_env({"env": env, "env_args": arguments}).close()
    if programs:
        _need_sandbox()
    samples = [
        Sample(id=f"seed-{seed}", input=f"{env}, seed {seed}", metadata={"env": env, "seed": seed})
        for seed in parse_seeds(_ranges(seeds))
    ]
    return Task(
        dataset=MemoryDataset(samples, name=env),
        solver=company_player(
            env_args=arguments,
            needs_forecast=needs_forecast,
            programs=programs,
            sessions=str(Path(sessions).resolve()),
        ),
        scorer=game_score(),
        config=GenerateConfig(max_tool_output=_ANSWER_BYTES),
    )


@solver
def company_player(
    env_args: Mapping[str, Any], needs_forecast: bool, programs: bool, sessions: str
) -> Any:
    """Plays the game of a sample to its end, or to a limit of Inspect, with its agent ``react``.

    The record of the game is a session in a directory of `sessions`, named in the metadata of the
    sample. An answer without a call of a tool is told that the game goes on; several of them in a
    row end it.
    """

    async def play(state: Any, generate: Any) -> Any:
        thread = OneThread()
        directory = Path(sessions) / f"seed-{state.metadata['seed']}-{state.uuid}"
        try:
            # what is opened is closed, also when a limit cancels us
            with anyio.CancelScope(shield=True):
                session = await thread.do(
                    Session.create,
                    directory,
                    env=state.metadata["env"],
                    env_args=env_args,
                    seed=state.metadata["seed"],
                    needs_forecast=needs_forecast,
                    about={"model": str(state.model), "sample": state.uuid, "epoch": state.epoch},
                )
            state.metadata[SESSION] = str(directory)
            try:
                tools = await thread.do(SessionTools, session, programs=programs)
                agent = await _agent(tools, thread)
                state.user_prompt.text = BEGIN.format(report=await thread.do(session.report))
                return await as_solver(agent)(state, generate)
            finally:
                with anyio.CancelScope(shield=True):
                    await thread.do(session.close)
        finally:
            thread.end()

    return play


async def _agent(tools: SessionTools, thread: OneThread) -> Any:
    """The agent that plays a session to its end."""
    prompt = AgentPrompt(
        instructions=await thread.do(tools.guide), handoff_prompt=None, assistant_prompt=None
    )
    return react(
        prompt=prompt,
        tools=[_tool(tools, thread, schema) for schema in tools.schemas()],
        submit=False,
        on_continue=_until_the_end(tools.session),
        truncation="auto",
    )


def _tool(tools: SessionTools, thread: OneThread, schema: Mapping[str, Any]) -> Any:
    """A tool of Inspect, from the schema of its declaration."""
    name = schema["name"]

    async def execute(**kwargs: Any) -> str:
        answer = await thread.do(tools.use, name, kwargs)
        if answer.code:
            raise ToolError(f"{answer.code}: {answer.text}")
        return answer.text

    return ToolDef(
        execute,
        name=name,
        description=schema["description"],
        parameters=ToolParams.model_validate(schema["parameters"]),
        parallel=False,
    )


def _until_the_end(session: Session) -> Any:
    """What `react` asks after each answer: whether to go on, and with which words."""
    idle = 0

    async def go_on(state: Any) -> bool | str:
        nonlocal idle
        if session.desk.over:
            return False
        if state.output.message.tool_calls:
            idle = 0
            return True
        idle += 1
        if idle >= IDLE:
            return False
        return GO_ON.format(day=session.desk.day, last=session.begin["total_days"])

    return go_on


def _need_sandbox() -> None:
    """Check that programs can run: a game with other tools would be another one."""
    try:
        bubblewrap.find()
    except SandboxError as error:
        raise ValueError(f"{error}; programs=false plays without run_python") from error


def _ranges(seeds: str | int | Sequence[int | str]) -> str | int | list[int | str]:
    """Seeds as `parse_seeds` takes them: A-B becomes A:B."""
    if isinstance(seeds, int):
        return seeds
    if isinstance(seeds, str):
        return re.sub(r"(\d)-(\d)", r"\1:\2", seeds)
    return [_ranges(seed) for seed in seeds]  # type: ignore[misc]
