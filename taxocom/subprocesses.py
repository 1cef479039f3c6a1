"""How another Python is started that finds the same package."""

from __future__ import annotations

import os
import sys
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
