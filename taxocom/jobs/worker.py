"""The process that does one job, started by `submit`: `python -m taxocom.jobs.worker PROJECT JOB ATTEMPT`."""

from __future__ import annotations

import os
import sys
import traceback
from contextlib import suppress
from pathlib import Path

from taxocom.errors import CancelledError, TaxocomError
from taxocom.jobs.processes import identity, this_host
from taxocom.jobs.registry import find_task
from taxocom.jobs.reporting import JobProgress
from taxocom.jobs.scheduled import back_up_if_due
from taxocom.store import JobRecord, Project, home_of
from taxocom.store.turns import turn

_NICENESS = 10
_OOM_SCORE = 500


def main(arguments: list[str]) -> None:
    """Do one attempt at a job and say in the store how it ended."""
    path, job_id, attempt = Path(arguments[0]), int(arguments[1]), int(arguments[2])
    _be_modest()
    with Project(path) as project:
        pid = os.getpid()
        # Somebody may have cancelled before this process was up: then there is nothing to claim.
        if project.job_table.claim(job_id, attempt, pid=pid, process=identity(pid) or "", host=this_host()):
            _do(project, project.job_table.get(job_id))
            back_up_if_due(project)


def _be_modest() -> None:
    """Leave the processor to people, and be the first to go when memory runs out, not the app."""
    os.nice(_NICENESS)
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(str(_OOM_SCORE))


def _do(project: Project, job: JobRecord) -> None:
    table = project.job_table
    try:
        result = _work(project, job)
        table.end(job.job_id, job.attempt, "done", result=result)
    except CancelledError:
        table.end(job.job_id, job.attempt, "cancelled")
    except TaxocomError as error:
        table.end(job.job_id, job.attempt, "failed", message=str(error))
    except MemoryError:
        traceback.print_exc()
        table.end(job.job_id, job.attempt, "failed", message=_OUT_OF_MEMORY)
    except BaseException as error:
        traceback.print_exc()
        table.end(job.job_id, job.attempt, "failed", message=_unexpected(project, job, error))


_OUT_OF_MEMORY = (
    "The machine has not enough memory for this. Close other programs, or use fewer documents or a smaller vocabulary."
)


def _work(project: Project, job: JobRecord) -> dict[str, object]:
    order = f"{job.submitted_at}-{project.path.name}-{job.job_id}"
    with (
        # Marks the project as being worked on, which holds off its deletion.
        project.working_place(f"job-{job.job_id}"),
        JobProgress(project, job) as progress,
        turn(home_of(project.path), order, progress.check),
    ):
        if not project.job_table.start(job.job_id, job.attempt):
            raise CancelledError("The job is no longer wanted.")
        progress.begin()
        return dict(find_task(job.kind)(project, job.params, progress))


def _unexpected(project: Project, job: JobRecord, error: BaseException) -> str:
    said = f"{type(error).__name__}: {error}".splitlines()[0][:300]
    return f"Something went wrong that should not have ({said}). Details are in {project.log_path(job)}."


if __name__ == "__main__":
    main(sys.argv[1:])
