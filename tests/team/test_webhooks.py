"""Whoever is named is told what was decided: signed, in order, again after a failure, and never while one decides."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from taxocom.errors import InputError
from taxocom.jobs.webhooks import add_webhook, deliver, remove_webhook, signature, webhooks
from taxocom.store import Project, create_project
from taxocom.taxonomy.decisions import RenameTopic
from tests.taxonomy.samples import NEWS


class Receiver(ThreadingHTTPServer):
    """Somebody who is told: answers what they are asked to, and keeps what they take."""

    def __init__(self) -> None:
        self.taken: list[tuple[dict[str, str], bytes]] = []
        self.answers: list[int] = []
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/hook"


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        status = self.server.answers.pop(0) if self.server.answers else 204
        if status < 300:
            self.server.taken.append((dict(self.headers), body))
        self.send_response(status)
        if status == 302:
            self.send_header("location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


class Later:
    """A clock that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = datetime(2026, 11, 19, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    server = Receiver()
    thread = threading.Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    with create_project("News", seed=NEWS) as made:
        yield made


def told(receiver: Receiver) -> list[str]:
    return [decision["summary"] for _, body in receiver.taken for decision in json.loads(body)["decisions"]]


def test_decisions_come_signed_and_each_once(project: Project, receiver: Receiver):
    project.record(RenameTopic("law", "Right"), author="Ada")
    hook = add_webhook(project, receiver.url, by="Ada")
    assert deliver(project) == 0
    project.record_all([RenameTopic("law", "Justice"), RenameTopic("soccer", "Football")], author="Ada", why="usage")
    assert deliver(project) == 1
    assert deliver(project) == 0
    assert told(receiver) == ["Renamed 'Right' to 'Justice'", "Renamed 'Soccer' to 'Football'"]
    ((headers, body),) = receiver.taken
    assert headers["X-Taxocom-Signature"] == signature(hook.secret, headers["X-Taxocom-Timestamp"], body)
    assert headers["X-Taxocom-Signature"] != signature("another", headers["X-Taxocom-Timestamp"], body)
    assert headers["X-Taxocom-Delivery"] == f"{project.project_id}-2-3"


@pytest.mark.parametrize("failure", [500, 404, 302])
def test_what_is_not_taken_comes_again_later_and_in_order(project: Project, receiver: Receiver, failure: int):
    clock = Later()
    add_webhook(project, receiver.url, by="Ada")
    receiver.answers = [failure, failure]
    project.record(RenameTopic("law", "Right"), author="Ada")
    assert deliver(project, clock=clock) == 0
    project.record(RenameTopic("law", "Justice"), author="Ada")
    assert deliver(project, clock=clock) == 0
    assert len(receiver.answers) == 1
    (hook,) = webhooks(project)
    assert (hook.failures, bool(hook.said)) == (1, True)
    clock.now += timedelta(seconds=6)
    assert deliver(project, clock=clock) == 0
    clock.now += timedelta(seconds=9)
    assert deliver(project, clock=clock) == 0
    clock.now += timedelta(seconds=2)
    assert deliver(project, clock=clock) == 1
    assert told(receiver) == ["Renamed 'Law' to 'Right'", "Renamed 'Right' to 'Justice'"]
    assert webhooks(project)[0].failures == 0


def test_an_address_that_is_not_there_stops_nobody(project: Project, receiver: Receiver):
    add_webhook(project, "http://127.0.0.1:9/nobody", by="Ada")
    add_webhook(project, receiver.url, by="Ada")
    project.record(RenameTopic("law", "Right"), author="Ada")
    assert deliver(project) == 1
    remove_webhook(project, receiver.url, by="Ada")
    project.record(RenameTopic("law", "Justice"), author="Ada")
    assert deliver(project) == 0
    assert told(receiver) == ["Renamed 'Law' to 'Right'"]


@pytest.mark.parametrize("url", ["http://example.org/", "ftp://example.org/", "https://", "file:///etc/passwd", "hook"])
def test_only_an_address_that_keeps_secrets_is_taken(project: Project, url: str):
    with pytest.raises(InputError, match="https"):
        add_webhook(project, url, by="Ada")
    assert webhooks(project) == []
