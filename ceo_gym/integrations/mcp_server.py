"""A session served by the Model Context Protocol, over stdio or streamable HTTP.

Needs the extra ``mcp``. The server holds no state of its own: what a client has been told of is in
the journal of the session, so that the process may be killed and started again at any time.
"""

from __future__ import annotations

import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ceo_gym import __version__
from ceo_gym.extras import require
from ceo_gym.integrations.one_thread import OneThread
from ceo_gym.integrations.session_tools import HOW_TO_ACT, Answer, SessionTools

# mcp_types came with version 2 of the SDK; uvicorn comes with it where it can serve
NEEDS = {"mcp_types": "mcp>=2", "uvicorn": "uvicorn"}
SCHEME = "ceo-gym"
GUIDE, REPORT = f"{SCHEME}://guide", f"{SCHEME}://report"
PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "::1")
MARKDOWN, PLAIN = "text/markdown", "text/plain"
_GRACE_S = 2  # in which open streams of clients may end


def require_mcp() -> None:
    """Check that the extra ``mcp`` is installed.

    Raises:
        ModuleNotFoundError: if not, with the pip line.
    """
    require("the MCP server", "mcp", NEEDS)


def make_server(tools: SessionTools, thread: OneThread) -> Any:
    """The server of a session.

    Tools are those of the session, in the words and schemas of their declarations. A refused call
    is a result with ``isError``; its ``structuredContent`` has ``error`` and ``code``. Resources
    are the guide and the report of the day, and a prompt has both.

    Args:
        tools: of the session.
        thread: in which the session was opened.

    Returns:
        An ``mcp.server.lowlevel.Server``.

    Raises:
        ModuleNotFoundError: without the extra ``mcp``, with the pip line.
    """
    require_mcp()
    from mcp import types
    from mcp.server.lowlevel import Server
    from mcp.shared.exceptions import MCPError

    async def list_tools(context: Any, params: Any) -> Any:
        return types.ListToolsResult(
            tools=[_tool(schema, tools.only_reads(schema["name"])) for schema in tools.schemas()]
        )

    async def call_tool(context: Any, params: Any) -> Any:
        return _result(await thread.do(tools.use, params.name, params.arguments))

    async def list_resources(context: Any, params: Any) -> Any:
        return types.ListResourcesResult(
            resources=[
                types.Resource(name=name, uri=uri, description=words, mime_type=kind)
                for uri, (name, words, kind, _) in readable.items()
            ]
        )

    async def read_resource(context: Any, params: Any) -> Any:
        uri = str(params.uri)
        if uri not in readable:
            known = ", ".join(readable)
            raise MCPError(types.INVALID_PARAMS, f"no resource {uri!r}; there are {known}")
        *_, kind, text = readable[uri]
        contents = types.TextResourceContents(uri=uri, mime_type=kind, text=await text())
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(context: Any, params: Any) -> Any:
        words = "The guide and the report of the day, to begin or to go on"
        return types.ListPromptsResult(prompts=[types.Prompt(name="play", description=words)])

    async def get_prompt(context: Any, params: Any) -> Any:
        if params.name != "play":
            raise MCPError(types.INVALID_PARAMS, f"no prompt {params.name!r}; there is play")
        text = f"{await guide()}\n# The report of the day\n\n{await report()}"
        content = types.TextContent(type="text", text=text)
        return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=content)])

    async def guide() -> str:
        return await thread.do(tools.guide)

    async def report() -> str:
        return await thread.do(tools.session.report)

    # uri -> name, words about it, MIME type, how to get it
    readable: dict[str, tuple[str, str, str, Callable[[], Awaitable[str]]]] = {
        GUIDE: ("guide", "The rules of the company and all tools", MARKDOWN, guide),
        REPORT: ("report", "The report of the day", PLAIN, report),
    }
    return Server(
        "ceo-gym",
        version=__version__,
        instructions=f"Run a company. {HOW_TO_ACT} Read {GUIDE} first.",
        on_list_tools=list_tools,
        on_call_tool=call_tool,
        on_list_resources=list_resources,
        on_read_resource=read_resource,
        on_list_prompts=list_prompts,
        on_get_prompt=get_prompt,
    )


def serve_stdio(server: Any) -> None:
    """Serve the client that started this process, until it closes our standard input.

    Meanwhile nothing but the protocol gets to standard output: the SDK points it to standard error
    for everybody else.
    """
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    # A thread that reads standard input cannot be interrupted, so Ctrl-C would wait for a line.
    # Nothing is lost by ending at once: what was answered is in the journal.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(serve)


def serve_http(
    server: Any,
    host: str = LOOPBACK[0],
    port: int = 0,
    *,
    allowed: Sequence[str] = (),
    tell: Callable[[str], object] = lambda line: print(line, file=sys.stderr, flush=True),
) -> None:
    """Serve clients by streamable HTTP until the process is told to end.

    There are no passwords: whoever reaches the port can play. Requests are refused unless they name
    this machine's loopback or a host of `allowed`, so that no web page can reach the server through
    a name of its own (DNS rebinding).

    Args:
        server: see `make_server`.
        host: address to listen at.
        port: number of the port, 0 for a free one.
        allowed: names under which other machines reach this one; needed for another address than
            the loopback.
        tell: is given the URL when clients can connect.

    Raises:
        ValueError: for an address beyond the loopback while nothing is allowed.
        OSError: if the port is taken.
    """
    check_host(host, allowed)
    import anyio
    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    names = [f"[{name}]" if ":" in name else name for name in (*LOOPBACK, *allowed)]
    hosts = [form for name in names for form in (name, f"{name}:*")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=True,
        allowed_hosts=hosts,
        allowed_origins=[f"{scheme}://{form}" for scheme in ("http", "https") for form in hosts],
    )
    # stateless: a client that saw the server killed goes on with the next one, none the wiser
    app = server.streamable_http_app(
        streamable_http_path=PATH, host=host, stateless_http=True, transport_security=security
    )
    with _listening(host, port) as listener:
        port = listener.getsockname()[1]
        config = uvicorn.Config(
            app,
            log_level="warning",
            access_log=False,
            lifespan="on",
            timeout_graceful_shutdown=_GRACE_S,
        )
        tell(f"serving http://{f'[{host}]' if ':' in host else host}:{port}{PATH}")
        anyio.run(uvicorn.Server(config).serve, [listener])


def check_host(host: str, allowed: Sequence[str]) -> None:
    """Refuse to serve other machines unless that was asked for.

    Raises:
        ValueError: for an address beyond the loopback while nothing is allowed.
    """
    if host not in LOOPBACK and not allowed:
        raise ValueError(
            f"only {', '.join(LOOPBACK)} are served unless asked, since there are no passwords; "
            f"to serve other machines at {host}, --allow-host names the host of their URL"
        )


def _listening(host: str, port: int) -> socket.socket:
    """A socket that clients can connect to from here on."""
    family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listener = socket.socket(family, kind, protocol)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen()
    except OSError as error:
        listener.close()
        raise OSError(f"cannot listen at {host}, port {port}: {error}") from error
    return listener


def _tool(schema: dict[str, Any], only_reads: bool) -> Any:
    from mcp import types

    return types.Tool(
        name=schema["name"],
        description=schema["description"],
        input_schema=schema["parameters"],
        annotations=types.ToolAnnotations(read_only_hint=only_reads, open_world_hint=False),
    )


def _result(answer: Answer) -> Any:
    from mcp import types

    text = f"Error ({answer.code}): {answer.text}" if answer.code else answer.text
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=text)],
        structured_content={"error": answer.text, "code": answer.code} if answer.code else None,
        is_error=answer.failed,
    )
