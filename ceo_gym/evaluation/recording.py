"""Recording a game: what `ceo_gym.runs.RunRecord` keeps, noted week by week while it is played."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any

import gymnasium as gym
import numpy as np
import pandas as pd

from ceo_gym import __version__
from ceo_gym.baselines import Policy
from ceo_gym.envs.ceobench import CEOBenchEnv
from ceo_gym.envs.ceobench import books as company_books
from ceo_gym.envs.ceobench.keys import used
from ceo_gym.evaluation.play import Game
from ceo_gym.runs.record import RunRecord, frame
from ceo_gym.simulators.ceobench import DayResult, World, finance, weekly
from ceo_gym.simulators.ceobench.acquisition import effectiveness_so_far
from ceo_gym.simulators.ceobench.codes import ACCEPTED, KINDS, LOST, NONE, OPEN, REJECTED
from ceo_gym.simulators.ceobench.sections import CHANNELS
from ceo_gym.simulators.common.rows import Floats

KEY, TOOL = "key", "tool"
RUNNING, HORIZON, BANKRUPT = "running", "horizon reached", "bankrupt"
_CENT = 0.01  # forecasts that differ by less are the same


class RunRecorder:
    """Notes a game while somebody plays it, whatever wrappers are around the env.

        env = gym.make("ceo_gym:CEOBench-v0", record="none")
        recorder = RunRecorder(env)
        ...                                   # reset, and play as always
        recorder.record().write(Path("runs/mine"))

    A reset begins a new record. The env may keep any records or none.

    Args:
        env: an env of the company, wrapped or not.
        config: what is known about the run, see `RunRecord`.

    Raises:
        TypeError: for an env of another kind.
    """

    def __init__(self, env: gym.Env[Any, Any], config: Mapping[str, Any] | None = None) -> None:
        if not isinstance(env.unwrapped, CEOBenchEnv):
            raise TypeError(f"a run is recorded of an env of the company, not of {env}")
        self.company = env.unwrapped
        self._config = dict(config or {})
        self._keys = {key.key: key for key in self.company.action_keys}
        self._forget()
        self.company.watch(self)

    def said(self, text: str) -> None:
        """Note what the player wrote before the coming week: thoughts, notes or messages.

        Only the measures on texts need it.
        """
        self._texts.append({"week": self._week + 1, "text": text})

    def record(self) -> RunRecord:
        """The record so far.

        Raises:
            ValueError: if no week was played, or the company was restored from a saved state
                meanwhile, so that weeks are missing.
        """
        world = self.company.world
        if not self._weeks:
            raise ValueError("there is nothing to record: no week was played since the last reset")
        if [row["day"] for row in self._weeks] != [week.day for week in world.history.weeks]:
            raise ValueError(
                "the weeks that were watched are not those of the company: it was restored from a "
                "saved state; a record needs a game that is watched from its reset on"
            )
        return RunRecord(
            config=self._config | {"result": _result(world)},
            weeks=frame("weeks", self._weeks),
            days=_days(world),
            forecasts=_forecasts(world),
            advertising=frame("advertising", self._advertising),
            negotiations=_negotiations(world),
            actions=frame("actions", self._counted()),
            hidden_effectiveness=_effectiveness(world),
            hidden_competitor_events=frame(
                "hidden_competitor_events",
                [{"day": day, "shift": shift} for day, shift in world.market.competitor_events],
            ),
            texts=frame("texts", self._texts) if self._texts else None,
        )

    # --- what the env tells, see envs.ceobench.access.Watcher ---

    def began(self) -> None:
        """A new company: forget the one before."""
        self._forget()

    def called(self, tool: str) -> None:
        """A call of a tool counts to the week that is planned."""
        self._actions[self._week + 1, TOOL, tool] += 1

    def played(self, action: Mapping[str, Any]) -> None:
        """A week is over."""
        world = self.company.world
        self._week += 1
        self._actions.update((self._week, KEY, name) for name in used(self._keys, dict(action)))
        self._weeks.append(weekly.row(world) | own_columns(world))
        spend = world.company.ads_spend_usd * world.history.weeks[-1].days
        groups = world.params.groups.ids
        self._advertising += [
            {
                "week": self._week,
                "channel": CHANNELS[c],
                "group": groups[g],
                "spend_usd": float(spend[c, g]),
            }
            for c, g in np.argwhere(spend > 0.0).tolist()
        ]

    def _forget(self) -> None:
        self._week = 0
        self._weeks: list[dict[str, float]] = []
        self._advertising: list[dict[str, Any]] = []
        self._texts: list[dict[str, Any]] = []
        self._actions: Counter[tuple[int, str, str]] = Counter()

    def _counted(self) -> list[dict[str, Any]]:
        return [
            {"week": week, "kind": kind, "name": name, "count": count}
            for (week, kind, name), count in sorted(self._actions.items())
        ]


def record_run(
    env: str,
    policy: str,
    seed: int = 0,
    *,
    env_args: Mapping[str, Any] | None = None,
    policy_args: Mapping[str, Any] | None = None,
    each_week: Callable[[DayResult], None] | None = None,
) -> RunRecord:
    """Play one game of a policy, and record it.

    Args:
        env: id of an environment.
        policy: name of a policy, or ``"module:Class"``.
        seed: of world and policy.
        env_args: as of `ceo_gym.evaluation.evaluate`.
        policy_args: likewise.
        each_week: is called with the numbers of every week.

    Raises:
        ValueError: for an unknown env, policy or argument.
    """
    game = Game.of(env, policy, env_args, policy_args)
    made, player = game.make()
    try:
        return play_recorded(made, player, seed, known_of(game, seed), each_week)
    finally:
        made.close()


def play_recorded(
    env: gym.Env[Any, Any],
    policy: Policy,
    seed: int,
    config: Mapping[str, Any],
    each_week: Callable[[DayResult], None] | None = None,
) -> RunRecord:
    """Play one game of a policy in an env that is made already; arguments as of `record_run`."""
    recorder, ended = RunRecorder(env, config), False
    observation, info = env.reset(seed=seed)
    policy.reset(seed)
    while not ended:
        observation, _, terminated, truncated, info = env.step(policy.act(observation, info))
        ended = terminated or truncated
        if each_week is not None:
            each_week(recorder.company.world.history.weeks[-1])
    return recorder.record()


def known_of(game: Game, seed: int) -> dict[str, Any]:
    """What reproduces a run, in the words of the configuration of a record."""
    arguments = {name: value for name, value in game.env_args.items() if name != "params"}
    return {
        "ceo_gym": __version__,
        "world": "CEO-Bench",
        "env": game.env,
        "env_args": arguments,
        "policy": game.policy,
        "policy_args": dict(game.policy_args),
        "seed": seed,
        "parameters": dict(game.env_args.get("params", {})),
    }


def own_columns(world: World) -> dict[str, float]:
    """Columns of the weekly table beside those of `weekly.row`.

    ``week`` (from 1); ``discovered_groups``; ``spent_<what>_<how>_usd`` for development and
    operations, shared and targeted, over the days of the week; ``served_account_days`` and of
    these ``quota_full_account_days``, on which an account used up its quota.
    """
    company, days = world.company, world.history.weeks[-1].days
    books = company_books.read(world)
    return {
        "week": len(world.history.weeks),
        "discovered_groups": int(world.market.discovered.sum()),
        "spent_development_shared_usd": company.development_usd * days,
        "spent_development_targeted_usd": float(company.development_group_usd.sum()) * days,
        "spent_operations_shared_usd": company.operations_usd * days,
        "spent_operations_targeted_usd": company.targeted_support_usd * days,
        "served_account_days": float(books.used_days.sum()),
        "quota_full_account_days": float(books.full_days.sum()),
    }


# --- what a world tells afterwards ---------------------------------------------------------------


def _result(world: World) -> dict[str, Any]:
    end = BANKRUPT if world.bankrupt else HORIZON if world.ended else RUNNING
    return {"day": world.day, "end": end, "final_cash_usd": float(world.company.cash_usd)}


def _days(world: World) -> pd.DataFrame:
    played = slice(world.day + 1)
    columns: dict[str, Any] = {"day": np.arange(world.day + 1)}
    columns["cash_usd"] = world.history.cash_usd[played]
    for category, usd in zip(finance.CATEGORIES, world.history.ledger_usd[played].T):
        columns[f"ledger_{category}"] = usd
    return pd.DataFrame(columns)


def _forecasts(world: World) -> pd.DataFrame:
    rows = world.history.predictions
    built_in = np.concatenate([_built_in(world, k) for k in range(len(world.history.weeks))])
    handed_in = np.column_stack([rows.point_usd, rows.lower_usd, rows.upper_usd])
    same = np.isclose(handed_in, built_in, rtol=1e-9, atol=_CENT).all(axis=1)
    found = pd.DataFrame({"day": rows.day, "horizon_days": rows.horizon_days, "own": ~same})
    names = ("point_usd", "lower_usd", "upper_usd")
    found[list(names)] = handed_in
    found[[f"built_in_{name}" for name in names]] = built_in
    return found.astype({"day": "int64", "horizon_days": "int64", "own": "int64"})


def _built_in(world: World, week: int) -> Floats:
    """[4, 3] what the built-in forecaster said before a week, from 0, was played."""
    history = world.history
    played = history.weeks[week]
    first_day = played.day - played.days
    bought = float(history.ledger_usd[first_day, company_books.PURCHASES].sum())
    cash_by_week = history.cash_by_week[: week + 1]
    return finance.forecast(cash_by_week[-1] + bought, cash_by_week)


def _negotiations(world: World) -> pd.DataFrame:
    threads = world.negotiations.threads
    state, is_open = threads.state, threads.state == OPEN
    answered = (threads.offer_plan != NONE).any(axis=1) | (state == REJECTED)
    of_each = {
        "threads": np.ones(len(state), bool),
        "answered": answered,
        "accepted": state == ACCEPTED,
        "rejected": state == REJECTED,
        "lost": state == LOST,
        "open": is_open,
        "open_unanswered": is_open & ~answered,
    }
    counts = {
        name: np.bincount(threads.kind[chosen], minlength=len(KINDS))
        for name, chosen in of_each.items()
    }
    return pd.DataFrame({"kind": list(KINDS)} | counts).astype(dict.fromkeys(of_each, "int64"))


def _effectiveness(world: World) -> pd.DataFrame:
    groups = world.params.groups.ids
    rows = [
        {"from_day": day, "channel": channel, "group": group, "effectiveness": value}
        for day, values in effectiveness_so_far(world)
        for channel, row in zip(CHANNELS, values.tolist())
        for group, value in zip(groups, row)
    ]
    return frame("hidden_effectiveness", rows)
