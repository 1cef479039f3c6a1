"""Who did what, when and to which topic: the log with filters, for people and as CSV."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, date, datetime, timedelta

from taxocom.errors import InputError
from taxocom.interchange.base.cells import write_csv
from taxocom.store import Project
from taxocom.taxonomy.decisions import HistoryEntry
from taxocom.workflow.teamwork import topics_of


@dataclass(frozen=True)
class Wanted:
    """What of the log is asked for; what is empty asks for all. Days are whole days of UTC, both included."""

    person: str = ""
    node_id: str = ""
    since: date | None = None
    until: date | None = None


@dataclass(frozen=True)
class AuditLine:
    """One entry of the log, in words; `in_force` says whether it was not undone since."""

    step: int
    at: str
    person: str
    kind: str
    what: str
    why: str
    in_force: bool


def audit(project: Project, wanted: Wanted) -> list[AuditLine]:
    """Return the entries of the log that are asked for, oldest first."""
    return [_line(entry) for entry in project.history() if _is_wanted(entry, wanted)]


def topics_to_ask(project: Project) -> dict[str, str]:
    """Return the topics that the log can be asked about, by id: where each stands, or that it left the tree."""
    tree = project.taxonomy()
    found = {node.node_id: " › ".join(tree.path_of(node.node_id)) for node in tree.walk()}
    nodes = [*project.seed().walk(), *(getattr(entry.decision, "node", None) for entry in project.log())]
    gone = {node.node_id: f"{node.label} (left the tree)" for node in nodes if node and node.node_id not in tree}
    return found | dict(sorted(gone.items(), key=lambda each: each[1].casefold()))


def day(text: str, what: str) -> date | None:
    """Return a day that a person wrote like 2026-11-19, None for nothing."""
    if not text.strip():
        return None
    try:
        return date.fromisoformat(text.strip())
    except ValueError as error:
        raise InputError(f"{what}: {text!r} is no day. Write it like 2026-11-19.") from error


def as_csv(lines: Sequence[AuditLine]) -> bytes:
    """Return the lines as CSV; a cell that a spreadsheet would run as a formula is made harmless."""
    names = [field.name for field in fields(AuditLine)]
    return write_csv(names, ([str(getattr(line, name)) for name in names] for line in lines))


def _line(entry: HistoryEntry) -> AuditLine:
    logged = entry.logged
    kind = logged.decision.kind
    return AuditLine(logged.sequence, logged.at, logged.author, kind, entry.summary, logged.why, entry.in_force)


def _is_wanted(entry: HistoryEntry, wanted: Wanted) -> bool:
    logged = entry.logged
    if wanted.person and logged.author != wanted.person:
        return False
    if wanted.node_id and wanted.node_id not in topics_of(logged):
        return False
    if wanted.since is None and wanted.until is None:
        return True
    at = datetime.fromisoformat(logged.at).astimezone(UTC)
    starts = datetime.combine(wanted.since or date.min, datetime.min.time(), UTC)
    ends = datetime.combine(wanted.until, datetime.min.time(), UTC) + timedelta(days=1) if wanted.until else None
    return at >= starts and (ends is None or at < ends)
