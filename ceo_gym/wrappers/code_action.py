"""Act by Python programs, see what they print."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from ceo_gym.sandbox import Limits
from ceo_gym.simulators.ceobench.validation import InvalidDecision
from ceo_gym.wrappers.desk import Desk
from ceo_gym.wrappers.tool_action import AnyText
from ceo_gym.wrappers.workspace import Workspace, cut

SEEN_CHARACTERS = 30_000  # of what a program printed, in the observation; `info` has more
HOW_TO_ACT = """\
Answer with a Python program. `import novamind_api as nm` reaches the company:
`nm.pricing.set_prices(A=40)` and other functions act at once, `nm.query(sql)["rows"]` asks the
books, `nm.vars.current_day` is the day, `nm.next_week(predictions, rationale)` or `nm.advance()`
plays a week. `help(nm.pricing)` tells the functions of a module. NumPy, pandas and SciPy are there,
files in the working directory stay, and what the program prints is the answer.
"""
_USAGE_ERROR = 2


class CodeAction(gym.Wrapper[str, str, Any, Any], RecordConstructorArgs):
    """A program's door: an action is the text of a Python program, an observation what it printed.

        env = CodeAction(gym.make("ceo_gym:CEOBench-v0"))
        text, info = env.reset(seed=1)
        text, reward, terminated, truncated, info = env.step("import novamind_api as nm; ...")

    Programs that were written for CEO-Bench run as they are: the module ``novamind_api`` has the
    published functions (tools.md 2.1). A program may play no week, one or several, and only weeks
    earn a reward, which is that of the env. It runs in a sandbox (`ceo_gym.sandbox.Sandbox`):
    nothing of the world but these functions, no network, no other files than the workspace, which
    lasts for the game. Whatever becomes of a program, what it did before stays done. After the end
    of the game one can still ask.

    ``info`` has ``stdout``, ``stderr``, ``exit_code`` (0; 1 after an uncaught error; 137 if the
    program had to be ended, then the last line of `stderr` says why), ``day``, ``weeks_advanced``,
    ``seconds`` (of the program's own), ``answer_seconds`` (in which it waited for the company) and
    ``calls``, beside the info of the env's last week.

    Args:
        env: a ceo-gym environment that keeps records (``record="business"``, the default) if
            programs are to ask the books.
        workspace: folder of the files. It is kept, and a new game finds what is in it; unless
            given, each game has an empty one, which is removed at its end.
        limits: of each program.
        needs_forecast: whether ``next_week`` must bring the twelve numbers and a rationale, as in
            the published program; ``advance`` never does.
        extended: whether the weekly report also shows what the published one leaves out.
        unsafe: run programs without a sandbox, as the user who runs this process. Only for code
            that you would run yourself.

    Raises:
        SandboxError: by `reset`, if there is no bubblewrap and not `unsafe`.
        TypeError: for an environment of another package.
    """

    def __init__(
        self,
        env: gym.Env[Any, Any],
        *,
        workspace: str | Path | None = None,
        limits: Limits | None = None,
        needs_forecast: bool = True,
        extended: bool = False,
        unsafe: bool = False,
    ) -> None:
        RecordConstructorArgs.__init__(
            self,
            workspace=workspace,
            limits=limits,
            needs_forecast=needs_forecast,
            extended=extended,
            unsafe=unsafe,
        )
        gym.Wrapper.__init__(self, env)
        self.desk = Desk(env, self, needs_forecast=needs_forecast, extended=extended)
        self.action_space = AnyText()
        self.observation_space = AnyText()
        self._folder = None if workspace is None else Path(workspace)
        self._limits, self._unsafe = limits, unsafe
        self.workspace: Workspace | None = None

    def guide(self) -> str:
        """What a player needs to know at the start, as Markdown: the mechanics and the tools."""
        return self.desk.guide(HOW_TO_ACT)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[str, dict[str, Any]]:
        """Begin a new game; the text is the report of its first day and how to act."""
        self._close_workspace()
        self.workspace = Workspace(
            self.desk, self._folder, limits=self._limits, unsafe=self._unsafe
        )
        self.desk.begin(seed=seed, options=options)
        self.workspace.sandbox.start(wait=False)
        info = self.desk.take().info | {"weeks_advanced": 0}
        return f"{self.desk.report()}\n{HOW_TO_ACT}", info

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Run a program; see the class.

        Raises:
            gymnasium.error.ResetNeeded: before the first `reset`.
            SandboxError: if the sandbox does not work.
        """
        self.desk.need_reset()
        assert self.workspace is not None
        about: dict[str, Any] = {"stdout": "", "seconds": 0.0, "answer_seconds": 0.0, "calls": 0}
        try:
            outcome = self.workspace.run(action)
        except InvalidDecision as error:  # no program at all
            about |= {"stderr": f"{error}\n", "exit_code": _USAGE_ERROR}
        else:
            about |= {
                "stdout": outcome.stdout,
                "stderr": outcome.stderr,
                "exit_code": outcome.exit_code,
                "seconds": outcome.seconds,
                "answer_seconds": outcome.answer_seconds,
                "calls": outcome.calls,
            }
        turn = self.desk.take()
        info = turn.info | about | {"day": self.desk.day, "weeks_advanced": turn.weeks}
        printed = cut(about["stdout"] + about["stderr"], SEEN_CHARACTERS)
        return printed, turn.reward, turn.terminated, turn.truncated, info

    def close(self) -> None:
        """End the sandbox and the env; a temporary workspace is removed."""
        self._close_workspace()
        super().close()

    def _close_workspace(self) -> None:
        if self.workspace is not None:
            self.workspace.close()
            self.workspace = None
