"""What is trained, on what, and with which numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import Any

from ceo_gym.registration import ENVIRONMENTS
from ceo_gym.simulators.common.parameters import nearest

ALGORITHMS = ("ppo", "maskable_ppo")
STARTS = ("configured", "empty")
# what the wrappers of training fix; another value would be another policy network
FIXED = ("actions", "obs", "record", "reward", "start", "masks", "texts", "privileged", "slots")
MAX_AGENTS = 1_000
TUNING_SEEDS = (1, 64)
FIRST_TRAINING_SEED = 100_000  # far from the published sets of seeds


@dataclass(frozen=True)
class Settings:
    """Everything that decides what a training run does, in plain JSON values.

    Attributes:
        env: id of the environment.
        algorithm: ``"ppo"`` on `TargetAction`, or ``"maskable_ppo"`` on `FlattenActionDiscrete`.
        start: ``"configured"`` (the sensible set-up of ``reset``) or ``"empty"``.
        env_args: further arguments of the env, such as ``{"params": {...}}``.
        seed: of networks, exploration and training companies.
        envs: companies that play side by side.
        weeks: of each company between two updates.
        batch: decisions in a gradient step.
        epochs: passes over what was collected.
        learning_rate: at the start; it falls linearly to a tenth with the budget.
        discount: of a week; 1 makes the return what `GrowthReward` says that it is.
        gae_lambda: of generalised advantage estimation.
        target_kl: an update stops early beyond 1.5 times this.
        hidden: units of each of two layers, of policy and of value.
        noise: standard deviation of exploration at the start, in those of the prior (``ppo`` only).
        eval_every: updates between two evaluations.
        eval_seeds: number of tuning seeds, from 1 on, that an evaluation plays.
        checkpoint_every: updates between two checkpoints.
        keep: checkpoints that are kept.
    """

    env: str = "CEOBench-Repaired-v0"
    algorithm: str = "ppo"
    start: str = "configured"
    env_args: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    envs: int = 16
    weeks: int = 72
    batch: int = 144
    epochs: int = 10
    learning_rate: float = 3e-4
    discount: float = 1.0
    gae_lambda: float = 0.98
    target_kl: float = 0.04
    hidden: int = 64
    noise: float = 0.7
    eval_every: int = 10
    eval_seeds: int = 8
    checkpoint_every: int = 1
    keep: int = 2

    def __post_init__(self) -> None:
        env = self.env.removeprefix("ceo_gym:")
        object.__setattr__(self, "env", env)
        if env not in ENVIRONMENTS:
            raise ValueError(f"no environment {env!r}; {nearest(env, ENVIRONMENTS)}")
        for name, value, known in (
            ("algorithm", self.algorithm, ALGORITHMS),
            ("start", self.start, STARTS),
        ):
            if value not in known:
                raise ValueError(f"no {name} {value!r}; {nearest(value, known)}")
        for name in self.env_args:
            if name in FIXED:
                raise ValueError(
                    f"training decides the argument {name} of the env by itself"
                    + ("; start is an option of its own" if name == "start" else "")
                )
        whole = ("envs", "weeks", "batch", "epochs", "hidden", "eval_every", "checkpoint_every")
        for name in (*whole, "eval_seeds", "keep"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name} is a whole number from 1, not {value!r}")
        if not self.noise > 0.0:
            raise ValueError(f"noise is a number above 0, not {self.noise!r}")
        if self.seed < 0:
            raise ValueError(f"seed is a whole number >= 0, not {self.seed}")
        if self.eval_seeds > TUNING_SEEDS[1]:
            raise ValueError(f"there are {TUNING_SEEDS[1]} tuning seeds, not {self.eval_seeds}")
        if self.decisions % self.batch or self.batch < 2:
            raise ValueError(
                f"the {self.decisions} decisions of an update (envs times weeks) must be a "
                f"multiple of batch, and batch at least 2, not {self.batch}"
            )

    @property
    def company_args(self) -> dict[str, Any]:
        """Arguments of the env that is trained on and evaluated with."""
        return {
            "actions": "manager",
            "record": "none",
            "start": self.start,
            "max_agents": MAX_AGENTS,
        } | self.env_args

    @property
    def decisions(self) -> int:
        """Weeks of all companies between two updates."""
        return self.envs * self.weeks

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for a file."""
        return asdict(self)

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Settings:
        """The settings of a file.

        Raises:
            ValueError: for a key that is none, or a wrong value.
        """
        known = {each.name for each in fields(cls)}
        for name in stored:
            if name not in known:
                raise ValueError(f"no setting {name!r}; {nearest(name, known)}")
        return cls(**stored)
