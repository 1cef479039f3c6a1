"""The kinds of jobs: a name, and the function that does the work in the worker process.

Ours are in `taxocom.jobs.tasks`. A module named in TAXOCOM_TASKS (several with commas) is imported too and may register
kinds of its own. The database holds names only: a project from elsewhere cannot make a worker import anything.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping
from typing import Any

from taxocom.errors import JobError
from taxocom.progress import Progress
from taxocom.store import Project

Task = Callable[[Project, Mapping[str, Any], Progress], Mapping[str, Any]]

_OURS = (
    "taxocom.jobs.tasks",
    "taxocom.jobs.expand_task",
    "taxocom.jobs.map_task",
    "taxocom.jobs.quality_tasks",
    "taxocom.jobs.text_jobs",
)
_TASKS: dict[str, Task] = {}
_FOLLOWING: dict[str, str] = {}


def task(kind: str, *, then: str = "") -> Callable[[Task], Task]:
    """Register the decorated function as what jobs of this kind do.

    A job of the kind `then` follows one that went well, done by the same worker; its parameters are the result.

    It gets the project, the job's parameters and where to report, and returns what is kept as the job's result. It
    should import what is heavy inside itself, and publish nothing half: it may be killed at any moment and run again.
    """

    def register(function: Task) -> Task:
        _TASKS[kind] = function
        if then:
            _FOLLOWING[kind] = then
        return function

    return register


def load_tasks() -> None:
    """Import the modules that register what jobs do."""
    for module in (*_OURS, *os.environ.get("TAXOCOM_TASKS", "").split(",")):
        if module.strip():
            importlib.import_module(module.strip())


def find_task(kind: str) -> Task:
    """Return what jobs of a kind do; an unknown kind is a JobError."""
    load_tasks()
    if kind not in _TASKS:
        raise JobError(f"There is no kind of job {kind!r}. Known kinds: {', '.join(sorted(_TASKS))}.")
    return _TASKS[kind]


def following(kind: str) -> str:
    """Return the kind of job that follows one of this kind, nothing if none does."""
    return _FOLLOWING.get(kind, "")
