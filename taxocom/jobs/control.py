"""Submit, watch, cancel and run again: what any process may do to a job, its own or another's."""

from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any, Literal

from taxocom.errors import JobError, StoreError
from taxocom.jobs.processes import identity, is_alive, memory_of_machine, stop, this_host
from taxocom.jobs.registry import find_task
from taxocom.jobs.standby import see_off_and_replace, take
from taxocom.store import JobRecord, Project
from taxocom.store.disk.clock import Stillness, seconds_between, utc_now
from taxocom.store.homes.job_queue import SILENCE_SECONDS
from taxocom.subprocesses import command_of, environment
from taxocom.taxonomy.roles import JOBS

START_SECONDS = 30.0
"""How long a worker may take to appear; a job that nobody claimed by then never had one."""
SILENT_WORKER = (
    f"Its worker gave no sign of life for {SILENCE_SECONDS:.0f} seconds, so it was ended. Run it again; if that "
    "happens again, the machine is short of memory or the work holds everything else up."
)
PATIENCE_SECONDS = 1.3
"""How long a worker may take to stop by itself when cancelled."""
NEXT_JOB = "next_job"
"""In the result of a job: the number of the one that follows it."""
_POLL_SECONDS = 0.05
_GIB = 2**30
_HEARTS = Stillness()


def submit(project: Project, kind: str, params: Mapping[str, Any] | None = None, *, author: str = "") -> JobRecord:
    """Put a job in the queue and start a worker for it, which outlives this process."""
    find_task(kind)
    return _launch(project, project.add_job(kind, params or {}, author))


def following_job(job: JobRecord) -> int | None:
    """Return the number of the job that follows one which went well, None if none does."""
    return (job.result or {}).get(NEXT_JOB) if job.state == "done" else None


def rerun(project: Project, job_id: int, *, by: str | None = None) -> JobRecord:
    """Run a job that is over once more, with the same parameters; `by` is who asks for it, None for the program."""
    if by is not None:
        project.require(JOBS.get(project.job_table.get(job_id).kind, "texts"), by)
    job = get(project, job_id)
    if not job.is_over:
        raise JobError(f"Job {job_id} is {job.state}. Cancel it first, or wait for it.")
    return _launch(project, project.job_table.add_attempt(job))


def get(project: Project, job_id: int) -> JobRecord:
    """Return a job as it is now; one whose worker died is marked first."""
    return _looked_after(project, project.job_table.get(job_id))


def list_jobs(project: Project, *, active: bool = False) -> list[JobRecord]:
    """Return the jobs, newest first; `active` leaves out those that are over."""
    jobs = [_looked_after(project, job) for job in project.job_table.all(active=active)]
    return [job for job in jobs if not (active and job.is_over)]


def cancel(project: Project, job_id: int, *, wait: bool = True, by: str | None = None) -> JobRecord:
    """Stop a job within two seconds: its worker is asked, and ended if it does not listen.

    Without `wait` this returns at once and sees to it behind the caller's back. `by` is who asks, None for the program.
    """
    if by is not None:
        project.require("stop", by)
    job = get(project, job_id)
    if not job.is_over and project.job_table.ask_to_stop(job_id, job.attempt):
        if wait:
            _see_stopped(project, job_id)
        else:
            threading.Thread(target=_see_stopped, args=(project, job_id), daemon=True).start()
    return get(project, job_id)


def watch(project: Project, job_id: int, *, interval: float = 0.2) -> Iterator[JobRecord]:
    """Yield the job now, whenever it has changed, and last when it is over."""
    job = get(project, job_id)
    yield job
    while not job.is_over:
        time.sleep(interval)
        latest = get(project, job_id)
        if latest != job:
            yield latest
        job = latest


def wait_for(project: Project, job_id: int, *, timeout: float | None = None) -> JobRecord:
    """Return the job when it is over; a JobError if it is not within `timeout` seconds."""
    deadline = None if timeout is None else time.monotonic() + timeout
    while not (job := get(project, job_id)).is_over:
        if deadline is not None and time.monotonic() > deadline:
            raise JobError(f"Job {job_id} is still {job.state} after {timeout:g} seconds.")
        time.sleep(_POLL_SECONDS)
    return job


def _launch(project: Project, job: JobRecord) -> JobRecord:
    try:
        process = _started(project, job)
    except OSError as error:
        message = f"Its worker could not be started: {error}."
        # What kept the worker from starting, a full disk, may keep this from being written; the caller is told anyway.
        with suppress(StoreError):
            project.job_table.end(job.job_id, job.attempt, "failed", message=message)
        raise JobError(message) from error
    mark = identity(process.pid)
    if mark is not None:
        # The worker says so itself too, but it may die before it gets that far.
        with suppress(StoreError):
            project.job_table.claim(job.job_id, job.attempt, pid=process.pid, process=mark, host=this_host())
    see_off_and_replace(process)
    return project.job_table.get(job.job_id)


def _started(project: Project, job: JobRecord) -> subprocess.Popen[bytes]:
    arguments, log = [str(project.path), str(job.job_id), str(job.attempt)], project.log_path(job)
    if (waiting := take(arguments, project.path, log)) is not None:
        return waiting
    with log.open("ab") as file:
        return subprocess.Popen(
            command_of("taxocom.jobs.worker", *arguments),
            stdin=subprocess.DEVNULL,
            stdout=file,
            stderr=subprocess.STDOUT,
            cwd=project.path,
            env=environment(),
            start_new_session=True,
        )


def _looked_after(project: Project, job: JobRecord) -> JobRecord:
    """Return the job as it is, after ending it in the store if its worker is gone or deaf."""
    if job.is_over:
        _HEARTS.forget((project.path, job.job_id, job.attempt))
        return job
    if (reason := _why_lost(project, job)) is None:
        return job
    state: Literal["cancelled", "failed"] = "cancelled" if job.cancel_requested_at else "failed"
    message = "" if job.cancel_requested_at else reason
    try:
        project.job_table.end(job.job_id, job.attempt, state, message=message)
    except StoreError as error:
        # Its worker is gone whether that can be written or not, and whoever looks is to see it.
        return replace(job, state=state, message=f"{reason} This could not be written: {error}", seconds_left=None)
    # The worker may have ended well between our two looks; what it said stands.
    return project.job_table.get(job.job_id)


def _why_lost(project: Project, job: JobRecord) -> str | None:
    """Say why nothing more can come of a job that is not over, None if something can."""
    now = utc_now()
    if job.pid is None:
        # Nobody has claimed it, so a cancel needs nobody's consent: a worker that comes late finds nothing to claim.
        if job.cancel_requested_at or seconds_between(job.submitted_at, now) > START_SECONDS:
            return "Its worker never started. Run it again."
    elif job.host != this_host():
        if seconds_between(job.heartbeat or job.submitted_at, now) > SILENCE_SECONDS:
            return f"Nothing was heard of its worker on {job.host.split()[0]} for {SILENCE_SECONDS:.0f} seconds."
    elif not is_alive(job.pid, job.process):
        return _why_dead(project, job)
    elif _HEARTS.of((project.path, job.job_id, job.attempt), job.heartbeat) > SILENCE_SECONDS:
        return SILENT_WORKER if stop(job.pid, job.process) else None
    elif job.cancel_requested_at and seconds_between(job.cancel_requested_at, now) > PATIENCE_SECONDS:
        return "Cancelled." if stop(job.pid, job.process) else None
    return None


def _why_dead(project: Project, job: JobRecord) -> str:
    said = "Its worker ended unexpectedly"
    if job.memory > memory_of_machine() / 2:
        said += (
            f", probably for lack of memory: it held {job.memory / _GIB:.1f} of {memory_of_machine() / _GIB:.1f} GiB. "
            "Close other programs or use fewer documents, then run it again."
        )
    else:
        said += ". Run it again."
    return f"{said} Its log is {project.log_path(job)}."


def _see_stopped(project: Project, job_id: int) -> None:
    while not get(project, job_id).is_over:
        time.sleep(_POLL_SECONDS)
