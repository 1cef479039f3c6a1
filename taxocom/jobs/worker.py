"""The process that does one job, started by `submit`: `python -m taxocom.jobs.worker PROJECT JOB ATTEMPT`."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from taxocom.errors import CancelledError, JobError, StoreError, TaxocomError, lacked_memory
from taxocom.jobs.control import NEXT_JOB, SILENT_WORKER, following_job
from taxocom.jobs.memory_for_libraries import load_numeric_libraries
from taxocom.jobs.processes import identity, stop, this_host
from taxocom.jobs.registry import find_task, following
from taxocom.jobs.reporting import JobProgress, log
from taxocom.jobs.scheduled import back_up_if_due
from taxocom.store import JobRecord, Project, home_of
from taxocom.store.homes.job_queue import turn
from taxocom.store.homes.logs import start_logging

LAST_WORDS_SECONDS = 60.0
"""How long a worker tries to say how its job ended."""
_NICENESS = 10
_OOM_SCORE = 500

shared_log = logging.getLogger("taxocom.jobs")
"""The log of the home, without texts; `reporting.log` writes the job's own."""


def main(arguments: list[str]) -> None:
    """Do one attempt at a job, and what follows it, and say in the store how each ended."""
    path, job_id, attempt = Path(arguments[0]), int(arguments[1]), int(arguments[2])
    start_logging()
    with Project(path) as project:
        if (job := _claimed_and_done(project, job_id, attempt)) is None:
            return
        while (next_id := following_job(job)) and (after := _claimed_and_done(project, next_id)):
            job = after
        back_up_if_due(project)


def _claimed_and_done(project: Project, job_id: int, attempt: int = 1) -> JobRecord | None:
    """Do a job and return it as it ended; None, if somebody cancelled it before: then there is nothing to claim."""
    pid = os.getpid()
    if not project.job_table.claim(job_id, attempt, pid=pid, process=identity(pid) or "", host=this_host()):
        return None
    _do(project, project.job_table.get(job_id))
    job = project.job_table.get(job_id)
    shared_log.info("%s: job %d (%s), attempt %d: %s", project.path.name, job_id, job.kind, attempt, job.state)
    return job


def be_modest() -> None:
    """Leave the processor to people, and be the first to go when memory runs out, not the app."""
    os.nice(_NICENESS)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE))


def _do(project: Project, job: JobRecord) -> None:
    try:
        result = _work(project, job)
    except CancelledError:
        _say_ended(project, job, "cancelled")
    except BaseException as error:
        _say_ended(project, job, "failed", message=_told(project, job, error))
    else:
        _say_ended(project, job, "done", result=_with_next(project, job, result))


def _with_next(project: Project, job: JobRecord, result: dict[str, Any]) -> dict[str, Any]:
    """Queue the job that follows before this one is over, so that anyone who sees this one end sees the other too."""
    kind = following(job.kind)
    # What was found is not lost because what follows cannot be asked for.
    with suppress(StoreError):
        return {**result, NEXT_JOB: project.job_table.add(kind, result, job.author).job_id} if kind else result
    return result


def _say_ended(project: Project, job: JobRecord, state: Literal["done", "failed", "cancelled"], **said: Any) -> None:
    """Say how the job ended, again and again if need be: a disk that is full for a while must not hide it."""
    deadline = time.monotonic() + LAST_WORDS_SECONDS
    while True:
        try:
            project.job_table.end(job.job_id, job.attempt, state, **said)
            return
        except StoreError as error:
            log(f"The job is {state}, which could not be written: {error}")
            # Of a project that was removed nobody will ask.
            if time.monotonic() > deadline or not project.path.is_dir():
                return
        time.sleep(1.0)


_OUT_OF_MEMORY = (
    "The machine has not enough memory for this. Close other programs, or use fewer documents or a smaller vocabulary."
)


def _work(project: Project, job: JobRecord) -> dict[str, Any]:
    order = f"{job.submitted_at}-{project.path.name}-{job.job_id}"
    with (
        # Marks the project as being worked on, which holds off its deletion.
        project.working_place(f"job-{job.job_id}"),
        JobProgress(project, job) as progress,
        turn(home_of(project.path), order, progress.check, owner=_signature(project, job), end=end_silent) as held,
    ):
        if not project.job_table.start(job.job_id, job.attempt):
            raise CancelledError("The job is no longer wanted.")
        progress.begin(held)
        load_numeric_libraries()
        return _keepable(find_task(job.kind)(project, job.params, progress))


def _keepable(result: Mapping[str, Any]) -> dict[str, Any]:
    try:
        json.dumps(dict(result), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise JobError(f"The result cannot be kept as JSON: {error}.") from error
    return dict(result)


def _signature(project: Project, job: JobRecord) -> str:
    """Return what others need to know of this process, should they have to end it."""
    return json.dumps([this_host(), job.pid, job.process, str(project.path), job.job_id, job.attempt])


def end_silent(signature: str) -> None:
    """End a worker that has the turn and shows no sign of life, and say so in its project if that can be written."""
    try:
        host, pid, process, path, job_id, attempt = json.loads(signature)
    except ValueError:
        return
    if host != this_host() or not stop(int(pid), str(process)):
        return
    with suppress(TaxocomError), Project(Path(path)) as project:
        project.job_table.end(int(job_id), int(attempt), "failed", message=SILENT_WORKER)


def _told(project: Project, job: JobRecord, error: BaseException) -> str:
    """Say in words why the work failed; what the words leave out goes to the log."""
    lacked = lacked_memory(error)
    if isinstance(error, TaxocomError) and not lacked:
        return str(error)
    log("".join(traceback.format_exception(error)))
    if lacked:
        return _OUT_OF_MEMORY
    said = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    return f"Something unexpected went wrong ({said}). Details are in {project.log_path(job)}."


if __name__ == "__main__":
    be_modest()
    main(sys.argv[1:])
