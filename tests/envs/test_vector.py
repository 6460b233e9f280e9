"""Vector envs of Gymnasium: every sub-env is, bit for bit, a single env with its seed."""

from collections.abc import Iterator
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.wrappers.vector import RecordEpisodeStatistics

from tests.envs.companies import sparse

ENV = "ceo_gym:CEOBench-v0"
WEEKS = 4
SHORT = {"clock.horizon_days": 7 * WEEKS}
SEEDS = (11, 5, 8)
STEPS = 11  # into the third episode
ARGUMENTS: dict[str, dict[str, Any]] = {
    "full": {"masks": True, "params": SHORT},
    "compact-manager": {
        "obs": "compact",
        "actions": "manager",
        "masks": True,
        "record": "none",
        "start": "configured",
        "params": SHORT | {"company.initial_cash_usd": 1e5},  # for some not enough
    },
    "told": {
        "params": SHORT,
        "actions": "core",
        "blocks": ("influence", "forecast"),
        "start": "configured",
        "texts": True,
        "privileged": True,
    },
}
Step = tuple[Any, float, bool, bool, dict[str, Any]]


def make_vec(mode: str, autoreset: AutoresetMode, arguments: dict[str, Any]) -> VectorEnv:
    return gym.make_vec(
        ENV,
        num_envs=len(SEEDS),
        vectorization_mode=mode,
        vector_kwargs={"autoreset_mode": autoreset},
        **arguments,
    )


def plan(arguments: dict[str, Any]) -> list[list[dict[str, Any]]]:
    """[steps][envs] actions; the second env is ruined in its third week, so that ends differ."""
    env: Any = gym.make(ENV, **arguments).unwrapped
    env.action_space.seed(3)
    rng = np.random.default_rng(3)
    draw = {"manager": bold, "core": calm}.get(arguments.get("actions", "full"), sparse)
    actions = [[draw(env, rng) for _ in SEEDS] for _ in range(STEPS)]
    if draw is not bold:
        actions[2][1] = env.action(spend={"development": 1e6})
    return actions


def bold(env: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Anything of the profile of managers, purchases aside; it ruins some companies."""
    nothing = {name: np.int64(0) for name in ("rnd", "market_research", "group_research")}
    return env.action_space.sample() | nothing


def calm(env: Any, rng: np.random.Generator) -> dict[str, Any]:
    """Some prices and advertising, of a profile without slots."""
    price = {name: float(rng.uniform(20, 90)) for name in "ABC"}
    ads = {("search_ads", "S1"): float(rng.uniform(0, 500))}
    return env.action(price=price, ads=ads, bulk_op={"new_lead": "list_price"})


def batched(actions: list[dict[str, Any]]) -> dict[str, np.ndarray]:
    return {name: np.stack([action[name] for action in actions]) for name in actions[0]}


def single(
    seed: int, autoreset: AutoresetMode, arguments: dict[str, Any], actions: list[dict[str, Any]]
) -> Iterator[Step]:
    """What a sub-env is to give: its reset, then each step."""
    env = gym.make(ENV, **arguments)
    observation, info = env.reset(seed=seed)
    yield observation, 0.0, False, False, info
    over = False
    for action in actions:
        if over and autoreset is AutoresetMode.NEXT_STEP:
            observation, info = env.reset()
            over = False
            yield observation, 0.0, False, False, info
            continue
        if over and autoreset is AutoresetMode.DISABLED:
            env.reset()
        observation, reward, terminated, truncated, info = env.step(action)
        over = terminated or truncated
        if over and autoreset is AutoresetMode.SAME_STEP:
            last = {"final_obs": observation, "final_info": info}
            observation, info = env.reset()
            info = info | last
        yield observation, float(reward), terminated, truncated, info


def of_env(infos: dict[str, Any], k: int) -> dict[str, Any]:
    """The info of one env out of the merged one."""
    mine = {}
    for key, value in infos.items():
        if not key.startswith("_") and infos[f"_{key}"][k]:
            merged = isinstance(value, dict)
            mine[key] = of_env(value, k) if merged else value[k]
    return mine


def same(a: Any, b: Any) -> bool:
    if isinstance(a, dict):
        return isinstance(b, dict) and a.keys() == b.keys() and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(same(x, y) for x, y in zip(a, b))
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return bool(a == b) or (a != a and b != b)


def row(observation: dict[str, np.ndarray], k: int) -> dict[str, np.ndarray]:
    return {name: np.asarray(values[k]) for name, values in observation.items()}


@pytest.mark.parametrize("name", ARGUMENTS)
@pytest.mark.parametrize("autoreset", AutoresetMode, ids=lambda mode: mode.name)
@pytest.mark.parametrize("mode", ["sync", "async"])
def test_every_sub_env_is_a_single_env(mode: str, autoreset: AutoresetMode, name: str) -> None:
    arguments = ARGUMENTS[name]
    actions = plan(arguments)
    expected = [
        list(single(seed, autoreset, arguments, [step[k] for step in actions]))
        for k, seed in enumerate(SEEDS)
    ]
    vector = make_vec(mode, autoreset, arguments)
    try:
        observation, infos = vector.reset(seed=list(SEEDS))
        ends = [np.zeros(len(SEEDS), bool)]
        for week in range(STEPS + 1):
            if week:
                over = ends[-1]
                if autoreset is AutoresetMode.DISABLED and over.any():
                    vector.reset(options={"reset_mask": over.copy()})
                observation, rewards, terminated, truncated, infos = vector.step(
                    batched(actions[week - 1])
                )
                ends.append(terminated | truncated)
            else:
                rewards, terminated = np.zeros(len(SEEDS)), ends[0]
                truncated = terminated
            assert observation in vector.observation_space
            for k in range(len(SEEDS)):
                seen, reward, ended, cut, info = expected[k][week]
                assert same({n: np.asarray(v) for n, v in seen.items()}, row(observation, k))
                assert (reward, ended, cut) == (rewards[k], terminated[k], truncated[k])
                assert same(info, of_env(infos, k)), (week, k)
        # the envs did not end together, and each ended more than once
        assert (np.sum(ends, axis=0) >= 2).all()
        assert any(end.any() and not end.all() for end in ends)
    finally:
        vector.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_one_seed_is_counted_up_and_no_seed_goes_on(mode: str) -> None:
    vector = make_vec(mode, AutoresetMode.NEXT_STEP, ARGUMENTS["compact-manager"])
    envs = [gym.make(ENV, **ARGUMENTS["compact-manager"]) for _ in SEEDS]
    try:
        counted, _ = vector.reset(seed=20)
        drawn, _ = vector.reset()
        for k, env in enumerate(envs):
            assert same(env.reset(seed=20 + k)[0], row(counted, k))
            assert same(env.reset()[0], row(drawn, k))
    finally:
        vector.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_options_reach_every_env_and_single_ones_under_a_mask(mode: str) -> None:
    vector = make_vec(mode, AutoresetMode.DISABLED, ARGUMENTS["compact-manager"])
    try:
        _, infos = vector.reset(seed=1, options={"start": "configured"})
        assert infos["start"].tolist() == ["configured"] * 3
        mask = np.array([False, True, False])
        _, infos = vector.reset(seed=2, options={"start": "empty", "reset_mask": mask})
        assert infos["start"].tolist() == [None, "empty", None]
    finally:
        vector.close()


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_masks_methods_and_states_of_sub_envs(mode: str) -> None:
    vector = make_vec(mode, AutoresetMode.NEXT_STEP, ARGUMENTS["compact-manager"])
    try:
        _, infos = vector.reset(seed=1)
        masks = vector.call("action_mask")
        for k, mask in enumerate(masks):
            assert same(mask, of_env(infos, k)["action_mask"])
            assert vector.single_action_space.contains(vector.single_action_space.sample(mask))
        first, second, _ = vector.call("save_state")
        assert first != second
        assert vector.call("report")[0].strip()
    finally:
        vector.close()


def test_processes_may_be_spawned() -> None:
    """As on systems that cannot fork; actions and seeds as in one process."""
    ends = []
    for mode, how in (("sync", {}), ("async", {"context": "spawn"})):
        vector = gym.make_vec(
            ENV, num_envs=2, vectorization_mode=mode, vector_kwargs=how, start="configured"
        )
        try:
            vector.reset(seed=4)
            idle = {name: part * 0 for name, part in vector.action_space.sample().items()}
            *_, infos = vector.step(idle)
            ends.append(infos["cash_usd"].tolist())
        finally:
            vector.close()
    assert ends[0] == ends[1]


def test_statistics_of_episodes() -> None:
    arguments = ARGUMENTS["compact-manager"] | {"start": "empty"}
    vector = RecordEpisodeStatistics(make_vec("sync", AutoresetMode.SAME_STEP, arguments))
    vector.reset(seed=1)
    idle = {name: part * 0 for name, part in vector.action_space.sample().items()}
    for _ in range(WEEKS):
        *_, infos = vector.step(idle)
    earned = infos["final_info"]["cash_usd"] / 1e6 - 0.1
    assert infos["episode"]["l"].tolist() == [WEEKS] * 3
    assert infos["episode"]["r"] == pytest.approx(earned)
