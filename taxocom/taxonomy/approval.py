"""Approval by a second person: what a single person puts into the tree is a draft until somebody else approves it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from taxocom.errors import RoleError
from taxocom.taxonomy.decision_base import Decision
from taxocom.taxonomy.kinds import AcceptTopic, AddTopic, SetStatus, SplitTopic, SuggestTopic
from taxocom.taxonomy.tree import TopicNode


def as_draft(decision: Decision) -> Decision:
    """Return a decision under the rule: the topics that it brings are drafts."""
    match decision:
        case AcceptTopic() | AddTopic():
            return replace(decision, node=decision.node.but(status="draft"))
        case SplitTopic():
            return replace(decision, parts=tuple(part.but(status="draft") for part in decision.parts))
        case _:
            return decision


def refuse_own_approval(decision: Decision, author: str, in_force: Iterable[tuple[Decision, str]]) -> None:
    """Raise a RoleError if somebody approves what they wrote; `in_force` are decisions with their authors, in order."""
    if not isinstance(decision, SetStatus) or decision.status != "approved":
        return
    writers: set[str] = set()
    for earlier, who in in_force:
        if isinstance(earlier, SetStatus) and earlier.node_id == decision.node_id and earlier.status == "approved":
            writers.clear()
        elif decision.node_id in _written(earlier):
            writers.add(who)
    if author in writers:
        raise RoleError(
            f"Approval needs a second person in this project, and {author!r} wrote or changed this topic since it was "
            "last approved. Nothing was changed. Ask another curator to approve it."
        )


def state_of(node: TopicNode, otherwise: str = "approved") -> TopicNode:
    """Return a topic that enters the tree: still a draft if it came as one."""
    return node if node.status == "draft" else node.but(status=otherwise)


def _written(decision: Decision) -> set[str]:
    match decision:
        case AcceptTopic(node=node) | AddTopic(node=node) | SuggestTopic(node=node):
            return {node.node_id}
        case SplitTopic(parts=parts):
            return {part.node_id for part in parts}
        case _:
            return {getattr(decision, "node_id", ""), getattr(decision, "into_id", "")} - {""}
