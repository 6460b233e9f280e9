"""Imports go downward only, and the package stays cheap to import."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "ceo_gym"

# A room may import from rooms of a lower number, and from itself.
ORDER = {
    "extras": 0,
    "sandbox": 0,
    "runs": 0,
    "simulators": 0,
    "text": 1,
    "sql": 2,
    "tools": 3,
    "envs": 4,
    "registration": 4,
    "wrappers": 5,
    "sessions": 6,
    "baselines": 7,
    "evaluation": 8,
    "tuning": 9,
    "llm": 9,
    "training": 10,
    "integrations": 10,
    "viewer": 10,
    "plots": 10,
    "terminal": 10,
    "cli": 11,
    "__main__": 12,
}
ALONE = ("sandbox", "runs")  # import nothing else of the package

SIMULATORS_MAY_IMPORT = {"numpy", "scipy", "ceo_gym"} | set(sys.stdlib_module_names) - {"sqlite3"}


def room(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imports(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if p.parent != PACKAGE or p.name != "__init__.py")


@pytest.mark.parametrize("path", MODULES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_go_down(path: Path) -> None:
    mine = room(path)
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "ceo_gym" or len(parts) < 2 or parts[1] == "__version__":
            continue
        other = parts[1]
        if other != mine:
            assert mine not in ALONE, f"{mine} stands alone but imports {name}"
            assert ORDER[other] < ORDER[mine], f"{mine} imports {name}, which is not below it"


@pytest.mark.parametrize(
    "path", sorted((PACKAGE / "simulators").rglob("*.py")), ids=lambda p: p.name
)
def test_simulators_need_only_numpy_and_scipy(path: Path) -> None:
    roots = {name.split(".")[0] for name in imports(path)}
    assert roots <= SIMULATORS_MAY_IMPORT


def test_every_room_has_a_place_in_the_order() -> None:
    assert {room(path) for path in MODULES} <= ORDER.keys()


@pytest.mark.parametrize("module", ["ceo_gym", "ceo_gym.simulators.ceobench"])
def test_import_is_light(module: str) -> None:
    code = (
        f"import {module}, sys; heavy = 'torch', 'pandas', 'matplotlib', 'sqlite3', 'rich'; "
        "print([name for name in heavy if name in sys.modules])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "[]"
