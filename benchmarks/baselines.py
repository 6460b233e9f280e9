"""What the built-in policies reach: 32 seeds on both rule sets, as tables of the docs.

    python -m benchmarks.baselines [--workers 2] [--pages] [--out DIR]

Every policy is evaluated as ``ceo-gym evaluate`` does it; an interrupted run goes on. At most
`MAX_AGENTS` individuals are simulated (see docs/performance.md), so that it takes minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from benchmarks.pages import PAGES
from benchmarks.tables import Row, fill, markdown, pages_with, text
from benchmarks.timing import ROOT
from ceo_gym.evaluation import Evaluation, evaluate
from ceo_gym.plots import plot_fans

POLICIES = {
    "passive": "passive",
    "random": "random",
    "steady": "steady",
    "ppo": "ceo_gym.training:Trained",
    "rule_based": "rule_based",
    "tuned": "tuned",
    "oracle": "oracle",
}
DRAWN = {"steady": "steady", "ppo": "ppo, configured start", "tuned": "tuned"}
PICTURES = {"CEOBench-v0": "baselines-v0.png", "CEOBench-Repaired-v0": "baselines-repaired.png"}
ENVS = ("CEOBench-v0", "CEOBench-Repaired-v0")
MAX_AGENTS = 20_000
MILLION = 1e6


def rows(workers: int, out: Path) -> list[Row]:
    """Figures by env and policy, cash in millions of dollars."""
    table = []
    for env in ENVS:
        for name, policy in POLICIES.items():
            found = evaluate(
                env,
                policy,
                "evaluation",
                workers=workers,
                out=out / f"{name}-{env}.json",
                env_args={"max_agents": MAX_AGENTS},
                progress=True,
            )
            s, cash = found.summary, [game.final_cash_usd for game in found.episodes]
            low, high = s["mean_interval_usd"]
            table.append(
                {
                    "policy": name,
                    "env": env,
                    "mean": s["mean_usd"] / MILLION,
                    "interval": f"{low / MILLION:,.2f} to {high / MILLION:,.2f}",
                    "median": s["median_usd"] / MILLION,
                    "least": min(cash) / MILLION,
                    "most": max(cash) / MILLION,
                    "bankruptcies": s["bankruptcies"],
                    "days": s["survival_days"]["mean"],
                    "cpu_s": sum(game.cpu_seconds for game in found.episodes) / len(cash),
                }
            )
    return table


def main() -> None:
    """Evaluate what is missing, print the table, and fill the pages if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--out", type=Path, default=ROOT / "runs" / "baselines")
    parser.add_argument("--pages", action="store_true", help="fill the tables of README and docs")
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    table = rows(asked.workers, asked.out)
    print(text(table))
    heads = {
        "policy": "policy",
        "env": "env",
        "mean": "mean",
        "interval": "95 % interval",
        "median": "median",
        "least": "least",
        "most": "most",
        "bankruptcies": "bankrupt of 32",
        "days": "days, mean",
        "cpu_s": "CPU s a game",
    }
    if asked.pages:
        for page in pages_with("baselines", (*PAGES, ROOT / "docs" / "baselines.md")):
            fill(page, "baselines", markdown(table, heads))
        draw(asked.out)


def draw(out: Path) -> None:
    """The cash fans of the page, from the files of `rows`."""
    for env, picture in PICTURES.items():
        found = [Evaluation.read(out / f"{name}-{env}.json") for name in DRAWN]
        path = ROOT / "docs" / "images" / picture
        plot_fans(found, path, title=env, names=list(DRAWN.values()))


if __name__ == "__main__":
    main()
