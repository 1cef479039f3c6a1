"""Whose turn it is: one job of a home runs at a time, in the order of submission, however the others die or hang."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from taxocom.store.disk.clock import Stillness
from taxocom.store.disk.locks import HeldLock, is_held, lock, try_lock
from taxocom.store.disk.whole_files import clear_errors

SILENCE_SECONDS = 120.0
"""How long a process may show no sign of life before others go on without it. Compilers hold everything up for long."""
_POLL_SECONDS = 0.1


@contextmanager
def turn(
    home: Path,
    order: str,
    check: Callable[[], None],
    *,
    owner: str = "",
    end: Callable[[str], None] | None = None,
    silence: float = SILENCE_SECONDS,
) -> Iterator[HeldLock]:
    """Wait until nobody with a smaller `order` is waiting and nobody runs; hold the turn meanwhile, signed by `owner`.

    `check` is called often while waiting and may raise. A ticket and the turn are locked files, so that the kernel
    passes the turn on when a process is killed. Whoever has the turn calls `beat` on it now and then. One that has not
    for `silence` seconds hangs: if it waits it is stepped over, if it has the turn `end` is called with its `owner`.
    """
    queue = home / "queue"
    with clear_errors("use", queue):
        queue.mkdir(mode=0o700, exist_ok=True)
        ticket = lock(queue / f"{order}.lock")
    try:
        held = _wait(home / "running.lock", ticket, check, end, _Pulse(silence))
    finally:
        ticket.release(delete=True)
    with held:
        held.sign(owner)
        held.beat()
        yield held


def _wait(
    running: Path,
    ticket: HeldLock,
    check: Callable[[], None],
    end: Callable[[str], None] | None,
    pulse: _Pulse,
) -> HeldLock:
    while True:
        check()
        ticket.beat()
        if not _earlier(ticket.path, pulse):
            if (held := try_lock(running)) is not None:
                return held
            if end is not None and pulse.stopped(running):
                end(running.read_text(errors="replace"))
        time.sleep(_POLL_SECONDS)


def _earlier(ticket: Path, pulse: _Pulse) -> bool:
    others = (other for other in sorted(ticket.parent.glob("*.lock")) if other.name < ticket.name)
    return any(is_held(other) and not pulse.stopped(other) for other in others)


class _Pulse:
    """Which owners of locks have shown no sign of life for too long."""

    def __init__(self, seconds: float) -> None:
        self._seconds, self._stillness = seconds, Stillness()

    def stopped(self, path: Path) -> bool:
        """Tell whether nobody has beaten a lock's file for too long."""
        beaten = -1
        with suppress(OSError):
            beaten = path.stat().st_mtime_ns
        return self._stillness.of(path, beaten) > self._seconds
