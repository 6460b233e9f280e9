"""``ceo-gym agent``: language models play, and are reported on."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ceo_gym.cli.arguments import (
    DEFAULT_ENV,
    Commands,
    add_env_args,
    entry_of,
    key_values,
    look_here,
)

if TYPE_CHECKING:
    from ceo_gym.llm.results import AgentResult
    from ceo_gym.llm.runs import AgentRuns


def add(commands: Commands) -> None:
    """Add the subcommand."""
    agent = commands.add_parser(
        "agent",
        help="let a language model play",
        description="Lets a language model play, one run a seed; the same command goes on after a "
        "kill. The key is read from the environment.",
    )
    agent.set_defaults(run=_agent)
    agent.add_argument(
        "--model",
        required=True,
        help="name of the model; litellm:NAME through LiteLLM, scripted:module:name a player of "
        "your own, replay:DIR the model of an earlier run",
    )
    agent.add_argument(
        "--base-url",
        default="https://api.openai.com/v1",
        help="of a server that speaks chat completions (default %(default)s)",
    )
    agent.add_argument(
        "--key-variable",
        default="OPENAI_API_KEY",
        help="environment variable that holds the key (default %(default)s)",
    )
    agent.add_argument(
        "--parameter",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="more of each request, e.g. temperature=0 or max_tokens=4096; may be repeated",
    )
    agent.add_argument(
        "--price",
        type=float,
        nargs=2,
        metavar=("INPUT", "OUTPUT"),
        help="USD for a million tokens, if the server does not tell costs",
    )
    agent.add_argument("--timeout", type=float, default=600.0, help="of a request, seconds")
    agent.add_argument("--attempts", type=int, default=8, help="requests for one reply at most")
    agent.add_argument("--env", default=DEFAULT_ENV, help="id of the environment")
    add_env_args(agent)
    agent.add_argument("--days", type=int, help="horizon in days (default: that of the env)")
    agent.add_argument(
        "--seeds",
        default="3",
        help="a number n for the first n evaluation seeds (default 3), A:B, or the name of a set",
    )
    agent.add_argument("--repeat", type=int, default=1, help="runs a seed (default 1)")
    agent.add_argument("--workers", type=int, default=1, help="runs at a time (default 1)")
    agent.add_argument("--out", type=Path, required=True, help="directory of the runs")
    how = agent.add_argument_group("how it plays")
    how.add_argument("--act", choices=("both", "tools", "programs"), default="both")
    how.add_argument("--context", choices=("weekly", "rolling"), default="weekly")
    how.add_argument("--context-tokens", type=int, default=100_000, help="where rolling compacts")
    how.add_argument("--turns-a-week", type=int, default=100, help="replies in a week at most")
    budget = agent.add_argument_group("budgets of a run; beyond one it ends as truncated")
    budget.add_argument("--max-turns", type=int, help="replies")
    budget.add_argument("--max-tokens", type=int, help="of messages and replies")
    budget.add_argument("--max-cost", type=float, help="USD")
    budget.add_argument("--max-hours", type=float, help="of play")
    agent.add_argument("--quiet", action="store_true", help="print the report only")


def _agent(given: argparse.Namespace) -> int:
    from ceo_gym.llm.runs import REPORT, play_runs
    from ceo_gym.terminal import print_agent_report

    look_here()
    runs = _runs(given)
    runs.model.client()  # what is wrong with the model's name shows before a run begins

    def each(result: AgentResult) -> None:
        if not given.quiet:
            why = f" ({result.why})" if result.why else ""
            print(
                f"{result.directory}: {result.status}{why}, day {result.days}, "
                f"cash ${result.final_cash_usd:,.0f}, {result.turns} turns",
                file=sys.stderr,
            )

    found = play_runs(runs, given.workers, each)
    print_agent_report(runs.model.model, runs.env, found)
    print(f"\nwritten to {given.out / REPORT}; the runs are below {given.out}")
    return 1 if "failed" in found["status"] else 0


def _runs(given: argparse.Namespace) -> AgentRuns:
    from ceo_gym.llm.options import AgentOptions, Budget
    from ceo_gym.llm.runs import AgentRuns, ModelChoice, chosen_seeds

    entry_of(given.env)
    env_args: dict[str, Any] = key_values("--env-arg", given.env_arg)
    if given.days is not None:
        env_args["params"] = {**env_args.get("params", {}), "clock.horizon_days": given.days}
    return AgentRuns(
        out=given.out,
        model=ModelChoice(
            given.model,
            given.base_url,
            given.key_variable,
            tuple(given.price) if given.price else None,
            key_values("--parameter", given.parameter),
            given.timeout,
            given.attempts,
        ),
        seeds=chosen_seeds(given.seeds, given.repeat),
        env=given.env,
        env_args=env_args,
        options=AgentOptions(given.act, given.context, given.context_tokens, given.turns_a_week),
        budget=Budget(given.max_turns, given.max_tokens, given.max_cost, given.max_hours),
    )
