from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from taxocom import jobs
from taxocom.store import JobRecord, Project, create_project


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and workers that know the toy tasks beside this file."""
    here = str(Path(__file__).parent)
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_TASKS", "toy_tasks")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH", "")])))
    monkeypatch.setattr(sys, "path", [here, *sys.path])
    return tmp_path / "home"


@pytest.fixture
def project(home: Path) -> Iterator[Project]:
    with create_project("News") as opened:
        yield opened
        for job in jobs.list_jobs(opened, active=True):
            jobs.cancel(opened, job.job_id)


@pytest.fixture
def until() -> Callable[..., JobRecord]:
    """Wait until a job satisfies a condition; fail if it ends before that."""

    def wait(project: Project, job_id: int, condition: Callable[[JobRecord], bool]) -> JobRecord:
        for job in jobs.watch(project, job_id, interval=0.02):
            if condition(job):
                return job
        raise AssertionError(f"The job ended too early: {job}")

    return wait
