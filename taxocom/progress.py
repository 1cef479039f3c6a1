"""How long work tells of its progress and learns that it should stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


class Progress(Protocol):
    """What long work reports to.

    `report` may raise `CancelledError`; callers let it pass through, having written nothing half.
    """

    def report(self, stage: str, fraction: float) -> None:
        """Say that `stage` (a short phrase in plain words) is done to `fraction`, in [0, 1]."""


class Silent:
    """Progress that nobody watches and nobody cancels."""

    def report(self, stage: str, fraction: float) -> None:
        """Do nothing."""


SILENT: Progress = Silent()


@dataclass(frozen=True)
class Span:
    """A part of a longer piece of work: reports in [0, 1] come out in [start, stop] of the whole."""

    whole: Progress
    start: float
    stop: float

    def report(self, stage: str, fraction: float) -> None:
        """Pass the report on, scaled."""
        self.whole.report(stage, self.start + (self.stop - self.start) * fraction)
