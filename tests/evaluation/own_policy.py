"""A policy of somebody's own: what ``module:Class`` may be."""

from pathlib import Path
from typing import Any


class Priced:
    """Sets the price of plan A to what a file says, every week."""

    def __init__(self, env: Any, file: str, actions: str = "core") -> None:
        self._company = env.unwrapped
        self._price = float(Path(file).read_text(encoding="utf-8"))

    @staticmethod
    def env_args(file: str, actions: str = "core") -> dict[str, Any]:
        return {"actions": actions, "obs": "compact"}

    def reset(self, seed: int | None = None) -> None:
        """Nothing to forget."""

    def act(self, observation: Any, info: dict[str, Any]) -> Any:
        return self._company.action(price={"A": self._price})
