"""What a curator can decide. Each decision carries all it needs, so that a log can be replayed without the engine."""

from __future__ import annotations

from dataclasses import dataclass

from taxocom.taxonomy.decision_base import Decision, Topics, listed, name_of, names_of
from taxocom.taxonomy.tree import Status, TopicNode

KNOWN, NOVEL, GENERAL = "known", "novel", "general"
PIN_PLACES = (KNOWN, NOVEL, GENERAL)
"""Where a term can be pinned besides a topic; none of these can be a topic's id."""


@dataclass(frozen=True)
class AcceptTopic(Decision):
    """A proposed cluster becomes a topic. `cluster_id` says which cluster of the proposal it was.

    `documents` are the ids of its documents: from now on the topic holds them, whatever a later run finds.
    """

    parent_id: str
    node: TopicNode
    position: int | None = None
    cluster_id: str = ""
    documents: tuple[str, ...] = ()

    def summary(self, tree: Topics) -> str:
        """Say what was accepted, and where."""
        return f"Accepted {self.node.label!r} under {name_of(tree, self.parent_id)}"


@dataclass(frozen=True)
class AddTopic(Decision):
    """A topic that a person thought of; its origin becomes `manual`."""

    parent_id: str
    node: TopicNode
    position: int | None = None

    def summary(self, tree: Topics) -> str:
        """Say what was added, and where."""
        return f"Added {self.node.label!r} under {name_of(tree, self.parent_id)}"


@dataclass(frozen=True)
class SuggestTopic(Decision):
    """A topic that a person would like to see; it stands in the tree as a suggestion until a curator approves it."""

    parent_id: str
    node: TopicNode

    def summary(self, tree: Topics) -> str:
        """Say what was suggested, and where."""
        return f"Suggested {self.node.label!r} under {name_of(tree, self.parent_id)}"


@dataclass(frozen=True)
class RejectTopic(Decision):
    """A proposed cluster is not a topic; its terms are kept so that the next run does not propose it again."""

    parent_id: str
    cluster_id: str
    center_term: str
    terms: tuple[str, ...] = ()
    reason: str = ""

    def summary(self, tree: Topics) -> str:
        """Say what was rejected, where, and why."""
        why = f": {self.reason}" if self.reason else ""
        return f"Rejected {self.center_term!r} under {name_of(tree, self.parent_id)}{why}"


@dataclass(frozen=True)
class NameCluster(Decision):
    """Give a proposed cluster a name before it is judged; a later run gives the name to the same cluster again."""

    parent_id: str
    cluster_id: str
    center_term: str
    terms: tuple[str, ...]
    label: str

    def summary(self, tree: Topics) -> str:
        """Say which proposal got which name."""
        return f"Named the proposal {self.center_term!r} under {name_of(tree, self.parent_id)} {self.label!r}"


@dataclass(frozen=True)
class Defer(Decision):
    """Judge a proposed cluster later; it goes to the end of the queue."""

    parent_id: str
    cluster_id: str
    center_term: str = ""

    def summary(self, tree: Topics) -> str:
        """Say what was put off."""
        return f"Left {self.center_term or self.cluster_id!r} under {name_of(tree, self.parent_id)} for later"


@dataclass(frozen=True)
class RenameTopic(Decision):
    """Give a topic another name; the old one stays as an alternative label."""

    node_id: str
    label: str

    def summary(self, tree: Topics) -> str:
        """Say the old name and the new one."""
        return f"Renamed {name_of(tree, self.node_id)} to {self.label!r}"


@dataclass(frozen=True)
class RenameTaxonomy(Decision):
    """Give the whole taxonomy another title."""

    title: str

    def summary(self, tree: Topics) -> str:  # noqa: ARG002  # the title says it all
        """Say the new title."""
        return f"Titled the taxonomy {self.title!r}"


@dataclass(frozen=True)
class MergeTopics(Decision):
    """Several topics become one: children, keywords and anchors join, old names become alternative labels."""

    into_id: str
    merged_ids: tuple[str, ...]

    def summary(self, tree: Topics) -> str:
        """Say what went into what."""
        return f"Merged {names_of(tree, self.merged_ids)} into {name_of(tree, self.into_id)}"


@dataclass(frozen=True)
class SplitTopic(Decision):
    """One topic becomes several in its place.

    A part may keep the topic's id. `placed` are pairs of a child's id and the id of the part it goes to; children not
    named go to the first part.
    """

    node_id: str
    parts: tuple[TopicNode, ...]
    placed: tuple[tuple[str, str], ...] = ()

    def summary(self, tree: Topics) -> str:
        """Say what became what."""
        return f"Split {name_of(tree, self.node_id)} into {listed([repr(part.label) for part in self.parts])}"


@dataclass(frozen=True)
class MoveTopic(Decision):
    """Put a topic, with all below it, under another parent or at another position."""

    node_id: str
    parent_id: str
    position: int | None = None

    def summary(self, tree: Topics) -> str:
        """Say what went where."""
        return f"Moved {name_of(tree, self.node_id)} under {name_of(tree, self.parent_id)}"


@dataclass(frozen=True)
class RemoveTopic(Decision):
    """Take a topic out, with all below it, or with its children moved up into its place."""

    node_id: str
    keep_children: bool = False

    def summary(self, tree: Topics) -> str:
        """Say what was removed."""
        return f"Removed {name_of(tree, self.node_id)}" + (" and kept its sub-topics" if self.keep_children else "")


@dataclass(frozen=True)
class MoveTerms(Decision):
    """Pin terms of a node: to one of its topics (an id), or as `known`, `novel` or `general`.

    The terms leave the keywords and anchors of the other topics under `parent_id`; a topic they are moved to gains
    them as keywords. The next run keeps them where they were put.
    """

    parent_id: str
    terms: tuple[str, ...]
    to: str

    def summary(self, tree: Topics) -> str:
        """Say which terms were pinned where."""
        shown = listed([repr(term) for term in self.terms[:3]], len(self.terms) - 3)
        where = f"as {self.to}" if self.to in PIN_PLACES else f"to {name_of(tree, self.to)}"
        return f"Moved {shown} under {name_of(tree, self.parent_id)} {where}"


@dataclass(frozen=True)
class MoveDocument(Decision):
    """Say that a document belongs to a topic: evidence for the next run."""

    document_id: str
    node_id: str

    def summary(self, tree: Topics) -> str:
        """Say which document went where."""
        return f"Moved document {self.document_id!r} to {name_of(tree, self.node_id)}"


@dataclass(frozen=True)
class MoveDocuments(Decision):
    """Say that documents belong to a topic, several at once; those that are there already are to stay.

    `cluster_id` is the proposed cluster that they were, if a person said that it is no topic of its own.
    """

    documents: tuple[str, ...]
    node_id: str
    cluster_id: str = ""

    def summary(self, tree: Topics) -> str:
        """Say how many documents went where."""
        n = len(self.documents)
        return f"Moved {n:,} document{'' if n == 1 else 's'} to {name_of(tree, self.node_id)}"


@dataclass(frozen=True)
class JudgeDocuments(Decision):
    """Answers on one topic: `placed` are pairs of a document and the topic where it stays; `yes` are its own."""

    node_id: str
    yes: tuple[str, ...]
    placed: tuple[tuple[str, str], ...]

    def summary(self, tree: Topics) -> str:
        """Say how many documents were judged, and how."""
        n, n_yes = len(self.placed), len(self.yes)
        return (
            f"Judged {n} document{'' if n == 1 else 's'} for {name_of(tree, self.node_id)}: {n_yes} yes, {n - n_yes} no"
        )


@dataclass(frozen=True)
class SetStatus(Decision):
    """Approve or reject a topic that is already in the tree, make it a draft, or a proposal again."""

    node_id: str
    status: Status

    def summary(self, tree: Topics) -> str:
        """Say what the topic is now."""
        return f"Marked {name_of(tree, self.node_id)} as {self.status}"


@dataclass(frozen=True)
class AddNote(Decision):
    """Add an editorial note to a topic."""

    node_id: str
    note: str

    def summary(self, tree: Topics) -> str:
        """Say whose notes grew."""
        return f"Noted on {name_of(tree, self.node_id)}: {self.note}"


@dataclass(frozen=True)
class EditDefinition(Decision):
    """Write, change or (with an empty text) take back the definition of a topic."""

    node_id: str
    definition: str

    def summary(self, tree: Topics) -> str:
        """Say whose definition changed."""
        return f"{'Defined' if self.definition else 'Removed the definition of'} {name_of(tree, self.node_id)}"


@dataclass(frozen=True)
class EditScopeNote(Decision):
    """Write, change or (with an empty text) take back the scope note of a topic."""

    node_id: str
    scope_note: str

    def summary(self, tree: Topics) -> str:
        """Say whose scope note changed."""
        verb = "Wrote" if self.scope_note else "Removed"
        return f"{verb} the scope note of {name_of(tree, self.node_id)}"


@dataclass(frozen=True)
class EditKeywords(Decision):
    """Replace the keywords of a topic."""

    node_id: str
    keywords: tuple[str, ...]

    def summary(self, tree: Topics) -> str:
        """Say whose keywords changed."""
        return f"Set the keywords of {name_of(tree, self.node_id)} to {', '.join(self.keywords) or 'none'}"


@dataclass(frozen=True)
class EditAltLabels(Decision):
    """Replace the alternative labels of a topic."""

    node_id: str
    alt_labels: tuple[str, ...]

    def summary(self, tree: Topics) -> str:
        """Say whose alternative labels changed."""
        return f"Set the other names of {name_of(tree, self.node_id)} to {', '.join(self.alt_labels) or 'none'}"


@dataclass(frozen=True)
class EditProperties(Decision):
    """Replace the statements that a topic carries along from another system."""

    node_id: str
    properties: tuple[tuple[str, str], ...]

    def summary(self, tree: Topics) -> str:
        """Say whose carried statements changed."""
        return f"Changed what {name_of(tree, self.node_id)} carries along from elsewhere"


@dataclass(frozen=True)
class Undo(Decision):
    """Take back the last `n` decisions still in force."""

    n: int = 1

    def summary(self, tree: Topics) -> str:  # noqa: ARG002  # needs the log, which `history` has
        """Say how many decisions were taken back."""
        return f"Undid {_decisions(self.n)}"


@dataclass(frozen=True)
class Redo(Decision):
    """Put the last `n` undone decisions back in force; possible until something else is decided."""

    n: int = 1

    def summary(self, tree: Topics) -> str:  # noqa: ARG002  # needs the log, which `history` has
        """Say how many decisions were put back."""
        return f"Redid {_decisions(self.n)}"


def _decisions(n: int) -> str:
    return "1 decision" if n == 1 else f"{n} decisions"
