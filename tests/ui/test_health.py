"""Whoever watches over a server learns whether it answers and whether work can be done, and nothing else."""

from __future__ import annotations

import asyncio
import http.client
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.requests import Request

from taxocom.jobs import readiness
from taxocom.ui.runtime.health import Readiness
from tests.browser.serving import Server, answer, free_port
from tests.ui.loops import run_apart


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("healthy")
    running = Server(folder / "home", free_port(), folder / "server.log")
    running.start()
    yield running
    running.stop()


def asked(server: Server, path: str, host: str = "localhost") -> tuple[int, str]:
    found = answer(http.client.HTTPConnection("127.0.0.1", server.port, timeout=90), path, host)
    return found.status, found.body.decode()


def test_a_running_server_says_that_it_answers_and_that_work_can_be_done(server: Server):
    assert asked(server, "/healthz") == (200, "ok")
    status, body = asked(server, "/readyz")
    assert (status, json.loads(body)) == (200, {"ready": True, "failing": []})
    assert list((server.home / "work").iterdir()) == []


def test_foreign_names_learn_nothing_and_the_log_says_so(server: Server):
    for path in ("/healthz", "/readyz"):
        assert asked(server, path, "evil.example")[0] == 421
    log = (server.home / "logs" / "taxocom.log").read_text()
    assert "http request refused with 421" in log
    assert "evil" not in log


def test_a_home_that_takes_no_files_is_named_without_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "home").write_text("a file in the way")
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    assert readiness.failing_parts() == ("home", "database")


def test_a_worker_that_cannot_start_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path))
    monkeypatch.setattr(readiness.sys, "executable", "/no/such/python")
    assert readiness.failing_parts() == ("worker",)


def test_many_who_ask_cause_one_attempt_and_a_stuck_one_is_told(monkeypatch: pytest.MonkeyPatch):
    attempts, go_on = [], threading.Event()

    def stuck() -> tuple[str, ...]:
        attempts.append(1)
        go_on.wait(60)
        return ("worker",)

    async def ask() -> None:
        monkeypatch.setattr("taxocom.ui.runtime.health._PATIENCE", 0.05)
        ready = Readiness(stuck).ready
        answers = await asyncio.gather(*(ready(Request({"type": "http"})) for _ in range(20)))
        assert {answer.status_code for answer in answers} == {503}
        assert b"an answer in time" in answers[0].body
        go_on.set()
        monkeypatch.setattr("taxocom.ui.runtime.health._PATIENCE", 60)
        assert json.loads((await ready(Request({"type": "http"}))).body) == {"ready": False, "failing": ["worker"]}

    run_apart(ask())
    assert len(attempts) == 1
