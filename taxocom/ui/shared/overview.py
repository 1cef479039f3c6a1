"""Where a project stands: the status of each topic, what waits to be judged, and which topic to expand next."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from taxocom.expansion.proposals.proposal import NodeExpansion
from taxocom.store import Project
from taxocom.taxonomy.decisions import AcceptTopic, MoveDocuments, RejectTopic
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy, TopicNode
from taxocom.ui.runtime.safe_text import count, percent
from taxocom.workflow.open_proposals import Loader, OpenProposal, open_proposals

TopicState = Literal["seed", "accepted", "manual", "proposed", "rejected", "stale", "expanding"]


@dataclass(frozen=True)
class Suggestion:
    """The topic to expand or judge next, and why."""

    node_id: str
    why: str


@dataclass(frozen=True)
class Overview:
    """A project at one moment: its tree, the open proposals by node, and the nodes being expanded.

    `outdated` are the nodes whose last proposal can no longer be judged: the texts or the seed are others by now.
    """

    tree: Taxonomy
    sequence: int
    proposals: Mapping[str, OpenProposal]
    expanded: frozenset[str]
    expanding: frozenset[str]
    n_judged: int
    outdated: frozenset[str] = frozenset()

    @property
    def n_waiting(self) -> int:
        """The clusters that wait to be judged, over all nodes."""
        return sum(len(proposal.waiting) for proposal in self.proposals.values())

    def state_of(self, node: TopicNode) -> TopicState:
        """Return the status to show beside a topic; what asks for attention comes first."""
        proposal = self.proposals.get(node.node_id)
        if node.node_id in self.expanding:
            return "expanding"
        if node.status == "rejected":
            return "rejected"
        if node.node_id in self.outdated or (proposal and proposal.is_stale):
            return "stale"
        if proposal and proposal.waiting:
            return "proposed"
        return {"novel": "accepted", "manual": "manual"}.get(node.origin, "seed")  # type: ignore[return-value]

    def suggestion(self) -> Suggestion | None:
        """Return what to do next: judge what waits, then expand from the top down, widest gap first."""
        for node in self.tree.subtree_of(ROOT_ID):
            proposal = self.proposals.get(node.node_id)
            if proposal and proposal.waiting:
                return Suggestion(node.node_id, f"{count(len(proposal.waiting), 'cluster')} to judge")
        for node in self.tree.subtree_of(ROOT_ID):
            if self.state_of(node) == "stale":
                return Suggestion(node.node_id, "changed since it was expanded")
        open_nodes = [
            node
            for node in self.tree.subtree_of(ROOT_ID)
            if node.status != "rejected" and node.node_id not in self.expanded and self._can_be_expanded(node.node_id)
        ]
        if not open_nodes:
            return None
        first = min(open_nodes, key=lambda node: self.tree.depth_of(node.node_id))
        return Suggestion(first.node_id, "not expanded yet")

    def _can_be_expanded(self, node_id: str) -> bool:
        """Tell whether a topic has sub-topics and is not waiting for the documents that an expansion above it gives."""
        busy = self.expanding & {node_id, *self.tree.ancestors_of(node_id)}
        return bool(self.tree.children_of(node_id)) and not busy

    def tree_data(self, current: str, slots: Mapping[str, int] | None = None) -> dict[str, Any]:
        """Return what the tree component shows; `slots` are the places in the palette of topics that have a colour."""
        suggestion = self.suggestion()
        nodes = []
        for node in self.tree.subtree_of(ROOT_ID):
            proposal = self.proposals.get(node.node_id)
            gap = proposal.expansion.gap_before.documents if proposal else None
            nodes.append(
                {
                    "id": node.node_id,
                    "parent": self.tree.parent_of(node.node_id),
                    "label": node.label,
                    "status": self.state_of(node),
                    "waiting": len(proposal.waiting) if proposal else 0,
                    "gap": gap,
                    "slot": (slots or {}).get(node.node_id),
                }
            )
        suggested = suggestion and {
            "id": suggestion.node_id,
            "label": self.tree[suggestion.node_id].label,
            "why": suggestion.why,
        }
        return {"label": "Topics", "nodes": nodes, "current": current, "suggested": suggested or None}


def look_at(project: Project, load: Loader, expanding: Collection[str] = ()) -> Overview:
    """Return where a project stands; `load` opens a proposal (the pages keep them in memory)."""
    log, found = project.log(), open_proposals(project, load)
    return Overview(
        project.taxonomy(),
        log[-1].sequence if log else 0,
        found.by_node,
        found.expanded,
        frozenset(expanding),
        sum(_is_verdict(entry.decision) for entry in project.standing().in_force),
        found.outdated,
    )


def _is_verdict(decision: object) -> bool:
    """Tell whether a decision settles a proposed cluster; one that goes into a topic is settled by where it goes."""
    if isinstance(decision, MoveDocuments):
        return bool(decision.cluster_id)
    return isinstance(decision, (AcceptTopic, RejectTopic))


def progress_line(overview: Overview) -> str:
    """Say how far a project is: "14 of 22 proposed topics reviewed"."""
    total = overview.n_judged + overview.n_waiting
    if not total:
        return "Nothing proposed yet" if not overview.expanded else "Nothing new was found so far"
    return f"{overview.n_judged} of {count(total, 'proposed topic')} reviewed"


def gap_line(expansion: NodeExpansion) -> str:
    """Say what share of the node's documents no topic explains, before and after the proposal."""
    before, after = expansion.gap_before.documents, expansion.gap_after.documents
    return f"{percent(before)} of the documents fit no known topic; with this proposal {percent(after)}"
