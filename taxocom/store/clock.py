"""The only clock: everything stored is dated through here, so that tests can set the time."""

from __future__ import annotations

from collections.abc import Callable
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
