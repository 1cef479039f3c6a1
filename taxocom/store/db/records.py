"""What the store hands out: plain, frozen records of its rows, and a tree as a row keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from taxocom.errors import ConflictError
from taxocom.taxonomy.decisions import HistoryEntry
from taxocom.taxonomy.tree import Taxonomy

if TYPE_CHECKING:
    import numpy.typing as npt


from taxocom.errors import StoreError
from taxocom.taxonomy.codec import from_plain, to_plain
from taxocom.taxonomy.tree import ROOT_ID, TopicNode

ProposalStatus = Literal["open", "superseded", "done"]
JobState = Literal["queued", "running", "done", "failed", "cancelled"]


@dataclass(frozen=True)
class Artifact:
    """A file or directory named by what it holds.

    `made_from` is the fingerprint of what it was computed from, `details` how, for people to read.
    """

    name: str
    kind: str
    n_bytes: int
    made_from: str
    created_at: str
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class ProposalRecord:
    """A proposal without its arrays. `sequence` is the last decision it took into account."""

    proposal_id: int
    node_id: str
    created_at: str
    sequence: int
    settings: Mapping[str, Any]
    random_state: int | None
    artifact: str
    summary: Mapping[str, Any]
    status: ProposalStatus


@dataclass(frozen=True)
class StoredProposal:
    """A proposal whole: its record, its metadata and its arrays (read-only, mapped from the file)."""

    record: ProposalRecord
    metadata: Mapping[str, Any] = field(repr=False)
    arrays: Mapping[str, npt.NDArray[Any]] = field(repr=False)


@dataclass(frozen=True)
class Release:
    """A tree frozen under a name. `artifact` holds what it is exported with, None before that was kept."""

    name: str
    taxonomy: Taxonomy = field(repr=False)
    sequence: int
    at: str
    author: str
    note: str
    artifact: str | None = None


@dataclass(frozen=True)
class JobRecord:
    """A job as the database has it; `taxocom.jobs` adds what the operating system knows of its worker.

    `process` identifies the worker beyond its `pid`, which the system may give to another process later.
    """

    job_id: int
    kind: str
    params: Mapping[str, Any]
    author: str
    state: JobState
    attempt: int
    stage: str
    fraction: float
    seconds_left: float | None
    message: str
    result: Mapping[str, Any] | None
    cancel_requested_at: str | None
    pid: int | None
    process: str
    host: str
    memory: int
    heartbeat: str | None
    submitted_at: str
    started_at: str | None
    ended_at: str | None

    @property
    def is_over(self) -> bool:
        """Whether nothing more will happen to it unless it is run again."""
        return self.state not in ("queued", "running")


@dataclass(frozen=True)
class ProjectSummary:
    """A line in the list of projects. `problem` says why a project cannot be opened, and is empty if it can."""

    name: str
    path: Path
    project_id: str
    created_at: str
    changed_at: str
    n_decisions: int
    has_corpus: bool
    problem: str = ""


class StaleWriterError(ConflictError):
    """Others decided since the writer looked; `changes` are what they decided, in plain words and as data."""

    def __init__(self, message: str, changes: tuple[HistoryEntry, ...]) -> None:
        super().__init__(message)
        self.changes = changes


def tree_to_plain(tree: Taxonomy) -> dict[str, Any]:
    """Return a tree as plain data for JSON."""
    return {
        "language": tree.language,
        "nodes": [to_plain(node) for node in tree.nodes.values()],
        "children": {parent: list(children) for parent, children in tree.children.items()},
    }


def tree_from_plain(data: Mapping[str, Any], where: str) -> Taxonomy:
    """Read what `tree_to_plain` wrote; anything that is not a tree is refused, naming `where` it was found."""
    try:
        nodes = [from_plain(TopicNode, node, f"{where}, topic {n}") for n, node in enumerate(data["nodes"])]
        children = {str(parent): tuple(map(str, below)) for parent, below in data["children"].items()}
        tree = Taxonomy({node.node_id: node for node in nodes}, children, str(data["language"]))
    except (KeyError, TypeError, AttributeError) as error:
        raise StoreError(f"{where} is not a tree of topics ({error!r}). Restore the project from a backup.") from error
    _refuse_other_than_tree(tree, where)
    return tree


def _refuse_other_than_tree(tree: Taxonomy, where: str) -> None:
    reached = {ROOT_ID}
    pending = [ROOT_ID]
    while pending:
        for child in tree.children.get(pending.pop(), ()):
            if child in reached or child not in tree.nodes:
                raise StoreError(
                    f"{where}: topic {child!r} is unknown or has two parents. Restore the project from a backup."
                )
            reached.add(child)
            pending.append(child)
    if reached != set(tree.nodes):
        raise StoreError(f"{where}: some topics hang nowhere in the tree. Restore the project from a backup.")
