"""Where nothing can be written, nothing about a job is lost in silence. A limit on files stands for a full disk."""

from __future__ import annotations

import os
import resource
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from taxocom import jobs
from taxocom.errors import JobError, StoreError
from taxocom.jobs import control
from taxocom.store import JobRecord, Project

Until = Callable[..., JobRecord]


def _running(job: JobRecord) -> bool:
    return job.state == "running" and job.stage != ""


@contextmanager
def nothing_can_be_written(pid: int = 0) -> Iterator[None]:
    before = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, resource.RLIMIT_FSIZE, before)


def test_a_job_that_cannot_be_queued_is_an_error_of_ours(project: Project) -> None:
    with nothing_can_be_written(), pytest.raises((StoreError, JobError)):
        jobs.submit(project, "toy.count")
    assert jobs.list_jobs(project) == []
    job = jobs.submit(project, "toy.count")
    assert jobs.wait_for(project, job.job_id, timeout=60).state == "done"


def test_a_job_whose_worker_cannot_be_started_is_an_error_and_not_a_job_that_waits(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(control, "command_of", lambda *_: ["/no/such/program"])
    with pytest.raises(JobError, match="could not be started"):
        jobs.submit(project, "toy.count")
    assert [job.state for job in jobs.list_jobs(project)] == ["failed"]


def test_a_worker_that_died_is_seen_to_be_dead_where_that_cannot_be_written(project: Project, until: Until) -> None:
    submitted = jobs.submit(project, "toy.count", {"n": 600, "pause": 0.1})
    job = until(project, submitted.job_id, _running)
    assert job.pid is not None
    os.kill(job.pid, signal.SIGKILL)
    deadline = time.monotonic() + 30
    with nothing_can_be_written():
        while not (seen := jobs.get(project, job.job_id)).is_over:
            assert time.monotonic() < deadline
            time.sleep(0.05)
    assert seen.state == "failed"
    assert "ended unexpectedly" in seen.message
    assert "could not be written" in seen.message
    kept = jobs.get(project, job.job_id)
    assert (kept.state, "could not be written" in kept.message) == ("failed", False)


def test_a_cancel_that_cannot_be_written_is_an_error_of_ours(project: Project, until: Until) -> None:
    submitted = jobs.submit(project, "toy.count", {"n": 600, "pause": 0.1})
    until(project, submitted.job_id, _running)
    with nothing_can_be_written(), pytest.raises(StoreError):
        jobs.cancel(project, submitted.job_id)
    assert jobs.cancel(project, submitted.job_id).state == "cancelled"


def test_a_worker_says_how_it_ended_when_there_is_room_again(project: Project, until: Until) -> None:
    submitted = jobs.submit(project, "toy.count", {"n": 10, "pause": 0.1})
    job = until(project, submitted.job_id, _running)
    assert job.pid is not None
    with nothing_can_be_written(job.pid):
        time.sleep(2.5)
        assert not project.job_table.get(job.job_id).is_over
    assert jobs.wait_for(project, job.job_id, timeout=60).state == "done"
