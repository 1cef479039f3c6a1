"""Backups on schedule: the app runs `python -m taxocom.jobs.scheduled` now and then, and workers look as they end."""

from __future__ import annotations

import os
import subprocess
import sys
import threading

from taxocom.errors import TaxocomError
from taxocom.store import Project, list_projects
from taxocom.store.homes.schedule import BackupPlan, back_up_now, is_due
from taxocom.subprocesses import command_of, environment

FIRST_LOOK_SECONDS, LOOK_SECONDS = 60.0, 600.0
"""When, and how often from then on, the app looks whether a backup is due."""

_NICENESS = 15


def back_up_if_due(project: Project) -> bool:
    """Write a backup of a project if one is due; a failure is noted beside the backups and printed, never raised."""
    try:
        plan = BackupPlan.from_environment()
        return is_due(project.path, project.created_at, plan) and back_up_now(project, plan) is not None
    except TaxocomError as error:
        print(f"{project.path.name}: {error}", file=sys.stderr, flush=True)
        return False


def back_up_all() -> None:
    """Write the backups that are due in the home."""
    plan = BackupPlan.from_environment()
    for summary in list_projects():
        try:
            if not summary.problem and is_due(summary.path, summary.created_at, plan):
                with Project(summary.path) as project:
                    back_up_if_due(project)
        # One bad project must not cost the others their backups.
        except Exception as error:
            print(f"{summary.path.name}: {error}", file=sys.stderr, flush=True)


def keep_backing_up() -> threading.Thread:
    """See to the backups of the home for as long as this process lives, in processes of low priority."""
    stopped = threading.Event()

    def look() -> None:
        wait = FIRST_LOOK_SECONDS
        while not stopped.wait(wait):
            wait = LOOK_SECONDS
            command = command_of("taxocom.jobs.scheduled")
            subprocess.run(command, env=environment(), stdin=subprocess.DEVNULL, check=False)

    thread = threading.Thread(target=look, daemon=True, name="backups")
    thread.start()
    return thread


if __name__ == "__main__":
    os.nice(_NICENESS)
    back_up_all()
