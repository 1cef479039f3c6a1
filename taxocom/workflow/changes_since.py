"""What became of a taxonomy since a day: the difference as data, and the decisions that made it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from taxocom.errors import InputError
from taxocom.interchange.report.tree_comparison import TaxonomyChange, compare
from taxocom.store import Project
from taxocom.store.disk.clock import moment
from taxocom.taxonomy.decisions import HistoryEntry


@dataclass(frozen=True)
class ChangesSince:
    """The difference between a taxonomy as it was at a moment and as it is now.

    `first` and `last` are the steps of the log before and after; `decisions` are those in between, oldest first.
    """

    since: datetime
    first: int
    last: int
    difference: TaxonomyChange
    decisions: tuple[HistoryEntry, ...]


def changes_since(project: Project, since: datetime) -> ChangesSince:
    """Return what changed in a project since a moment; a clock that was set back hides nothing."""
    log = project.log()
    first = next((entry.sequence - 1 for entry in log if moment(entry.at) >= since), len(log))
    decisions = tuple(project.history(first))
    last = decisions[-1].logged.sequence if decisions else first
    difference = compare(project.taxonomy_at(first), project.taxonomy_at(last))
    return ChangesSince(since, first, last, difference, decisions)


def moment_of(text: str) -> datetime:
    """Read a day (its beginning, in UTC) or a moment as people write them in ISO 8601; else an InputError."""
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError as error:
        raise InputError(
            f"{text[:40]!r} is no date. Write a day as 2026-11-18, or a moment as 2026-11-18T09:30:00Z."
        ) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)
