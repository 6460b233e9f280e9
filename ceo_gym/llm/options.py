"""How an agent plays: in which form it acts, what it remembers, what it may spend."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

ACTS = ("both", "tools", "programs")
CONTEXTS = ("weekly", "rolling")


@dataclass(frozen=True)
class AgentOptions:
    """How an agent plays.

    Attributes:
        act: ``"tools"`` (the declared tools), ``"programs"`` (Python in the sandbox) or ``"both"``.
        context: ``"weekly"`` begins a new conversation with every week, as in the paper, in which
            only the notes survive; ``"rolling"`` goes on, and is compacted to a summary by the
            model when it is longer than `context_tokens`.
        context_tokens: see `context`.
        turns_a_week: replies in a week; after that the week is played without a forecast.
        answer_characters: of one answer; the middle of a longer one is left out.
        idle_replies: replies in a row that do nothing, after which the run ends.
    """

    act: str = "both"
    context: str = "weekly"
    context_tokens: int = 100_000
    turns_a_week: int = 100
    answer_characters: int = 30_000
    idle_replies: int = 10

    def __post_init__(self) -> None:
        for name, value, known in (("act", self.act, ACTS), ("context", self.context, CONTEXTS)):
            if value not in known:
                raise ValueError(f"{name} is one of {', '.join(known)}, not {value!r}")
        for name in ("context_tokens", "turns_a_week", "answer_characters", "idle_replies"):
            if getattr(self, name) < 1:
                raise ValueError(f"{name} must be above 0, not {getattr(self, name)}")

    def as_dict(self) -> dict[str, Any]:
        """All options by name."""
        return asdict(self)


@dataclass(frozen=True)
class Budget:
    """What a run may spend, None for as much as it takes. Beyond it the run ends as truncated.

    Attributes:
        turns: replies of the model.
        tokens: of messages and replies together.
        cost_usd: needs a model whose cost is known.
        hours: in which the agent plays, all tries together.
    """

    turns: int | None = None
    tokens: int | None = None
    cost_usd: float | None = None
    hours: float | None = None

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if value is not None and not value > 0:
                raise ValueError(f"the budget of {name} must be above 0, not {value}")


@dataclass
class Spent:
    """What a run has spent; tokens and `cost_usd` are None once those of a reply are not known."""

    turns: int = 0
    input_tokens: int | None = 0
    output_tokens: int | None = 0
    cost_usd: float | None = 0.0
    seconds: float = 0.0

    @property
    def tokens(self) -> int | None:
        """Of messages and replies together."""
        if self.input_tokens is None or self.output_tokens is None:
            return None
        return self.input_tokens + self.output_tokens

    def beyond(self, budget: Budget) -> str:
        """Which budget is used up, empty if none is.

        Raises:
            ValueError: if there is a budget of dollars or tokens, and these are not known.
        """
        if budget.cost_usd is not None and self.cost_usd is None:
            raise ValueError(
                "the cost of this model is not known, so that a budget of dollars cannot be kept: "
                "give its price"
            )
        if budget.tokens is not None and self.tokens is None:
            raise ValueError(
                "the server does not count the tokens of this model, so that a budget of them "
                "cannot be kept"
            )
        used = {
            "turns": (self.turns, budget.turns),
            "tokens": (self.tokens, budget.tokens),
            "dollars": (self.cost_usd, budget.cost_usd),
            "hours": (self.seconds / 3600.0, budget.hours),
        }
        for name, (value, most) in used.items():
            if most is not None and value is not None and value >= most:
                return f"the budget of {most:g} {name} is used up"
        return ""
