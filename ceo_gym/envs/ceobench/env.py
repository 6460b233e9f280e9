"""The Gymnasium environment of the company world: the class, and the page that documents it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ceo_gym.envs.ceobench import (
    action_manager,
    manager_choices,
    masks,
    render,
    rewards,
)
from ceo_gym.envs.ceobench import start as starts
from ceo_gym.envs.ceobench.access import CompanyAccess
from ceo_gym.envs.ceobench.action_decode import carry_out, own_forecast
from ceo_gym.envs.ceobench.action_keys import action_keys
from ceo_gym.envs.ceobench.arguments import SlotNumbers, checked_limits, named, one_of
from ceo_gym.envs.ceobench.blocks import Observation
from ceo_gym.envs.ceobench.books import week_ledger
from ceo_gym.envs.ceobench.keys import Action, Key, switch_on, write
from ceo_gym.envs.ceobench.observation import Observer
from ceo_gym.envs.ceobench.privileged import hidden_state
from ceo_gym.simulators.ceobench import Params, Rules, SnapshotError, World
from ceo_gym.simulators.ceobench.history import LEVELS
from ceo_gym.simulators.common import snapshots
from ceo_gym.simulators.common.rows import Floats

SNAPSHOT_KIND = "ceobench env"
SNAPSHOT_VERSION = 2
PROFILES = ("full", "core", "manager")


class CEOBenchEnv(CompanyAccess, gym.Env[Observation, Action]):
    """Run a subscription-software company for 500 days, one step a week.

    ## Description

    The company sells three plans of a software product to individuals and enterprises, who belong
    to 26 groups, of which six are known at first. It sets prices, quotas, model and capacity
    tiers, support, development, advertising and promotions, researches markets and products,
    negotiates with enterprises and posts in public. The score is the cash at the end. The world is
    CEO-Bench (arXiv 2606.18543).

    A step does, in this order:

    1. The action is checked; one outside the space raises `ValueError` and changes nothing.
    2. Its decisions are carried out: prices, tiers, quotas, capacity, shared spends, advertising,
       development, support, in-app advertising, promotions, lead promotions, market research,
       group research, projects, rejections, offers, post. What the world refuses is skipped and
       listed in ``info["rejected"]``.
    3. The forecast is handed in, and seven days are played (three in the last week).
    4. The observation is put together, and the reward is what the week did to cash.

    ## Action Space

    A `Dict` of one of three profiles; ``env.unwrapped.describe()["action"]`` names every cell with
    its unit and meaning. Zero is "change nothing" everywhere.

    * ``full``: every lever in real units. A setting has an array of values and an array of
      switches ``<key>_set``; cells with switch 1 are written, all others stay. Enterprise threads
      have slots in the order of ``observation["inbox"]``, and ``bulk_op`` treats what no slot
      does, by the kind of the thread. ``account_*`` are about the accounts of
      ``observation["account"]``.
    * ``core``: the same without promotions, in-app advertising, slots, replies and forecasts.
    * ``manager``: 25 numbers, relative to the settings in force, for learning; see
      `action_manager`.

    ``env.unwrapped.action(price={"A": 45}, ads={("search_ads", "S1"): 100})`` builds an action
    from named cells; it sets the switches.

    ## Observation Space

    A `Dict` of 34 keys (float32 boxes with finite bounds, and MultiDiscrete masks and labels) in
    real units; ``env.unwrapped.describe()["observation"]`` names every cell. Four more keys can be
    asked for by `blocks`: ``influence``, ``channel_group_lead_promotion``, ``reply_slots`` and
    ``forecast``. ``obs="compact"`` has ten keys. All of it could be had from the dashboard, the
    free tools, the tables and memory; undiscovered groups are rows of zeros.

    ## Rewards

    ``cash`` (default): change of cash since the last step in millions of dollars. The sum over an
    episode is the final cash less the initial million. ``log``: change of the symmetric logarithm
    of cash in thousands. ``terminal``: final cash in millions at the end, else 0.
    ``info["reward_parts"]`` splits the cash reward by category of the ledger.

    ## Starting State

    A million dollars, and every setting at zero or the lowest tier; nobody can buy before prices
    and quotas are set. ``reset(options={"start": "configured"})`` begins with a sensible set-up
    instead (`start.configure`), as does the argument `start` for every reset without that option
    (a vector env resets its envs without options). ``info["start"]`` says which. The seed of
    `reset` is the seed of the world; without one, seeds are drawn from the env's generator.

    ## Episode End

    ``terminated`` at the horizon (500 days: 72 steps, the last of three days) or at the first day
    with cash below zero. The env never truncates.

    ## Arguments

    Args:
        rules: ``"published"``, ``"repaired"`` or `Rules`.
        params: numbers of the world by name, such as ``{"clock.horizon_days": 50}``, on top of
            those of the id; or `Params` in place of all numbers.
        actions: ``"full"``, ``"core"`` or ``"manager"``.
        obs: ``"full"`` or ``"compact"``.
        blocks: optional keys of the full observation.
        slots: how many threads, accounts and posts have slots, and how many past weeks an
            observation has: some of ``{"inbox": 64, "accounts": 32, "history_weeks": 12,
            "replies": 16}`` with other numbers, where the keys of `obs` and `actions` have them.
        reward: ``"cash"``, ``"log"`` or ``"terminal"``.
        record: ``"business"`` keeps what the tables need, ``"none"`` (for training) weekly totals,
            ``"full"`` hidden daily rows as well.
        start: how a reset begins unless its options say otherwise, ``"empty"`` or
            ``"configured"``.
        sql_limits: limits of `query`: some of ``{"row_cap": 5_000, "time_limit_s": 10.0}``, the
            most rows and seconds of a result. Needs records.
        texts: whether `info` has ``"report"``, and ``"notices"`` and ``"posts"``: what came since
            the step before, as rows of the tables ``notifications`` and ``social_media_posts``.
            Needs records.
        max_agents: simulate about so many individuals at most; above that each stands for several
            customers, an approximation that bounds the cost of a week (see the documentation on
            performance). None simulates everyone.
        masks: whether `info` has ``"action_mask"``.
        privileged: whether `info` has ``"privileged"``, hidden state for study.
        judge: scores the company's own posts instead of the built-in judge.
        variant: the numbers in which an id differs from the published world; not for users.
        render_mode: ``"human"`` or ``"ansi"`` (the report), ``"rgb_array"`` (a small picture).

    ## Version History

    * v0: first release.

    Raises:
        ValueError: for an argument that is none of these, or needs records that are not kept.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 - the base class declares it without ClassVar
        "render_modes": ["human", "ansi", "rgb_array"],
        "render_fps": 4,
    }

    def __init__(
        self,
        *,
        rules: Rules | str = "published",
        params: Params | Mapping[str, Any] | None = None,
        actions: str = "full",
        obs: str = "full",
        blocks: Sequence[str] = (),
        slots: Mapping[str, int] | None = None,
        reward: str = "cash",
        record: str = "business",
        start: str = "empty",
        sql_limits: Mapping[str, float] | None = None,
        texts: bool = False,
        max_agents: int | None = None,
        masks: bool = False,
        privileged: bool = False,
        judge: Callable[..., Any] | None = None,
        variant: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        one_of("actions", actions, PROFILES)
        one_of("reward", reward, rewards.REWARDS)
        one_of("record", record, LEVELS)
        one_of("start", start, starts.STARTS)
        if render_mode is not None:
            one_of("render_mode", render_mode, self.metadata["render_modes"])
        for argument, given in (("texts", texts), ("sql_limits", sql_limits)):
            if given and record == "none":
                raise ValueError(f'{argument} needs records: record="business" or "full"')
        if not (judge is None or callable(judge)):
            raise ValueError(f"judge is a function that scores a post, not {judge!r}")
        self.render_mode = render_mode
        self._params = _loaded(params, variant or {})
        self._rules = rules if isinstance(rules, Rules) else Rules.named(rules)
        self._judge: dict[str, Any] = {} if judge is None else {"judge": judge}
        self._record, self._reward, self._default_start = record, reward, start
        self._masks, self._privileged, self._texts = masks, privileged, texts
        self._max_agents = max_agents
        self._sql_limits = checked_limits(sql_limits)
        self._manager = actions == "manager"
        numbers = SlotNumbers.of(slots)
        declared = (
            action_manager.keys(self._params)
            if self._manager
            else action_keys(self._params, actions, numbers)
        )
        self._keys = {key.key: key for key in declared}
        self._spaces = {key.key: key.space() for key in declared}
        self._described: dict[str, Any] | None = None
        self._observer = Observer(self._params, obs, blocks, numbers)
        self.observation_space: spaces.Space[Any] = self._observer.space
        self.action_space: spaces.Space[Any] = spaces.Dict(list(self._spaces.items()))
        self._forecast: Floats | None = None
        self._start = start
        self._told = (0, 0)  # notices and posts that earlier infos were about
        # a company from the beginning, so that a saved one can be restored without a reset
        self._world = self._founded(0)
        self._begun = False

    # --- Gymnasium ---

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a new company.

        Args:
            seed: seed of the world; drawn from the env's generator unless given.
            options: ``{"start": "configured"}`` or ``{"start": "empty"}``; the env's `start`
                unless given.

        Raises:
            ValueError: for an unknown option.
        """
        super().reset(seed=seed)
        how = named("options", options, ("start",)).get("start", self._default_start)
        one_of("start", how, starts.STARTS)
        world_seed = int(self.np_random.integers(2**31)) if seed is None else seed
        self._world = self._founded(world_seed)
        if how == "configured":
            starts.configure(self._world)
        self._start, self._begun = how, True
        self._forecast, self._told = None, (0, 0)
        self.close()
        self._observer.forget()
        for watcher in self._watchers:
            watcher.began()
        observation = self._observer.observe(self._world, new_week=False)
        if self.render_mode == "human":
            self.render()
        return observation, self._info([])

    def step(self, action: Action) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out an action and play a week; see the class for the order of events.

        Raises:
            ValueError: if the action is not in the action space; nothing has changed then.
            RuntimeError: if there is no running game.
        """
        if not self._begun or self._world.ended:
            raise RuntimeError("the game is over or has not begun: call reset() first")
        checked = self._checked(action)
        world = self._world
        before = world.history.cash_by_week[-1]
        if self._manager:
            rejected = action_manager.carry_out(world, checked)
            forecast = None
        else:
            rejected = carry_out(world, checked, self._observer.slots)
            for entry in rejected:
                entry["cell"] = self._keys[entry["key"]].label(entry["cell"])
            forecast = own_forecast(checked)
        if self._forecast is not None:
            forecast, self._forecast = self._forecast, None
        world.step_week(forecast)
        for watcher in self._watchers:
            watcher.played(checked)
        observation = self._observer.observe(world, new_week=True)
        reward = rewards.reward(self._reward, before, world.company.cash_usd, ended=world.ended)
        if self.render_mode == "human":
            self.render()
        return observation, reward, world.ended, False, self._info(rejected)

    def render(self) -> Any:
        """Show the company in the render mode of the env."""
        if self.render_mode == "rgb_array":
            return render.picture(self._world)
        if self.render_mode == "ansi":
            return self.report()
        if self.render_mode == "human":
            print(self.report())
        return None

    # --- actions ---

    def observe(self) -> Observation:
        """The observation as of now: of a restored company, or after calls within the week.

        The slots of the next action are about what it shows.
        """
        return self._observer.observe(self._world, new_week=False)

    def noop_action(self) -> Action:
        """A fresh action that changes nothing."""
        return {name: key.nothing() for name, key in self._keys.items()}

    def action(self, **named: Any) -> Action:
        """An action from named parts, the rest a no-op.

        Args:
            **named: key = ``{label: number}`` for some cells (labels of two axes as a tuple or
                nested), an array or one number for all cells, or a choice by number or name.
                Switches of written cells are set (``*_set`` and ``inbox_plan``); operations such
                as ``inbox_op`` are not.

        Raises:
            KeyError: for an unknown key, cell or choice, with the nearest.
            ValueError: for a number that is out of bounds or an array of the wrong shape.
        """
        action = self.noop_action()
        # switches last, so that a given one overrules those that values set
        for name in sorted(named, key=lambda n: (n.endswith("_set") or n == "inbox_plan", n)):
            write(self._keys, action, name, named[name])
        return self._checked(action)

    def action_mask(self) -> dict[str, Any]:
        """Which choices can be carried out now, as `action_space.sample(mask=…)` takes it."""
        if self._manager:
            return manager_choices.action_mask(self.action_keys, self._world)
        observer = self._observer
        return masks.action_mask(self.action_keys, self._world, observer.slots, observer.numbers)

    def describe(self) -> dict[str, Any]:
        """Every cell of observation and action: index, unit, bounds or choices, meaning.

        Made once for an env, so that it is to be read and not to be changed.
        """
        if self._described is not None:
            return self._described
        actions = {
            name: {
                "space": key.kind,
                "shape": key.shape,
                "meaning": key.meaning,
                "tool": key.tool,
                "cells": key.cells(),
            }
            for name, key in self._keys.items()
        }
        self._described = {"observation": self._observer.describe(), "action": actions}
        return self._described

    @property
    def action_keys(self) -> tuple[Key, ...]:
        """Declarations of the keys of the action, in their order."""
        return tuple(self._keys.values())

    def switch_on(self, action: Action, key: str, cells: NDArray[np.bool_]) -> None:
        """Set the switches of some cells of a key in an action, so that they are written."""
        switch_on(self._keys, action, self._keys[key], cells)

    # --- snapshots ---

    def save_state(self) -> bytes:
        """The company and what is remembered of it, as bytes."""
        state = {
            "world": np.frombuffer(self._world.save(), np.uint8),
            "observer": self._observer.get_state(),
            "start": self._start,
            "begun": self._begun,
            "forecast": self._forecast,
            "told": self._told,
        }
        return snapshots.dump(SNAPSHOT_KIND, SNAPSHOT_VERSION, state)

    def restore_state(self, data: bytes) -> None:
        """Continue a saved company bit for bit; on an error the present one stays.

        Raises:
            SnapshotError: if the bytes are damaged, of another version, of a company with other
                rules or numbers than this env's, of an env with other slots, or without the records
                that `texts` needs.
        """
        state = snapshots.load(SNAPSHOT_KIND, SNAPSHOT_VERSION, data)
        world = World.restore(state["world"].tobytes(), **self._judge)
        same = world.rules == self._rules and world.crowd.limit == self._max_agents
        if not same or _encoded(world.params) != _encoded(self._params):
            raise SnapshotError("the saved company plays by other rules or numbers than this env")
        if self._texts and not world.history.business:
            raise SnapshotError("the saved company keeps no records, which texts=True needs")
        self._observer.set_state(state["observer"])
        self._world = world
        self._start, self._begun = state["start"], state["begun"]
        self._forecast, self._told = state["forecast"], tuple(state["told"])
        self.close()

    # --- helpers ---

    def _founded(self, seed: int) -> World:
        return World(
            seed,
            params=self._params,
            rules=self._rules,
            record=self._record,
            max_agents=self._max_agents,
            **self._judge,
        )

    def _checked(self, action: Any) -> Action:
        if not isinstance(action, Mapping):
            raise ValueError(
                f"an action is a dict of {len(self._keys)} keys, as env.unwrapped.action() builds "
                f"one, not {action!r:.60}"
            )
        missing, unknown = self._keys.keys() - action.keys(), action.keys() - self._keys.keys()
        if missing or unknown:
            words = [f"missing {sorted(missing)[:5]}"] if missing else []
            words += [f"unknown {sorted(map(str, unknown))[:5]}"] if unknown else []
            raise ValueError(f"the action is not in the space: {' and '.join(words)}")
        return {
            name: key.checked(action[name], self._spaces[name]) for name, key in self._keys.items()
        }

    def _info(self, rejected: list[dict[str, Any]]) -> dict[str, Any]:
        world = self._world
        weeks = world.history.weeks
        ledger = np.zeros(len(world.history.ledger_usd[0]))
        if weeks:
            ledger = week_ledger(world, weeks[-1].day - weeks[-1].days, weeks[-1].day)
        info: dict[str, Any] = {
            "day": world.day,
            "week": len(weeks),
            "cash_usd": world.company.cash_usd,
            "bankrupt": world.bankrupt,
            "rejected": rejected,
            "reward_parts": rewards.parts(ledger),
            "start": self._start,
        }
        if self._masks:
            info["action_mask"] = self.action_mask()
        if self._privileged:
            info["privileged"] = hidden_state(world)
        if self._texts:
            from ceo_gym.text.ceobench import news  # training needs no words

            info["report"] = self.report()
            info["notices"] = news.as_rows(news.notices(world, self._told[0]))
            info["posts"] = news.as_rows(news.posts(world, self._told[1]))
        self._told = len(world.history.notice_rows), len(world.history.posts)
        return info


def _loaded(params: Params | Mapping[str, Any] | None, variant: Mapping[str, Any]) -> Params:
    """The numbers of the world: those given by name on top of the id's, or all of them."""
    if isinstance(params, Params):
        return params
    if not (params is None or isinstance(params, Mapping)):
        raise ValueError(f"params is a map of numbers by name, or Params, not {params!r}")
    return Params.load({**variant, **(params or {})})


def _encoded(params: Params) -> bytes:
    """All numbers, for comparison, whatever the words in which changes were asked for."""
    return snapshots.dump("", 0, snapshots.to_plain(replace(params, overrides={})))
