"""What an accepted cluster becomes, and what a rejected one leaves behind, whoever decides and wherever."""

from __future__ import annotations

from taxocom.expansion.proposals.proposal import TopicCluster
from taxocom.taxonomy.kinds import AcceptTopic, Defer, MoveDocuments, NameCluster, RejectTopic
from taxocom.taxonomy.tree import Taxonomy, TopicNode, accepted_id
from taxocom.text.terms.vocabulary import display

KEYWORDS_KEPT = 5


def accepted_topic(cluster: TopicCluster, node_id: str, label: str) -> TopicNode:
    """Return the topic that an accepted cluster becomes; its id tells where it came from and nothing else."""
    return TopicNode(
        node_id=accepted_id(node_id, cluster.cluster_id),
        label=label,
        center_term=cluster.center_term,
        keywords=tuple(display(anchor.term) for anchor in cluster.anchors[:KEYWORDS_KEPT]),
        anchors=cluster.anchors,
        origin="novel",
        n_documents=cluster.n_documents,
        concentration=cluster.concentration,
    )


def fitting_parent(cluster: TopicCluster, node_id: str, tree: Taxonomy) -> str:
    """Return where an accepted cluster goes unless a person says otherwise: the topic it fits under, if still there."""
    fits = cluster.fits_under
    return fits if fits is not None and fits in tree and tree[fits].status != "rejected" else node_id


def accept(cluster: TopicCluster, node_id: str, *, label: str = "", parent_id: str = "") -> AcceptTopic:
    """Return the decision that a cluster of a proposal is a topic, under the node expanded or elsewhere."""
    node = accepted_topic(cluster, node_id, label or cluster.label)
    return AcceptTopic(parent_id or node_id, node, cluster_id=cluster.cluster_id)


def reject(cluster: TopicCluster, node_id: str, reason: str = "") -> RejectTopic:
    """Return the decision that a cluster is no topic; its anchors go along, so that a later run knows it again."""
    return RejectTopic(node_id, cluster.cluster_id, cluster.center_term, _terms(cluster), reason)


def name(cluster: TopicCluster, node_id: str, label: str) -> NameCluster:
    """Return the decision to call a cluster something before it is judged."""
    return NameCluster(node_id, cluster.cluster_id, cluster.center_term, _terms(cluster), label)


def defer(cluster: TopicCluster, node_id: str) -> Defer:
    """Return the decision to judge a cluster later."""
    return Defer(node_id, cluster.cluster_id, cluster.center_term)


def join(cluster: TopicCluster, topic_id: str) -> MoveDocuments:
    """Return the decision that a cluster goes into a topic; the store fills in its documents."""
    return MoveDocuments((), topic_id, cluster.cluster_id)


def topic_of(cluster_id: str, node_id: str, tree: Taxonomy) -> str | None:
    """Return the topic that a cluster of a proposal is in the tree: its own if known, the accepted one if novel."""
    return next((each for each in (cluster_id, accepted_id(node_id, cluster_id)) if each in tree), None)


def _terms(cluster: TopicCluster) -> tuple[str, ...]:
    return tuple(anchor.term for anchor in cluster.anchors)
