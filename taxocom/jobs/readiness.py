"""Whether work can be done here: the home takes files, a database opens in it, a worker starts."""

from __future__ import annotations

import logging
import subprocess
import sys

from taxocom.errors import JobError
from taxocom.store.homes.home_check import try_database, try_home
from taxocom.subprocesses import environment

_PATIENCE = 60.0
_WORKER = "import taxocom.jobs.worker"

log = logging.getLogger("taxocom.jobs")


def failing_parts() -> tuple[str, ...]:
    """Try each part that work needs; return the names of those that fail, and no more: why is for the log alone."""
    failing = []
    for name, attempt in (("home", try_home), ("database", try_database), ("worker", _try_worker)):
        try:
            attempt()
        except Exception:  # a part that fails in a way nobody thought of fails all the same
            log.exception("not ready: %s", name)
            failing.append(name)
    return tuple(failing)


def _try_worker() -> None:
    done = subprocess.run(
        [sys.executable, "-P", "-c", _WORKER],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
        timeout=_PATIENCE,
        check=False,
    )
    if done.returncode:
        raise JobError(f"A worker ended with {done.returncode} before it could begin.")
