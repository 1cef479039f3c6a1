"""Work that takes longer than a moment runs in a process of its own; its state is in the store for anyone to watch."""

from taxocom.jobs.control import cancel, following_job, get, list_jobs, rerun, submit, wait_for, watch
from taxocom.jobs.initialise import Initialised, begin_project, initialise
from taxocom.jobs.registry import Task, task
from taxocom.store import JobRecord

__all__ = [
    "Initialised",
    "JobRecord",
    "Task",
    "begin_project",
    "cancel",
    "following_job",
    "get",
    "initialise",
    "list_jobs",
    "rerun",
    "submit",
    "task",
    "wait_for",
    "watch",
]
