"""Approval by a second person: what a single person puts into the tree is a draft until somebody else approves it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from taxocom.errors import RoleError
from taxocom.taxonomy import kinds
from taxocom.taxonomy import vocabulary_kinds as vocabulary
from taxocom.taxonomy.decision_base import Decision
from taxocom.taxonomy.kinds import AcceptTopic, AddTopic, SetStatus, SplitTopic, SuggestTopic
from taxocom.taxonomy.mutable_tree import Draft
from taxocom.taxonomy.tree import ROOT_ID, TopicNode

_EDITS = (
    kinds.RenameTopic,
    kinds.EditAltLabels,
    kinds.EditDefinition,
    kinds.EditScopeNote,
    kinds.EditKeywords,
    kinds.EditProperties,
    kinds.MoveTopic,
    kinds.MergeTopics,
    vocabulary.EditWords,
    vocabulary.EditNotation,
    vocabulary.RelateTopics,
    vocabulary.LinkBroader,
    vocabulary.MatchConcept,
)
"""What changes what a topic says to others; a note, a comment or a document that moves does not."""


def as_draft(decision: Decision) -> Decision:
    """Return a decision under the rule: topics that it brings are drafts, and an approved one that it changes waits."""
    match decision:
        case AcceptTopic() | AddTopic():
            return replace(decision, node=decision.node.but(status="draft"))
        case SplitTopic():
            return replace(decision, parts=tuple(part.but(status="draft") for part in decision.parts))
        case _ if isinstance(decision, _EDITS):
            return replace(decision, waits=True)
        case _:
            return decision


def wait(draft: Draft, decision: Decision) -> None:
    """Make drafts of the approved topics that a decision under the rule has changed."""
    for node_id in written(decision) - {ROOT_ID} if decision.waits else ():
        node = draft.nodes.get(node_id)
        if node is not None and node.status == "approved":
            draft.change(node.but(status="draft"))


def refuse_own_approval(decision: Decision, author: str, in_force: Iterable[tuple[Decision, str]]) -> None:
    """Raise a RoleError if somebody approves what they wrote; `in_force` are decisions with their authors, in order."""
    if not isinstance(decision, SetStatus) or decision.status != "approved":
        return
    if author in writers_of(in_force).get(decision.node_id, ()):
        raise RoleError(
            f"Approval needs a second person in this project, and {author!r} wrote or changed this topic since it was "
            "last approved. Nothing was changed. Ask another curator to approve it."
        )


def writers_of(in_force: Iterable[tuple[Decision, str]]) -> dict[str, set[str]]:
    """Return who wrote or changed each topic since it was last approved."""
    writers: dict[str, set[str]] = {}
    for decision, who in in_force:
        if isinstance(decision, SetStatus) and decision.status == "approved":
            writers.pop(decision.node_id, None)
        for node_id in written(decision):
            writers.setdefault(node_id, set()).add(who)
    return writers


def state_of(node: TopicNode, otherwise: str = "approved") -> TopicNode:
    """Return a topic that enters the tree: still a draft if it came as one."""
    return node if node.status == "draft" else node.but(status=otherwise)


def written(decision: Decision) -> set[str]:
    """Return the topics that a decision brings, or whose words or place it changes."""
    match decision:
        case AcceptTopic(node=node) | AddTopic(node=node) | SuggestTopic(node=node):
            return {node.node_id}
        case SplitTopic(parts=parts):
            return {part.node_id for part in parts}
        case _ if isinstance(decision, _EDITS):
            return {getattr(decision, "node_id", ""), getattr(decision, "into_id", "")} - {""}
        case _:
            return set()
