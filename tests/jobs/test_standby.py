"""The app keeps a worker with everything loaded; what it does is what any other worker does."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator

import pytest

from taxocom import jobs
from taxocom.jobs import standby
from taxocom.store import Project


@pytest.fixture(autouse=True)
def none_is_left() -> Iterator[None]:
    yield
    standby.dismiss()


def _kept_ready() -> subprocess.Popen[bytes]:
    standby.keep_ready()
    assert standby._waiting is not None
    return standby._waiting


def test_the_waiting_worker_does_the_job_and_another_takes_its_place(project: Project) -> None:
    waiting = _kept_ready()
    job = jobs.wait_for(project, jobs.submit(project, "toy.count").job_id, timeout=120)
    assert (job.state, job.pid) == ("done", waiting.pid)
    assert waiting.wait(60) == 0
    # The next to wait is not this one; killed, it is missed by nobody.
    follower = _kept_ready()
    assert follower.pid != waiting.pid
    follower.kill()
    follower.wait()
    again = jobs.wait_for(project, jobs.submit(project, "toy.count").job_id, timeout=120)
    assert again.state == "done"
    for one in (job, again):
        assert one.result is not None
        assert one.result["session"] == one.result["pid"] == one.pid, "it can be ended with all that it started"
    assert job.result["niceness"] == again.result["niceness"] > 0
    assert again.pid != follower.pid


def test_a_worker_prepared_for_another_environment_is_let_go(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    waiting = _kept_ready()
    monkeypatch.setenv("TAXOCOM_LEXICON", "off")
    assert standby.take([], project.path, project.path) is None
    assert waiting.wait(60) == 0


def test_where_memory_is_short_none_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("resource.getrlimit", lambda _: (2**30, 2**30))
        standby.keep_ready()
    monkeypatch.setattr(standby, "memory_available", lambda: 2**30)
    standby.keep_ready()
    assert standby._waiting is None
