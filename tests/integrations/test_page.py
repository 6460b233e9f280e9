"""The page on integrations: its examples run as they stand, its tables are true."""

import json
import os
import re
import socket
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from ceo_gym.tools.ceobench import TOOLS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "integrations.md").read_text(encoding="utf-8")
MCP, INSPECT = PAGE.split("## A task of Inspect")
NEEDS_MCP = pytest.mark.skipif(
    find_spec("mcp_types") is None, reason='needs pip install "ceo-gym[mcp]"'
)
NEEDS_INSPECT = pytest.mark.skipif(
    find_spec("inspect_ai") is None, reason='needs pip install "ceo-gym[inspect]"'
)
# Inspect counts the tokens of its stand-in for a model by this module, which downloads tables
TIKTOKEN = """\
class Encoding:
    def encode(self, text, **options):
        return text.split()


def get_encoding(name):
    return Encoding()
"""


def blocks(language: str, text: str) -> list[str]:
    found = re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)
    assert found
    return found


class Desktop:
    """A folder in which the commands of this installation are found."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        commands, stubs = folder / "bin", folder / "stubs"
        commands.mkdir()
        stubs.mkdir()
        (stubs / "tiktoken.py").write_text(TIKTOKEN)
        path = f"{ROOT}{os.pathsep}{stubs}"
        for name, module in (("ceo-gym", "ceo_gym"), ("inspect", "inspect_ai")):
            command = commands / name
            line = f'PYTHONPATH="{path}" exec "{sys.executable}" -m {module} "$@"'
            command.write_text(f"#!/bin/sh\n{line}\n")
            command.chmod(0o755)
        self.environment = os.environ | {
            "PATH": f"{commands}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(ROOT),
        }

    def start(self, *command: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *command: str) -> str:
        with self.start(*command) as process:
            stdout, stderr = process.communicate(timeout=300)
        assert process.returncode == 0, stderr
        return stdout

    def python(self, code: str) -> str:
        return self.run(sys.executable, "-c", code)


@pytest.fixture
def desktop(tmp_path: Path) -> Desktop:
    return Desktop(tmp_path)


@NEEDS_MCP
def test_the_client_in_python_and_the_audit(desktop: Desktop) -> None:
    printed = desktop.python(blocks("python", MCP)[0])
    assert "'set_prices'" in printed
    assert "True out_of_range" in printed
    assert "WEEK 1 | DAY 7" in printed
    assert printed.endswith("True\n")
    assert "verified: 1 weeks" in desktop.run("bash", "-c", blocks("bash", MCP)[0])


@NEEDS_MCP
def test_the_configuration_of_a_client(desktop: Desktop) -> None:
    import asyncio

    import mcp
    from mcp.client.stdio import StdioServerParameters

    (text,) = blocks("json", MCP)
    (server,) = json.loads(text)["mcpServers"].values()
    words = [str(desktop.folder / "run") if "/" in word else word for word in server["args"]]
    command = str(desktop.folder / "bin" / server["command"])

    async def look() -> int:
        async with mcp.Client(StdioServerParameters(command=command, args=words)) as client:
            return len((await client.list_tools()).tools)

    assert asyncio.run(look()) > 20


@NEEDS_MCP
def test_the_server_over_http(desktop: Desktop) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    line, code = blocks("bash", MCP)[1], blocks("python", MCP)[1]
    assert "8765" in line
    assert "8765" in code
    with desktop.start("bash", "-c", f"exec {line.replace('8765', port)}") as process:
        try:
            assert process.stderr is not None
            while f"http://127.0.0.1:{port}/mcp" not in (said := process.stderr.readline()):
                assert said, "the server ended"
            assert json.loads(desktop.python(code.replace("8765", port)))
        finally:
            process.kill()


@NEEDS_INSPECT
def test_the_evaluation_from_the_command_line(desktop: Desktop) -> None:
    (line,) = blocks("bash", INSPECT)
    printed = desktop.run("bash", "-c", f"{line.strip()} --display plain")
    assert "ceobench (2 samples): mockllm/model" in printed
    assert "1000000.00" in printed
    assert len(list((desktop.folder / "runs" / "inspect").iterdir())) == 2


@NEEDS_INSPECT
def test_the_evaluation_from_python(desktop: Desktop) -> None:
    printed = desktop.python(blocks("python", INSPECT)[0])
    lines = dict(line.split(" ", 1) for line in printed.splitlines()[:-1])
    told = re.findall(r"^\| `(\w+)` \|", INSPECT.split("| score |")[1], re.MULTILINE)
    assert list(lines) == told
    assert "'ceo_gym/bootstrap_low'" in lines["final_cash_usd"]
    directory = printed.splitlines()[-1]
    assert "verified: 5 weeks" in desktop.run("ceo-gym", "replay", directory)


def test_written_figures_are_true() -> None:
    from ceo_gym.tools.ceobench import ADDITIONS

    published = len(TOOLS) - len(ADDITIONS) - 1  # and log_rationale
    assert f"all {published} of the published list" in MCP


@NEEDS_INSPECT
def test_arguments_of_the_task_are_told() -> None:
    import inspect

    from ceo_gym.integrations.inspect_task import IDLE, ceobench

    table = INSPECT.split("| argument |")[1].split("\n\n")[0]
    told = {
        name
        for cell in re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", table, re.MULTILINE)
        for name in re.findall(r"`(\w+)`", cell)
    }
    assert told == set(inspect.signature(ceobench).parameters)
    assert IDLE == 5
    assert "five in a row" in INSPECT
    assert "end it." in INSPECT


def test_options_of_the_command_are_told() -> None:
    import argparse

    from ceo_gym.cli import serve

    commands = argparse.ArgumentParser().add_subparsers()
    serve.add(commands)
    options = set(commands.choices["serve"]._option_string_actions)
    told = set(re.findall(r"`(--[\w-]+)", MCP.split("| option |")[1].split("\n\n")[0]))
    assert told == options - {"--help", "-h", "--mcp"}
