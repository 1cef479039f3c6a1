"""Everything undecided across all topics, in one line, judged at once and by keyboard alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from taxocom.expansion.proposals import accepting
from taxocom.store import Project
from taxocom.taxonomy.decisions import Decision
from taxocom.ui.shared.cards import card_data, parent_options
from taxocom.ui.shared.overview import Overview
from taxocom.workflow import open_proposals
from taxocom.workflow.language_model import SuggestedName
from taxocom.workflow.open_proposals import WaitingCluster


def waiting_clusters(project: Project, overview: Overview) -> list[WaitingCluster]:
    """Return what waits, those clusters first on which most documents hang; what was put off comes last."""
    waiting = open_proposals.waiting_clusters(overview.proposals, overview.tree, project.curation())
    return sorted(waiting, key=lambda item: (item.was_deferred, -item.cluster.n_documents))


def queue_data(
    waiting: list[WaitingCluster],
    overview: Overview,
    titles: Mapping[str, str] | None = None,
    suggested: Mapping[str, SuggestedName] | None = None,
) -> dict[str, Any]:
    """Return the cards of the queue; `suggested` are names that a language model gave, by the key of the cluster."""
    tree = overview.tree
    cards = []
    for index, item in enumerate(waiting):
        card = card_data(item.cluster, index, label=item.label, titles=titles)
        card["id"] = key_of(item)
        card["where"] = "under " + (" › ".join(tree.path_of(item.parent_id)) or tree.root.label)
        if item.was_deferred:
            card["where"] += ", put off before"
        if named := (suggested or {}).get(key_of(item)):
            card["suggestions"] = list(dict.fromkeys([named.name, *card["suggestions"]]))
            card["where"] += f". {named.source} suggests: {named.name}. {named.definition}"
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


def key_of(item: WaitingCluster) -> str:
    """Return what names a waiting cluster in the queue: ids of clusters are unique within a proposal only."""
    return f"{item.proposal_id}/{item.cluster.cluster_id}"


def decisions_for(item: WaitingCluster, action: Mapping[str, Any]) -> list[Decision]:
    """Return what to record for a click or a key on a card of the queue."""
    cluster, node_id = item.cluster, item.node_id
    match action["type"]:
        case "accept":
            return [item.accepted()]
        case "move":
            return [item.accepted(parent_id=str(action["to"]))]
        case "reject":
            return [accepting.reject(cluster, node_id, str(action.get("reason", "")))]
        case "merge":
            return [accepting.join(cluster, str(action["to"]))]
        case "later":
            return [accepting.defer(cluster, node_id)]
        case "rename":
            return [accepting.name(cluster, node_id, str(action["label"]))]
        case _:
            return []
