"""The documentation tells what there is: generated tables are complete, written ones are true."""

import inspect
import re
import runpy
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest

import ceo_gym  # noqa: F401 - registers the ids
from ceo_gym.envs.ceobench import CEOBenchEnv
from ceo_gym.text.ceobench.guide import guide
from ceo_gym.tools.ceobench import TOOLS, reference

DOCS = Path(__file__).parents[1] / "docs"


@pytest.fixture(scope="module")
def made() -> dict[str, Any]:
    """What the configuration of the documentation has, after it has written its tables."""
    return runpy.run_path(str(DOCS / "conf.py"))


def generated(name: str) -> str:
    return (DOCS / "_generated" / f"{name}.md").read_text(encoding="utf-8")


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.usefixtures("made")
@pytest.mark.parametrize(
    ("name", "tables"),
    [
        ("tools", ["tools"]),
        ("environment", ["ids", "observation", "action", "manager"]),
        ("guide", ["guide"]),
        ("parameters", ["parameters"]),
        ("rules", ["rules"]),
    ],
)
def test_pages_include_their_tables_and_are_in_the_index(name: str, tables: list[str]) -> None:
    assert f"\n{name}\n" in page("index")
    assert re.findall(r"\{include\} _generated/(\w+)\.md", page(name)) == tables
    assert all(generated(table).strip() for table in tables)


@pytest.mark.usefixtures("made")
def test_tools_and_guide_are_the_present_ones() -> None:
    assert generated("tools") == reference() + "\n"
    assert generated("guide") == guide()
    for name in TOOLS:
        assert f"| `{name}`" in generated("tools")


def test_tables_of_the_spaces_have_every_key_and_meaning(made: dict[str, Any]) -> None:
    full = gym.make("CEOBench-v0", blocks=made["OPTIONAL_BLOCKS"]).unwrapped.describe()
    manager = gym.make("CEOBench-v0", actions="manager").unwrapped.describe()
    for table, part in (
        ("observation", full["observation"]),
        ("action", gym.make("CEOBench-v0").unwrapped.describe()["action"]),
        ("manager", manager["action"]),
    ):
        rows = [line for line in generated(table).splitlines() if line.startswith("| `")]
        assert [row.split("`")[1] for row in rows] == list(part)
        for row, entry in zip(rows, part.values()):
            assert f"| {entry['meaning']} |" in row
            for cell in entry["cells"].values():
                assert cell["meaning"] in row
                assert cell["unit"] == "choice" or cell["unit"] in row or "choices" in cell
                assert all(choice in row for choice in cell.get("choices", ())[:2])


@pytest.mark.usefixtures("made")
def test_written_tables_of_the_environment_are_true() -> None:
    text = page("environment")
    ids = [spec for spec in gym.registry if spec.startswith("CEOBench")]
    assert re.findall(r"^\| `(CEOBench\S*)` \|", generated("ids"), re.MULTILINE) == ids
    told = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", text.split("## Observation")[0], re.MULTILINE)
    told_names = {name for cell in told for name in re.findall(r"`(\w+)`", cell)}
    arguments = set(inspect.signature(CEOBenchEnv.__init__).parameters)
    assert told_names == arguments - {"self", "judge", "variant", "render_mode"}
    observation = gym.make("CEOBench-v0").observation_space
    compact = gym.make("CEOBench-v0", obs="compact").observation_space
    manager = gym.make("CEOBench-v0", actions="manager").action_space
    assert f'`"full"` ({len(observation.spaces)} keys)' in text
    numbers = gym.spaces.flatdim(gym.spaces.Dict(_boxes(compact)))
    assert f'`"compact"` ({len(compact.spaces)} keys, {numbers} numbers)' in text
    cells = sum(int(space.shape[0]) if space.shape else 1 for space in manager.spaces.values())
    assert f'`"manager"` ({cells} numbers' in text


def _boxes(space: gym.spaces.Dict) -> dict[str, gym.Space]:
    return {
        name: inner if isinstance(inner, gym.spaces.Box) else gym.spaces.Box(0, 1, inner.shape)
        for name, inner in space.spaces.items()
    }
