"""What each quirk switch does to the game, one at a time: writes docs/rule_effects.md.

    python -m tests.conformance.ceobench.switches [--seeds 32] [--workers N] [--cache FILE]

Every run is appended to the cache as it ends, so that a killed command goes on where it was. Seeds
are played in turn, all variants of a seed before the next: what is finished can be reported at any
time with ``--report``.
"""

import argparse
import dataclasses
import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from scipy import stats

import ceo_gym
from ceo_gym.simulators.ceobench import Rules
from tests.conformance.ceobench.runner import FIRST_SEED, HORIZON
from tests.conformance.ceobench.scripted import Desk, company

PAGE = Path(__file__).parents[3] / "docs" / "rule_effects.md"
POLICIES = ("P2", "P3")
CHECK_SEEDS = 4  # for switches that cannot change outcomes

SWITCHES = tuple(field.name for field in dataclasses.fields(Rules))
TABLES_ONLY = (
    *(f.name for f in dataclasses.fields(Rules) if "tables only" in f.metadata["published"]),
    "lead_lost_notice_daily",  # as its text says
)
# P2 and P3 set nothing for single accounts, do not read insights or posts, study each group once,
# never reject, and send valid settings and offers only
UNUSED = (
    "account_ads_hidden_from_decisions",
    "insight_noise_by_group_name",
    "competitor_posts_on_oldest_event",
    "refresh_keeps_research_day",
    "rejected_churn_threat_stays",
    "offers_unchecked",
    "loose_input",
)
# a relationship of exactly 0, a quota that an enterprise feels, the last turn of a good offer and
# a filled market are rare
RARE = (
    "zero_relationship_reads_neutral",
    "quota_per_account",
    "open_leads_ignored_in_saturation",
    "patience_before_acceptance",
    "offers_ignore_tenure",
)
# The switches of a group are flipped in one run. If it equals the published run none of them has
# acted, for the first to act would have made a difference; if not, they are played one by one on
# that seed. So a group saves runs and decides nothing.
QUIET_GROUP, RARE_GROUP = "all quiet switches", "all rare switches"
GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    QUIET_GROUP: dict.fromkeys(POLICIES, TABLES_ONLY + UNUSED),
    RARE_GROUP: {
        # P2 meets no enterprises
        "P2": (
            *RARE,
            "offers_see_live_quality",
            "offers_above_budget_accepted",
            "negotiated_quality_capped",
            "lost_threads_fire_daily",
        ),
        # the groups P3 aims at have hardly any budget shift
        "P3": (*RARE, "budget_shift_stored"),
    },
}
PUBLISHED, REPAIRED = "published", "repaired"


class Design(NamedTuple):
    """What is to be played."""

    seeds: tuple[int, ...]
    days: int = HORIZON
    switches: tuple[str, ...] = SWITCHES
    check_seeds: int = CHECK_SEEDS

    def group(self, name: str, policy: str) -> tuple[str, ...]:
        """Switches that are flipped together first."""
        return tuple(switch for switch in self.switches if switch in GROUPS[name][policy])

    def single(self, policy: str) -> tuple[str, ...]:
        """Switches that are played one by one on every seed."""
        grouped = {switch for name in GROUPS for switch in self.group(name, policy)}
        return tuple(switch for switch in self.switches if switch not in grouped)

    @property
    def checked(self) -> tuple[str, ...]:
        """Switches that are played one by one on the first seeds, with the tables they touch."""
        return tuple(name for name in self.switches if name in TABLES_ONLY)


class Run(NamedTuple):
    """Which run: variant of the rules, policy, seed, days to play, records kept."""

    variant: str
    policy: str
    seed: int
    days: int
    record: str = "none"
    flipped: tuple[str, ...] = ()  # from the published rules


class Outcome(NamedTuple):
    """What became of a company."""

    cash: float  # at the end, or on the day of its bankruptcy
    peak: int  # subscribed accounts, the highest at the end of a week
    last_day: int
    digest: str  # of all daily money and service and all weekly numbers


Outcomes = dict[Run, Outcome]


class BooklessDesk(Desk):
    """A desk that reads cash and recurring revenue off the dashboard, so no tables are needed."""

    @property
    def cash(self) -> float:
        return float(self.company.world.observe().cash_usd)

    @property
    def revenue_a_day(self) -> float:
        return float(self.company.world.observe().mrr_usd) / 30


# --- what to play ---


def run_of(variant: str, policy: str, seed: int, design: Design) -> Run:
    flipped: tuple[str, ...] = (variant,)
    if variant == PUBLISHED:
        flipped = ()
    elif variant == REPAIRED:
        flipped = tuple(name for name in SWITCHES if getattr(Rules(), name))
    elif variant in GROUPS:
        flipped = design.group(variant, policy)
    return Run(variant, policy, seed, design.days, flipped=flipped)


def check_of(switch: str, policy: str, seed: int, design: Design) -> Run:
    """A run of a switch of the tables, with the tables."""
    return run_of(switch, policy, seed, design)._replace(record="business")


def checks_of(seed: int, design: Design) -> list[Run]:
    """The runs of the switches of the tables on a seed, if it is one of the first."""
    if seed not in design.seeds[: design.check_seeds]:
        return []
    return [check_of(name, policy, seed, design) for policy in POLICIES for name in design.checked]


def needed(seed: int, design: Design, outcomes: Outcomes) -> list[Run]:
    """All runs of a seed, as far as is known by now: whether a group has acted shows later."""
    runs: list[Run] = []
    for policy in POLICIES:
        published = run_of(PUBLISHED, policy, seed, design)
        variants: list[str] = [REPAIRED, *design.single(policy)]
        for name in GROUPS:
            together = run_of(name, policy, seed, design)
            runs += [published, together] if together.flipped else []
            if differ(published, together, outcomes):
                variants += design.group(name, policy)
        runs += [published, *(run_of(variant, policy, seed, design) for variant in variants)]
    return list(dict.fromkeys(runs + checks_of(seed, design)))


def differ(a: Run, b: Run, outcomes: Outcomes) -> bool:
    """Whether both have been played and are not the same."""
    return a in outcomes and b in outcomes and outcomes[a].digest != outcomes[b].digest


def finished(design: Design, outcomes: Outcomes) -> tuple[int, ...]:
    """The seeds on which everything has been played."""
    return tuple(
        seed
        for seed in design.seeds
        if all(run in outcomes for run in needed(seed, design, outcomes))
    )


# --- playing and keeping ---


def outcome_of(run: Run) -> Outcome:
    """Play one run."""
    rules = Rules().replace(**{name: not getattr(Rules(), name) for name in run.flipped})
    world = company(run.policy, run.seed, run.days, rules, record=run.record, desk=BooklessDesk)
    history, weeks = world.history, world.history.weeks
    digest = hashlib.sha256()
    for daily in (history.cash_usd, history.ledger_usd, history.ledger_count, history.service):
        digest.update(np.ascontiguousarray(daily).tobytes())
    digest.update(repr([dataclasses.astuple(week) for week in weeks]).encode())
    peak = max(week.individual_subscribers + week.enterprise_accounts for week in weeks)
    return Outcome(float(world.company.cash_usd), int(peak), int(world.day), digest.hexdigest())


def fingerprint() -> str:
    """Of the simulator, its tools and the policies: runs of other ones are not taken from a cache.

    This file is left out, so that a change of the page costs no runs.
    """
    package = Path(ceo_gym.__file__).parent
    files = [p for part in ("simulators", "tools", "envs") for p in (package / part).rglob("*")]
    files.append(Path(__file__).parent / "scripted.py")
    digest = hashlib.sha256()
    for path in sorted(path for path in files if path.is_file() and path.suffix != ".pyc"):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


class Cache:
    """Outcomes in a JSONL file, one line a run.

    Args:
        path: the file; nothing is kept without one.
    """

    def __init__(self, path: Path | None) -> None:
        self.path, self.code = path, fingerprint()
        self.outcomes: Outcomes = {}
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        text = path.read_text()
        for line in text.splitlines():
            try:
                row = json.loads(line)
            except json.JSONDecodeError:  # the line that was being written when a run was killed
                continue
            if row.pop("code") == self.code:
                run = Run(**row["run"] | {"flipped": tuple(row["run"]["flipped"])})
                self.outcomes[run] = Outcome(**row["outcome"])
        if text and not text.endswith("\n"):
            path.write_text(text + "\n")

    def add(self, run: Run, outcome: Outcome) -> None:
        self.outcomes[run] = outcome
        if self.path is not None:
            row = {"run": run._asdict(), "outcome": outcome._asdict(), "code": self.code}
            with self.path.open("a") as file:
                file.write(json.dumps(row) + "\n")


def played(runs: list[Run], pool: ProcessPoolExecutor | None) -> Iterator[tuple[Run, Outcome]]:
    """Outcomes as they come; in this process without a pool."""
    if pool is None:
        for run in runs:
            yield run, outcome_of(run)
        return
    futures = {pool.submit(outcome_of, run): run for run in runs}
    for future in as_completed(futures):
        yield futures[future], future.result()


def play_all(
    design: Design,
    cache: Cache,
    pool: ProcessPoolExecutor | None = None,
    advance: Callable[[int, int], None] = lambda seed, runs: None,
) -> None:
    """Play whatever the cache lacks, seed by seed.

    Args:
        design: what to play.
        cache: where the outcomes are and go.
        pool: processes to play in.
        advance: told the seed and how many of its runs are done, after each.
    """
    for seed in design.seeds:
        while True:
            runs = needed(seed, design, cache.outcomes)
            missing = [run for run in runs if run not in cache.outcomes]
            advance(seed, len(runs) - len(missing))
            if not missing:
                break
            for done, (run, outcome) in enumerate(played(missing, pool), 1):
                cache.add(run, outcome)
                advance(seed, len(runs) - len(missing) + done)
        assert_tables_only(seed, design, cache.outcomes)


def assert_tables_only(seed: int, design: Design, outcomes: Outcomes) -> None:
    """Switches of the tables have changed nothing, nor has keeping the tables."""
    for run in checks_of(seed, design):
        published = run_of(PUBLISHED, run.policy, seed, design)
        same = outcomes[run].digest == outcomes[published].digest
        assert same, f"{run.variant} changes {run.policy} on seed {seed}, not only tables"


# --- effects ---


class Effect(NamedTuple):
    """Differences of a variant from the published rules, paired by seed [seeds]."""

    variant: str
    cash: np.ndarray
    peak: np.ndarray
    days: np.ndarray
    survival: np.ndarray  # 1 where it saves the company from bankruptcy, -1 where it ruins it
    changed: np.ndarray  # whether anything at all differs

    @property
    def error(self) -> float:
        """Standard error of the mean difference of cash."""
        n = len(self.cash)
        return float(self.cash.std(ddof=1) / n**0.5) if n > 1 else float("nan")

    @property
    def size(self) -> float:
        """The mean difference of cash in standard errors."""
        mean = float(self.cash.mean())
        return mean / self.error if self.error > 0.0 else 0.0

    @property
    def p(self) -> float:
        """Of Wilcoxon's signed-rank test on cash; nan where cash never changed."""
        moved = self.cash[self.cash != 0.0]
        return float(stats.wilcoxon(moved).pvalue) if len(moved) else float("nan")


def outcome(variant: str, policy: str, seed: int, design: Design, outcomes: Outcomes) -> Outcome:
    """Of a finished seed; that of the published rules for a switch whose group did not act."""
    run = run_of(variant, policy, seed, design)
    if run not in outcomes:
        assert variant not in design.single(policy)
        run = run_of(PUBLISHED, policy, seed, design)
    return outcomes[run]


def effect(
    variant: str, policy: str, seeds: Iterable[int], design: Design, outcomes: Outcomes
) -> Effect:
    pairs = [
        [outcome(which, policy, seed, design, outcomes) for which in (PUBLISHED, variant)]
        for seed in seeds
    ]
    return Effect(
        variant,
        np.array([b.cash - a.cash for a, b in pairs]),
        np.array([b.peak - a.peak for a, b in pairs]),
        np.array([b.last_day - a.last_day for a, b in pairs]),
        np.array([int(b.cash >= 0.0) - int(a.cash >= 0.0) for a, b in pairs]),
        np.array([a.digest != b.digest for a, b in pairs]),
    )


# --- the page ---

INTRODUCTION = """# Effects of the rules

What each switch of the [rules](rules.md) does to the result of a game: the published rules were
played beside the repaired ones, and beside the published rules with a single switch repaired, on
the same seeds and by the same scripted policies. P2 buys growth in all first groups and then lives
off its base; P3 aims at two groups and does research; both answer every enterprise that negotiates
with one fixed price. Each game is {days} days, or ends earlier with the bankruptcy of the company
and its last cash, a little below zero. Played: **{seeds} seeds** ({first} to {last}), the same for
every row, with ceo-gym {version}.

```
python -m tests.conformance.ceobench.switches --seeds {seeds}
```

How to read it: every figure is repaired minus published, paired by seed, and rows are sorted by the
size of the mean difference of final cash in its standard errors (SE), but cash has heavy tails (a
company that goes bankrupt in one world may end with millions in the other), so that the median, the
number of seeds on which cash went up and down, and the p of Wilcoxon's signed-rank test on them say
more than a mean; a switch that moved cash on a single seed always has 1.0 SE. If both companies go
bankrupt, the difference of their last cash means little; then look at the days they survived, and
at "saved / ruined": how many companies go bankrupt under the published rules only, and how many
under the repaired switch only.

Once a switch has acted, other events follow, and from then on two games of one seed differ by
chance as well. With {tests} tests in the two tables about {chance:.1f} would have p below 0.05 if
no switch mattered; only p below {strict} (marked \\*) are left after Bonferroni's correction.
"Changed" counts the seeds on which anything differs at all: daily cash, money and service, or a
number of a week. Subscribers are accounts, at their highest end of a week.
"""

COLUMNS = (
    "repaired",
    "cash, mean ± SE",
    "in SE",
    "cash, median",
    "cash up / down",
    "p",
    "saved / ruined",
    "peak subscribers",
    "days survived",
    "changed",
)
HEAD = (f"| {' | '.join(COLUMNS)} |", f"|---{'|---:' * (len(COLUMNS) - 1)}|")


def page(design: Design, outcomes: Outcomes) -> str:
    """The page from the seeds on which everything has been played.

    Raises:
        ValueError: if there is none.
    """
    seeds = finished(design, outcomes)
    if not seeds:
        raise ValueError("no seed is finished yet")
    effects = {
        policy: [
            effect(variant, policy, seeds, design, outcomes)
            for variant in (REPAIRED, *design.switches)
        ]
        for policy in POLICIES
    }
    moved = [e for of_policy in effects.values() for e in of_policy if e.cash.any()]
    limit = 0.05 / max(1, len(moved))
    parts = [
        INTRODUCTION.format(
            days=design.days,
            seeds=len(seeds),
            first=seeds[0],
            last=seeds[-1],
            version=ceo_gym.__version__,
            tests=len(moved),
            chance=0.05 * len(moved),
            strict=f"{limit:.2g}",
        )
    ]
    for policy, of_policy in effects.items():
        parts += [f"## {policy}", base_line(policy, seeds, design, outcomes)]
        parts += [table(of_policy, limit), standing_out(of_policy)]
    parts.append(quiet_text(design, outcomes, seeds, effects))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def base_line(policy: str, seeds: tuple[int, ...], design: Design, outcomes: Outcomes) -> str:
    """How the games end under both profiles."""
    texts = []
    for profile in (PUBLISHED, REPAIRED):
        ends = [outcome(profile, policy, seed, design, outcomes) for seed in seeds]
        cash = np.array([end.cash for end in ends])
        peak = np.median([end.peak for end in ends])
        texts.append(
            f"- Under the {profile} rules {(cash < 0.0).sum()} of {len(seeds)} companies go "
            f"bankrupt; the median of final cash is {money(float(np.median(cash)))}, the mean "
            f"{money(float(cash.mean()))}, the median peak {peak:,.0f} subscribers."
        )
    return "\n".join(texts)


def money(usd: float, sign: str = "") -> str:
    return f"{usd:{sign},.0f} USD"


def table(effects: list[Effect], limit: float) -> str:
    """One policy's effects: the repaired profile, then every switch that changed anything."""
    profile, *switches = effects
    switches = sorted((e for e in switches if e.changed.any()), key=lambda e: -abs(e.size))
    return "\n".join([*HEAD, *(table_row(e, limit) for e in (profile, *switches))])


def table_row(e: Effect, limit: float) -> str:
    name = "**all of them**" if e.variant == REPAIRED else f"`{e.variant}`"
    p = "" if np.isnan(e.p) else f"{e.p:.2g}" + (" \\*" if e.p < limit else "")
    cells = (
        name,
        f"{e.cash.mean():+,.0f} ± {e.error:,.0f}",
        f"{e.size:+.1f}",
        f"{np.median(e.cash):+,.0f}",
        f"{(e.cash > 0).sum()} / {(e.cash < 0).sum()}",
        p,
        f"{(e.survival > 0).sum()} / {(e.survival < 0).sum()}",
        f"{e.peak.mean():+,.0f}",
        f"{e.days.mean():+,.1f}",
        f"{e.changed.sum()} of {len(e.changed)}",
    )
    return f"| {' | '.join(cells)} |"


def standing_out(effects: list[Effect]) -> str:
    """Which switches to look at first."""
    names = [f"`{e.variant}`" for e in effects[1:] if abs(e.size) >= 2.0 or e.p < 0.05]
    return f"Single switches with at least 2 SE or p below 0.05: {', '.join(names) or 'none'}."


def quiet_text(
    design: Design,
    outcomes: Outcomes,
    seeds: tuple[int, ...],
    effects: dict[str, list[Effect]],
) -> str:
    """The switches that are in neither table, and how they were played."""
    lines = [
        "## Switches without an effect here",
        "Each of these changed nothing under the policy named: not a dollar and not a subscriber.",
    ]
    for policy, of_policy in effects.items():
        names = [f"`{e.variant}`" for e in of_policy if not e.changed.any()]
        lines.append(f"- {policy}: {', '.join(names) or 'none'}")
    checks = sum(bool(checks_of(seed, design)) for seed in seeds)
    by_itself = ", ".join(f"`{name}`" for name in design.checked)
    lines += [
        "",
        f"Those that touch tables only ({by_itself}; the last is off in both profiles and was "
        f"switched on) were played one by one on {checks} seeds, with the tables, and were "
        "required to change nothing. Switches about things that a policy never or seldom meets "
        "were flipped together in one game, and one by one on the seeds where that game differed "
        "from the published one. P2 hardly meets enterprises and P3 wins few; their enterprises "
        "seldom feel a quota, and neither sets ads for single accounts, reads insights, studies a "
        "group again, rejects a negotiation or tries odd input: other players may well find that "
        "these switches matter.",
    ]
    return "\n".join([lines[0], "", lines[1], "", *lines[2:]])


# --- command ---


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=32)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cache", type=Path, default=Path("runs/rule_effects.jsonl"))
    parser.add_argument("--out", type=Path, default=PAGE)
    parser.add_argument("--report", action="store_true", help="play nothing, write the page")
    return parser.parse_args()


def play_with_bar(design: Design, cache: Cache, workers: int) -> None:
    columns: tuple[Any, ...] = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    pool = ProcessPoolExecutor(workers) if workers > 1 else None
    with Progress(*columns) as progress:
        counts = {seed: len(needed(seed, design, cache.outcomes)) for seed in design.seeds}
        done = dict.fromkeys(design.seeds, 0)
        bar = progress.add_task("runs", total=sum(counts.values()))

        def advance(seed: int, runs: int) -> None:
            counts[seed] = max(runs, counts[seed])
            done[seed] = runs
            total, completed = sum(counts.values()), sum(done.values())
            progress.update(bar, description=f"seed {seed}", total=total, completed=completed)

        try:
            play_all(design, cache, pool, advance)
        finally:
            if pool is not None:
                pool.shutdown(cancel_futures=True)


def main() -> None:
    given = arguments()
    given.cache.parent.mkdir(parents=True, exist_ok=True)
    design = Design(tuple(range(FIRST_SEED, FIRST_SEED + given.seeds)))
    cache = Cache(given.cache)
    if not given.report:
        play_with_bar(design, cache, given.workers)
    given.out.write_text(page(design, cache.outcomes), encoding="utf-8")


if __name__ == "__main__":
    main()
