"""A server on this machine that speaks chat completions, and fails as it is told to."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = Callable[[BaseHTTPRequestHandler, dict[str, Any]], None]


def completion(
    text: str | None = "", calls: list[dict[str, Any]] | None = None, finish: str = "stop"
) -> dict[str, Any]:
    """A completion as servers send it."""
    message: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {
                "id": f"c{k}",
                "type": "function",
                "function": {"name": c["name"], "arguments": c["arguments"]},
            }
            for k, c in enumerate(calls)
        ]
    return {
        "id": "x",
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": {"prompt_tokens": 100, "completion_tokens": 20},
    }


def gives(body: Any, status: int = 200, **headers: str) -> Answer:
    """Answers with a body: JSON, or bytes as they are."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()

    def answer(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
        handler.send_response(status)
        handler.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            handler.send_header(name.replace("_", "-"), value)
        handler.end_headers()
        handler.wfile.write(data)

    return answer


def hangs(seconds: float) -> Answer:
    """Does not answer for some time."""
    return lambda handler, _: time.sleep(seconds)


def breaks_off(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    """Promises more than it sends."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')


def drips(handler: BaseHTTPRequestHandler, _: dict[str, Any]) -> None:
    """Sends a byte now and then, so that no single read takes long."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(100):
        handler.wfile.write(b" ")
        handler.wfile.flush()
        time.sleep(0.05)


class Server:
    """Answers in order; the last answer is given again and again.

    Attributes:
        requests: bodies that came.
        headers: that came with them.
    """

    def __init__(self, answers: list[Answer]) -> None:
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.answers = answers
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                server.requests.append(body | {"path": self.path})
                server.headers.append(dict(self.headers))
                chosen = min(len(server.requests), len(server.answers)) - 1
                with suppress(OSError):  # the client may have gone
                    server.answers[chosen](self, body)

            def log_message(self, *_: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.01,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        """Stop."""
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


@contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    """A server for a while."""
    server = Server(list(answers))
    try:
        yield server
    finally:
        server.close()
