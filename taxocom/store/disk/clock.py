"""The only clock: everything stored is dated through here, so that tests can set the time."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable
from datetime import UTC, datetime

Clock = Callable[[], datetime]


def utc_now() -> datetime:
    """Return the present moment, with its time zone."""
    return datetime.now(UTC)


def stamp(moment: datetime) -> str:
    """Write a moment so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def moment(text: str) -> datetime:
    """Read what `stamp` wrote."""
    return datetime.fromisoformat(text)


def seconds_between(earlier: str, later: datetime) -> float:
    """Return how long before `later` a stamped moment was."""
    return (later - moment(earlier)).total_seconds()


class Stillness:
    """How long things have not changed, by a clock that runs evenly: the one on the wall may be set while we look."""

    def __init__(self) -> None:
        self._seen: dict[Hashable, tuple[object, float]] = {}

    def of(self, thing: Hashable, state: object) -> float:
        """Return for how many seconds we have seen a thing in the state that it is in."""
        now = time.monotonic()
        known, since = self._seen.get(thing, (None, now))
        if known != state:
            since = now
        self._seen[thing] = (state, since)
        return now - since

    def forget(self, thing: Hashable) -> None:
        """Stop looking at a thing."""
        self._seen.pop(thing, None)
