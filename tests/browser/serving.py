"""The app on a free port of this machine, with a home of its own."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
CHROMIUM = "/usr/bin/chromium"
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)


@dataclass
class Server:
    """A running app (`script` may be another one, to compare with)."""

    home: Path
    port: int
    log: Path
    script: Path = ROOT / "app.py"
    options: tuple[str, ...] = ()
    environment: dict[str, str] = field(default_factory=dict)
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def launch(self) -> subprocess.Popen[bytes]:
        """Start the program, whether or not it will answer."""
        command = [sys.executable, "-m", "streamlit", "run", str(self.script)]
        options = ["--server.headless=true", f"--server.port={self.port}", *self.options]
        environment = {**os.environ, "TAXOCOM_HOME": str(self.home), "PYTHONPATH": str(ROOT), **self.environment}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([*command, *options], cwd=ROOT, env=environment, stdout=log, stderr=log)
        return self.process

    def start(self) -> None:
        self.launch()
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=1).close()
            except OSError:
                time.sleep(0.1)
            else:
                return
        raise TimeoutError(f"The app did not start: {self.log.read_text()[-2000:]}")

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(60)
            self.process = None


@dataclass(frozen=True)
class Answer:
    """What a server answered, read to its end."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes


def answer(connection: http.client.HTTPConnection, path: str, host: str, method: str = "GET", **headers: str) -> Answer:
    """Ask one thing under any name, and hang up."""
    with closing(connection):
        connection.putrequest(method, path, skip_host=True)
        for name, value in {"Host": host, **headers}.items():
            connection.putheader(name, value)
        connection.endheaders()
        with connection.getresponse() as response:
            return Answer(response.status, response.headers, response.read())


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
