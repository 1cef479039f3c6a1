"""Whether work that reports nothing is still at it: one job that hangs must not hold up those that wait behind it."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from taxocom.settings import JobLimits

_LEAST_SHARE = 0.01
"""Of a processor: what uses less than this while it is silent is not at work. A loop that waits uses about a tenth."""
_ACTIVE = ("R", "D")
_PAUSE_SECONDS = 0.5
_MOST_BETWEEN = 2.0


class Watchdog:
    """Tells that work is stuck, from its reports and from what its process does; asked every moment by one thread.

    A thread that can run or waits for the disk counts as work, as does time on the processor, of this process or of
    those that it started; the asking thread itself does not.
    """

    def __init__(self, limits: JobLimits) -> None:
        self._limits = limits
        self._has_begun = self._was_heard = False
        self._silent = self._idle = self._used = 0.0
        self._asked_at = self._looked_at = time.monotonic()

    def heard(self) -> None:
        """Note a report; the first begins the watch."""
        self._has_begun = self._was_heard = True

    def verdict(self) -> str | None:
        """Say in words that the work is stuck, None if it is not."""
        now = time.monotonic()
        # A machine that slept, or a process that was stopped, lost nothing in that time.
        passed, self._asked_at = min(now - self._asked_at, _MOST_BETWEEN), now
        if not self._has_begun or self._was_heard:
            self._silent, self._idle, self._was_heard = 0.0, 0.0, False
            return None
        self._silent += passed
        self._idle += passed
        if now - self._looked_at > _PAUSE_SECONDS:
            self._looked_at = now
            self._look()
        if self._idle > self._limits.idle:
            return f"It waited for {self._limits.idle:.0f} seconds and did nothing"
        if self._silent > self._limits.silent:
            return f"It made no progress for {self._limits.silent / 60:.0f} minutes"
        return None

    def _look(self) -> None:
        children = _children()
        used = _processor_time(children)
        if used - self._used > _LEAST_SHARE * max(1.0, self._idle) or _someone_is_active(children):
            self._idle, self._used = 0.0, used


def _processor_time(children: Sequence[psutil.Process]) -> float:
    """Return the processor time of this process and its children, without that of the calling thread."""
    spent = time.process_time() - time.thread_time()
    for child in children:
        with suppress(psutil.Error):
            times = child.cpu_times()
            spent += times.user + times.system
    return spent


def _someone_is_active(children: Sequence[psutil.Process]) -> bool:
    asking = str(threading.get_native_id())
    threads = Path("/proc/self/task")
    others = [thread for thread in threads.iterdir() if thread.name != asking] if threads.is_dir() else []
    return any(_state(task) in _ACTIVE for task in (*others, *(Path(f"/proc/{child.pid}") for child in children)))


def _state(task: Path) -> str:
    try:
        return (task / "stat").read_text().rpartition(")")[2].split()[0]
    except (OSError, IndexError):
        return ""


def _children() -> list[psutil.Process]:
    try:
        return psutil.Process().children(recursive=True)
    except psutil.Error:
        return []
