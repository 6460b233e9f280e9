"""A company run by a client of the Model Context Protocol: in memory, over stdio, over HTTP."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from ceo_gym.cli import main
from ceo_gym.integrations.session_tools import SessionTools
from ceo_gym.runs import read_journal
from ceo_gym.sandbox import SandboxError
from ceo_gym.sessions import Session, replay
from ceo_gym.tools.ceobench import TOOLS
from tests.sandbox_here import HAS_BOX, NEEDS_BOX

pytest.importorskip("mcp_types", reason='needs pip install "ceo-gym[mcp]"')

import mcp
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError

from ceo_gym.integrations import mcp_server
from ceo_gym.integrations.one_thread import OneThread

DAYS = 28
ROOT = Path(__file__).parents[2]
SERVE = ["-m", "ceo_gym", "serve", "--mcp"]
FORECAST = {"point": 1e6, "lower": 9e5, "upper": 1.1e6}
WEEK = {
    "predictions": {f"cash_{weeks}wk": FORECAST for weeks in (1, 4, 12, 26)},
    "rationale": "see who comes",
}
GUIDE, REPORT = mcp_server.GUIDE, mcp_server.REPORT


def run(test: Callable[[], Awaitable[None]]) -> None:
    """Run what is asynchronous; a test that hangs fails."""

    async def bounded() -> None:
        await asyncio.wait_for(test(), 300)

    asyncio.run(bounded())


def text(result: Any) -> str:
    (content,) = result.content
    assert content.type == "text"
    return str(content.text)


@asynccontextmanager
async def in_memory(
    directory: Path, *, programs: bool | None = False, mode: str = "auto"
) -> AsyncIterator[mcp.Client]:
    """A client of a session in this process."""
    thread = OneThread()
    params = {"clock.horizon_days": DAYS}
    session = thread.now(Session.create, directory, seed=7, env_args={"params": params})
    try:
        tools = thread.now(SessionTools, session, programs=programs, advance=True)
        async with mcp.Client(mcp_server.make_server(tools, thread), mode=mode) as client:
            yield client
    finally:
        thread.now(session.close)
        thread.end()


def stdio(directory: Path, *more: str) -> StdioServerParameters:
    words = [*SERVE, "--session-dir", str(directory), "--days", str(DAYS), "--seed", "7", *more]
    return StdioServerParameters(command=sys.executable, args=words, cwd=ROOT)


@contextmanager
def http(directory: Path, *more: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A server at a free port; gives the process and the URL."""
    words = [*SERVE, "--session-dir", str(directory), "--days", str(DAYS), "--http", *more]
    process = subprocess.Popen(
        [sys.executable, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        line = ""
        while " serving " not in line:
            line = process.stderr.readline()
            assert line, "the server ended"
        yield process, line.split()[-1]
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_week_in_memory(tmp_path: Path, mode: str) -> None:
    async def play() -> None:
        async with in_memory(tmp_path / "run", mode=mode) as client:
            acted = await client.call_tool("set_prices", {"A": 35, "B": 90})
            assert not acted.is_error
            assert json.loads(text(acted))["current"] == {"A": 35.0, "B": 90.0, "C": 0.0}
            asked = await client.call_tool("query", {"sql": "SELECT COUNT(*) AS n FROM ledger"})
            assert json.loads(text(asked))["row_count"] == 1
            week = await client.call_tool("next_week", WEEK)
            assert text(week).startswith("WEEK 1 | DAY 7")
            again = await client.call_tool("advance", {})
            assert text(again).startswith("WEEK 2 | DAY 14")

    run(play)
    calls = [e["tool"] for e in read_journal(tmp_path / "run") if e["kind"] == "call"]
    assert calls == ["set_prices", "query", "next_week", "advance"]
    assert replay(tmp_path / "run").day == 14


def test_tools_are_those_of_the_declarations(tmp_path: Path) -> None:
    async def look() -> None:
        async with in_memory(tmp_path / "run") as client:
            listed = {tool.name: tool for tool in (await client.list_tools()).tools}
            served = {name for name, tool in TOOLS.items() if tool.served}
            assert set(listed) == served | {"advance"}
            for name in served:
                declared = TOOLS[name].schema["function"]
                assert listed[name].input_schema == declared["parameters"]
                assert listed[name].description == declared["description"]
                reads = listed[name].annotations.read_only_hint
                assert reads == (TOOLS[name].kind == "read")

    run(look)


def test_what_is_refused_is_an_error_of_the_tool(tmp_path: Path) -> None:
    wrong: list[tuple[str, dict[str, Any], str, str]] = [
        ("set_prices", {"A": -1}, "out_of_range", "above 0"),
        ("set_prices", {"D": 1}, "unknown_key", "set_prices has no argument 'D'"),
        ("set_prices", {"A": "cheap"}, "wrong_type", "must be a number"),
        ("dance", {}, "not_found", "there is no tool 'dance'"),
        ("run_python", {"code": "print(1)"}, "not_found", "there is no tool 'run_python'"),
        ("query", {"sql": "DROP TABLE ledger"}, "", ""),
        ("next_week", {}, "missing_argument", "next_week needs predictions"),
        ("advance", {"rationale": 3}, "wrong_type", "rationale of advance must be a text"),
        ("advance", {"days": 3}, "unknown_key", "advance has no argument 'days'"),
    ]

    async def play() -> None:
        async with in_memory(tmp_path / "run") as client:
            for tool, arguments, code, words in wrong:
                refused = await client.call_tool(tool, arguments)
                assert refused.is_error
                assert words in text(refused)
                assert refused.structured_content["error"] in text(refused)
                if code:
                    assert refused.structured_content["code"] == code
                    assert f"({code})" in text(refused)
            with pytest.raises(MCPError, match="no resource"):
                await client.read_resource("ceo-gym://secrets")
            with pytest.raises(MCPError, match="no prompt"):
                await client.get_prompt("dance")
            assert not (await client.call_tool("set_prices", {"A": 30})).is_error

    run(play)
    refusals = [entry["tool"] for entry in read_journal(tmp_path / "run") if "error" in entry]
    assert refusals == [tool for tool, *_ in wrong]
    assert replay(tmp_path / "run").decisions == 1


def test_guide_and_report_can_be_read(tmp_path: Path) -> None:
    async def read() -> None:
        async with in_memory(tmp_path / "run") as client:
            listed = {str(each.uri) for each in (await client.list_resources()).resources}
            assert listed == {GUIDE, REPORT}
            (guide,) = (await client.read_resource(GUIDE)).contents
            assert guide.mime_type == "text/markdown"
            assert "| `set_prices`" in guide.text
            assert "run_python" not in guide.text
            (before,) = (await client.read_resource(REPORT)).contents
            await client.call_tool("advance", {})
            (after,) = (await client.read_resource(REPORT)).contents
            assert "DAY 0" in before.text
            assert "DAY 7" in after.text
            (prompt,) = (await client.list_prompts()).prompts
            (message,) = (await client.get_prompt(prompt.name)).messages
            assert message.content.text.startswith(guide.text)
            assert after.text in message.content.text

    run(read)


def test_calls_at_the_same_time_are_done_one_after_the_other(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_memory(tmp_path / "run") as client:
            calls = [client.call_tool("set_prices", {"A": 30 + n}) for n in range(20)]
            found = [json.loads(text(each)) for each in await asyncio.gather(*calls)]
            assert sorted(each["current"]["A"] for each in found) == [30 + n for n in range(20)]

    run(play)
    assert replay(tmp_path / "run").decisions == 20


def test_the_last_report_tells_the_score(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_memory(tmp_path / "run") as client:
            for _ in range(DAYS // 7):
                week = await client.call_tool("advance", {})
            assert f"THE GAME IS OVER (completed on day {DAYS})" in text(week)
            assert (await client.call_tool("advance", {})).structured_content["code"] == (
                "limit_reached"
            )
            assert not (await client.call_tool("get_cost_info", {})).is_error

    run(play)
    assert replay(tmp_path / "run").ended


@NEEDS_BOX
def test_programs_run_where_there_is_a_sandbox(tmp_path: Path) -> None:
    async def play() -> None:
        async with in_memory(tmp_path / "run", programs=None) as client:
            names = {tool.name for tool in (await client.list_tools()).tools}
            assert names == {*TOOLS, "advance", "run_python"}
            code = "import novamind_api as nm; print(nm.pricing.set_prices(A=40)['current'])"
            ran = await client.call_tool("run_python", {"code": code})
            assert (ran.is_error, text(ran)) == (False, "{'A': 40.0, 'B': 0.0, 'C': 0.0}\n")
            failed = await client.call_tool("run_python", {"code": "print('a'); 1 / 0"})
            assert failed.is_error
            assert text(failed).startswith("a\n")
            assert "ZeroDivisionError" in text(failed)
            assert "[exit code 1]" in text(failed)
            missing = await client.call_tool("run_python", {})
            assert missing.structured_content["code"] == "missing_argument"

    run(play)
    assert replay(tmp_path / "run").decisions == 1


@pytest.mark.parametrize("bwrap", ["missing", "broken"])
def test_without_a_sandbox_there_are_no_tools_for_code(
    bwrap: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if bwrap == "broken":
        command = tmp_path / "bwrap"
        command.write_text("#!/bin/sh\necho no namespaces here >&2\nexit 1\n")
        command.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with Session.create(tmp_path / "run") as session:
        tools = SessionTools(session)
        names = {schema["name"] for schema in tools.schemas()}
        assert names == {name for name, tool in TOOLS.items() if tool.served}
        assert tools.use("python_exec", {"code": "1"}).code == "not_found"
        with pytest.raises(SandboxError):
            SessionTools(session, programs=True)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="finds the server in /proc")
def test_a_session_goes_on_after_a_kill_of_its_server(tmp_path: Path) -> None:
    directory = tmp_path / "run"

    async def serving() -> int:
        """The process of the server, known by the directory in its command line."""
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                words = (folder / "cmdline").read_bytes().decode().split("\0")
            except OSError:
                continue
            if "serve" in words and str(directory) in words:
                return int(folder.name)
        raise AssertionError("nothing serves the session")

    async def first() -> None:
        async with mcp.Client(stdio(directory)) as client:
            await client.call_tool("set_prices", {"A": 41})
            await client.call_tool("next_week", WEEK)
            await client.call_tool("set_prices", {"A": 43})
            os.kill(await serving(), signal.SIGKILL)
            with pytest.raises(MCPError):
                await client.call_tool("set_prices", {"A": 45})

    async def second() -> None:
        async with mcp.Client(stdio(directory)) as client:
            settings = json.loads(text(await client.call_tool("get_current_config", {})))
            assert settings["prices"]["A"] == 43
            (report,) = (await client.read_resource(REPORT)).contents
            assert report.text.startswith("WEEK 1 | DAY 7")
            assert text(await client.call_tool("advance", {})).startswith("WEEK 2 | DAY 14")

    run(first)
    run(second)
    assert replay(directory).day == 14
    assert replay(directory).decisions == 4


def test_nothing_but_the_protocol_goes_to_standard_output(tmp_path: Path) -> None:
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "0"},
        },
    }
    process = subprocess.Popen(
        [sys.executable, *SERVE],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(f"{json.dumps(hello)}\nthis is not JSON\n")
    process.stdin.flush()
    answer = json.loads(process.stdout.readline())
    assert answer["result"]["serverInfo"]["name"] == "ceo-gym"
    rest, said = process.communicate(timeout=120)
    for line in rest.splitlines():
        assert json.loads(line)["jsonrpc"] == "2.0"
    assert process.returncode == 0
    assert "Traceback" not in said
    assert replay(tmp_path / "runs" / "mcp" / "session-1").begin["seed"] == 42


def test_a_week_over_http_through_a_restart(tmp_path: Path) -> None:
    directory = tmp_path / "run"
    with http(directory) as (process, url):
        assert url.startswith("http://127.0.0.1:")

        async def play() -> None:
            for mode in ("auto", "legacy"):
                async with mcp.Client(url, mode=mode) as client:
                    assert len((await client.list_tools()).tools) > 20
                    assert not (await client.call_tool("set_prices", {"A": 41})).is_error
                    assert (await client.call_tool("set_prices", {"A": -1})).is_error
                    week = await client.call_tool("next_week", WEEK)
                    assert text(week).startswith("WEEK ")
                    (report,) = (await client.read_resource(REPORT)).contents
                    assert report.text == text(week)

        run(play)
        process.kill()
        process.wait()
    with http(directory) as (process, url):

        async def go_on() -> None:
            async with mcp.Client(url) as client:
                assert text(await client.call_tool("advance", {})).startswith("WEEK 3 | DAY 21")

        run(go_on)
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=120) == 0
    assert replay(directory).day == 21


def test_other_names_of_this_machine_are_refused(tmp_path: Path) -> None:
    """As a web page does that makes its own name mean 127.0.0.1."""
    body = '{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
    with http(tmp_path / "run", "--allow-host", "games.example") as (_, url):
        port = int(url.split(":")[2].partition("/")[0])
        for host, origin, status in (
            ("evil.example", None, 421),
            (f"127.0.0.1:{port}", "http://evil.example", 403),
            (f"127.0.0.1:{port}", None, 200),
            ("games.example", "https://games.example", 200),
        ):
            lines = [f"POST /mcp HTTP/1.1\r\nHost: {host}", "Content-Type: application/json"]
            lines += ["Accept: application/json, text/event-stream", "Connection: close"]
            lines += [f"Origin: {origin}"] if origin else []
            lines += [f"Content-Length: {len(body)}", "", body]
            with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
                connection.sendall("\r\n".join(lines).encode())
                answer = connection.recv(4096).decode()
            assert answer.startswith(f"HTTP/1.1 {status} "), (host, origin, answer)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--http", "--host", "0.0.0.0"], "only 127.0.0.1, localhost, ::1 are served unless asked"),
        (["--port", "8000"], "belong to --http"),
        (["--env", "CEOBench-v9"], "no environment 'CEOBench-v9'"),
        (["--days", "-3"], "horizon_days"),
        (["--env-arg", "colour=red"], "colour"),
    ],
)
def test_what_is_wrong_with_the_command_is_told(
    words: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["serve", "--mcp", *words, "--no-python"]) == 2
    seen = capsys.readouterr()
    assert told in seen.err
    assert not seen.out


def test_a_directory_of_another_game_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Session.create(tmp_path, seed=3).close()
    for words, told in (
        (["--seed", "4"], "its seed is 3, not 4"),
        (["--days", "30"], "its env_args is {}"),
        (["--optional-forecast"], "its needs_forecast is True, not False"),
    ):
        assert main(["serve", "--mcp", "--session-dir", str(tmp_path), *words]) == 2
        assert told in capsys.readouterr().err
    Session.open(tmp_path).close()  # nobody holds it


def test_a_taken_port_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        words = ["serve", "--mcp", "--session-dir", str(tmp_path / "run"), "--no-python"]
        assert main([*words, "--http", "--port", port]) == 2
    assert f"port {port}" in capsys.readouterr().err


def test_the_box_is_told_of_in_the_guide(tmp_path: Path) -> None:
    if not HAS_BOX:
        pytest.skip("programs run in bubblewrap, which is not installed here")
    with Session.create(tmp_path) as session:
        guide = SessionTools(session).guide()
        assert "run_python runs a Python program" in guide
        assert "| `python_exec`" in guide
