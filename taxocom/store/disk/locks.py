"""Locks and temporary places that the kernel frees when their owner dies, however it dies."""

from __future__ import annotations

import fcntl
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from taxocom.errors import StoreError
from taxocom.store.disk.whole_files import remove

_POLL_SECONDS = 0.02


class HeldLock:
    """An exclusive lock on a file, held until released or until the process ends."""

    def __init__(self, descriptor: int, path: Path) -> None:
        self._descriptor = descriptor
        self.path = path

    def release(self, *, delete: bool = False) -> None:
        """Give the lock up; `delete` removes the file first, while nobody else can hold it."""
        if delete:
            self.path.unlink(missing_ok=True)
        os.close(self._descriptor)

    def sign(self, owner: str) -> None:
        """Write into the file whose lock it is."""
        os.ftruncate(self._descriptor, 0)
        os.pwrite(self._descriptor, owner.encode(), 0)

    def beat(self) -> None:
        """Show that the owner is alive, which the lock alone does not: a process that hangs holds it too."""
        with suppress(OSError):
            os.utime(self.path)

    def __enter__(self) -> HeldLock:
        return self

    def __exit__(self, *_: object) -> None:
        self.release()


def try_lock(path: Path, *, create: bool = True) -> HeldLock | None:
    """Take a lock if nobody holds it; None if somebody does, or if there is no such file and none is wanted."""
    while True:
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC | (os.O_CREAT if create else 0), 0o600)
        except FileNotFoundError:
            if create:
                raise
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return None
        # A sweeper may have deleted the file between our open and our lock: then we locked a file nobody can see.
        if _is_file(descriptor, path):
            return HeldLock(descriptor, path)
        os.close(descriptor)


def _is_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def lock(path: Path, *, timeout: float = 30.0) -> HeldLock:
    """Take a lock, waiting for it; a StoreError says who to look for if it does not come free."""
    deadline = time.monotonic() + timeout
    while (held := try_lock(path)) is None:
        if time.monotonic() > deadline:
            raise StoreError(
                f"Another process has held {path} for {timeout:.0f} seconds. Wait for it to finish, or end it."
            )
        time.sleep(_POLL_SECONDS)
    return held


def is_held(path: Path) -> bool:
    """Tell whether a living process holds the lock."""
    held = try_lock(path, create=False)
    if held is not None:
        held.release()
    return held is None and path.exists()


@contextmanager
def working_place(work: Path, purpose: str) -> Iterator[Path]:
    """Give a fresh path under `work` to build something at; whatever is left there is removed at the end.

    The path does not exist yet. The owner is marked by a lock beside it, so that `sweep` can tell the leavings of a
    killed process from the work of a living one.
    """
    work.mkdir(mode=0o700, exist_ok=True)
    place = work / f"{purpose}-{secrets.token_hex(6)}"
    owner = lock(place.with_name(place.name + ".lock"))
    try:
        yield place
    finally:
        remove(place)
        owner.release(delete=True)


def sweep(work: Path) -> int:
    """Remove what dead processes left under `work`; return how many pieces."""
    n_removed = 0
    for marker in sorted(work.glob("*.lock")):
        owner = try_lock(marker, create=False)
        if owner is not None:
            remove(marker.with_name(marker.name.removesuffix(".lock")))
            owner.release(delete=True)
            n_removed += 1
    return n_removed


def busy_with(work: Path) -> list[str]:
    """Return the purposes that living processes are at work on under `work`."""
    return sorted(marker.name.rsplit("-", 1)[0] for marker in work.glob("*.lock") if is_held(marker))
