"""Everything undecided across all topics, in one line, judged at once and by keyboard alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from taxocom.expansion.accepting import accepted_topic, fitting_parent
from taxocom.expansion.proposal import TopicCluster
from taxocom.store import Project
from taxocom.taxonomy.decisions import AcceptTopic, Decision, Defer, MoveDocuments, NameCluster, RejectTopic
from taxocom.ui.cards import card_data, parent_options
from taxocom.ui.overview import Overview


@dataclass(frozen=True)
class Waiting:
    """A cluster that waits, the node it was proposed for, where it would go, and the name it has by now."""

    node_id: str
    parent_id: str
    proposal_id: int
    cluster: TopicCluster
    label: str
    was_deferred: bool


def waiting_clusters(project: Project, overview: Overview) -> list[Waiting]:
    """Return what waits, from the top of the tree down; what was put off comes last."""
    curation = project.curation()
    found: list[Waiting] = []
    for node in overview.tree.subtree_of("root"):
        proposal = overview.proposals.get(node.node_id)
        if proposal is None:
            continue
        names = {named.center_term: named.label for named in curation.names.get(node.node_id, ())}
        deferred = curation.deferred.get(node.node_id, ())
        found += [
            Waiting(
                node.node_id,
                fitting_parent(cluster, node.node_id, overview.tree),
                proposal.record.proposal_id,
                cluster,
                names.get(cluster.center_term, cluster.label),
                cluster.cluster_id in deferred,
            )
            for cluster in proposal.waiting
        ]
    return sorted(found, key=lambda waiting: waiting.was_deferred)


def queue_data(waiting: list[Waiting], overview: Overview, titles: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the cards of the queue."""
    tree = overview.tree
    cards = []
    for index, item in enumerate(waiting):
        card = card_data(item.cluster, index, label=item.label, titles=titles)
        card["id"] = key_of(item)
        card["where"] = "under " + (" › ".join(tree.path_of(item.parent_id)) or tree.root.label)
        if item.was_deferred:
            card["where"] += ", put off before"
        card["mergeTargets"] = [
            {"id": node.node_id, "label": node.label}
            for node in tree.children_of(item.node_id)
            if node.status != "rejected"
        ]
        cards.append(card)
    return {
        "clusters": cards,
        "parents": parent_options(tree),
        "keys": True,
        "queue": True,
        "titles": {"novel": f"Waiting ({len(cards)})"},
    }


def key_of(item: Waiting) -> str:
    """Return what names a waiting cluster in the queue: ids of clusters are unique within a proposal only."""
    return f"{item.proposal_id}/{item.cluster.cluster_id}"


def decisions_for(item: Waiting, action: Mapping[str, Any]) -> list[Decision]:
    """Return what to record for a click or a key on a card of the queue."""
    cluster, node_id = item.cluster, item.node_id
    terms = tuple(anchor.term for anchor in cluster.anchors)

    def accepted(parent_id: str) -> list[Decision]:
        node = accepted_topic(cluster, node_id, item.label)
        return [AcceptTopic(parent_id, node, cluster_id=cluster.cluster_id)]

    match action["type"]:
        case "accept":
            return accepted(item.parent_id)
        case "move":
            return accepted(str(action["to"]))
        case "reject":
            reason = str(action.get("reason", ""))
            return [RejectTopic(node_id, cluster.cluster_id, cluster.center_term, terms, reason)]
        case "merge":
            # The store knows its documents.
            return [MoveDocuments((), str(action["to"]), cluster.cluster_id)]
        case "later":
            return [Defer(node_id, cluster.cluster_id, cluster.center_term)]
        case "rename":
            return [NameCluster(node_id, cluster.cluster_id, cluster.center_term, terms, str(action["label"]))]
        case _:
            return []
