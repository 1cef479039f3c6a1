"""Which process is which: a pid alone may belong to another process by the time somebody looks."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import threading
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import psutil

_POLL_SECONDS = 0.02


@cache
def this_host() -> str:
    """Name the place where pids mean what they mean here: the host, and on Linux the container within it."""
    try:
        namespace = os.readlink("/proc/self/ns/pid")  # noqa: PTH115  # not a path but a label
    except OSError:
        namespace = ""
    return f"{socket.gethostname()} {namespace}".strip()


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    except OSError:
        return ""


def identity(pid: int) -> str | None:
    """Return what tells a living process from any other that ever had its pid; None if it is dead or a zombie.

    On Linux these are the ticks since boot at its start: unlike the time of day, they stay when the clock is set.
    """
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError:
        return None if Path("/proc/self/stat").exists() else _identity_elsewhere(pid)
    except ProcessLookupError:
        return None
    # A killed process is a zombie as soon as its first thread is gone; until the last one is, its files stay locked.
    is_dead = fields[0] in "ZX" and int(fields[17]) <= 1
    return None if is_dead else f"{_boot()} {fields[19]}"


def _identity_elsewhere(pid: int) -> str | None:
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.1f}"
    except psutil.NoSuchProcess:
        return None


def is_alive(pid: int, process: str) -> bool:
    """Tell whether the process that had this pid and identity still runs."""
    return identity(pid) == process


def stop(pid: int, process: str, *, patience: float = 0.2) -> bool:
    """End a process and what it started: asked first, then killed. Returns whether it is gone."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not is_alive(pid, process):
            return True
        with suppress(ProcessLookupError):
            # A worker leads a group of its own; a process that leads none is signalled alone.
            os.killpg(pid, number) if os.getpgid(pid) == pid else os.kill(pid, number)
        if _gone_within(pid, process, patience):
            return True
    return _gone_within(pid, process, 1.0)


def see_off(process: subprocess.Popen[bytes]) -> None:
    """Wait for a process behind the caller's back: one that ended would else stay a zombie for as long as we run."""
    threading.Thread(target=process.wait, daemon=True).start()


def _gone_within(pid: int, process: str, seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while is_alive(pid, process):
        if time.monotonic() > deadline:
            return False
        time.sleep(_POLL_SECONDS)
    return True


def memory_in_use() -> int:
    """Return the bytes of memory that this process holds."""
    return int(psutil.Process().memory_info().rss)


def memory_available() -> int:
    """Return the bytes of memory that could be had without anything being written out."""
    return int(psutil.virtual_memory().available)


def memory_of_machine() -> int:
    """Return the bytes of memory that there are."""
    return int(psutil.virtual_memory().total)
