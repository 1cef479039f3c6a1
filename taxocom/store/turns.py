"""Whose turn it is: one job of a home runs at a time, in the order of submission, however the others die."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from taxocom.store.files import clear_errors
from taxocom.store.locks import HeldLock, is_held, lock, try_lock

_POLL_SECONDS = 0.1


@contextmanager
def turn(home: Path, order: str, check: Callable[[], None]) -> Iterator[None]:
    """Wait until nobody with a smaller `order` is waiting and nobody runs; hold the turn meanwhile.

    `check` is called often while waiting and may raise. A ticket and the turn are locked files, so that the kernel
    passes the turn on when a process is killed.
    """
    queue = home / "queue"
    with clear_errors("use", queue):
        queue.mkdir(mode=0o700, exist_ok=True)
        ticket = lock(queue / f"{order}.lock")
    try:
        held = _wait(home / "running.lock", ticket.path, check)
    finally:
        ticket.release(delete=True)
    with held:
        yield


def _wait(running: Path, ticket: Path, check: Callable[[], None]) -> HeldLock:
    while True:
        check()
        if not _earlier(ticket) and (held := try_lock(running)) is not None:
            return held
        time.sleep(_POLL_SECONDS)


def _earlier(ticket: Path) -> bool:
    return any(is_held(other) for other in sorted(ticket.parent.glob("*.lock")) if other.name < ticket.name)
