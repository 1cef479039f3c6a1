"""How another Python is started that finds the same package, and how it ends with the one that started it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from pathlib import Path


def command_of(module: str, *arguments: str) -> list[str]:
    """Return the command that runs a module of ours; `-P` keeps the folder it is started in off its path."""
    return [sys.executable, "-P", "-m", module, *arguments]


def environment() -> dict[str, str]:
    """Return the environment in which another process finds the same package."""
    package = Path(__file__).parents[1]
    if package.name in ("site-packages", "dist-packages"):
        return dict(os.environ)
    # Run from a checkout that was never installed: the other process must find the same package.
    known = os.environ.get("PYTHONPATH", "")
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [known, str(package)]))}


def cores() -> int:
    """Return how many cores this process may use: in a container that is seldom all of the machine's."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def follow_parent() -> None:
    """Let this helper end with the process that asks: killed, that can tell nobody, and the line to it stays open.

    Who asks decides when to stop; Ctrl-C goes to all processes of a terminal.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
