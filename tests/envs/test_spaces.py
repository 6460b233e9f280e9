"""Keys and shapes are those of the specification, with the changes that the design makes."""

import csv
import math

import numpy as np
import pytest
from gymnasium import spaces

from ceo_gym.envs.ceobench.action_keys import action_keys
from ceo_gym.simulators.ceobench import Params
from tests.conformance.shared import shared_file
from tests.envs.companies import make

OPTIONAL = ("influence", "channel_group_lead_promotion", "reply_slots", "forecast")
WITHOUT = {"ops_scopes", "ops_scopes_set", "post_text", "rationale"}  # extended and text profiles


def rows(name: str) -> dict[str, dict[str, str]]:
    path = shared_file(f"spec/ceobench/params/{name}")
    with path.open(encoding="utf-8", newline="") as file:
        return {row["key"]: row for row in csv.DictReader(file)}


def shape(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("x")))


def test_observation_has_the_specified_keys() -> None:
    table = rows("observation_space.csv")
    assert {k for k, row in table.items() if row["default"] == "optional"} == set(OPTIONAL)
    full = make(blocks=OPTIONAL).observation_space
    assert list(full.spaces) == list(table)
    assert list(make(blocks=OPTIONAL).reset(seed=1)[0]) == list(table)
    for key, row in table.items():
        space = full[key]
        if isinstance(space, spaces.MultiDiscrete):  # masks and labels
            assert space.shape == (int(row["size"]),)
            assert space.nvec.max() == int(row["high"]) + 1
        else:
            assert space.shape == shape(row["shape"])
            assert math.prod(space.shape) == int(row["size"])
            assert space.dtype == np.float32
    assert set(make().observation_space.spaces) == set(table) - set(OPTIONAL)


def test_fields_are_named_in_the_specified_number() -> None:
    env = make(blocks=OPTIONAL)
    env.reset(seed=1)
    for side, values in (("observation", env.observe()), ("action", env.noop_action())):
        for key, described in env.describe()[side].items():
            cells = described["cells"].values()
            assert len(cells) == math.prod(described["shape"]), key
            assert all(cell["unit"] and cell["meaning"] for cell in cells)
            # every cell of the array is named once
            assert len({cell["index"] for cell in cells}) == len(cells)
            for cell in cells:
                assert np.ndim(np.asarray(values[key])[cell["index"]]) == 0


def test_described_bounds_are_those_of_the_spaces() -> None:
    env = make(blocks=OPTIONAL)
    for side, space in (("observation", env.observation_space), ("action", env.action_space)):
        for key, described in env.describe()[side].items():
            part = space[key]
            for cell in described["cells"].values():
                if isinstance(part, spaces.Box):
                    assert np.float32(cell["low"]) == part.low[cell["index"]]
                    assert np.float32(cell["high"]) == part.high[cell["index"]]
                elif side == "action":
                    n = part.n if isinstance(part, spaces.Discrete) else part.nvec[cell["index"]]
                    assert len(cell["choices"]) == n
                else:
                    assert cell["high"] == part.nvec[cell["index"]] - 1


def test_action_has_the_specified_keys() -> None:
    table = rows("action_space.csv")
    full = make().action_space
    assert list(full.spaces) == [key for key in table if key not in WITHOUT]
    for key, space in full.spaces.items():
        row = table[key]
        if isinstance(space, spaces.Box):
            assert space.shape == shape(row["shape"])
            assert space.high.max() == np.float32(row["high"])
            assert space.low.min() == np.float32(row["low"])
        elif isinstance(space, spaces.MultiDiscrete):
            assert space.shape == (int(row["size"]),)
            assert (space.nvec == int(row["high"]) + 1).all()
        elif key == "post_op":
            assert space.n == 3  # free text goes through tools
        else:
            assert space.n == int(row["high"]) + 1
    core = {k for k, row in table.items() if row["profile"] == "core"}
    assert set(make(actions="core").action_space.spaces) == core - WITHOUT


def test_the_manager_has_few_numbers() -> None:
    space = make(actions="manager").action_space
    total = 0
    for part in space.spaces.values():
        if isinstance(part, spaces.Box):
            assert (part.low == -1).all()
            assert (part.high == 1).all()
        total += math.prod(part.shape)
    assert total <= 40


def test_tools_of_the_keys_are_named() -> None:
    assert all(key.tool for key in action_keys(Params.load(), "full"))


def test_a_single_field_has_no_axis() -> None:
    assert make().observation_space["group_plan_promotion"].shape == (26, 3)


@pytest.mark.parametrize("form", ["full", "compact"])
def test_compact_keeps_the_rest_as_it_is(form: str) -> None:
    env = make(obs=form)
    observation, _ = env.reset(seed=1)
    assert env.observation_space.contains(observation)
    assert len(observation) == (34 if form == "full" else 10)
