from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from taxocom import jobs
from taxocom.store import JobRecord, Project, create_project, open_project


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home, and workers that know the toy tasks beside this file."""
    here = str(Path(__file__).parent)
    monkeypatch.setenv("TAXOCOM_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TAXOCOM_TASKS", "toy_tasks")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [here, os.environ.get("PYTHONPATH", "")])))
    monkeypatch.setattr(sys, "path", [here, *sys.path])
    return tmp_path / "home"


@pytest.fixture(scope="session")
def home_with_a_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home to copy: making a project takes a tenth of a second, and most tests want one."""
    made = tmp_path_factory.mktemp("template")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAXOCOM_HOME", str(made))
        create_project("News").close()
    return made


@pytest.fixture
def project(home: Path, home_with_a_project: Path) -> Iterator[Project]:
    shutil.copytree(home_with_a_project, home)
    with open_project("News") as opened:
        yield opened
        # A test may have taken the project away.
        for job in jobs.list_jobs(opened, active=True) if opened.path.exists() else ():
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
