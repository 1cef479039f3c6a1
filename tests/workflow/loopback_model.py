"""A language model on loopback, as tests ask it: it answers as it is told, and remembers what it was sent."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

GOOD = '{"name": "Bus strike", "definition": "The strike of bus drivers."}'


class Model(ThreadingHTTPServer):
    """Answers as it is told, and remembers what it was sent."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.status, self.content, self.raw = 200, GOOD, b""
        self.asked: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.waits = threading.Event()
        self.waits.set()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.asked.append((self.path, dict(self.headers), body))
        self.server.waits.wait(30)
        answer = self.server.raw or json.dumps({"choices": [{"message": {"content": self.server.content}}]}).encode()
        self.send_response(self.server.status)
        if self.server.status == 302:
            self.send_header("Location", f"{self.server.url}/elsewhere")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def loopback_model() -> Iterator[Model]:
    """Serve a model for as long as the block lasts."""
    with Model() as running:
        thread = threading.Thread(target=running.serve_forever, daemon=True)
        thread.start()
        yield running
        running.waits.set()
        running.shutdown()
        thread.join()
