"""Jobs with real workers: what anyone may expect of submit, watch, cancel and rerun."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from taxocom import jobs
from taxocom.errors import JobError, StoreError
from taxocom.jobs import control
from taxocom.jobs.processes import identity, is_alive, this_host
from taxocom.store import JobRecord, Project, create_project, delete_project, open_project
from taxocom.store.disk.clock import stamp, utc_now

_LONG = {"n": 600, "pause": 0.1}


def _running(job: JobRecord) -> bool:
    return job.state == "running" and job.stage != ""


def test_a_job_runs_in_a_process_of_its_own_at_low_priority(project: Project) -> None:
    submitted = jobs.submit(project, "toy.count", {"n": 3}, author="Ada")
    assert (submitted.state, submitted.attempt, submitted.author) == ("queued", 1, "Ada")
    job = jobs.wait_for(project, submitted.job_id, timeout=30)
    assert (job.state, job.fraction, job.message) == ("done", 1.0, "")
    assert job.result is not None
    assert job.result["counted"] == 3
    assert job.result["niceness"] >= 10
    assert job.result["pid"] == job.result["session"] == job.pid != os.getpid()
    assert job.submitted_at <= (job.started_at or "") <= (job.ended_at or "")


def test_what_follows_a_job_is_in_line_before_it_is_over_and_done_by_the_same_worker(project: Project) -> None:
    job = jobs.wait_for(project, jobs.submit(project, "toy.first", author="Ada").job_id, timeout=30)
    assert job.result is not None
    next_id = jobs.following_job(job)
    assert next_id is not None
    after = jobs.wait_for(project, next_id, timeout=30)
    assert (after.kind, after.state, after.author) == ("toy.second", "done", "Ada")
    assert after.result == {"given": 7, "pid": job.result["pid"], "while": "done"}
    failed = jobs.wait_for(project, jobs.submit(project, "toy.first", {"fails": True}).job_id, timeout=30)
    assert (failed.state, jobs.following_job(failed)) == ("failed", None)
    assert len(jobs.list_jobs(project)) == 3, "nothing follows a job that failed"


def test_progress_can_be_watched_from_anywhere(project: Project) -> None:
    job = jobs.submit(project, "toy.count", {"n": 20, "pause": 0.1})
    with open_project("News") as elsewhere:
        seen = list(jobs.watch(elsewhere, job.job_id, interval=0.05))
    assert [job.state for job in seen if job.is_over] == ["done"]
    fractions = [job.fraction for job in seen]
    assert fractions == sorted(fractions)
    assert len(set(fractions)) >= 4
    assert {"Counting"} <= {job.stage for job in seen}
    estimates = [job.seconds_left for job in seen if job.seconds_left is not None]
    assert estimates
    assert 0 <= estimates[-1] < estimates[0] < 10


def test_an_unknown_kind_is_refused_before_anything_is_queued(project: Project) -> None:
    with pytest.raises(JobError, match=r"no kind of job 'os\.system'\. Known kinds: .*index"):
        jobs.submit(project, "os.system", {})
    with pytest.raises(StoreError, match="cannot be kept as JSON"):
        jobs.submit(project, "toy.count", {"n": object()})
    assert jobs.list_jobs(project) == []
    with pytest.raises(JobError, match="no job 5"):
        jobs.get(project, 5)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("politely", r"^line 3 of news\.csv has no text\. Remove it\.$"),
        ("unexpectedly", r"ZeroDivisionError: a detail.*job-1-1\.log"),
        ("with an odd result", "cannot be kept as JSON"),
        ("memory", "not enough memory"),
        ("by force", r"^Its worker ended unexpectedly\. Run it again\. Its log is .*job-1-1\.log"),
    ],
)
def test_a_failure_says_why_in_words(project: Project, how: str, message: str) -> None:
    submitted = jobs.submit(project, "toy.fails", {"how": how})
    job = jobs.wait_for(project, submitted.job_id, timeout=30)
    assert job.state == "failed"
    assert re.search(message, job.message), job.message
    if how == "unexpectedly":
        assert "Traceback" in project.log_path(job).read_text()


def test_a_job_can_be_run_again_with_the_same_parameters(project: Project) -> None:
    first = jobs.wait_for(project, jobs.submit(project, "toy.fails", {"how": "politely"}).job_id, timeout=30)
    again = jobs.rerun(project, first.job_id)
    assert (again.job_id, again.attempt, again.message, again.ended_at) == (first.job_id, 2, "", None)
    with pytest.raises(JobError, match="Cancel it first"):
        jobs.rerun(project, first.job_id)
    assert jobs.wait_for(project, again.job_id, timeout=30).attempt == 2


@pytest.mark.parametrize("kind", ["toy.count", "toy.deaf", "toy.holds_the_interpreter"])
def test_a_cancelled_job_is_over_when_cancel_returns(project: Project, until, kind: str) -> None:
    submitted = jobs.submit(project, kind, _LONG)
    running = until(project, submitted.job_id, lambda job: job.state == "running")
    job = jobs.cancel(project, submitted.job_id)
    assert (job.state, job.message) == ("cancelled", "")
    assert running.pid is not None
    deadline = time.monotonic() + 5
    while is_alive(running.pid, running.process) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not is_alive(running.pid, running.process)
    assert jobs.cancel(project, submitted.job_id) == job, "cancelling twice changes nothing"


def test_cancel_without_waiting_is_seen_to(project: Project, until) -> None:
    submitted = jobs.submit(project, "toy.deaf")
    until(project, submitted.job_id, _running)
    jobs.cancel(project, submitted.job_id, wait=False)
    assert jobs.wait_for(project, submitted.job_id, timeout=60).state == "cancelled"


def test_a_worker_stops_even_if_its_canceller_dies(project: Project, until) -> None:
    submitted = jobs.submit(project, "toy.deaf")
    job = until(project, submitted.job_id, _running)
    assert project.job_table.ask_to_stop(job.job_id, job.attempt)
    deadline = time.monotonic() + 10
    # Only the database is looked at here: no watcher lends a hand.
    while not project.job_table.get(job.job_id).is_over and time.monotonic() < deadline:
        time.sleep(0.05)
    assert project.job_table.get(job.job_id).state == "cancelled"


def test_a_job_that_waits_can_be_cancelled_and_the_next_takes_its_turn(project: Project, until) -> None:
    first = jobs.submit(project, "toy.count", _LONG)
    until(project, first.job_id, _running)
    second = jobs.submit(project, "toy.count", {"n": 1})
    third = jobs.submit(project, "toy.count", {"n": 1})
    until(project, second.job_id, lambda job: job.heartbeat is not None)
    assert {job.state for job in jobs.list_jobs(project)[:2]} == {"queued"}
    assert jobs.cancel(project, second.job_id).state == "cancelled"
    jobs.cancel(project, first.job_id)
    assert jobs.wait_for(project, third.job_id, timeout=30).state == "done"


def test_one_job_of_a_home_runs_at_a_time(project: Project, tmp_path: Path) -> None:
    log = tmp_path / "marks"
    with create_project("Other") as other:
        submitted = [
            (place, jobs.submit(place, "toy.marks_time", {"file": str(log), "name": str(number)}))
            for number, place in enumerate([project, other, project, other])
        ]
        assert {jobs.wait_for(place, job.job_id, timeout=60).state for place, job in submitted} == {"done"}
    marks = [line.split() for line in log.read_text().splitlines()]
    assert len(marks) == 8
    for entered, left in zip(marks[::2], marks[1::2], strict=True):
        assert (entered[0], left[0], entered[1]) == ("in", "out", left[1])


def test_a_job_outlives_the_process_that_submitted_it(project: Project) -> None:
    code = (
        "import os, sys; from taxocom import jobs; from taxocom.store import open_project;"
        "p = open_project('News'); print(jobs.submit(p, 'toy.count', {'n': 10, 'pause': 0.1}).job_id, flush=True);"
        "os.kill(os.getpid(), 9)"
    )
    submitter = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert submitter.returncode == -signal.SIGKILL
    assert jobs.wait_for(project, int(submitter.stdout), timeout=30).state == "done"


def test_a_dead_worker_is_noticed_by_whoever_looks_and_the_job_can_be_run_again(project: Project, until) -> None:
    submitted = jobs.submit(project, "toy.publishes", {"n": 20, "pause": 0.05})
    job = until(project, submitted.job_id, _running)
    assert job.pid is not None
    os.kill(job.pid, signal.SIGKILL)
    with open_project("News") as elsewhere:
        found = jobs.wait_for(elsewhere, job.job_id, timeout=60)
    assert found.state == "failed"
    assert "ended unexpectedly" in found.message
    jobs.rerun(project, job.job_id)
    again = jobs.wait_for(project, job.job_id, timeout=30)
    assert (again.state, again.attempt) == ("done", 2)
    assert project.used_for("toy") is not None


def _planted(project: Project, **marks: object) -> JobRecord:
    """A job as a worker that is no more would have left it."""
    from sqlalchemy import update

    from taxocom.store.db.database import Database
    from taxocom.store.db.schema import jobs as table

    job = project.job_table.add("toy.count", {"n": 1}, "Ada")
    database = Database(project.path / "project.db")
    with database.write() as connection:
        connection.execute(update(table).where(table.c.id == job.job_id).values(**marks))
    database.close()
    return project.job_table.get(job.job_id)


def test_a_pid_given_to_another_process_does_not_keep_a_job_alive(project: Project) -> None:
    job = _planted(project, state="running", pid=os.getpid(), process="an earlier boot 1", host=this_host())
    assert jobs.get(project, job.job_id).state == "failed"


def test_a_living_worker_is_left_alone(project: Project) -> None:
    mine = identity(os.getpid())
    job = _planted(project, state="running", pid=os.getpid(), process=mine, host=this_host())
    assert jobs.get(project, job.job_id).state == "running"
    project.job_table.end(job.job_id, 1, "failed")


def test_a_worker_elsewhere_is_given_up_only_after_a_silence(project: Project, monkeypatch) -> None:
    marks = {"state": "running", "pid": 1, "process": "x", "host": "elsewhere pid:[1]"}
    job = _planted(project, **marks, heartbeat=stamp(utc_now()))
    assert jobs.get(project, job.job_id).state == "running"
    monkeypatch.setattr(control, "SILENCE_SECONDS", 0.0)
    found = jobs.get(project, job.job_id)
    assert (found.state, found.message.startswith("Nothing was heard of its worker on elsewhere")) == ("failed", True)


def test_a_job_whose_worker_never_came_is_given_up(project: Project, monkeypatch) -> None:
    job = project.job_table.add("toy.count", {}, "Ada")
    assert jobs.get(project, job.job_id).state == "queued"
    monkeypatch.setattr(control, "START_SECONDS", 0.0)
    assert jobs.get(project, job.job_id).message.startswith("Its worker never started")
    other = project.job_table.add("toy.count", {}, "Ada")
    monkeypatch.setattr(control, "START_SECONDS", 30.0)
    assert jobs.cancel(project, other.job_id).state == "cancelled"


def test_a_worker_that_took_most_of_the_memory_is_said_to_have(project: Project, monkeypatch) -> None:
    monkeypatch.setattr(control, "memory_of_machine", lambda: 8 * 2**30)
    marks = {"state": "running", "pid": 1, "process": "gone", "host": this_host()}
    job = _planted(project, **marks, memory=5 * 2**30)
    assert "probably for lack of memory: it held 5.0 of 8.0 GiB" in jobs.get(project, job.job_id).message


def test_what_a_late_worker_says_does_not_count(project: Project) -> None:
    job = project.job_table.add("toy.count", {}, "")
    table = project.job_table
    assert table.claim(job.job_id, 1, pid=1, process="x", host="y")
    assert table.start(job.job_id, 1)
    assert table.end(job.job_id, 1, "failed", message="lost")
    again = table.add_attempt(table.get(job.job_id))
    assert not table.end(job.job_id, 1, "done", result={"late": True})
    assert table.report(job, stage="late", fraction=0.9, seconds_left=1.0, memory=1) is None
    assert table.get(job.job_id) == again
    with pytest.raises(JobError, match="at work already"):
        table.add_attempt(job)


@pytest.mark.parametrize("kind", ["toy.count", "toy.deaf"])
@pytest.mark.parametrize("replaced", [False, True])
def test_a_worker_ends_by_itself_when_its_project_is_gone(project: Project, until, kind: str, replaced: bool) -> None:
    submitted = jobs.submit(project, kind, _LONG)
    job = until(project, submitted.job_id, _running)
    assert job.pid is not None
    if replaced:
        shutil.copytree(project.path, project.path.with_name("copy"))
    shutil.rmtree(project.path)
    if replaced:
        project.path.with_name("copy").rename(project.path)
    # Nobody looks after the job: there is no project left to look through.
    deadline = time.monotonic() + 10
    while is_alive(job.pid, job.process) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(job.pid, job.process)
    if replaced:
        project.job_table.end(job.job_id, job.attempt, "failed")


def test_a_worker_that_waits_ends_by_itself_when_its_project_is_gone(project: Project, home: Path, until) -> None:
    first = jobs.submit(project, "toy.count", _LONG)
    until(project, first.job_id, _running)
    with create_project("Other") as other:
        second = jobs.submit(other, "toy.count", _LONG)
        job = until(other, second.job_id, lambda _: any((home / "queue").glob(f"*{other.path.name}*")))
        shutil.rmtree(other.path)
        deadline = time.monotonic() + 10
        while is_alive(job.pid, job.process) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not is_alive(job.pid, job.process)
    assert jobs.get(project, first.job_id).state == "running"


def test_a_project_with_a_job_at_work_is_not_deleted(project: Project, until) -> None:
    submitted = jobs.submit(project, "toy.count", _LONG)
    until(project, submitted.job_id, _running)
    with pytest.raises(StoreError, match=rf"worked on \(job-{submitted.job_id}\)"):
        delete_project(project)
    jobs.cancel(project, submitted.job_id)


def test_a_worker_that_cannot_be_started_is_a_failed_job(project: Project, monkeypatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(JobError, match="could not be started"):
        jobs.submit(project, "toy.count", {})
    assert [job.state for job in jobs.list_jobs(project)] == ["failed"]


def test_waiting_has_an_end(project: Project) -> None:
    submitted = jobs.submit(project, "toy.count", _LONG)
    with pytest.raises(JobError, match=r"still \w+ after 0\.1 seconds"):
        jobs.wait_for(project, submitted.job_id, timeout=0.1)
