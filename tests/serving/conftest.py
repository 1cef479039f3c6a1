"""A server of the HTTP interface on a free port, with a project of its own, asked as programs ask it."""

from __future__ import annotations

import http.client
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from taxocom.store import Project, open_project
from tests.browser.serving import ROOT, free_port
from tests.workflow.conftest import read_home

__all__ = ["read_home"]

TOKEN = "a-token-for-these-tests-alone"


@dataclass(frozen=True)
class Reply:
    """What the interface answered."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Asker:
    """Asks one server, with the token unless told otherwise."""

    port: int
    prefix: str = "/api/v1"

    def ask(
        self, path: str, sent: Any = None, *, token: str = TOKEN, host: str = "127.0.0.1", method: str = ""
    ) -> Reply:
        headers = {"Host": f"{host}:{self.port}"} | ({"Authorization": f"Bearer {token}"} if token else {})
        body = sent if sent is None or isinstance(sent, bytes) else json.dumps(sent).encode()
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)) as connection:
            connection.request(method or ("GET" if body is None else "POST"), self.prefix + path, body, headers)
            with connection.getresponse() as found:
                return Reply(found.status, found.headers, found.read())

    def wait(self, process: subprocess.Popen[bytes], log: Path) -> None:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and process.poll() is None:
            try:
                self.ask("/openapi.json")
            except OSError:
                time.sleep(0.05)
            else:
                return
        raise TimeoutError(f"The interface did not start: {log.read_text()[-2000:]}")


def started(home: Path, log: Path, *options: str) -> tuple[subprocess.Popen[bytes], Asker]:
    """Start `taxocom serve --api` and wait until it answers."""
    asker = Asker(free_port())
    command = [sys.executable, "-m", "taxocom", "serve", "--api", f"--port={asker.port}", *options]
    environment = {**os.environ, "TAXOCOM_HOME": str(home), "TAXOCOM_LEXICON": "off", "TAXOCOM_TOKEN": TOKEN}
    with log.open("ab") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
    asker.wait(process, log)
    return process, asker


@pytest.fixture(scope="session")
def served_home(tmp_path_factory: pytest.TempPathFactory, read_home: Path) -> Path:
    folder = tmp_path_factory.mktemp("served")
    shutil.copytree(read_home, folder, dirs_exist_ok=True)
    return folder / "home"


@pytest.fixture(scope="session")
def asker(tmp_path_factory: pytest.TempPathFactory, served_home: Path) -> Iterator[Asker]:
    log = tmp_path_factory.mktemp("log") / "server.log"
    process, found = started(served_home, log, "--per-minute=100000")
    yield found
    process.terminate()
    process.wait(60)


@pytest.fixture
def project(served_home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(served_home))
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    with open_project("News") as opened:
        yield opened
