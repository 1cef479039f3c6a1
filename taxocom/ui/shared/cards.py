"""What a card shows of a cluster, as plain data for the component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from taxocom.expansion.proposals.accepting import fitting_parent
from taxocom.expansion.proposals.proposal import NodeExpansion, TopicCluster
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.ui.shared.proposal_draft import Draft
from taxocom.ui.shared.topic_split import offered
from taxocom.workflow.node_picture import NodePicture
from taxocom.workflow.open_proposals import OpenProposal, holds_something


def card_data(
    cluster: TopicCluster, slot: int, *, label: str | None = None, titles: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return one card without a verdict; `slot` is the cluster's place in the palette.

    `titles` are those of documents by their id: what is quoted is told by its title where it has one.
    """
    titles = titles or {}
    return {
        "id": cluster.cluster_id,
        "slot": slot,
        "kind": cluster.kind,
        "label": label or cluster.label,
        "suggestions": list(cluster.name_suggestions),
        "namesByMeaning": list(cluster.names_by_meaning),
        "anchors": [vars(anchor) for anchor in cluster.anchors],
        "nTerms": cluster.n_terms,
        "nDocuments": cluster.n_documents,
        "concentration": cluster.concentration,
        "distinctness": cluster.distinctness,
        "stability": cluster.stability,
        "warnings": list(cluster.warnings),
        "since": cluster.since,
        "passages": [
            {
                "document": p.document_id,
                "title": titles.get(p.document_id, ""),
                "text": p.text,
                "highlights": [list(span) for span in p.highlights],
            }
            for p in cluster.passages
        ],
        "verdict": None,
        "reason": "",
        "movedTo": "",
        "fitsUnder": cluster.fits_under,
    }


def bench_cards(
    expansion: NodeExpansion,
    draft: Draft,
    proposal: OpenProposal,
    tree: Taxonomy,
    picture: NodePicture,
    titles: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the cards of a split: every cluster that is not settled, with the draft on top, and what was left out."""
    cards = []
    clusters = expansion.clusters
    names = cluster_names(clusters, draft, tree)
    node_id = proposal.expansion.node_id
    slots, leaving = picture.slots(), picture.leaving()
    for index, cluster in enumerate(clusters):
        slot = slots.get(cluster.cluster_id, index)
        if cluster.cluster_id in proposal.settled or not _is_shown(cluster, tree):
            continue
        card = card_data(cluster, slot, label=names[cluster.cluster_id], titles=titles)
        judgement = draft.judgements.get(cluster.cluster_id)
        if judgement:
            card["verdict"], card["reason"] = judgement.verdict, judgement.reason
        card["movedTo"] = _destination(cluster.cluster_id, draft, tree)
        if cluster.kind == "known":
            card["notUnder"] = [node.node_id for node in tree.subtree_of(cluster.cluster_id)]
            card["part"] = _part(cluster, draft)
            card["leaving"] = leaving.get(cluster.cluster_id, 0)
        else:
            card["fits"] = _fits(cluster, node_id, draft, tree)
            card["included"] = cluster.cluster_id in draft.included
        cards.append(card)
    left_out = [
        {"id": group.cluster_id, "terms": list(group.terms), "nDocuments": group.n_documents, "reason": group.reason}
        for group in expansion.left_out
        if group.cluster_id not in proposal.settled
    ]
    return {
        "clusters": cards,
        "parents": parent_options(tree),
        "keys": True,
        "leftOut": left_out,
    }


def cluster_names(clusters: tuple[TopicCluster, ...], draft: Draft, tree: Taxonomy) -> dict[str, str]:
    """Return the name of each cluster as it is now: the draft's, the tree's if it is a topic there, the proposal's."""
    return {
        c.cluster_id: draft.names.get(c.cluster_id) or (tree[c.cluster_id].label if c.cluster_id in tree else c.label)
        for c in clusters
    }


def _is_shown(cluster: TopicCluster, tree: Taxonomy) -> bool:
    """Tell whether there is something to judge: a cluster with content, or a topic that is still in the tree."""
    if cluster.kind == "novel":
        return holds_something(cluster)
    return cluster.cluster_id in tree and tree[cluster.cluster_id].status != "rejected"


def _part(cluster: TopicCluster, draft: Draft) -> dict[str, Any] | None:
    part = draft.parted.get(cluster.cluster_id)
    if part is None:
        return None
    return {
        "label": part.label,
        "leaving": list(part.terms),
        "staying": [term for term in offered(cluster) if term not in part.terms],
    }


def _fits(cluster: TopicCluster, node_id: str, draft: Draft, tree: Taxonomy) -> dict[str, str] | None:
    """Return where a cluster goes by itself, if that is not under the node expanded and nobody said otherwise."""
    parent = fitting_parent(cluster, node_id, tree)
    if parent == node_id or cluster.cluster_id in draft.parents:
        return None
    return {"label": tree[parent].label, "node": node_id, "nodeLabel": tree[node_id].label}


def _destination(cluster_id: str, draft: Draft, tree: Taxonomy) -> str:
    joined, parent = draft.joined.get(cluster_id), draft.parents.get(cluster_id)
    if joined and joined in tree:
        return f"Goes into {tree[joined].label}"
    return f"Goes under {tree[parent].label}" if parent and parent in tree else ""


def parent_options(tree: Taxonomy) -> list[dict[str, str]]:
    """Return every topic that something can be put under, by its path."""
    return [
        {"id": node.node_id, "label": " › ".join(tree.path_of(node.node_id)) or node.label}
        for node in tree.subtree_of(ROOT_ID)
        if node.status != "rejected"
    ]
