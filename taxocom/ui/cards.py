"""What a card shows of a cluster, as plain data for the component."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from taxocom.expansion.proposal import TopicCluster
from taxocom.taxonomy.tree import ROOT_ID, Taxonomy
from taxocom.ui.draft import Draft
from taxocom.ui.overview import OpenProposal


def card_data(
    cluster: TopicCluster, index: int, *, label: str | None = None, titles: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return one card without a verdict; `index` is the cluster's place, which gives it its colour.

    `titles` are those of documents by their id: what is quoted is told by its title where it has one.
    """
    titles = titles or {}
    return {
        "id": cluster.cluster_id,
        "index": index,
        "kind": cluster.kind,
        "label": label or cluster.label,
        "suggestions": list(cluster.name_suggestions),
        "anchors": [vars(anchor) for anchor in cluster.anchors],
        "nTerms": cluster.n_terms,
        "nDocuments": cluster.n_documents,
        "concentration": cluster.concentration,
        "distinctness": cluster.distinctness,
        "stability": cluster.stability,
        "warnings": list(cluster.warnings),
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
    clusters: tuple[TopicCluster, ...],
    draft: Draft,
    proposal: OpenProposal,
    tree: Taxonomy,
    titles: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the cards of a proposal: every cluster that is not settled, with the draft on top."""
    cards = []
    for index, cluster in enumerate(clusters):
        if cluster.cluster_id in proposal.settled:
            continue
        card = card_data(cluster, index, label=draft.names.get(cluster.cluster_id), titles=titles)
        judgement = draft.judgements.get(cluster.cluster_id)
        if judgement:
            card["verdict"], card["reason"] = judgement.verdict, judgement.reason
        card["movedTo"] = _destination(cluster.cluster_id, draft, tree)
        cards.append(card)
    styles = [{"kind": cluster.kind} for cluster in clusters]
    return {"clusters": cards, "styles": styles, "parents": parent_options(tree), "keys": True}


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
