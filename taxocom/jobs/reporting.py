"""What the worker tells the store, and what it hears back."""

from __future__ import annotations

import faulthandler
import math
import os
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Literal

from taxocom.errors import CancelledError, StoreError
from taxocom.jobs.processes import memory_in_use
from taxocom.jobs.watchdog import Watchdog
from taxocom.settings import JobLimits
from taxocom.store import JobRecord, Project
from taxocom.store.disk.locks import HeldLock

LOOK_SECONDS = 0.25
BEAT_SECONDS = 1.0
GRACE_SECONDS = 0.8
"""How long the work may take to notice that it was cancelled before its process is ended under it."""
_FIRST_AFTER = 1.0
_SHORTEST_MEMORY = 5.0
_MEMORY_SHARE = 0.25


def log(text: str) -> None:
    """Write to the job's log if it can be written: on a full disk it cannot, and the work goes on."""
    with suppress(OSError):
        print(text, file=sys.stderr, flush=True)


class JobProgress:
    """The `Progress` of a job. `report` only notes; a thread beside it writes, so that reporting often costs nothing.

    The same thread beats the heart, hears of a cancel, and ends the process if the work does not stop in time (it may
    be deep in a kernel that reports nothing), or if it is stuck (`jobs.watchdog`). A project whose directory was
    removed or replaced is as good as a cancel: nobody can ask for it any more, and nothing can be kept of it.
    """

    def __init__(self, project: Project, job: JobRecord) -> None:
        self._project = project
        self._job = job
        self._place = _place(project.path)
        self._stage, self._fraction = "", 0.0
        self._written, self._beat_at = ("", -1.0), -math.inf
        self._estimator: Estimator | None = None
        self._cancelled = threading.Event()
        self._over = threading.Event()
        self._turn: HeldLock | None = None
        self._watchdog = Watchdog(JobLimits.from_environment())
        self._thread = threading.Thread(target=self._look_after, name="heartbeat", daemon=True)

    def __enter__(self) -> JobProgress:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def begin(self, turn: HeldLock) -> None:
        """Start the clocks: waiting for a turn is not working. From here on the turn is shown to be in use."""
        self._turn = turn
        self._estimator = Estimator(time.monotonic())
        self._watchdog.heard()

    def report(self, stage: str, fraction: float) -> None:
        """Note how far the work is; raises `CancelledError` if it should stop. The fraction never goes back."""
        self.check()
        self._watchdog.heard()
        self._stage = stage
        if math.isfinite(fraction):
            self._fraction = max(self._fraction, min(1.0, max(0.0, fraction)))

    def check(self) -> None:
        """Raise `CancelledError` if the work should stop."""
        if self._cancelled.is_set():
            raise CancelledError("Cancelled.")

    def _look_after(self) -> None:
        heard_at = math.inf
        while not self._over.wait(LOOK_SECONDS):
            now = time.monotonic()
            is_gone = _place(self._project.path) != self._place
            job = None if is_gone else self._tell(now)
            if not self._cancelled.is_set() and self._should_stop(job):
                self._cancelled.set()
                heard_at = now
            if now - heard_at >= GRACE_SECONDS:
                self._end_under_it("cancelled", "Cancelled; the work did not stop by itself in time.")
            elif not self._cancelled.is_set() and (stuck := self._watchdog.verdict()):
                self._end_stuck(stuck)
        if _place(self._project.path) == self._place:
            self._tell(time.monotonic())

    def _tell(self, now: float) -> JobRecord | None:
        """Write what is new, or that all is well; return the job as it is now, None if it is no longer ours."""
        if self._turn is not None:
            self._turn.beat()
        current = (self._stage, self._fraction)
        seconds_left = self._estimator.update(self._fraction, now) if self._estimator else None
        try:
            if current == self._written and now - self._beat_at < BEAT_SECONDS:
                return self._project.job_table.get(self._job.job_id)
            self._written, self._beat_at = current, now
            return self._project.job_table.report(
                self._job, stage=current[0], fraction=current[1], seconds_left=seconds_left, memory=memory_in_use()
            )
        except StoreError as error:
            # A disk that is full for a moment must not end hours of work; a dead database ends it elsewhere.
            log(f"Progress could not be written: {error}")
            return self._job

    def _should_stop(self, job: JobRecord | None) -> bool:
        return job is None or job.attempt != self._job.attempt or job.is_over or job.cancel_requested_at is not None

    def _end_stuck(self, why: str) -> None:
        # Where each thread hangs, for whoever has to find out.
        faulthandler.dump_traceback(sys.stderr)
        last = f" after it said {self._stage!r}" if self._stage else ""
        log = self._project.log_path(self._job)
        message = (
            f"{why}{last}, so it was ended. Run it again; if it stops at the same place, {log} says where it hangs."
        )
        self._end_under_it("failed", message)

    def _end_under_it(self, state: Literal["failed", "cancelled"], message: str) -> None:
        log(message)
        # Whether that can still be written or not, the process must end.
        with suppress(StoreError):
            told = message if state == "failed" else ""
            self._project.job_table.end(self._job.job_id, self._job.attempt, state, message=told)
        os._exit(0)


def _place(path: Path) -> tuple[int, int] | None:
    """Return what tells a directory from another of the same name; None if it is gone."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Estimator:
    """Smooths the speed of progress: at a steady speed it is exact, after a change it follows.

    The half-life of its memory grows with the time worked, since the stages of a long job are long.
    """

    def __init__(self, now: float) -> None:
        self._began = self._last = now
        self._fraction = 0.0
        self._gained = self._spent = 0.0

    def update(self, fraction: float, now: float) -> float | None:
        """Return the seconds left when `fraction` is done at `now`; None while there is too little to go by."""
        seconds = max(0.0, now - self._last)
        half_life = max(_SHORTEST_MEMORY, _MEMORY_SHARE * (now - self._began))
        kept = 0.5 ** (seconds / half_life)
        self._gained = self._gained * kept + max(0.0, fraction - self._fraction)
        self._spent = self._spent * kept + seconds
        self._fraction = max(self._fraction, fraction)
        self._last = now
        if now - self._began < _FIRST_AFTER or self._gained <= 0.0 or self._spent <= 0.0:
            return None
        return (1.0 - self._fraction) * self._spent / self._gained
